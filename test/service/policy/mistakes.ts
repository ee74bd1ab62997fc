import type { PolicyOptions } from '../../../src/service/policy/index.ts'
import { upload } from '../../support/pem.ts'

/** A policy with one mistake: the number of its error, and the path of the value that is wrong. */
export type Mistake = [number: number, place: string, policy: unknown, options?: PolicyOptions]

const rule = (type: string, config?: unknown, expressions?: unknown) => ({
  ...(expressions !== undefined && { expressions }),
  actions: [{ type, ...(config !== undefined && { config }) }],
})
/** A policy with one action for requests. */
export const onRequest = (type: string, config?: unknown) => ({ on_http_request: [rule(type, config)] })
const onResponse = (type: string, config?: unknown) => ({ on_http_response: [rule(type, config)] })
const onConnect = (type: string, config?: unknown) => ({ on_tcp_connect: [rule(type, config)] })
/** A policy whose rule has these conditions. */
export const when = (...expressions: unknown[]) => ({ on_http_request: [rule('deny', undefined, expressions)] })

const AT = 'on_http_request.0.actions.0'
const CONFIG = `${AT}.config`
const WHEN = 'on_http_request.0.expressions.0'

const limit = (changes: object) =>
  onRequest('rate-limit', {
    name: 'calls',
    algorithm: 'sliding_window',
    capacity: 10,
    rate: '60s',
    bucket_key: ['conn.client_ip'],
    ...changes,
  })
const breaker = (changes: object) => onRequest('circuit-breaker', { error_threshold: 0.5, ...changes })
const jwt = (changes: object) =>
  onRequest('jwt-validation', {
    issuer: { allow_list: [{ value: 'https://issuer.test' }] },
    http: { tokens: [{ type: 'jwt', method: 'header', name: 'authorization' }] },
    jws: { allowed_algorithms: ['RS256'], keys: [{ sources: { additional_jkus: ['https://issuer.test/keys'] } }] },
    ...changes,
  })
const request = (changes: object) => onRequest('http-request', { url: 'https://users.internal', ...changes })
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const headers = (count: number) => Object.fromEntries(many(count, (index) => [`x-${index}`, 'a']))
const signIn = { type: 'oauth', config: { provider: 'google' } }
/** A text of the form of a certificate, which is none. */
export const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const { certificate_pem: server_certificate, private_key_pem: server_private_key } = upload()

