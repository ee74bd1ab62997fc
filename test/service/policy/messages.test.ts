import { expect, test } from 'vitest'
import {
  checkPolicy,
  checkPolicyValue,
  type PolicyOptions,
  type PolicyPath,
  WARNINGS,
} from '../../../src/service/policy/index.ts'
import { MISTAKES, onRequest, PEM, when } from './mistakes.ts'

const CONDITIONS: readonly string[] = [
  'req.url.path.pth == "/"',
  'time.now.hour > 8',
  'req.headers.accept.first == "a"',
  'req.host.lower(1) == "a"',
  'hash.md5(1) == "a"',
  'hash.mdx("a") == "a"',
  'req.method.toLowerCase() == "get"',
  'somewhere("a")',
  'size(req.host, 1) == 1',
  'req.host.startsWith()',
  'getQueryParam("a", "b").size() > 0',
  'req.host.getHeader("a") == "b"',
  'req.method == "GET" & req.host == "a"',
  'req.method == "GET" | req.host == "a"',
  'timestamp(time.now) > duration("1s")',
  'timestamp(time.now)',
  'duration("1s")',
  'req.content_length',
  'req.url',
  'req.headers',
  'req == "a"',
  'req.headers["a"] != "b"',
  '"b" == req.headers["a"]',
  'req.url.path in "/a"',
  'Env == "a"',
  'PATH == "a"',
  'REQ.method == "GET"',
  'country_code == "DE"',
  'req.server_port == 1',
  'conn.path == "/"',
  'conn.methods == "GET"',
  'req.country_code == "DE"',
  'req.url.urls == "a"',
  'req.url.path.url == "a"',
  'req.host.hos("hos")',
  '"nope".nope("nope") == "nope"',
  '"nope" == nope("nope")',
  'req.host.nope()',
  'lower(req.host) == nope.lower',
  'conn.geo.city.x == "a"',
  'conn.tls.foo == "a"',
  'res.status == 200',
  'getResHeader("a")[0] == "b"',
  'last_attempt.error == ""',
  'vars.a == 1',
  'actions.ngrok.oauth.identity.mail == "a"',
  'actions.ngrok.oath.identity.email == "a"',
  "req.host == 'a",
  'req.host ==',
  'req.host.matches("(")',
  '(req.method == "GET"',
  'req.method == "GET")',
  '!req.method in ["GET"]',
  '!(req.method) in ["GET"] && true',
  `${'1 + '.repeat(6000)}1 > 0`,
]

const PATTERNS: readonly string[] = [
  ')',
  'a(b',
  '*a',
  'a|*b',
  '(*a)',
  '(?i)*a',
  '(a{40}){40}',
  'a**',
  'a+*',
  'x{2}{3}',
  'a{3,2}',
  'a{1001}',
  '(a{500}){3}',
  '(?=a)',
  '(?<!a)',
  '(?>a)',
  '(?<>a)',
  '(?P=a)',
  '(?x)a',
  '[b-a]',
  '[a',
  '[[:letter:]]',
  '[\\w-z]',
  '[a-\\d]',
  '[a-',
  'a{2,1}',
  '\\1',
  '\\8',
  '\\Z',
  '\\x{110000}',
  '\\xg',
  '\\p{Nothing}',
  '\\pQ',
  'a\\',
  '[\\b]',
]

const action = (type: string, config: object) => onRequest(type, config)
const MORE: readonly (readonly [policy: unknown, options?: PolicyOptions])[] = [
  ...CONDITIONS.map((source) => [when(source)] as const),
  ...PATTERNS.map((from) => [action('redirect', { from, to: 'https://a.test' })] as const),
  [{ on_http_request: ['deny'] }],
  [{ on_http_request: [{ name: 7, actions: [{ type: 'deny' }] }] }],
  [{ on_http_request: [{ name: 'a', expressions: [true, 7], actions: [{ type: 'deny' }] }] }],
  [action('deny', { status_code: 12.5 })],
  [action('deny', { status_code: 199 })],
  [action('deny', { status_code: 600 })],
  [action('restrict-ips', { ip_policies: [7] })],
  [action('restrict-ips', { ip_policies: ['ipp_1/2'] })],
  [action('restrict-ips', { allow: ['203.0.113.9', '2001:db8::1', '203.0.113.0/033', '203.0.113.0/24/1', 'a'] })],
  [action('remove-headers', { headers: [7] })],
  [action('rate-limit', {})],
  [action('rate-limit', { name: '', algorithm: 'sliding_window', capacity: 10, rate: '90s', bucket_key: [7] })],
  [action('circuit-breaker', { error_threshold: '1' })],
  [action('circuit-breaker', { error_threshold: 1.01, window_duration: '7s', tripped_duration: 'x' })],
  [action('http-request', { url: 'https://a.internal', query_params: ['a'], timeout: '0s' })],
  [action('http-request', { url: 'https://a.internal', retry_condition: 7 })],
  [action('oauth', { provider: 'googl' })],
  [action('oauth', { provider: 'zzzzzzzzzzzz' })],
  [action('verify-webhook', { provider: 'nothing-like-it', secret: 'a' })],
  [action('jwt-validation', { issuer: 'a', http: {}, jws: { keys: [] } })],
  [
    action('basic-auth', {
      credentials: [
        ':',
        'a:${1}',
        'b\n:${req.host}',
        'a:1234567',
        `a:${'1'.repeat(129)}`,
        '${req.host}',
        'a\n:password',
      ],
    }),
  ],
  [action('custom-response', { body: 7 })],
  [action('custom-response', { body: '${', headers: { a: '${req.nothing}' } })],
  [action('add-headers', { headers: { a: 'b\u007f', b: '${size(7)}', 'c d': 'e' } })],
  [action('set-vars', { vars: [7] })],
  [action('log', { metadata: 'a' })],
  [action('set-vars', { vars: [] })],
  [{ on_tcp_connect: [{ actions: [{ type: 'terminate-tls', config: { min_version: '1.3', max_version: '1.2' } }] }] }],
  [
    {
      on_tcp_connect: [
        { actions: [{ type: 'terminate-tls', config: { server_certificate: '', server_private_key: PEM } }] },
      ],
    },
  ],
  [{ on_http_response: [{ actions: [{ type: 'oauth', config: { provider: 'google' } }] }] }],
  [{ on_tcp_connect: [{ actions: [{ type: 'terminate-tls' }] }] }, { protocol: 'http' }],
  [
    { on_http_request: [{ actions: [{ type: 'openid-connect' }, { type: 'saml' }] }] },
    { plan: 'free', protocol: 'https' },
  ],
  [{ on_http_request: Array.from({ length: 3 }, () => ({ actions: [{ type: 'deny' }] })) }, { maxRules: 2 }],
  [{ inbound: [], outbound: [], enabled: true, on_http_request: [] }, { place: 'module' }],
  [{ enabled: true }],
  [{ phases: [] }],
  [7],
]