/** At least one policy for each documented number. */
export const MISTAKES: readonly Mistake[] = [
  // Expressions
  [2200, WHEN, when('req.url.path = "/"')],
  [2200, WHEN, when('req.url.path.startsWith("/a"')],
  [2200, WHEN, when('req.path == "/"')],
  [2200, WHEN, when('request.url.path == "/"')],
  [2200, WHEN, when('req.url.path.includes("/a")')],
  [2200, WHEN, when('req.url.path')],
  [2200, WHEN, when('req.content_length > "10"')],
  [2200, WHEN, when('res.status_code == 200')],
  [2200, WHEN, when('!req.method in ["GET"]')],
  [2200, WHEN, when('hasResHeader("x")')],
  [2200, WHEN, when('req.method.matches("(?=a)")')],
  [2200, WHEN, when('vars.tier == "gold"')],
  [2200, WHEN, when(7)],
  [2200, WHEN, when('')],
  [2200, WHEN, when('req.method === "POST"')],
  [2200, WHEN, when('req.method == "POST" and req.host == "a"')],
  [2200, WHEN, when('req.method in ("GET", "POST")')],
  [2200, WHEN, when('${req.method == "GET"}')],
  [2200, WHEN, when('req.url.path.StartsWith("/a")')],
  [2200, WHEN, when("req.headers['x-a'] == 'b'")],
  [2200, WHEN, when("getReqHeader('x-a') == 'b'")],
  [2200, WHEN, when("conn.Geo.CountryCode == 'DE'")],
  [2200, WHEN, when("'proxy.anonymous' in conn.client_ip.catgories")],
  [2200, WHEN, when("actions.ngrok.openid_connect.identity.email == 'a'")],
  [
    2200,
    'on_http_response.0.expressions.0',
    {
      on_http_request: [rule('set-vars', { vars: [{ a: 'b' }] })],
      on_http_response: [rule('log', { metadata: { a: 1 } }, ["vars.a == 'b'"])],
    },
  ],
  [2200, 'on_tcp_connect.0.expressions.0', { on_tcp_connect: [rule('deny', undefined, ['req.method == "GET"'])] }],
  [2200, WHEN, when('conn.tls.sni == "a"'), { protocol: 'http' }],
  // Actions
  [2201, `${AT}.type`, onRequest('rate_limit', {})],
  [2201, `${AT}.type`, { on_http_request: [{ actions: [{ config: {} }] }] }],
  [2201, `${AT}.type`, onRequest('Deny')],
  [2201, `${AT}.type`, onRequest('oidc', { issuer_url: 'https://a.test' })],
  [2202, `${AT}.type`, onRequest('compress-response')],
  [2202, 'on_http_response.0.actions.0.type', onResponse('rate-limit', {})],
  [2202, 'on_http_response.0.actions.0.type', onResponse('deny')],
  [2202, 'on_tcp_connect.0.actions.0.type', onConnect('redirect', { to: 'a' })],
  [2203, `${CONFIG}.status`, onRequest('deny', { status: 403 })],
  [2203, `${CONFIG}`, onRequest('deny', 403)],
  [2203, `${CONFIG}.code`, onRequest('redirect', { to: 'a', code: 301 })],
  [2203, `${CONFIG}.x-a`, onRequest('add-headers', { headers: { a: 'b' }, 'x-a': 'b' })],
  [2204, `${CONFIG}.headers`, onRequest('add-headers', { headers: [{ name: 'a', value: 'b' }] })],
  [2204, `${CONFIG}.headers`, onRequest('remove-headers', { headers: { a: 'b' } })],
  [2204, `${CONFIG}.capacity`, limit({ capacity: '30' })],
  [
    2204,
    'on_tcp_connect.0.actions.0.config.min_version',
    { on_tcp_connect: [rule('terminate-tls', { min_version: 1.2 })] },
  ],
  [2222, `${CONFIG}.auth_id`, onRequest('oauth', { provider: 'google', auth_id: 'a b/c' })],
  [2204, `${CONFIG}.bucket_key`, limit({ bucket_key: 'req.host' })],
  [2204, `${CONFIG}.rate`, limit({ rate: 60 })],
  [2204, `${CONFIG}.issuer`, jwt({ issuer: 'https://issuer.test' })],
  [
    2204,
    `${CONFIG}.credentials.0`,
    onRequest('basic-auth', { credentials: [{ username: 'user', password: 'password1' }] }),
  ],
  [2204, `${CONFIG}.allow_cors_preflight`, onRequest('oauth', { provider: 'google', allow_cors_preflight: 'yes' })],
  [2204, `${CONFIG}.status_code`, onRequest('deny', { status_code: '403' })],
  [2204, `${CONFIG}.enforce`, onRequest('restrict-ips', { enforce: 'yes' })],
  [2204, `${CONFIG}.body`, onRequest('custom-response', { body: { a: 1 } })],
  [2205, 'on_tcp_connect.0.actions.0.type', onConnect('terminate-tls', {}), { protocol: 'tcp' }],
  [2206, 'on_http_request.0.actions', { on_http_request: [{ actions: [] }] }],
  [2206, 'on_http_request.0.actions', { on_http_request: [{ name: 'a' }] }],
  [
    2207,
    'on_http_request.0.actions.1',
    { on_http_request: [{ actions: [{ type: 'deny' }, { type: 'close-connection' }] }] },
  ],
  // Headers
  [2208, `${CONFIG}.headers.${'a'.repeat(300)}`, onRequest('add-headers', { headers: { ['a'.repeat(300)]: 'a' } })],
  [2209, `${CONFIG}.headers.a`, onRequest('add-headers', { headers: { a: 'a'.repeat(9000) } })],
  [2210, `${CONFIG}.headers.a b`, onRequest('add-headers', { headers: { 'a b': 'a' } })],
  [2210, `${CONFIG}.headers.0`, onRequest('remove-headers', { headers: ['a:'] })],
  [2211, `${CONFIG}.headers.a`, onRequest('add-headers', { headers: { a: 'a\nb' } })],
  [2212, `${CONFIG}.headers`, onRequest('add-headers', { headers: headers(11) })],
  [2223, `${CONFIG}.headers`, onRequest('add-headers', { headers: {} })],
  [2212, `${CONFIG}.headers`, onRequest('remove-headers', { headers: many(11, (index) => `x-${index}`) })],
  [2212, `${CONFIG}.headers`, onRequest('custom-response', { headers: headers(11) })],
  [2213, `${CONFIG}.headers.a`, onRequest('add-headers', { headers: { a: '${req.nothing}' } })],
  [2213, `${CONFIG}.headers.a`, onRequest('add-headers', { headers: { a: '${req.method' } })],
  [2219, `${CONFIG}.headers.User-Agent`, onRequest('add-headers', { headers: { 'User-Agent': 'a' } })],
  [2219, `${CONFIG}.headers.0`, onRequest('remove-headers', { headers: ['ngrok-skip-browser-warning'] })],
  [2234, `${CONFIG}.headers`, onRequest('add-headers', {})],
  [2213, `${CONFIG}.headers.a`, onRequest('add-headers', { headers: { a: '${res.status_code}' } })],
  [
    2224,
    'on_http_response.0.actions.0.config.headers.a',
    onResponse('add-headers', { headers: { a: '${conn.tls.foo}' } }),
  ],
  // Values
  [2214, 'on_http_response.0.actions.0.config.algorithms.0', onResponse('compress-response', { algorithms: ['zstd'] })],
  [
    2231,
    'on_http_response.0.actions.0.config.algorithms.1',
    onResponse('compress-response', { algorithms: ['br', 'br'] }),
  ],
  [2215, `${CONFIG}.status_code`, onRequest('deny', { status_code: 42 })],
  [2215, `${CONFIG}.status_code`, onRequest('redirect', { to: 'a', status_code: 200 })],
  [2215, `${CONFIG}.status_code`, onRequest('custom-response', { status_code: 1000 })],
  [2215, `${CONFIG}.status_code`, onRequest('custom-response', { status_code: 103 })],
  [
    2216,
    `${CONFIG}.ip_policies.0`,
    onRequest('restrict-ips', { ip_policies: ['ipp_1'] }),
    { hasIpPolicy: () => false },
  ],
  [2216, `${CONFIG}.ip_policies.0`, onRequest('restrict-ips', { ip_policies: ['mine'] })],
  [2217, `${CONFIG}.allow.0`, onRequest('restrict-ips', { allow: ['203.0.113.0/33'] })],
  [2217, `${CONFIG}.deny.0`, onRequest('restrict-ips', { deny: ['203.0.113.9'] })],
  [2217, `${CONFIG}.allow.0`, onRequest('restrict-ips', { allow: ['203.0.113.256/32'] })],
  [2217, `${CONFIG}.deny.0`, onRequest('restrict-ips', { deny: ['2001:db8::/129'] })],
  [2222, `${CONFIG}.rate`, limit({ rate: '1/min' })],
  [2225, `${CONFIG}.window_duration`, breaker({ window_duration: '5m' })],
  [2218, `${CONFIG}.bucket_key`, limit({ bucket_key: many(11, () => 'req.host') })],
  [2221, `${CONFIG}.name`, limit({ name: 'a'.repeat(1025) })],
  [2222, `${CONFIG}.algorithm`, limit({ algorithm: 'token_bucket' })],
  [2234, `${CONFIG}.rate`, limit({ rate: undefined })],
  [2215, `${CONFIG}.capacity`, limit({ capacity: 0 })],
  [2225, `${CONFIG}.rate`, limit({ rate: '5s' })],
  [2225, `${CONFIG}.rate`, limit({ rate: '65s' })],
  [2225, `${CONFIG}.rate`, limit({ rate: '25h' })],
  [2222, `${CONFIG}.rate`, limit({ rate: 'soon' })],
  [2224, `${CONFIG}.bucket_key.0`, limit({ bucket_key: ['req.hostt'] })],
  [2224, `${CONFIG}.bucket_key.0`, limit({ bucket_key: ['${req.host}'] })],
  [2223, `${CONFIG}.bucket_key`, limit({ bucket_key: [] })],
  [2215, `${CONFIG}.error_threshold`, breaker({ error_threshold: 1.5 })],
  [2225, `${CONFIG}.tripped_duration`, breaker({ tripped_duration: '3m' })],
  [2215, `${CONFIG}.num_buckets`, breaker({ num_buckets: 5 })],
  [2223, `${CONFIG}.metadata`, onRequest('log', { metadata: {} })],
  [2252, `${CONFIG}.vars`, onRequest('set-vars', { vars: { a: 1 } })],
  [2252, `${CONFIG}.vars.0`, onRequest('set-vars', { vars: [{ a: 1, b: 2 }] })],
  [2250, `${CONFIG}.vars.0.a`, onRequest('set-vars', { vars: [{ a: [[[[[[[[[[[[1]]]]]]]]]]]] }] })],
  [2224, `${CONFIG}.vars.0.a`, onRequest('set-vars', { vars: [{ a: '${vars.b}' }] })],
  [2224, `${CONFIG}.body`, onRequest('custom-response', { body: 'a ${req.metod}' })],
  [2226, `${CONFIG}.url`, onRequest('forward-internal', { url: 'api.internal' })],
  [2226, `${CONFIG}.url`, onRequest('forward-internal', { url: 'api.internal:80' })],
  [2226, `${CONFIG}.url`, onRequest('forward-internal', { url: 'https://my api.internal' })],
  [2226, `${CONFIG}.issuer_url`, onRequest('openid-connect', { issuer_url: 'accounts.google.com' })],
  [2222, `${CONFIG}.max_session_duration`, onRequest('oauth', { provider: 'google', max_session_duration: 'long' })],
  [
    2242,
    `${CONFIG}.auth_cookie_domain`,
    onRequest('oauth', { provider: 'google', auth_cookie_domain: 'xn--zzzzzzzzzzz.com' }),
  ],
  [2243, `${CONFIG}.auth_cookie_domain`, onRequest('oauth', { provider: 'google', auth_cookie_domain: 'a b.com' })],
  [2267, `${CONFIG}.providers.0.api_keys`, onRequest('ai-gateway', { providers: [{ id: 'openai', api_keys: [] }] })],
  [2222, `${CONFIG}.on_error`, onRequest('forward-internal', { url: 'https://a.internal', on_error: 'stop' })],
  // Sign-in
  [2239, 'on_http_request.0.actions.1.type', { on_http_request: [{ actions: [signIn, signIn] }] }],
  [2222, `${CONFIG}.provider`, onRequest('oauth', { provider: 'gogle' })],
  [2240, `${CONFIG}.client_secret`, onRequest('oauth', { provider: 'google', client_id: 'a' })],
  [2240, `${CONFIG}.provider`, onRequest('oauth', { provider: 'amazon' })],
  [2240, `${CONFIG}.scopes`, onRequest('oauth', { provider: 'google', scopes: ['calendar'] })],
  [2234, `${CONFIG}.issuer_url`, onRequest('openid-connect', {})],
  [2256, `${AT}.type`, onRequest('saml'), { plan: 'free' }],
  [2239, 'on_http_request.1.actions.0.type', { on_http_request: [{ actions: [signIn] }, rule('saml')] }],
  [2237, `${CONFIG}.credentials.0`, onRequest('basic-auth', { credentials: ['user:short'] })],
  [2221, `${CONFIG}.credentials.0`, onRequest('basic-auth', { credentials: [`user:${'a'.repeat(129)}`] })],
  [2222, `${CONFIG}.credentials.0`, onRequest('basic-auth', { credentials: ['password1'] })],
  [2218, `${CONFIG}.credentials`, onRequest('basic-auth', { credentials: many(11, () => 'user:password1') })],
  [2257, `${CONFIG}.credentials.0`, onRequest('basic-auth', { credentials: ['us\u0001er:password1'] })],
  [2258, `${CONFIG}.credentials.0`, onRequest('basic-auth', { credentials: ['user:pass\u0001word1'] })],
  [2221, `${CONFIG}.realm`, onRequest('basic-auth', { credentials: ['user:password1'], realm: 'a'.repeat(129) })],
  [2222, `${CONFIG}.provider`, onRequest('verify-webhook', { provider: 'git_hub', secret: 'a' })],
  [2234, `${CONFIG}.secret`, onRequest('verify-webhook', { provider: 'github' })],
  [2234, `${CONFIG}.jws`, jwt({ jws: undefined })],
  [2223, `${CONFIG}.issuer.allow_list`, jwt({ issuer: { allow_list: [] } })],
  [2222, `${CONFIG}.http.tokens.0.method`, jwt({ http: { tokens: [{ type: 'jwt', method: 'query', name: 'a' }] } })],
  [
    2222,
    `${CONFIG}.jws.allowed_algorithms.0`,
    jwt({
      jws: { allowed_algorithms: ['none'], keys: [{ sources: { additional_jkus: ['https://issuer.test/keys'] } }] },
    }),
  ],
  [
    2226,
    `${CONFIG}.jws.keys.0.sources.additional_jkus.0`,
    jwt({ jws: { allowed_algorithms: ['RS256'], keys: [{ sources: { additional_jkus: ['keys'] } }] } }),
  ],
  // http-request
  [2226, `${CONFIG}.url`, request({ url: 'users' })],
  [2222, `${CONFIG}.method`, request({ method: 'get' })],
  [2244, `${CONFIG}.query_params`, request({ query_params: many(33, () => ({ key: 'a', value: 'b' })) })],
  [2245, `${CONFIG}.query_params.0.key`, request({ query_params: [{ key: 'a'.repeat(129), value: 'b' }] })],
  [2246, `${CONFIG}.query_params.0.value`, request({ query_params: [{ key: 'a', value: 'b'.repeat(8193) }] })],
  [2215, `${CONFIG}.max_redirects`, request({ max_redirects: 6 })],
  [2225, `${CONFIG}.timeout`, request({ timeout: '31s' })],
  [2224, `${CONFIG}.retry_condition`, request({ retry_condition: 'attempts' })],
  [2224, `${CONFIG}.retry_condition`, request({ retry_condition: 'atempts < 2' })],
  [2224, `${CONFIG}.retry_condition`, request({ retry_condition: 'last_attempt.res.statuscode == 500' })],
  [2224, `${CONFIG}.retry_condition`, request({ retry_condition: 'has(last_attempt.req.headers)' })],
  [2224, `${CONFIG}.retry_condition`, request({ retry_condition: '${attempts < 2}' })],
  // Patterns
  [2261, `${CONFIG}.from`, onRequest('url-rewrite', { from: '(', to: 'a' })],
  [2261, `${CONFIG}.from`, onRequest('redirect', { from: '(?!a)', to: 'a' })],
  [2261, `${CONFIG}.from`, onRequest('url-rewrite', { from: '(a)\\1', to: 'a' })],
  [2261, `${CONFIG}.replacements.0.from`, onRequest('request-body-find-replace', { replacements: [{ from: '[a' }] })],
  [2223, `${CONFIG}.replacements`, onRequest('request-body-find-replace', { replacements: [] })],
  [2234, `${CONFIG}.replacements.0.from`, onRequest('request-body-find-replace', { replacements: [{ to: 'a' }] })],
  // TLS
  [2222, 'on_tcp_connect.0.actions.0.config.min_version', onConnect('terminate-tls', { min_version: '1.1' })],
  [
    2228,
    'on_tcp_connect.0.actions.0.config.server_certificate',
    onConnect('terminate-tls', { server_certificate: 'a', server_private_key }),
  ],
  [
    2228,
    'on_tcp_connect.0.actions.0.config.server_certificate',
    onConnect('terminate-tls', { server_certificate: PEM, server_private_key }),
  ],
  [
    2228,
    'on_tcp_connect.0.actions.0.config.server_private_key',
    onConnect('terminate-tls', { server_certificate, server_private_key: PEM }),
  ],
  [
    2228,
    'on_tcp_connect.0.actions.0.config.mutual_tls_certificate_authorities.0',
    onConnect('terminate-tls', { mutual_tls_certificate_authorities: [PEM] }),
  ],
  [2240, 'on_tcp_connect.0.actions.0.config.server_private_key', onConnect('terminate-tls', { server_certificate })],
  [
    2263,
    'on_tcp_connect.0.actions.0.config.mutual_tls_verification_strategy',
    onConnect('terminate-tls', { mutual_tls_verification_strategy: 'request' }),
    { plan: 'free' },
  ],
  // The whole
  [2215, `${CONFIG}.exclude_rule_ids.0`, onRequest('owasp-crs-request', { on_error: 'halt', exclude_rule_ids: [1] })],
  [2234, `${CONFIG}.on_error`, onRequest('owasp-crs-request', {})],
  [
    2266,
    'on_http_request.0.actions.1.type',
    { on_http_request: [{ actions: [{ type: 'ai-gateway' }, { type: 'ai-gateway' }] }] },
  ],
  [2229, '', {}, { protocol: 'udp' as 'tcp' }],
  [2230, 'on_http_requests', { on_http_requests: [] }],
  [2230, 'on_http_request', onRequest('deny'), { protocol: 'tcp' }],
  [
    2235,
    'on_http_request',
    { on_http_request: [rule('log', { metadata: { a: 1 } }, ['req.method == "GET"'])] },
    { place: 'cloud' },
  ],
  [2236, '', []],
  [2236, 'on_http_request', { on_http_request: {} }],
  [2230, 'traffic_policy', { traffic_policy: { on_http_request: [] } }],
  [2230, 'onHttpRequest', { onHttpRequest: [rule('deny')] }],
  [2230, 'inbound', { inbound: [rule('deny')] }],
  [2236, 'on_http_request.0.expressions', { on_http_request: [rule('deny', undefined, 'req.method == "GET"')] }],
  [2236, 'on_http_request.0.expression', { on_http_request: [{ expression: ['true'], ...rule('deny') }] }],
  [2236, 'on_http_request.0.action', { on_http_request: [{ action: [{ type: 'deny' }] }] }],
  [2236, 'on_http_request.0.actions', { on_http_request: [{ actions: { type: 'deny' } }] }],
  [2236, AT, { on_http_request: [{ actions: ['deny'] }] }],
  [2236, `${AT}.status_code`, { on_http_request: [{ actions: [{ type: 'deny', status_code: 404 }] }] }],
  [2236, 'on_http_request.0.if', { on_http_request: [{ if: 'true', ...rule('deny') }] }],
  [2248, 'on_tcp_connect', onConnect('deny'), { place: 'edge' }],
  [2262, 'on_tcp_connect', onConnect('deny'), { place: 'internal' }],
  [2264, 'on_http_request', { on_http_request: many(6, () => rule('log', { metadata: { a: 1 } })) }, { plan: 'free' }],
  [2265, 'on_http_request.0.expressions', when('true', 'true', 'true'), { maxExpressions: 2 }],
  [
    2265,
    'on_http_request.0.actions',
    { on_http_request: [{ actions: many(3, () => ({ type: 'log', config: { metadata: { a: 1 } } })) }] },
    { maxActions: 2 },
  ],
]