const textAt = (value: unknown, path: PolicyPath): unknown =>
  // A path leads through objects and lists, whose keys are those of the path.
  path.reduce<unknown>(
    (below, key) => (typeof below === 'object' && below !== null ? Reflect.get(below, key) : ''),
    value,
  )

const rule = (condition: string | true | undefined, type = 'deny', config: object = {}) => ({
  ...(condition !== undefined && { expressions: [condition] }),
  actions: [{ type, config }],
})
const limit = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['req.host'] }
const onRequests = (...rules: readonly object[]) => JSON.stringify({ on_http_request: rules })

/** Policies that the service takes, and that are surely not meant. */
const DOUBTFUL: readonly string[] = [
  ...WARNINGS.map(({ wrong }) => wrong),
  onRequests(rule(undefined), rule('req.host == "a"')),
  onRequests(rule(true), rule('req.host == "a"', 'rate-limit', limit)),
  onRequests(rule('true', 'custom-response', { body: 'a' }), rule('req.host == "a"')),
  onRequests(rule('req.url.path == "/a"'), rule('req.url.path == "/a"', 'rate-limit', limit)),
  onRequests(rule("req.url.path.startsWith('/a')"), rule("req.url.path == '/a/b'"), rule("req.url.path == '/b'")),
  onRequests(rule("req.url.path.startsWith('/a') || req.url.path == '/b'"), rule("req.url.path == '/b'")),
  onRequests(rule("req.host.startsWith('a')"), rule("req.host == 'b'")),
  onRequests(rule('req.method == "GET"', 'forward-internal', { url: 'https://a.internal', on_error: 'continue' })),
  onRequests(rule('req.method == "GET"', 'oauth', { provider: 'github' }), rule(undefined)),
  onRequests(rule(undefined, 'openid-connect', { issuer_url: 'https://a.test' })),
  onRequests(rule("'a' in req.headers['X-A'] && has(req.trailers['X-B'])")),
  onRequests(rule("res.headers['X-A'] == ['a']")),
  onRequests(rule("conn.client_ip != '203.0.113.0/24' && req.host != '203.0.113.0/24'")),
  onRequests(rule("conn.client_ip in ['203.0.113.4', '198.51.100.0/24']")),
  onRequests(rule('!req.content_length in [1, 2]')),
  onRequests(rule("secrets.get('webhooks', 'gitlab') == 'a' && secrets.get(req.host, 'a') == 'b'")),
  onRequests(rule(undefined, 'verify-webhook', { provider: 'github', secret: "${secrets.get('webhooks', 'github')}" })),
  onRequests(rule(undefined, 'verify-webhook', { provider: 'github', secret: "${secrets.get('hooks', 'github')}" })),
]

function describeProblems(policy: unknown, options: PolicyOptions | undefined): readonly string[] {
  return checkPolicyValue(policy, options).flatMap(({ severity, number, path, within, message, hint, docs }) => {
    const { offset = 0, length = 0 } = within ?? {}
    const part = String(textAt(policy, path)).slice(offset, offset + length)
    return [
      `${severity} ${number} ${message}`,
      ...(within ? [`  at ${offset}: ${part.slice(0, 80)}`] : []),
      ...(hint === undefined ? [] : [`  hint: ${hint}`]),
      ...(docs === `https://ngrok.com/docs/errors/err_ngrok_${number}` ? [] : [`  docs: ${docs}`]),
    ]
  })
}

test('Each mistake has a message with the place, the value and what is allowed (rules: traffic-policy#numbers)', async () => {
  const policies = [...MISTAKES.map(([, , policy, options]) => [policy, options] as const), ...MORE]
  const described = policies.map(([policy, options]) => describeProblems(policy, options).join('\n'))
  await expect(`${described.join('\n')}\n`).toMatchFileSnapshot('./messages.txt')
})

test('Each doubtful policy has a warning with the place, the reason and a better form (rules: traffic-policy#warnings)', async () => {
  const options: PolicyOptions = { hasSecret: (vault, name) => vault === 'webhooks' && name === 'github' }
  const described = DOUBTFUL.flatMap((text) => [
    text.trimEnd(),
    ...checkPolicy(text, options).flatMap(({ line, column, endColumn, severity, number, rule: id, message, hint }) => [
      `  ${severity} ${number ?? id} at ${line}:${column}-${endColumn}: ${message}`,
      ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ]),
  ])
  await expect(`${described.join('\n')}\n`).toMatchFileSnapshot('./warnings.txt')
})
