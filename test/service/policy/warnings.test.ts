import { describe, expect, test } from 'vitest'
import { checkPolicy, checkPolicyValue, type PolicyOptions, WARNINGS } from '../../../src/service/policy/index.ts'
import { readText } from '../../../src/service/policy/text.ts'

const options: PolicyOptions = { hasSecret: (vault, name) => vault === 'webhooks' && name === 'github' }
const rulesOf = (text: string) => checkPolicy(text, options).map(({ rule, number }) => rule ?? number)

/** The warnings about parts that fail for every request, which are errors, and the service's numbers at run time. */
const AT_RUN_TIME: Readonly<Record<string, number>> = { 'invalid-constant': 2254, 'url-not-reachable': 3200 }

describe.each(WARNINGS)('The warning $id (rules: traffic-policy#warnings)', ({ id, wrong, right, reason, docs }) => {
  test('its wrong example has the warning alone, with a better form', () => {
    const problems = checkPolicy(wrong, options)
    const number = AT_RUN_TIME[id]
    const severity = number === undefined ? 'warning' : 'error'
    expect(problems.map((each) => [each.severity, each.rule, each.number])).toEqual([[severity, id, number]])
    expect(problems[0]?.hint).toMatch(/\w.*\.$/)
    expect(problems[0]?.docs).toBe(docs)
  })

  test('its right example has no problem', () => {
    expect(checkPolicy(right, options)).toEqual([])
  })

  test('it has a reason and a page', () => {
    expect(reason).toMatch(/\.$/)
    expect(docs).toMatch(/^https:\/\/ngrok\.com\/docs\/traffic-policy\//)
  })
})

const when = (...conditions: string[]) =>
  JSON.stringify({ on_http_request: [{ expressions: conditions, actions: [{ type: 'deny' }] }] })

test.each([
  ["conn.client_ip == '203.0.113.0/24'", "Use inCidrRange(conn.client_ip, '203.0.113.0/24')."],
  ["'203.0.113.0/24' != conn.client_ip", "Use !inCidrRange(conn.client_ip, '203.0.113.0/24')."],
  [
    "conn.client_ip in ['203.0.113.4', '2001:db8::1', '198.51.100.0/24']",
    "Use inCidrRanges(conn.client_ip, ['203.0.113.4/32', '2001:db8::1/128', '198.51.100.0/24']).",
  ],
  ["conn.client_ip.matches('203.0.113.0/24')", "Use inCidrRange(conn.client_ip, '203.0.113.0/24')."],
  ["conn.client_ip.startsWith('2001:db8::/32')", "Use inCidrRange(conn.client_ip, '2001:db8::/32')."],
  [
    "conn.client_ip in ['203.0.113.4/32', '198.51.100.0/24']",
    "Use inCidrRanges(conn.client_ip, ['203.0.113.4/32', '198.51.100.0/24']).",
  ],
  ["req.headers['User-Agent'][0].contains('curl')", "Use req.headers['user-agent']."],
  ["has(req.headers['X-Key'])", "Use req.headers['x-key']."],
  ["!(getReqHeader('x')[0] in ['a', 'b'])", "Write !hasReqHeader('x') || before it."],
  ["!getReqHeader('x')[0].startsWith('a')", "Write !hasReqHeader('x') || before it."],
  ["req.url.path.split('/')[2] != 'a'", "Write size(req.url.path.split('/')) <= 2 || before it."],
  ["req.url.query.split('&')[1] != 'a'", "Write size(req.url.query.split('&')) <= 1 || before it."],
  ["req.headers['x'][0] != 'a'", "Write !has(req.headers['x']) || before it."],
  ["req.headers['x'].all(v, v != 'a')", "Write !has(req.headers['x']) || before it."],
  ["!req.headers['x'].exists(v, v == 'a')", "Write !has(req.headers['x']) || before it."],
  ["getReqCookie('x').value != 'a'", "Write !hasReqCookie('x') || before it."],
  ["req.cookies['x'][0].value != 'a'", "Write !has(req.cookies['x']) || before it."],
  ["req.method == 'GET' || getQueryParam('x')[0] != 'a'", "Write !hasQueryParam('x') || before it."],
  ["json.decode(getReqHeader('x')[0])['a'] != 'a'", "Write !hasReqHeader('x') || before it."],
  ["json.decode(req.host)['a'] != 'a'", "Write !has(json.decode(req.host)['a']) || before it."],
  ["req.content_encoding[0] != 'a'", 'Write size(req.content_encoding) == 0 || before it.'],
  ["req.content_encoding[1] != 'a'", 'Write size(req.content_encoding) <= 1 || before it.'],
  ["!inCidrRange(getReqHeader('x')[0], '203.0.113.0/24')", "Write !hasReqHeader('x') || before it."],
  ["!inCidrRanges(getReqHeader('x')[0], ['203.0.113.0/24'])", "Write !hasReqHeader('x') || before it."],
  ["!getReqHeader('x')[0].isPrivateIp()", "Write !hasReqHeader('x') || before it."],
  ["!getReqHeader('x')[0].decodeJson().admin", "Write !hasReqHeader('x') || before it."],
  ["int(getReqHeader('x')[0]) < 18", "Write !hasReqHeader('x') || before it."],
  ["18 > int(getReqHeader('x')[0])", "Write !hasReqHeader('x') || before it."],
  ["!(int(getReqHeader('x')[0]) >= 18)", "Write !hasReqHeader('x') || before it."],
  ["size(getReqHeader('x')[0]) < 10", "Write !hasReqHeader('x') || before it."],
  ["getReqHeader('x')[0].contains('a') == false", "Write !hasReqHeader('x') || before it."],
  ["true != (getReqHeader('x')[0] == 'a')", "Write !hasReqHeader('x') || before it."],
  ["getReqHeader('x')[0] == 'a' ? false : true", "Write !hasReqHeader('x') || before it."],
  ["['x', 'y'].exists(h, getReqHeader(h)[0] != 'a')", 'Write !hasReqHeader(h) || before it.'],
  ["['x', 'y'].all(h, req.headers[h][0] != 'a')", 'Write !has(req.headers[h]) || before it.'],
  ["!['x', 'y'].exists(h, getReqHeader(h)[0] == 'a')", 'Write !hasReqHeader(h) || before it.'],
  ["['x', 'y'].map(h, getReqHeader(h)[0]) != ['a', 'b']", 'Write !hasReqHeader(h) || before it.'],
  ["size(['x', 'y'].filter(h, getReqHeader(h)[0] == 'a')) > 0", 'Write !hasReqHeader(h) || before it.'],
  ["['x', 'y'].filter(h, getReqHeader(h)[0] == 'a').size() < 2", 'Write !hasReqHeader(h) || before it.'],
  ["req.url.query_params['x'].size() != 1", "Write !has(req.url.query_params['x']) || before it."],
  ["size(req.headers['x']) == 0", "Write !has(req.headers['x']) || before it."],
  ["req.cookies['x'].size() < 1", "Write !has(req.cookies['x']) || before it."],
  ["req.headers['x'] == []", "Write !has(req.headers['x']) || before it."],
  ["req.headers['x'][0] == ''", "Write !has(req.headers['x']) || before it."],
  ["getReqHeader('x')[0].trim() == ''", "Write !hasReqHeader('x') || before it."],
  ["getReqCookie('x').value == ''", "Write !hasReqCookie('x') || before it."],
  ["duration('5 minutes') > duration('1m')", 'Change the constant: the text is not a duration, such as 1h30m.'],
  [
    "timestamp('yesterday') < timestamp(time.now)",
    'Change the constant: the text is not a timestamp, such as 2026-01-31T12:00:00Z.',
  ],
  ['rand.int(10, 0) > 3', 'Change the constant: rand.int needs two non-negative numbers, the smaller one first.'],
  ["hash.md5(req.method, 'hex2') == 'a'", 'Change the constant: the format of a hash must be "hex" or "base64".'],
  ["req.method.sha256('HEX') == 'a'", 'Change the constant: the format of a hash must be "hex" or "base64".'],
  ["timestamp(time.now).getHours('Europe/Berin') > 8", 'Change the constant: the time zone is unknown.'],
  ["conn.ts.start.getDayOfWeek('CEST') == 0", 'Change the constant: the time zone is unknown.'],
  ["req.url.path.split('/')[-1] == 'a'", 'Change the constant: no such key: index out of bounds, index -1 < 0.'],
  ["req.host == ['a', 'b'][2]", 'Change the constant: no such key: index out of bounds, index 2 >= size 2.'],
  ["req.host == {'a': 'b'}.c", 'Change the constant: no such key: c.'],
  ["req.host == {'a': 'b'}['c' + 'd']", 'Change the constant: no such key: cd.'],
  ['conn.client_port / (2 - 2) == 1', 'Change the constant: division by zero.'],
  ['conn.client_port % 0 == 1', 'Change the constant: division by zero.'],
  ["int('x') == conn.client_port", 'Change the constant: the text cannot be converted to an int.'],
  ["req.url.path.substring(3, 1) == 'a'", 'Change the constant: invalid substring range: 3 to 1.'],
  ["'%s %s'.format([req.host]) == 'a'", 'Change the constant: the string has more placeholders than the 1 values.'],
  ["req.url.path.startsWith('a/')", "A path begins with a slash, and has no query. Use '/a/'."],
  ["'/a?b=1' == req.url.path", "A path begins with a slash, and has no query. Use '/a'."],
  ["req.url.path.contains('?b=')", 'A path begins with a slash, and has no query.'],
  ["req.method in ['GET', 'Post']", "Methods are uppercase. Use 'POST'."],
  ["req.method == 'OPTION'", "Methods are uppercase. Use 'OPTIONS'."],
  ["req.method in ['POST', 'UPDATE']", "Methods are uppercase. Use 'PUT'."],
  ["req.method.matches('get')", "Methods are uppercase. Use 'GET'."],
  ["req.method.matches('^get$')", "Methods are uppercase. Use '^GET$'."],
  ["req.url.path.matches('^admin/.*')", "A path begins with a slash, and has no query. Use '^/admin/.*'."],
  ["req.url.path.matches('^admin')", "A path begins with a slash, and has no query. Use '^/admin'."],
  ["req.url.path.matches('(?i)^admin')", "A path begins with a slash, and has no query. Use '(?i)^/admin'."],
  ...['^(admin|root)', '^[.]env', String.raw`(?i)^\\.(png|webp)$`, String.raw`(?i)^(?:wp-admin|\\.env)`].map(
    (pattern) => [`req.url.path.matches('${pattern}')`, 'A path begins with a slash, and has no query.'],
  ),
  ["req.url.scheme.matches('^HTTP$')", "It is http or https. Use '^http$'."],
  ["req.host == 'https://a.example.com/b'", "It is a host name, without a scheme or a path. Use 'a.example.com'."],
  ["req.method.lower() != 'GET'", "The text is lowercase. Use 'get'."],
  ["getReqHeader('x')[0].sha256() == '2CF24DBA'", "Hashes are lowercase. Use '2cf24dba'."],
  ["hash.md5(req.host, 'hex') == 'AB'", "Hashes are lowercase. Use 'ab'."],
  ["req.host.upperAscii().endsWith('.org')", "The text is uppercase. Use '.ORG'."],
  ["req.url.scheme == 'HTTPS'", "It is http or https. Use 'https'."],
  ["req.url == 'a.example.com/b'", 'A URL begins with its scheme.'],
  ["req.url.uri == 'a?b=1'", "It begins with a slash. Use '/a?b=1'."],
  ["req.url.query.startsWith('?a')", "It has no leading question mark. Use 'a'."],
  [
    "req.url.host == 'https://A.example.com:80/b'",
    "It is a lowercase host name, without a scheme, a port, or a path. Use 'a.example.com'.",
  ],
  ["req.version == 'http/2'", "It is a string such as HTTP/1.1 or HTTP/2.0. Use 'HTTP/2.0'."],
  [
    "req.content_type == 'Text/HTML; charset=utf-8'",
    "It is a lowercase media type, without parameters. Use 'text/html'.",
  ],
  ["conn.geo.country_code == 'de'", "It is an uppercase ISO 3166-1 country code. Use 'DE'."],
  ["conn.geo.country_code in ['DE', 'UK']", "It is an uppercase ISO 3166-1 country code. Use 'GB'."],
  ["conn.geo.country_code == 'XX'", 'It is an uppercase ISO 3166-1 country code.'],
  ["conn.client_ip.geo.registered_location.country_code == 'DEU'", 'It is an uppercase ISO 3166-1 country code.'],
  [
    "conn.client_ip.geo.location.continent == 'Oceanya'",
    "It is Africa, Antarctica, Asia, Europe, North America, Oceania or South America. Use 'Oceania'.",
  ],
  [
    "'proxy.anonymous.tr' in conn.client_ip.categories",
    "The variable's documentation page lists the categories. Use 'proxy.anonymous.tor'.",
  ],
  [
    "!('com.githubb' in conn.client_ip.categories)",
    "The variable's documentation page lists the categories. Use 'com.github'.",
  ],
  ["conn.client_ip.startsWith('10.1')", "Use inCidrRange(conn.client_ip, '10.1.0.0/16')."],
  ["!conn.client_ip.startsWith('10')", "Use inCidrRange(conn.client_ip, '10.0.0.0/8')."],
  ["conn.client_ip.startsWith('203.0.113.9')", "Use conn.client_ip == '203.0.113.9'."],
  ["conn.client_ip.startsWith('2001:db8')", "Use inCidrRange(conn.client_ip, '2001:db8::/32')."],
  ["conn.geo.country == 'DE'", 'It is an English name, not a code.'],
  ["conn.client_ip == 'localhost'", 'It is a numeric address.'],
  ["conn.tls.version == 'TLSv1.3'", "It is a string such as 1.2 or 1.3. Use '1.3'."],
  ["endpoint.id == 'main'", 'The ID of an endpoint begins with ep_.'],
])('%s gets the better form', (source, hint) => {
  const severity = hint.startsWith('Change the constant: ') ? 'error' : 'warning'
  expect(checkPolicy(when(source)).map((each) => [each.severity, each.hint])).toEqual([[severity, hint]])
})

test.each([
  ['an interpolation', 3900, 'log', { metadata: { a: "${duration('5 minutes')}" } }],
  [
    'a field',
    2253,
    'http-request',
    { url: 'https://a.internal', retry_condition: "duration('5 minutes') > duration('1s')" },
  ],
])('A constant that fails in %s has the number %i, that of its error at run time', (_, number, type, config) => {
  expect(checkPolicy(JSON.stringify({ on_http_request: [{ actions: [{ type, config }] }] }))).toMatchObject([
    { severity: 'error', number, rule: 'invalid-constant' },
  ])
})

const limit = { name: 'a', algorithm: 'sliding_window', capacity: 10, rate: '60s', bucket_key: ['req.host'] }
const jwt = {
  issuer: { allow_list: [{ value: 'https://a.test' }] },
  audience: { allow_list: [{ value: 'b' }] },
  http: { tokens: [{ type: 'jwt', method: 'header', name: 'authorization' }] },
  jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: ['https://a.test/keys'] } } },
}

test.each<[string, string, object, string]>([
  [
    "actions.ngrok.jwt_validation.tokens[0].payload.role != 'a'",
    'jwt-validation',
    jwt,
    'Write !has(actions.ngrok.jwt_validation.tokens[0].payload.role) || before it.',
  ],
  [
    "actions.ngrok.rate_limit.error.code == '3807'",
    'rate-limit',
    limit,
    "It is a string such as ERR_NGROK_3807. Use 'ERR_NGROK_3807'.",
  ],
  ["actions.ngrok.restrict_ips.action == 'denied'", 'restrict-ips', { allow: ['10.0.0.0/8'] }, 'It is allow or deny.'],
])('%s after %s gets the better form', (source, type, config, hint) => {
  const rules = [{ actions: [{ type, config }] }, { expressions: [source], actions: [{ type: 'deny' }] }]
  expect(checkPolicy(JSON.stringify({ on_http_request: rules })).map((each) => [each.severity, each.hint])).toEqual([
    ['warning', hint],
  ])
})

test.each([
  "timestamp(time.now).getHours('Europe/Berlin') > 8 && conn.ts.start.getHours('-02:30') > 8",
  'conn.client_port / 2 == 1 && 7.0 / 0.0 > 1.0 && conn.client_port - 1 > 0',
  "['a', 'b'][conn.client_port % 2] == req.host && {'a': 'b'}[req.host] == 'b'",
  "size(req.url.path) > 9000 && req.url.path.substring(9000, 9001) == '/'",
  "'%s %d'.format([req.host, conn.client_port]) == 'a 1' && req.host.format(['a']) == 'a'",
  "has({'a': 'b'}.c) || has({'a': 'b'}['c'])",
  "[0, 1].exists(each, 10 / (each + 1) > conn.client_port) && ['a'].map(each, int(each + '1')) == [conn.client_port]",
  'lists.range(conn.client_port)[1] == 1 && rand.int(5, conn.client_port) > 3',
  "'a'.replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa') == req.host",
  "req.method == 'M-SEARCH' || req.method == '' || req.method.contains('ET') || req.method.lower() == 'get'",
  "req.url.path.contains('a/b') || req.url.path.endsWith('b') || req.url.uri.contains('?a=')",
  "req.url.startsWith('https:') || req.url == 'http://a.example.com/A?b' || req.host == 'A.example.com:8080'",
  "req.method.matches('^(get|GET)$') || req.method.matches('(?i)get') || req.method.matches('get|GET') || req.method.matches('^G[e]*T')",
  "req.url.path.matches('(?i)^/A') || req.url.path.matches('^(a|/b)') || req.url.path.matches('^(a)?/b') || req.method.matches('(?i)^(get|head)$')",
  "req.url.path.matches('/a') || req.url.path.matches('^/a?b') || req.url.path.matches('^a*/b') || req.url.path.matches('a$')",
  "req.url.scheme.matches('^https?$') || req.host.matches('^a[.]example[.]com(:[0-9]+)?$') || req.host.matches('^a.+[.]com$')",
  "req.content_type.startsWith('text/') || req.content_type.raw == 'Text/HTML; charset=utf-8'",
  "conn.geo.country in ['Germany', 'USSR'] || conn.geo.city == 'DE' || conn.client_ip in ['::1', '192.0.2.1']",
  "req.host.sha256() == 'ab' || req.host.sha256('base64') == 'AB=' || hash.md5(req.host, 'base64') == 'AB='",
  "endpoint.protocol.startsWith('http') || endpoint.id.startsWith('ep_') || req.version.startsWith('HTTP/1')",
])('%s has no warning', (source) => {
  expect(checkPolicy(when(source))).toEqual([])
})

test.each([
  ["conn.client_ip in ['203.0.113.4', '198.51.100.1']"],
  ["conn.client_ip.startsWith('203.0.113.') || conn.client_ip.startsWith('203.0.113')"],
  ["conn.client_ip.startsWith('10.26') || conn.client_ip.startsWith('10.0') || conn.client_ip.startsWith('2001:db8:')"],
  ["conn.client_ip.startsWith('2001:0db8') || conn.client_ip.startsWith('::1') == false"],
  ["'com' in conn.client_ip.categories || 'com.github.hooks' in conn.client_ip.categories"],
  ["'net.zscaler.cenr.europe' in conn.client_ip.categories || 'us.zoom.meetings.ipv4' in conn.client_ip.categories"],
  ["conn.geo.country_code in ['XK', 'GB'] || conn.client_ip.geo.location.continent == 'North America'"],
  ["req.url.path == '/203.0.113.0/24'"],
  ["getReqHeader('User-Agent').size() > 0"],
  ["!(req.method in ['GET'])"],
  ["req.headers['x-key'][0] == 'ABC'"],
  ["hasReqHeader('Accept') && getReqHeader(\"accept\")[0] != 'a'"],
  ["size(getReqHeader('x')) == 0 || getReqHeader('x')[0] != 'a'"],
  ["!('x' in req.headers) || req.headers['x'][0] != 'a'"],
  ["getReqHeader('Host')[0] != 'a'"],
  ["getReqHeader('x').join() != 'a'"],
  ["!(getReqHeader('x')[0] != 'a')"],
  ["req.url.path != '/a'"],
  ["inCidrRange(getReqHeader('x')[0], '203.0.113.0/24')"],
  ["size(getReqHeader('x')[0]) > 100"],
  ["int(getReqHeader('x')[0]) == 5"],
  ["getReqHeader('x')[0].substring(0, 6) == 'Bearer' || req.user_agent.is_bot"],
  ["!req.user_agent.contains('a') || req.content_type != 'a/b' || req.user_agent.contains('b')"],
  ["req.url.path.split('/')[1] != 'a' && req.url.query.split('&')[0] != 'b'"],
  ["duration('-1.5h') < duration('0') && timestamp('2026-01-31T12:00:00+01:00') < timestamp(time.now)"],
  ["rand.int(0, 10) > 3 || hash.md5('hex2') == 'a' || req.method.md5('base64') == 'a'"],
  ['rand.int(5, size(req.method)) > 3 || rand.int(size(req.method), 1) > 3'],
  ["(getReqHeader('x')[0] == 'a') == true"],
  ["getReqHeader('x')[0] == 'a' ? true : false"],
  ["!['/a', '/b'].exists(path, req.url.path.startsWith(path))"],
  ["['x', 'y'].exists(h, getReqHeader(h)[0] == 'a')"],
  ["['x', 'y'].exists(h, !hasReqHeader(h) || getReqHeader(h)[0] != 'a')"],
  ["getReqHeader('x').exists(v, v != 'a' && v != 'b')"],
  ["['a', 'b'].map(v, {'x': v}).exists(v, v['x'] != 'a' && v.x != 'b')"],
  ["size(['a', 'b'].filter(v, v != req.method)) > 0"],
  ["!hasReqHeader('x') || !getReqHeader('x')[0].isJson()"],
  ["getReqHeader('x').size() != 1 && req.headers['x'].size() > 1"],
  ["!has(req.headers['x']) || req.headers['x'][0] == '' || req.headers['x'].size() != 1"],
  ["req.cookies.exists(k, req.cookies[k].exists(c, c.value != 'a'))"],
  ["req.headers.exists(k, req.headers[k][0] != 'a' && getReqHeader(k)[0] != 'b')"],
])('%s gets no warning', (source) => {
  expect(checkPolicy(when(source))).toEqual([])
})

test('An expression with an error gets no warning of a missing value', () => {
  expect(rulesOf(when("conn.tls.client.verified != 'a'"))).toEqual([2200])
})

test('A negated value whose types do not fit is an error, and its hint is the better form', () => {
  const [problem] = checkPolicy(when("!req.method in ['GET']"))
  expect(problem).toMatchObject({ number: 2200, hint: "Write !(req.method in ['GET'])." })
})

describe('A rule is unreachable only if an earlier one surely ends its traffic', () => {
  const rule = (condition: string | undefined, type = 'deny', config = {}) => ({
    ...(condition !== undefined && { expressions: [condition] }),
    actions: [{ type, config }],
  })
  const prefix = (path: string) => `req.url.path.startsWith('${path}')`
  const check = (...rules: object[]) => rulesOf(JSON.stringify({ on_http_request: rules }))

  test.each<[string, object[]]>([
    ['after a rule without expressions', [rule(undefined), rule(prefix('/a'))]],
    ['after a shorter prefix', [rule(prefix('/a')), rule(`${prefix('/a/b')} || req.url.path == '/a/c'`)]],
    ['after the same path', [rule("req.url.path == '/a'"), rule("req.url.path == '/a'")]],
    ['after the same condition', [rule("req.method == 'DELETE'"), rule("req.method == 'DELETE'")]],
    ['after another list', [rule("req.method in ['PUT', 'POST']"), rule("'POST' == req.method && req.host == 'a'")]],
    ['after a lower number', [rule('conn.client_port < 1024'), rule('conn.client_port == 80')]],
    ['after one of its conditions', [rule("hasReqHeader('x')"), rule("req.host == 'a' && hasReqHeader('x')")]],
    ['after true', [rule('true'), rule(prefix('/a'))]],
    [
      'after two conditions, and its own two',
      [
        { ...rule(undefined), expressions: [prefix('/a'), "req.method == 'GET'"] },
        { ...rule(undefined), expressions: ["req.method == 'GET'", prefix('/a/b')] },
      ],
    ],
    [
      'after a condition of the method, whatever headers change',
      [
        rule("req.method == 'PUT'"),
        rule(undefined, 'add-headers', { headers: { a: 'b' } }),
        rule("req.method == 'PUT'"),
      ],
    ],
    ['after one of several prefixes', [rule(`${prefix('/a')} || ${prefix('/b')}`), rule(prefix('/b/c'))]],
  ])('%s', (_, rules) => {
    expect(check(...rules)).toEqual(['rule-unreachable'])
  })

  test('after a condition that every request meets, as are all rules after it', () => {
    const all = check(rule(prefix('/')), rule("req.method == 'GET'"), rule(undefined))
    expect(all).toEqual(['always-true', 'rule-unreachable', 'rule-unreachable'])
  })

  test.each<[string, object[]]>([
    ['after a longer prefix', [rule(prefix('/a/b')), rule(prefix('/a'))]],
    ['after another condition', [rule("req.method == 'GET'"), rule(prefix('/a'))]],
    [
      'after two conditions',
      [{ ...rule(prefix('/a')), expressions: [prefix('/a'), "req.method == 'GET'"] }, rule(prefix('/a/b'))],
    ],
    ['after a redirect of some URLs', [rule(undefined, 'redirect', { from: 'a', to: 'b' }), rule(undefined)]],
    [
      'after a redirect to a host, because requests to that host pass',
      [rule(undefined, 'redirect', { to: 'https://www.a.test${req.url.uri}' }), rule(undefined)],
    ],
    [
      'after what continues',
      [rule(undefined, 'forward-internal', { url: 'https://a.internal', on_error: 'continue' }), rule(undefined)],
    ],
    ['after another random number', [rule('rand.double() < 0.5'), rule('rand.double() < 0.5')]],
    [
      'after other variables',
      [
        rule(undefined, 'set-vars', { vars: [{ a: 'b' }] }),
        rule("vars.a == 'c'"),
        rule(undefined, 'set-vars', { vars: [{ a: 'c' }] }),
        rule("vars.a == 'c'"),
      ],
    ],
    [
      'after changed headers',
      [
        rule("hasReqHeader('x')"),
        rule(undefined, 'add-headers', { headers: { x: 'b' } }),
        rule("hasReqHeader('x') && req.method == 'GET'"),
      ],
    ],
    [
      'after a rewritten URL',
      [rule(prefix('/a')), rule(undefined, 'url-rewrite', { from: 'a', to: 'b' }), rule(prefix('/a/b'))],
    ],
  ])('not %s', (_, rules) => {
    expect(check(...rules)).toEqual([])
  })

  test('Of two rules that end the same traffic, one is to be removed', () => {
    const [deny, other] = [
      rule("req.method == 'PUT'"),
      rule("'PUT' == req.method", 'custom-response', { status_code: 405 }),
    ]
    const log = rule("req.method == 'PUT'", 'log', { metadata: { a: 1 } })
    const hintsOf = (...rules: object[]) =>
      checkPolicy(JSON.stringify({ on_http_request: rules })).map(({ hint }) => hint)
    expect(hintsOf(deny, other)).toEqual(['Remove one of the two rules.'])
    expect(hintsOf(deny, log)).toEqual(['Move this rule before on_http_request[0].'])
  })

  test('A connection that closes has no requests; a response may come after a response', () => {
    const deny = { actions: [{ type: 'deny' }] }
    const log = { actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }
    expect(rulesOf(JSON.stringify({ on_tcp_connect: [deny], on_http_request: [log] }))).toEqual(['rule-unreachable'])
    expect(rulesOf(JSON.stringify({ on_http_request: [deny], on_http_response: [log] }))).toEqual([])
  })
})

test('A policy that reads who signed in decides for itself; a log of it decides nothing', () => {
  const signIn = { actions: [{ type: 'openid-connect', config: { issuer_url: 'https://accounts.google.com' } }] }
  const read = (type: string, config: object) =>
    rulesOf(JSON.stringify({ on_http_request: [signIn, { actions: [{ type, config }] }] }))
  const user = '${actions.ngrok.oidc.identity.email}'
  expect(read('log', { metadata: { user } })).toEqual(['anyone-signs-in'])
  expect(read('add-headers', { headers: { user } })).toEqual(['anyone-signs-in', 'identity-header'])
  expect(read('set-vars', { vars: [{ user }] })).toEqual([])
})

const unread = (expressions: string) => `on_http_request:
  - expressions:
${expressions}
    actions: [{ type: deny }]
  - expressions: ["true"]
    actions: [{ type: deny }]
`

test.each<[string, number, string]>([
  [
    `      - 'req.url.path == '/admin''`,
    3,
    'a string in single quotes contains a single quote in line 3; use double quotes',
  ],
  [
    `      - "secrets.get("v", "s") == 'a'"`,
    3,
    'a string in double quotes contains a double quote in line 3; use single',
  ],
  [`      - "req.method == 'GET'`, 3, 'the string that begins in line 3 has no closing quote.'],
  [
    `      - "req.method == 'GET'\n      - "req.host == 'a'"`,
    3,
    'the string that begins in line 3 has no closing quote.',
  ],
  [`      - "req.method\n        == 'GET'"\n      - a: b: c`, 5, 'a value without quotes contains ": " in line 5'],
  ["      - 'a' in req.host", 3, 'the quotes do not enclose the whole value in line 3; put all of it in quotes'],
  [`      - "a" == req.host && true`, 3, 'the quotes do not enclose the whole value in line 3'],
  ['      - true\n    name: error: too large', 4, 'a value without quotes contains ": " in line 4; put the value in'],
  ['      - {{ req.host }}', 3, '"{{" begins a map whose key is a map in line 3; write "${…}" for an expression.'],
  ['      - true\n    actions:\n      type: deny\n        config: {}', 5, '"- " is missing before the first key of a'],
  [`      - ["true"\n         "true"]`, 3, 'a comma is missing after the value in line 3.'],
  [
    '      - true\n   name: a',
    4,
    'a key is indented differently (3 spaces) from the one above it (4 spaces) in line 4.',
  ],
  [
    `      - ['GET'].exists(m, m == req.method)`,
    3,
    'an expression without quotes begins with "[" in line 3; put it in',
  ],
  ['      - {"a": 1}["a"] == 1', 3, 'an expression without quotes begins with "{" in line 3; put it in quotes.'],
  ['      - true\n    name\n      - a\n    actions: []', 4, 'a colon is missing after "name" in line 4.'],
  ["      [req.host == 'a'", 3, 'the "[" in line 3 has no "]".'],
  ['      - @req.method', 3, '"@" begins a value without quotes in line 3; put the value in quotes.'],
  ['      - true\n    name: `office`', 4, '"`" begins a value without quotes in line 4; put the value in quotes.'],
  ['      - true\n    name: %x', 4, '"%" begins a value without quotes in line 4; put the value in quotes.'],
  ['      [true, @a]', 3, '"@" begins a value without quotes in line 3; put the value in quotes.'],
  [
    '      - true\n    name: - b',
    4,
    '"-" begins a value without quotes in line 4; put the value in quotes, or a list in',
  ],
  ['      - true\n    name: ] b', 4, '"]" begins a value without quotes in line 4; put the value in quotes.'],
])('The quotes that make a policy unreadable are named: %j', (expressions, line, message) => {
  expect(checkPolicy(unread(expressions))).toMatchObject([
    { number: 2236, line, message: expect.stringContaining(`The policy cannot be read: ${message}`) },
  ])
})

test.each([
  ["req.headers[0] == 'x'", "A key of req.headers is a name, as in req.headers['name'][0]."],
  ["req.headers['x'].exists(v => v == 'x')", 'Did you mean a comma, as in exists(v, …)?'],
  ["vars.my-var == 'x'", "A - subtracts. Write vars['my-var']."],
])('An invalid expression gets the better form: %s', (condition, hint) => {
  expect(checkPolicy(when(condition))).toMatchObject([{ number: 2200, hint }])
})

test('A condition that misspells the result of a sign-in gets only its error', () => {
  const signIn = { actions: [{ type: 'openid-connect', config: { issuer_url: 'https://accounts.google.com' } }] }
  const condition = "actions.ngrok.openid_connect.identity.email != 'a@b.test'"
  const deny = { expressions: [condition], actions: [{ type: 'deny' }] }
  expect(rulesOf(JSON.stringify({ on_http_request: [signIn, deny] }))).toEqual([2200])
})

test.each([
  ["int(getReqHeader('x')[0]) < 18", "!….matches('^[0-9]{1,18}$')"],
  ["json.decode(getReqHeader('x')[0]) != {}", '!….isJson()'],
  ["getReqHeader('x')[0].substring(0, 8) != 'abcdefgh'", 'size(…) < 8'],
])('The hint about an unreadable value fits the function: %s', (condition, check) => {
  const hints = checkPolicy(when(`!hasReqHeader('x') || ${condition}`)).map(({ hint }) => hint)
  expect(hints).toEqual([`Check its format first, for example with ${check} ||.`])
})

// Issue 60: everybody with an account at a company's own provider is of the company.
test.each([
  ['https://accounts.google.com', true],
  ['https://accounts.google.com/', true],
  ['https://login.microsoftonline.com/common/v2.0', true],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', true],
  ['https://login.microsoftonline.com/6babcaad-604b-40ac-a9d7-9fd97c0b779f/v2.0', false],
  ['https://gitlab.com', true],
  ['https://gitlab.com.example.com', false],
  ['https://gitlab.example.com', false],
  ['https://example.okta.com', false],
  ['https://sso.example.com/realms/staff', false],
])('Anyone can sign in with the issuer %s: %s', (issuer_url, isAnyones) => {
  const signIn = { type: 'openid-connect', config: { issuer_url, client_id: 'a', client_secret: 'b' } }
  expect(rulesOf(JSON.stringify({ on_http_request: [{ actions: [signIn] }] }))).toEqual(
    isAnyones ? ['anyone-signs-in'] : [],
  )
})

// Page actions/forward-internal: only internal endpoints get forwarded traffic.
test.each([
  ['forward-internal', 'https://example.com', true],
  ['forward-internal', 'https://example.com:8443/${req.url.path}', true],
  ['forward-internal', 'https://a.internal.example.com', true],
  ['forward-internal', 'https://A.INTERNAL:8443/a', false],
  ['forward-internal', 'https://${req.host}', false],
  ['forward-internal', 'https://a${vars.b}', false],
  ['http-request', 'ftp://a.internal/x', true],
  ['http-request', 'ftp://${req.host}/x', true],
  ['http-request', 'https://example.com', true],
  ['http-request', 'https://a.internal/b', false],
  ['http-request', 'https://${req.host}', false],
])('%s to %s is not reachable: %s', (type, url, isWrong) => {
  const set = { actions: [{ type: 'set-vars', config: { vars: [{ b: 'c' }] } }] }
  const found = rulesOf(JSON.stringify({ on_http_request: [set, { actions: [{ type, config: { url } }] }] }))
  expect(found).toEqual(isWrong ? ['url-not-reachable'] : [])
})

test.each<[string, object, (string | number)[]]>([
  ['circuit-breaker', { error_threshold: 0.5, enforce: false }, ['not-enforced']],
  ['basic-auth', { credentials: ['ada:correct horse'], enforce: false }, ['not-enforced']],
  ['basic-auth', { credentials: ['ada:correct horse'], enforce: true }, []],
  ['restrict-ips', {}, ['everybody-denied']],
  ['restrict-ips', { deny: ['203.0.113.0/24'], enforce: false }, ['not-enforced']],
  ['restrict-ips', { allow: [], ip_policies: ['ipp_2p2q5Yt85IKQQ7zbpR4XmUpyVIN'] }, []],
  ['restrict-ips', { allow: '10.0.0.0/8' }, [2204]],
  ['restrict-ips', { allow: ['10.0.0.0/8'], deny: ['10.0.0.0/8'] }, ['everybody-denied']],
  ['restrict-ips', { allow: ['10.1.0.0/16', '2001:db8::/32'], deny: ['0.0.0.0/0', '::/0'] }, ['everybody-denied']],
  ['restrict-ips', { allow: ['10.0.0.0/8'], deny: ['10.1.0.0/16'] }, []],
  ['restrict-ips', { allow: ['10.0.0.0/8', '${vars.a}'], deny: ['10.0.0.0/8'] }, [2224]],
  [
    'restrict-ips',
    { allow: ['10.0.0.0/8'], deny: ['10.0.0.0/8'], ip_policies: ['ipp_2p2q5Yt85IKQQ7zbpR4XmUpyVIN'] },
    [],
  ],
  ['restrict-ips', { ip_policy: ['ipp_2p2q5Yt85IKQQ7zbpR4XmUpyVIN'] }, [2203]],
  ['url-rewrite', { from: '/v1/(.*)', to: '/v2/${1}' }, ['group-unknown']],
  ['redirect', { from: '/v1/(.*)', to: '/v2/\\1' }, ['group-unknown']],
  ['request-body-find-replace', { replacements: [{ from: 'id=(.)', to: 'n=\\1' }] }, ['group-unknown']],
  ['url-rewrite', { from: '/v1/(.*)', to: '/v2/$1${2 + 3}' }, []],
  ['remove-headers', { headers: ['x-a', 'x-internal-*'] }, ['header-value']],
  ['custom-response', { status_code: 304, content: 'a' }, ['body-not-allowed']],
  ['custom-response', { status_code: 304, body: '' }, []],
  ['custom-response', { status_code: 200, body: 'a' }, []],
])('%s with %j gets %j', (type, config, warnings) => {
  expect(rulesOf(JSON.stringify({ on_http_request: [{ actions: [{ type, config }] }] }))).toEqual(warnings)
})

test('A log, a header or a condition may read the result of a check that is not enforced', () => {
  const check = { actions: [{ type: 'restrict-ips', config: { allow: ['203.0.113.0/24'], enforce: false } }] }
  const log = { actions: [{ type: 'log', config: { metadata: { a: '${actions.ngrok.restrict_ips.action}' } } }] }
  expect(rulesOf(JSON.stringify({ on_http_request: [check, log] }))).toEqual([])
})

test('An action without variables checks nothing if it is not enforced', () => {
  const check = (type: string, config: object) =>
    checkPolicy(JSON.stringify({ on_http_request: [{ actions: [{ type, config: { ...config, enforce: false } }] }] }))
  expect(check('circuit-breaker', { error_threshold: 0.5 })[0]?.message).toMatch(
    /is false, so circuit-breaker rejects nothing, and all traffic passes\.$/,
  )
  expect(check('rate-limit', limit)[0]?.hint).toBe(
    'Remove enforce: false after your tests, or read actions.ngrok.rate_limit in a later rule.',
  )
})

describe('A condition that is always true, or never (rules: traffic-policy#warnings)', () => {
  const check = (...conditions: (string | boolean)[]) =>
    checkPolicy(
      JSON.stringify({
        on_http_response: [{ expressions: conditions, actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }],
      }),
    )
  const EXCLUDED = 'Use || if one of the tests is enough, or change a value.'

  test.each([
    ["req.method == 'GET' && req.method == 'POST'", EXCLUDED],
    ["req.method in ['GET', 'PUT'] && req.host == 'a' && 'POST' == req.method", EXCLUDED],
    ["req.method == 'GET' && !(req.method == 'GET')", EXCLUDED],
    ["hasReqHeader('x') && req.method == 'GET' && !hasReqHeader('x')", EXCLUDED],
    ["req.url.path == '/a' && req.url.path.startsWith('/b')", EXCLUDED],
    ["req.url.path.startsWith('/a') && req.url.path.startsWith('/b')", EXCLUDED],
    ["getReqHeader('x').exists(v, v == 'a' && v == 'b')", EXCLUDED],
    ['res.status_code >= 500 && res.status_code < 400', EXCLUDED],
    [
      "conn.ts.start > timestamp('2027-01-01T00:00:00Z') && conn.ts.start < timestamp('2026-12-31T23:59:59+00:00')",
      EXCLUDED,
    ],
    ['res.status_code > 400 && 300.5 > res.status_code', EXCLUDED],
    ['res.status_code == 42', 'res.status_code is from 100 to 999.'],
    ["!hasReqHeader('x') && getReqHeader('x')[0] != 'a'", "Write !hasReqHeader('x') || before it, in one expression."],
    [
      "!hasQueryParam('x') && getQueryParam('x')[0] == 'a'",
      "Write !hasQueryParam('x') || before it, in one expression.",
    ],
    [
      "!('x' in req.headers) && req.headers['x'][0] != 'a'",
      "Write !has(req.headers['x']) || before it, in one expression.",
    ],
    [
      "!has(req.cookies.x) && req.cookies['x'][0].value == 'a'",
      "Write !has(req.cookies['x']) || before it, in one expression.",
    ],
    ['100 > res.status_code || req.method == "GET"', 'res.status_code is from 100 to 999.'],
    ['timestamp(time.now).getMonth() == 12', 'timestamp(time.now).getMonth() is from 0 to 11.'],
    [
      "timestamp(time.now).getHours('Europe/Berlin') > 23",
      "timestamp(time.now).getHours('Europe/Berlin') is from 0 to 23.",
    ],
    ['conn.ts.start.getDayOfWeek() in [7, 8]', 'conn.ts.start.getDayOfWeek() is from 0 to 6.'],
    ['rand.double() > 10.0', 'rand.double() is from 0 to 1.'],
    ['size(req.url.path) < 0', 'size(req.url.path) is at least 0.'],
    ['req.url.path.size() == -1', 'req.url.path.size() is at least 0.'],
    ['conn.client_port > 65535', 'conn.client_port is from 0 to 65535.'],
    ['1 == 2', 'Remove the rule, or change a value.'],
    ['false', 'Remove the rule, or change a value.'],
    [false, 'Remove the rule, or change a value.'],
    ['!true', 'Remove the rule, or change a value.'],
    ['!(size(req.url.path) >= 0)', 'Remove the rule, or change a value.'],
  ])('%s is never true', (source, hint) => {
    expect(check(source)).toMatchObject([{ rule: 'never-true', hint }])
  })

  test.each([
    ["req.method != 'GET' || req.method != 'POST'", 'Use && if all of the tests must hold.'],
    ["req.host == 'a' && (req.method != 'GET' || req.method != 'POST')", 'Use && if all of the tests must hold.'],
    ['res.status_code < 500 || res.status_code > 400', 'Use && if all of the tests must hold.'],
    ['req.user_agent.is_bot || !req.user_agent.is_bot', 'Use && if all of the tests must hold.'],
    ['size(req.url.path) >= 0', 'size(req.url.path) is at least 0.'],
    ["'a' != 'b'", 'Remove it, or change a value.'],
    ["!(req.method == 'GET') || req.method == 'GET'", 'Use && if all of the tests must hold.'],
    ...[
      "matches('')",
      "matches('.*')",
      "matches('(?i)gptbot|ccbot|')",
      "matches('^(?i)(gptbot|ccbot)$|')",
      "contains('')",
      "endsWith('')",
    ].map((test) => [
      `req.user_agent.${test}`,
      'An empty string, or an empty alternative in a pattern, is in every string.',
    ]),
    ...["startsWith('/')", "contains('/')", "startsWith('')"].map((test) => [
      `req.url.path.${test} && req.url.path != '/a'`,
      'Every path begins with a slash. Write the part after the slash, and add $ at the end to match the whole path.',
    ]),
    ...['^/', '^(/|/admin)', '/(.*)', '.*', '^/.*$', '^/[^?]*'].map((pattern) => [
      `req.method == 'PUT' && req.url.path.matches('${pattern}')`,
      'Every path begins with a slash. Write the part after the slash, and add $ at the end to match the whole path.',
    ]),
  ])('%s is always true', (source, hint) => {
    expect(check(source)).toMatchObject([{ rule: 'always-true', hint }])
  })

  test('The expressions of a rule exclude each other', () => {
    expect(check("req.url.path == '/a'", "req.url.path == '/b'")).toMatchObject([
      { rule: 'never-true', path: ['on_http_response', 0, 'expressions'] },
    ])
    expect(check("!hasReqCookie('x')", "getReqCookie('x').value == 'a'")).toMatchObject([
      { rule: 'never-true', path: ['on_http_response', 0, 'expressions', 1], within: { offset: 0, length: 30 } },
    ])
    expect(check("req.url.path == '/a'", '1 == 2')).toMatchObject([
      { rule: 'never-true', path: ['on_http_response', 0, 'expressions', 1] },
    ])
  })

  test('A long or a deep condition is not decided', () => {
    const paths = Array.from({ length: 900 }, (_, at) => `req.url.path == '/${at}'`)
    expect(check(paths.join(' && '))).toEqual([])
    const flags = Array.from({ length: 30 }, (_, at) => `hasReqHeader('x${at}')`)
    expect(check([...flags, `!${flags[0]}`].join(' && '))).toEqual([])
    expect(check(`${'!'.repeat(200)}(req.method == 'GET')`)).toEqual([])
  })

  test.each<[string, ...string[]]>([
    ['true'],
    ["true && req.method == 'GET'"],
    ["req.method != 'GET' && req.method != 'POST'"],
    ["req.method == 'GET' || req.method == 'POST'"],
    ["req.url.path.startsWith('/a') && req.url.path != '/a'"],
    ["conn.ts.start >= timestamp('2026-01-01T00:00:00Z') && conn.ts.start < timestamp('2026-01-01T01:00:00.5+01:00')"],
    ["!req.url.path.matches('^[^<>]*$') || !req.user_agent.matches('^.{0,1000}$') || !req.host.matches('^[^;]*$')"],
    [`req.url.path.matches('${'(a*)*'.repeat(20)}') || req.url.path.matches('${'.*'.repeat(20)}!')`],
    ["getReqHeader('x')[0].matches('.*')"],
    ["!hasReqHeader('x') && (getReqHeader('x')[0] != 'a' || req.method == 'GET')"],
    ["!(hasReqHeader('x') && getReqHeader('x')[0] == 'a') && getReqHeader('x')[0] == 'b'"],
    ["!hasReqHeader('x') && getReqHeader('y')[0] == 'a'"],
    ["req.url.path.startsWith('/a') && req.url.path.startsWith('/a/b') && !(req.url.path in ['/a/b', '/a/b/c'])"],
    ["req.url.path.contains('a') && req.url.path.contains('b') && req.url.path.endsWith('c')"],
    ["'x' in req.headers && req.headers['x'].exists(v, v == 'a') && req.headers['x'].exists(v, v == 'b')"],
    ["['GET', 'PUT'].exists(m, m == req.method) && ['GET'].all(m, m == req.method)"],
    ['res.status_code >= 100 && res.status_code < 200 || res.status_code >= 500'],
    ['res.status_code >= 100', 'res.status_code < 200'],
    ['res.status_code >= 499.5 && res.status_code < 500.5'],
    ['rand.double() < 0.1 || rand.double() > 0.2', 'rand.double() < 0.5', 'rand.double() >= 0.5'],
    ['rand.double() <= 1.0'],
    ['rand.double() < 0.0'],
    ['double(req.url.query) > 0.1 && double(req.url.query) < 0.2'],
    ['timestamp(time.now).getHours() >= 22 || timestamp(time.now).getHours() < 6'],
    ['(timestamp(time.now) - conn.ts.start).getHours() > 24 && req.content_length >= 0'],
    ['json.decode(req.url.query).a != true && json.decode(req.url.query).a != false'],
    ["req.host > 'a' && req.host < 'b'"],
    ["req.method == 'GET' ? req.host == 'a' : req.host == 'b'"],
    ["(req.method == 'GET') == (req.host == 'a') && req.method != 'GET'"],
    ['-1 < req.content_length && req.content_length == 0 && size(req.cookies) == 0'],
  ])('%s, %s is right', (...conditions) => {
    expect(check(...conditions)).toEqual([])
  })
})

describe('The result of an action is there after it has run', () => {
  const auth = { type: 'basic-auth', config: { credentials: ['ada:correct horse'] } }
  const READ = 'actions.ngrok.basic_auth.credentials.authorized'
  const log = (read: string) => ({ type: 'log', config: { metadata: { a: `\${${read}}` } } })
  const rule = (condition: string) => ({ expressions: [condition], actions: [log('req.host')] })

  test.each<[string, object, string]>([
    [
      'a condition of an earlier rule',
      { on_http_request: [rule(READ), { actions: [auth] }] },
      'Move the rule with basic-auth before this one.',
    ],
    [
      'a condition of its own rule',
      { on_http_request: [{ expressions: [READ], actions: [auth] }] },
      'Move the rule with basic-auth before this one.',
    ],
    [
      'an action before it',
      { on_http_request: [{ actions: [log(READ), auth] }] },
      'Move the rule with basic-auth before this one.',
    ],
    ['a policy without it', { on_http_request: [rule(`${READ} || ${READ}`)] }, 'Add basic-auth to an earlier rule.'],
  ])('not in %s', (_, policy, hint) => {
    expect(checkPolicy(JSON.stringify(policy))).toMatchObject([{ rule: 'result-not-set', hint }])
  })

  test.each<[string, object]>([
    ['a later rule', { on_http_request: [{ actions: [auth] }, rule(READ)] }],
    ['a later action of its rule', { on_http_request: [{ actions: [auth, log(READ)] }] }],
    [
      'a later phase, wherever it is written',
      { on_http_response: [rule(READ)], on_http_request: [{ actions: [auth] }] },
    ],
    ['a test whether it is there', { on_http_request: [rule(`has(${READ})`)] }],
  ])('in %s', (_, policy) => {
    expect(checkPolicy(JSON.stringify(policy))).toEqual([])
  })

  test('A misspelt action is one mistake', () => {
    const policy = { on_http_request: [{ actions: [{ ...auth, type: 'basic-aut' }] }, rule(READ)] }
    expect(rulesOf(JSON.stringify(policy))).toEqual([2201])
  })
})

describe('A replacement names groups of its pattern', () => {
  const check = (from: string | undefined, to: string, type = 'url-rewrite') =>
    rulesOf(JSON.stringify({ on_http_request: [{ actions: [{ type, config: { from, to } }] }] }))

  test.each([
    ['/a/([0-9]+)', '/b?c=$1&d=$2'],
    ['/a/[0-9]+', '/b/$1'],
    ['/a/(?:[0-9]+)\\(', '/b/$1'],
    ['/a/(.*)', '/b/$1c'],
    ['/a/(?P<id>.*)', '/b/$name'],
    ['/a/[(]b', '/$1'],
    ['/a/(.*)', '/b/${req.host}/$2'],
  ])('%s has not all groups of %s', (from, to) => {
    expect(check(from, to)).toEqual(['group-unknown'])
    expect(check(from, to, 'redirect')).toEqual(['group-unknown'])
  })

  test.each([
    ['/a/([0-9]+)/((?:b)c)', '/b?c=$1&d=$2&e=$0'],
    ['/a/(?P<id>.*)', '/b/$id/$1'],
    ['/a/(?<id>.*)', '/b/$id'],
    ['/a', '/b?price=$$1&c=$'],
    ['/a', '/b?price=$${req.host}USD'],
    ['/a/${req.host}', '/b/$1'],
    [undefined, '/b/$1'],
  ])('%s has all groups of %s', (from, to) => {
    expect(check(from, to)).toEqual([])
  })

  test('A replacement in a body too', () => {
    const replacements = [
      { from: '(a)', to: '$1' },
      { from: 'price', to: 'only $5' },
    ]
    const policy = { on_http_request: [{ actions: [{ type: 'request-body-find-replace', config: { replacements } }] }] }
    expect(checkPolicy(JSON.stringify(policy))).toMatchObject([
      {
        path: ['on_http_request', 0, 'actions', 0, 'config', 'replacements', 1, 'to'],
        hint: 'Put the part that it should stand for in parentheses in the pattern. Write $$ for a dollar sign.',
      },
    ])
  })
})

test('An action with an error has no second message about who signs in', () => {
  const check = (config: object) =>
    rulesOf(JSON.stringify({ on_http_request: [{ actions: [{ type: 'oauth', config }] }] }))
  expect(check({ provider: 'gogle' })).toEqual([2222])
  expect(check({ provider: 'google' })).toEqual(['anyone-signs-in'])
})

test('Credentials that are only asked for are not checked', () => {
  const check = (condition: string) => {
    const config = { credentials: ['user:password1'], enforce: false }
    const rules = [
      { actions: [{ type: 'basic-auth', config }] },
      { expressions: [condition], actions: [{ type: 'deny' }] },
    ]
    return rulesOf(JSON.stringify({ on_http_request: rules }))
  }
  expect(check('!actions.ngrok.basic_auth.credentials.presented')).toEqual(['not-enforced'])
  expect(check('!actions.ngrok.basic_auth.credentials.authorized')).toEqual([])
})

test('The gateway takes a policy with a warning, even if a part fails for every request', () => {
  for (const { wrong } of WARNINGS) expect(checkPolicyValue(readText(wrong).value, options)).toEqual([])
})

test('Another rule may be for the requests without a value', () => {
  const first = { expressions: ["!hasReqHeader('x')"], actions: [{ type: 'deny' }] }
  const second = { expressions: ["getReqHeader('x')[0] != 'a'"], actions: [{ type: 'deny' }] }
  expect(checkPolicy(JSON.stringify({ on_http_request: [first, second] }))).toEqual([])
  expect(checkPolicy(JSON.stringify({ on_http_request: [second, first] }))).toEqual([])
  const log = { ...first, actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }
  expect(rulesOf(JSON.stringify({ on_http_request: [log, second] }))).toEqual(['missing-value'])
  const size = { expressions: ["size(getReqHeader('x')[0]) < 10"], actions: [{ type: 'deny' }] }
  expect(rulesOf(JSON.stringify({ on_http_request: [size, second] }))).toEqual(['missing-value', 'missing-value'])
})

describe('A denial that needs its value lets requests without it pass', () => {
  const rule = (conditions: readonly string[], type = 'deny', config: object = {}) => ({
    expressions: conditions,
    actions: [{ type, config }],
  })
  const check = (...rules: object[]) => rulesOf(JSON.stringify({ on_http_request: rules }))
  const WRONG = "getReqHeader('x-token')[0] != 'a'"
  const HOLE = rule([`hasReqHeader('x-token') && ${WRONG}`])

  test.each([
    ['in two conditions', rule(["hasReqHeader('x-token')", WRONG])],
    ['with has', rule(["has(req.headers['x-token']) && req.headers['x-token'][0] != 'a'"])],
    ['with in', rule(["'x-token' in req.headers && !(req.headers['x-token'][0] in ['a', 'b'])"])],
    ['with a size', rule(["getReqHeader('x-token').size() > 0 && getReqHeader('x-token')[0] != 'a'"])],
    ['of a parameter', rule(["hasQueryParam('key') && getQueryParam('key')[0] != 'a'"])],
    ['of a cookie', rule(["hasReqCookie('auth') && getReqCookie('auth').value != 'a'"])],
    ['by a secret', rule(["hasReqHeader('x') && getReqHeader('x')[0] != secrets.get('webhooks', 'github')"])],
    ['of a list', rule(["getReqHeader('x-token').exists(v, v != 'a')"])],
    ['of each item', rule(["!getReqHeader('x-token').all(v, v == 'a')"])],
    ['of what is left of a list', rule(["getReqHeader('x-token').filter(v, v != 'a').size() > 0"])],
    ['that no list has', rule(["hasReqHeader('x-token') && !('a' in getReqHeader('x-token'))"])],
    ['with at least one', rule([`size(getReqHeader('x-token')) >= 1 && ${WRONG}`])],
    ['with the size on the right', rule([`0 < size(getReqHeader('x-token')) && ${WRONG}`])],
    ['with exactly one', rule([`getReqHeader('x-token').size() == 1 && ${WRONG}`])],
    ['with a choice', rule([`hasReqHeader('x-token') ? ${WRONG} : false`])],
    ['of a session', rule(["hasReqCookie('session') && getReqCookie('session').value != 'a'"])],
    ['by one text', rule(["hasReqHeader('x-origin-pass') && getReqHeader('x-origin-pass')[0] != 'a'"])],
    [
      'that is a custom response',
      rule([`hasReqHeader('x-token') && ${WRONG}`], 'custom-response', { status_code: 401 }),
    ],
    ['that closes the connection', rule([`hasReqHeader('x-token') && ${WRONG}`], 'close-connection')],
  ])('%s', (_, each) => {
    expect(check(each)).toEqual(['missing-value-passes'])
  })

  test.each([
    [
      'but not of a value that is right to be left out',
      [rule(["hasReqHeader('origin') && getReqHeader('origin')[0] != 'a'"])],
    ],
    ['but not by one of several texts', [rule(["hasReqHeader('x-v') && !(getReqHeader('x-v')[0] in ['1', '2'])"])]],
    [
      'but not for a malformed request',
      [rule(["hasReqHeader('x-v') && getReqHeader('x-v')[0] != '1'"], 'deny', { status_code: 400 })],
    ],
    ['but not of a value that is denied', [rule(["hasReqHeader('x-token') && getReqHeader('x-token')[0] == 'a'"])]],
    ['but not after a rule for requests without it', [rule(["!hasReqHeader('x-token')"]), HOLE]],
    [
      'but not beside another check',
      [HOLE, { actions: [{ type: 'basic-auth', config: { credentials: ['a:12345678'] } }] }],
    ],
    [
      'but not for a redirect',
      [rule([`hasReqHeader('x-token') && ${WRONG}`], 'redirect', { to: 'https://a.example.com' })],
    ],
    [
      'but not for a response of success',
      [rule([`hasReqHeader('x-token') && ${WRONG}`], 'custom-response', { status_code: 200 })],
    ],
    ['but not if one of two is enough', [rule([`!hasReqHeader('x-token') || ${WRONG}`])]],
    ['but not if it must be missing', [rule(["!hasReqHeader('x-token')", "getReqHeader('x-other')[0] == 'a'"])]],
  ])('%s', (_, rules) => {
    expect(check(...rules)).toEqual([])
  })
})

// Issue 60: every header of a request is the client's choice.
describe('A check that needs a value of the client', () => {
  const CHECK = { type: 'basic-auth', config: { credentials: ['ada:correct horse'] } }
  const DENY = { type: 'deny', config: {} }
  const check = (...rules: [conditions: string[], ...actions: object[]][]) =>
    rulesOf(
      JSON.stringify({
        on_http_request: rules.map(([conditions, ...actions]) => ({
          ...(conditions.length > 0 && { expressions: conditions }),
          actions,
        })),
      }),
    )

  test.each([
    "hasReqHeader('authorization')",
    "getReqHeader('authorization')[0].startsWith('Basic ')",
    "hasReqCookie('session')",
    "req.method == 'POST' && 'authorization' in req.headers",
    "req.content_type == 'application/json'",
    "req.content_type.raw.startsWith('application/')",
    "req.user_agent.contains('Chrome')",
    'size(req.url.query) > 0',
    'req.cookies.size() > 0',
    "req.headers.exists(name, name == 'authorization')",
    "!req.headers.all(name, !name.startsWith('x-'))",
  ])('is skipped without %s', (condition) => {
    expect(check([[condition], CHECK])).toEqual(['check-skipped'])
  })

  test('is not skipped if another rule is for all others, or if the check enforces nothing', () => {
    const HAS = "hasReqHeader('authorization')"
    expect(check([[`!${HAS}`], DENY], [[HAS], CHECK])).toEqual([])
    expect(
      check([[HAS], CHECK, { type: 'forward-internal', config: { url: 'https://a.internal' } }], [[], DENY]),
    ).toEqual([])
    expect(check([["req.url.path.startsWith('/admin')"], CHECK])).toEqual([])
    expect(check([["req.content_type != 'a/b' && !req.headers.exists(name, name == 'x')"], CHECK])).toEqual([])
    expect(check([["req.user_agent == ''"], DENY], [["req.user_agent != ''"], CHECK])).toEqual([])
    const idle = { ...CHECK, config: { ...CHECK.config, enforce: false } }
    const read = '!actions.ngrok.basic_auth.credentials.authorized'
    expect(check([[HAS], idle], [[read], DENY])).toEqual([])
  })
})

test.each([
  ["!hasReqHeader('x') || int(getReqHeader('x')[0]) < 18", ['value-unreadable']],
  ["!hasReqHeader('x') || timestamp(getReqHeader('x')[0]) < timestamp(time.now)", ['value-unreadable']],
  ["!hasReqHeader('x') || json.decode(getReqHeader('x')[0]).role != 'a'", ['missing-value', 'value-unreadable']],
  ["!hasReqHeader('x') || getReqHeader('x')[0].split(' ')[1] != 'a'", ['missing-value']],
  ["!hasReqHeader('x') || !getReqHeader('x')[0].matches('^[0-9]{1,18}$') || int(getReqHeader('x')[0]) < 18", []],
  // The number of 20 digits is too large for an int, so only a pattern with a limit lets none pass.
  [
    "!hasReqHeader('x') || !getReqHeader('x')[0].matches('^[0-9]+$') || int(getReqHeader('x')[0]) < 18",
    ['value-unreadable'],
  ],
  [
    "!hasReqHeader('x') || !getReqHeader('x')[0].matches('^[0-9]{1,19}$') || int(getReqHeader('x')[0]) < 18",
    ['value-unreadable'],
  ],
  [
    "!hasReqHeader('x') || !matches(getReqHeader('x')[0], '[0-9]') || int(getReqHeader('x')[0]) < 18",
    ['value-unreadable'],
  ],
  ["!getReqHeader('x').exists(v, v.matches('^[0-9]+$') && int(v) >= 18)", ['value-unreadable']],
  ["!getReqHeader('x').exists(v, v.matches('^[0-9]{1,3}$') && int(v) >= 18)", []],
  [
    "!hasReqHeader('x') || size(getReqHeader('x')[0]) > 9 || !getReqHeader('x')[0].matches('^[0-9]+$') || int(getReqHeader('x')[0]) < 18",
    [],
  ],
  ["!hasReqHeader('x') || !getReqHeader('x')[0].matches('^[0-9]+$') || double(getReqHeader('x')[0]) < 18.0", []],
  ["['^(', 'a'].exists(p, !getReqHeader('x')[0].matches(p) || int(getReqHeader('x')[0]) < 18)", ['missing-value']],
  ["!hasReqHeader('x') || !getReqHeader('x')[0].startsWith('a ') || getReqHeader('x')[0].split(' ')[1] != 'a'", []],
  // Only a low value is denied by a lower limit, and only a high value by an upper one.
  ["hasReqHeader('x') && int(getReqHeader('x')[0]) > 18", ['value-unreadable']],
  ["int(getReqHeader('x')[0]) > 100", ['value-unreadable']],
  ["!(int(getReqHeader('x')[0]) + 1 < 18)", ['value-unreadable']],
  // A text may be too short, empty, no address or no time zone.
  ["!hasReqHeader('x') || getReqHeader('x')[0].substring(0, 6) != 'Bearer'", ['value-unreadable']],
  ["!hasReqHeader('x') || getReqHeader('x')[0].charAt(3) != 'a'", ['value-unreadable']],
  ["!hasReqHeader('x') || getReqHeader('x')[0].lastIndexOf('a', 5) < 0", ['value-unreadable']],
  ["!hasReqHeader('x') || getReqHeader('x')[0].split(',').slice(0, 2) != ['a', 'b']", ['value-unreadable']],
  ["getReqHeader('x').exists(v, 10 / size(v) < 2)", ['value-unreadable']],
  ["!hasReqHeader('x') || !inCidrRange(getReqHeader('x')[0], '10.0.0.0/8')", ['value-unreadable']],
  ["!hasReqHeader('x') || getReqHeader('x')[0].unescapeUrl() != 'a'", ['value-unreadable']],
  ["!hasReqHeader('x') || timestamp(time.now).getHours(getReqHeader('x')[0]) < 8", ['value-unreadable']],
  ["timestamp(time.now).getHours(getReqHeader('x')[0]) > 18", ['value-unreadable']],
  ["size(getReqHeader('x')) == 0 || size(getReqHeader('x')[0]) < 3 || getReqHeader('x')[0].charAt(2) != 'a'", []],
  ["!('role' in json.decode(req.url.query)) || json.decode(req.url.query).role != 'a'", ['value-unreadable']],
  ["!('role' in json.decode(req.url.query) && json.decode(req.url.query).role == 'a')", ['value-unreadable']],
  ["getReqHeader('x').join('') == '' || getReqHeader('x')[0] != 'a'", []],
  ["getReqHeader('x') == [] || getReqHeader('x')[0] != 'a'", []],
  ["req.url.path.split('/').size() < 3 || req.url.path.split('/')[2] != 'a'", []],
])('A part of a value may be missing, and a value may be no number: %s', (source, rules) => {
  expect(rulesOf(when(source))).toEqual(rules)
})

describe('A rule stops the requests for which its conditions are true, and no others', () => {
  const deny = (...conditions: string[]) => ({ expressions: conditions, actions: [{ type: 'deny' }] })
  const forward = (...conditions: string[]) => ({
    expressions: conditions,
    actions: [{ type: 'forward-internal', config: { url: 'https://a.internal' } }],
  })
  const check = (...rules: object[]) => rulesOf(JSON.stringify({ on_http_request: rules }))
  const MISSING = "!hasReqHeader('x')"
  const WRONG = "getReqHeader('x')[0] != 'a'"
  const IN_API = "req.url.path.startsWith('/api/')"

  test.each([
    "int(getReqHeader('x')[0]) < 18",
    "double(getReqHeader('x')[0]) < 18.0",
    "timestamp(getReqHeader('x')[0]) < timestamp(time.now)",
    "string(base64.decode(getReqHeader('x')[0])) != 'a'",
    "getReqHeader('x')[0].decodeBase64() != 'a'",
    "getReqHeader('x')[0].substring(0, 3) != 'key'",
  ])('A rule for a missing value does not stop a value that makes %s fail', (condition) => {
    expect(check(deny(MISSING), deny(condition))).toEqual(['value-unreadable'])
    expect(check(deny(MISSING), deny(`${MISSING} || ${condition}`))).toEqual(['value-unreadable'])
  })

  test('A rule for values of a wrong format does', () => {
    const number = (pattern: string) => deny(`${MISSING} || !getReqHeader('x')[0].matches('${pattern}')`)
    const age = deny("int(getReqHeader('x')[0]) < 18")
    expect(check(number('^[0-9]{1,3}$'), age)).toEqual([])
    for (const endless of ['^[0-9]+$', '^[[:digit:]]+$', '(?i)^\\\\d*\\\\z', '^(?P<all>9{1,20})$', '9']) {
      expect(check(number(endless), age)).toEqual(['value-unreadable'])
    }
    // Each is either bounded, or would take too long to try.
    for (const quiet of ['^[[:digit:]]{1,18}$', '^(1[89]|[2-9][0-9])$', '^([0-9]+)+$', '^(?:[0-9]{1,3}){1,6}$']) {
      expect(check(number(quiet), age)).toEqual([])
    }
    expect(check(deny(MISSING), deny("!getReqHeader('x')[0].matches('^[0-9]{1,3}$')"), age)).toEqual([])
  })

  test.each([
    ['a path', [MISSING, "req.url.path == '/a'"]],
    ['a path in one expression', [`${MISSING} && ${IN_API}`]],
    ['a method', [MISSING, "req.method == 'POST'"]],
    ['a country', [MISSING, "conn.geo.country_code == 'DE'"]],
    ['another header', [MISSING, "hasReqHeader('y')"]],
  ])('A rule for a missing value that also needs %s does not stop all', (_, conditions) => {
    expect(check(deny(...conditions), deny(WRONG))).toEqual(['missing-value'])
    const auth = { type: 'basic-auth', config: { credentials: ['ada:correct horse'] } }
    const checked = { expressions: ["hasReqHeader('x')"], actions: [auth] }
    expect(check(checked, deny(...conditions))).toEqual(['check-skipped'])
    const passes = deny("hasReqHeader('x') && getReqHeader('x')[0] != 'a'")
    expect(check(deny(...conditions), passes)).toEqual(['missing-value-passes'])
  })

  test.each<[string, object[]]>([
    ['if the later rule needs the same', [deny(MISSING, IN_API), deny(WRONG, IN_API)]],
    ['if the later rule needs more', [deny(MISSING, IN_API), deny(WRONG, "req.url.path == '/api/a'")]],
    [
      'if the later rule needs a longer path',
      [deny(MISSING, IN_API), deny(WRONG, "req.url.path.startsWith('/api/v1/')")],
    ],
    ['if another rule is for all others', [deny(MISSING, IN_API), deny(MISSING, `!${IN_API}`), deny(WRONG)]],
    ['if an earlier rule ends all others', [forward(`!${IN_API}`), deny(MISSING, IN_API), deny(WRONG)]],
    ['if it stops more', [deny(`${MISSING} || req.method == 'TRACE'`), deny(WRONG)]],
    [
      'if it is a check',
      [{ ...deny(MISSING), actions: [{ type: 'saml', config: { idp_metadata: 'a' } }] }, deny(WRONG)],
    ],
  ])('%s, all are stopped', (_, rules) => {
    expect(check(...rules).filter((each) => each !== 2203)).toEqual([])
  })

  test('but not if an earlier rule ends others than the rest', () => {
    expect(check(forward("req.method == 'GET'"), deny(MISSING, IN_API), deny(WRONG))).toEqual(['missing-value'])
  })
})

describe('A part of the address of a user', () => {
  const EMAIL = 'actions.ngrok.oauth.identity.email'
  const forward = { type: 'forward-internal', config: { url: 'https://a.internal' } }
  const check = (condition: string, action: object = { type: 'deny' }) =>
    checkPolicy(
      JSON.stringify({
        on_http_request: [
          { actions: [{ type: 'oauth', config: { provider: 'google' } }] },
          { expressions: [condition], actions: [action] },
        ],
      }),
    ).map(({ rule, hint }) => [rule, hint])

  test.each([
    [`!${EMAIL}.endsWith('example.com')`, `Use ${EMAIL}.endsWith('@example.com').`],
    [`!${EMAIL}.contains('@example.com')`, `Use ${EMAIL}.endsWith('@example.com').`],
    [`!${EMAIL}.contains('.example.com')`, `Use ${EMAIL}.endsWith('.example.com').`],
    [`!(req.method == 'GET' && ${EMAIL}.lower().endsWith('b.test'))`, `Use ${EMAIL}.lower().endsWith('@b.test').`],
    [`!${EMAIL}.endsWith('ada@example.com')`, `Use ${EMAIL} == 'ada@example.com'.`],
  ])('%s lets others in', (condition, hint) => {
    expect(check(condition)).toEqual([['email-part', hint]])
    expect(check(`!(${condition})`, forward)).toEqual([['email-part', hint]])
    expect(check(`!(${condition})`)).toEqual([])
  })

  test.each([
    `!${EMAIL}.endsWith('@example.com')`,
    `!${EMAIL}.endsWith('.example.com')`,
    `!${EMAIL}.contains('+staff')`,
    `!req.host.endsWith('example.com')`,
    `${EMAIL}.endsWith('example.com') && req.method == 'PUT'`,
  ])('%s lets no others in', (condition) => {
    expect(check(condition).filter(([rule]) => rule === 'email-part')).toEqual([])
  })
})

describe('An address that the client sends', () => {
  const check = (condition: string, ...more: object[]) =>
    rulesOf(JSON.stringify({ on_http_request: [...more, { expressions: [condition], actions: [{ type: 'deny' }] }] }))
  const EXISTS = "!getReqHeader('X-Forwarded-For').exists(v, v == '203.0.113.7')"

  test.each([
    EXISTS,
    "getReqHeader('X-Real-Ip').join('') != '203.0.113.7'",
    "!('203.0.113.7' in getReqHeader('forwarded'))",
    "!has(req.headers['cf-connecting-ip']) || req.headers['cf-connecting-ip'][0] != '203.0.113.7'",
    "req.method == 'PUT' && !getReqHeader('true-client-ip').exists(v, v == '203.0.113.7')",
  ])('lets requests in: %s', (condition) => {
    expect(check(condition)).toEqual(['client-sent-address'])
  })

  test('also before a check', () => {
    const auth = { type: 'basic-auth', config: { credentials: ['ada:correct horse'] } }
    const policy = JSON.stringify({ on_http_request: [{ expressions: [EXISTS], actions: [auth] }] })
    expect(rulesOf(policy)).toEqual(['client-sent-address'])
  })

  test.each([
    "getReqHeader('X-Forwarded-For').exists(v, v == '203.0.113.7')",
    "!getReqHeader('X-Forwarded-Proto').exists(v, v == 'https')",
    "hasReqHeader('X-Forwarded-For')",
    `${EXISTS} && conn.client_ip != '198.51.100.1'`,
  ])('lets none in, or is not alone: %s', (condition) => {
    expect(check(condition)).toEqual([])
  })

  test('is that of a proxy if the address of the connection is checked', () => {
    const allow = { type: 'restrict-ips', config: { allow: ['203.0.113.0/24'] } }
    expect(check(EXISTS, { actions: [allow] })).toEqual([])
    expect(check(EXISTS, { actions: [{ ...allow, config: { ...allow.config, enforce: false } }] })).toEqual([
      'not-enforced',
      'client-sent-address',
    ])
  })
})

describe('The identity of a user in a header', () => {
  const signIn = { type: 'oauth', config: { provider: 'google' } }
  const deny = { expressions: ["!actions.ngrok.oauth.identity.email.endsWith('@b.test')"], actions: [{ type: 'deny' }] }
  const add = (headers: object) => ({ type: 'add-headers', config: { headers } })
  const remove = (name: string) => ({ type: 'remove-headers', config: { headers: [name] } })
  const USER = { 'X-User': '${actions.ngrok.oauth.identity.email}' }
  const check = (...actions: object[]) =>
    rulesOf(JSON.stringify({ on_http_request: [{ actions: [signIn] }, deny, { actions }] }))

  test('needs that the header of the client is removed first', () => {
    expect(check(add(USER))).toEqual(['identity-header'])
    expect(check(add(USER), remove('x-user'))).toEqual(['identity-header'])
    expect(check(remove('x-other'), add(USER))).toEqual(['identity-header'])
    expect(check(remove('x-user'), add(USER))).toEqual([])
    expect(check(add({ 'x-a': 'b', 'x-token': '${actions.ngrok.oauth.access_token}' }))).toEqual([])
  })

  test('is the only one if requests with the header are denied, or in a response', () => {
    const denied = { expressions: ["hasReqHeader('X-User')"], actions: [{ type: 'deny' }] }
    const rules = [{ actions: [signIn] }, denied, deny, { actions: [add(USER)] }]
    expect(rulesOf(JSON.stringify({ on_http_request: rules }))).toEqual([])
    const [first, , second, last] = rules
    expect(rulesOf(JSON.stringify({ on_http_request: [first, second], on_http_response: [last] }))).toEqual([])
  })

  test('may be a claim of a token', () => {
    const header = { 'x-user': '${actions.ngrok.jwt_validation.tokens[0].payload.sub}' }
    const policy = { on_http_request: [{ actions: [{ type: 'jwt-validation', config: jwt }, add(header)] }] }
    expect(rulesOf(JSON.stringify(policy))).toEqual(['identity-header'])
  })
})

describe('A check of credentials that enforces nothing', () => {
  const auth = { actions: [{ type: 'basic-auth', config: { credentials: ['ada:correct horse'], enforce: false } }] }
  const [PRESENTED, AUTHORIZED] = ['presented', 'authorized'].map(
    (each) => `actions.ngrok.basic_auth.credentials.${each}`,
  )
  const check = (...conditions: string[]) =>
    checkPolicy(
      JSON.stringify({
        on_http_request: [auth, ...conditions.map((each) => ({ expressions: [each], actions: [{ type: 'deny' }] }))],
      }),
    )

  test('lets requests without credentials pass if only wrong ones are denied', () => {
    expect(check(`${PRESENTED} && !${AUTHORIZED}`)).toMatchObject([
      {
        rule: 'missing-value-passes',
        message: expect.stringMatching(/lets requests without credentials for basic-auth pass\.$/),
        docs: 'https://ngrok.com/docs/traffic-policy/actions/basic-auth/#action-result-variables',
      },
    ])
  })

  test.each([
    [[`!${AUTHORIZED}`]],
    [[`!${PRESENTED} || !${AUTHORIZED}`]],
    [[`!${PRESENTED}`, `${PRESENTED} && !${AUTHORIZED}`]],
    [[`${PRESENTED} && ${AUTHORIZED}`]],
  ])('lets none pass, or is for others: %j', (conditions) => {
    expect(check(...conditions)).toEqual([])
  })
})

test.each([
  ["getReqHeader('x')[0] != 'a'", 'macros/#getreqheaderstring---list'],
  ["getReqCookie('x').value != 'a'", 'macros/#getreqcookiestring---cookie'],
  ["req.cookies['x'][0].value != 'a'", 'macros/#getreqcookiestring---cookie'],
  ["getQueryParam('x')[0] != 'a'", 'macros/#getqueryparamstring---list'],
  ["req.url.path.split('/')[2] != 'a'", 'concepts/expressions/'],
  ["hasReqCookie('key') && getReqCookie('key').value != 'a'", 'macros/#hasreqcookiestring---bool'],
])('The warning of %s links to %s', (source, page) => {
  expect(checkPolicy(when(source)).map(({ docs }) => docs)).toEqual([`https://ngrok.com/docs/traffic-policy/${page}`])
})

describe('A value that a condition makes exponentially large is unknown to the check', () => {
  const DOUBLED = '.map(x, x + x)'.repeat(40)
  const NESTED = '.map(x, [x, x])'.repeat(60)
  test.each([
    `[req.url.path]${DOUBLED}.size() > 3`,
    `[['a']]${DOUBLED}[0].size() > 3`,
    `['a']${DOUBLED}[0] != getReqHeader('x')[0]`,
    `[getReqHeader('x')[0]]${NESTED}.map(x, x == x)[0]`,
    `[getReqHeader('x')[0]]${NESTED} == []`,
    `[req.url.path]${NESTED}.size() > 3`,
    `[req.host]${'.map(x, x.replace(x, x))'.repeat(40)}[0] != 'a'`,
  ])('%s', (source) => {
    expect(rulesOf(when(source))).toEqual([])
  })

  test('but a smaller one is known', () => {
    const DOUBLED_LITTLE = '.map(x, x + x)'.repeat(4)
    expect(rulesOf(when(`[getReqHeader('x')[0]]${DOUBLED_LITTLE}[0] != 'a'`))).toEqual(['missing-value'])
  })
})

test('Conditions that are long or deep end in bounded steps', () => {
  const long = Array.from({ length: 150 }, (_, at) => `getReqHeader('x-${at}')[0] != 'a'`).join(' && ')
  expect(rulesOf(when(long))).toEqual(['missing-value'])
  const list = `[${Array.from({ length: 100 }, () => "'x'").join()}]`
  expect(rulesOf(when(`${list}.exists(a, ${list}.exists(b, getReqHeader(a)[0] != b))`))).toEqual([])
})

// Pages of the actions: with `enforce`, the default, they end a request that they reject.
test.each<[string, object, string]>([
  ['basic-auth', { credentials: ['ada:correct horse'] }, 'actions.ngrok.basic_auth.credentials.authorized == false'],
  ['basic-auth', { credentials: ['ada:correct horse'] }, '!actions.ngrok.basic_auth.credentials.presented'],
  [
    'basic-auth',
    { credentials: ['ada:correct horse', 'bob:correct horse'] },
    "actions.ngrok.basic_auth.credentials.username == 'eve'",
  ],
  ['basic-auth', { credentials: ['ada:correct horse'] }, "actions.ngrok.basic_auth.error.code == 'ERR_NGROK_3200'"],
  ['verify-webhook', { provider: 'github', secret: 'x' }, "actions.ngrok.verify_webhook.error.message.startsWith('a')"],
  ['rate-limit', limit, 'actions.ngrok.rate_limit.limited'],
  ['verify-webhook', { provider: 'github', secret: 'x' }, '!actions.ngrok.verify_webhook.verified'],
  ['restrict-ips', { allow: ['10.0.0.0/8'] }, "actions.ngrok.restrict_ips.action == 'deny'"],
])('A rule for what an enforced %s rejects is never true', (type, config, source) => {
  const deny = { actions: [{ type: 'deny' }] }
  const policy = (...rules: object[]) => rulesOf(JSON.stringify({ on_http_request: rules }))
  const check = { actions: [{ type, config }] }
  expect(policy(check, { expressions: [source], ...deny })).toEqual(['never-true'])
  expect(policy(check, { expressions: [`!(${source})`], ...deny })).toEqual([])
  const lenient = { actions: [{ type, config: { ...config, enforce: false } }] }
  const isPresence = source.includes('presented')
  expect(policy(lenient, { expressions: [source], ...deny })).toEqual(isPresence ? ['not-enforced'] : [])
  expect(policy({ expressions: ["req.method == 'PUT'"], ...check }, { expressions: [source], ...deny })).toEqual([])
})

// Pages actions/redirect and actions/url-rewrite: patterns are compared with the whole URL.
test.each<[string, string, object, number]>([
  ['redirect', 'a path at the start', { from: '^/api/v1/', to: '/api/v2/' }, 1],
  ['url-rewrite', 'a path at the start', { from: '^/$', to: '/index.html' }, 1],
  ['redirect', 'a whole URL for a part', { from: '/old', to: 'https://new.test/blog' }, 1],
  ['redirect', 'a match in the new path', { from: '/blog', to: '/blog/new' }, 1],
  ['url-rewrite', 'a match in the new path', { from: '/blog', to: '/blog/new' }, 0],
  ['redirect', 'an end', { from: '/blog$', to: '/blog/new' }, 0],
  ['redirect', 'a whole URL for a whole URL', { from: '^https://[^/]+/old', to: 'https://new.test' }, 0],
  ['redirect', 'alternatives', { from: '^/a|/b', to: '/c' }, 0],
  ['redirect', 'alternatives that all begin with a slash', { from: '^(/a|/b)', to: '/c' }, 1],
  ['redirect', 'alternatives, one of them for a URL', { from: '^(/a|https:/)', to: '/c' }, 0],
  ['url-rewrite', 'a slash and the rest', { from: '/(.*)', to: '/v2/$1' }, 1],
  ['url-rewrite', 'a slash and a group', { from: '/(a|b)', to: '/v2/$1' }, 0],
])('%s with %s: %j', (type, _what, config, count) => {
  const found = checkPolicy(JSON.stringify({ on_http_request: [{ actions: [{ type, config }] }] }))
  const docs = `https://ngrok.com/docs/traffic-policy/actions/${type}/`
  expect(found).toMatchObject(Array(count).fill({ rule: 'pattern-of-url', docs }))
})

test('A rule is never reached if the rules before it end all methods together, unless a condition can fail', () => {
  const deny = (source?: string) => ({ ...(source && { expressions: [source] }), actions: [{ type: 'deny' }] })
  const check = (...rules: object[]) => rulesOf(JSON.stringify({ on_http_request: rules }))
  expect(check(deny("req.method == 'GET'"), deny("req.method != 'GET'"), deny())).toEqual(['rule-unreachable'])
  expect(check(deny("req.method == 'GET'"), deny("req.method == 'PUT'"), deny())).toEqual([])
  const header = "getReqHeader('x')[0]"
  expect(check(deny(`${header} == 'a'`), deny(`${header} != 'a'`), deny())).not.toContain('rule-unreachable')
})

test('A name with capitals is looked for among the names of headers', () => {
  expect(
    rulesOf('on_http_request: [{ expressions: ["req.headers.exists(h, h == \'X-A\')"], actions: [{ type: deny }] }]'),
  ).toEqual(['header-with-capitals'])
})

describe('A limit on the length of a request', () => {
  test.each([
    [['req.content_length >= 10']],
    [["req.method == 'POST' && !(req.content_length <= 1000)"]],
    [["req.method == 'POST'", '1000 < req.content_length']],
  ])('is passed by a streamed body: %j', (conditions) => {
    expect(rulesOf(when(...conditions))).toEqual(['length-unknown'])
  })

  test.each([
    [["!hasReqHeader('content-length') || req.content_length > 10"]],
    [['req.content_length < 10']],
    [['req.content_length == 0']],
    [['req.content_length > 10 && req.content_length < 20']],
  ])('has no warning if that is denied too, or if it is no limit: %j', (conditions) => {
    expect(rulesOf(when(...conditions))).toEqual([])
  })

  test('has no warning if another rule denies an unknown length, or if the rule does not deny', () => {
    const limit = { expressions: ['req.content_length > 10'] }
    const deny = { actions: [{ type: 'deny' }] }
    const unknown = { expressions: ["!('content-length' in req.headers)", "req.method == 'POST'"] }
    const rules = [
      { ...limit, ...deny },
      { ...unknown, ...deny },
    ]
    expect(rulesOf(JSON.stringify({ on_http_request: rules }))).toEqual([])
    const log = { actions: [{ type: 'log', config: { metadata: { is: 'large' } } }] }
    expect(rulesOf(JSON.stringify({ on_http_request: [{ ...limit, ...log }] }))).toEqual([])
  })
})

describe('A number outside the range of a value', () => {
  test.each([
    ['rand.double() < 10', 'always-true', 'rand.double() is from 0 to 1.'],
    ['size(req.headers) >= 0', 'always-true', 'size(req.headers) is at least 0.'],
    ["req.host == 'a' && size(req.cookies) >= 0", 'always-true', 'size(req.cookies) is at least 0.'],
    [
      'timestamp(time.now).getDayOfWeek() in [6, 7]',
      'never-true',
      'timestamp(time.now).getDayOfWeek() is from 0 to 6.',
    ],
    ["req.host == 'a' || timestamp(time.now).getMonth() in [11, 12]", 'never-true', 'getMonth() is from 0 to 11.'],
  ])('is found beside other conditions: %s', (condition, rule, hint) => {
    const problems = checkPolicy(when(condition, "req.method == 'GET'"))
    expect(problems).toMatchObject([{ rule, hint: expect.stringContaining(hint) }])
  })

  test.each([
    ['timestamp(time.now).getHours() >= 0', 'timestamp(time.now).getHours() < 6'],
    ['timestamp(time.now).getHours() >= 0 && timestamp(time.now).getHours() < 6', 'true'],
    ['rand.double() <= 1.0', "req.method == 'GET'"],
    ['timestamp(time.now).getDayOfWeek() in [0, 6]', "req.method == 'GET'"],
  ])('is not the end of a range, or one of the limits: %s', (...conditions) => {
    expect(rulesOf(when(...conditions))).toEqual([])
  })
})

const acting = (type: string, config: object, phase = 'on_http_request') =>
  JSON.stringify({ [phase]: [{ actions: [{ type, config }] }] })

describe('A star is not a wildcard', () => {
  test.each([
    ["req.url.path == '/admin/*'", "Use req.url.path.startsWith('/admin/')."],
    ["req.host != '*.example.com'", "Use req.host.endsWith('.example.com')."],
    ["req.url.path.lower() in ['/a', '*/b/*']", "Use req.url.path.lower().contains('/b/')."],
    ["req.url.path.endsWith('*.js')", "Use req.url.path.endsWith('.js')."],
    ["req.host == 'a.*.example.com'", 'Use req.host.matches(…).'],
    ["req.url.path.matches('/admin/*')", 'Write .* for any characters, and ^ at the start of a path.'],
    ["req.url.path.matches('^/api/*/users')", 'Write .* for any characters, and ^ at the start of a path.'],
    ["req.host.matches('^admin*')", 'Write .* for any characters, and ^ at the start of a path.'],
  ])('in %s', (condition, hint) => {
    expect(checkPolicy(when(condition))).toMatchObject([{ rule: 'wildcard', hint }])
  })

  test.each([
    "!getReqHeader('accept').exists(v, v == '*/*')",
    "req.url.path.matches('^/admin/.*')",
    "req.url.path.matches('^/admin/*$')",
    "req.url.path.matches('^/v\\\\d*')",
    "req.url.path.matches('^/a[a-z]*')",
  ])('but a repetition, or a value that may have one: %s', (condition) => {
    expect(rulesOf(when(condition))).toEqual([])
  })
})

describe('A name that is not replaced with its value', () => {
  test.each([
    '$(conn.client_ip)',
    '{{ conn.client_ip }}',
    '{{conn.client_ip}}',
    '#{conn.client_ip}',
    '{conn.client_ip}',
    '$conn.client_ip',
    'conn.client_ip',
    ' req.url.path ',
    "getReqHeader('x-a')[0]",
    "from {{ getReqHeader('x-a')[0] }}",
    '${req.host} $(conn.client_ip)',
  ])('is found in a header: %s', (value) => {
    expect(rulesOf(acting('add-headers', { headers: { 'x-a': value } }))).toEqual(['not-interpolated'])
  })

  test.each([
    ['custom-response', { body: 'Hello {{ conn.client_ip }}' }],
    ['log', { metadata: { of: ['a', { client: 'conn.client_ip' }] } }],
    ['set-vars', { vars: [{ client: 'conn.client_ip' }] }],
    ['verify-webhook', { provider: 'github', secret: "secrets.get('hooks', 'github')" }],
    ['forward-internal', { url: 'https://$(req.host).internal' }],
  ])('is found in %s', (type, config) => {
    expect(checkPolicy(acting(type, config))).toMatchObject([{ rule: 'not-interpolated', severity: 'warning' }])
  })

  test.each([
    ['custom-response', { body: 'Write conn.client_ip, {{ name }}, $(x), { req.unknown } or req.txt.' }],
    ['add-headers', { headers: { 'x-a': 'req.txt', 'x-b': 'a {b} $c', 'x-c': "${'{{' + req.host + '}}'}" } }],
    ['custom-response', { body: '{"a": "${conn.client_ip}", "b": {"time": 1}}' }],
    ['log', { metadata: { endpoint: 'endpoint', name: 'time.now?', file: 'conn.ts' } }],
  ])('is not any other text in %s: %j', (type, config) => {
    expect(rulesOf(acting(type, config))).toEqual([])
  })

  test.each(["'conn.client_ip'", '"req.host"', "getReqHeader('x-a').join(',') + 'conn.client_ip'"])(
    'is found in quotes in an expression: %s',
    (key) => {
      const config = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: [key] }
      expect(rulesOf(acting('rate-limit', config))).toEqual(['not-interpolated'])
    },
  )

  test('is not a key that all requests share', () => {
    const config = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ["'all'"] }
    expect(rulesOf(acting('rate-limit', config))).toEqual([])
  })
})

// Their pages mark fields that take expressions with `cel`.
describe('An expression in a field that takes none', () => {
  const signIn = { client_id: 'a', client_secret: 'b', issuer_url: 'https://sso.example.com' }

  test.each<[string, object, string]>([
    ['basic-auth', { credentials: ['ada:correct horse'], realm: 'at ${req.host}' }, 'realm has "${req.host}"'],
    [
      'jwt-validation',
      { ...jwt, audience: { allow_list: [{ value: "${secrets.get('webhooks', 'github')}" }] } },
      `audience.allow_list[0].value has "\${secrets.get('webhooks', 'github')}"`,
    ],
    ['rate-limit', { ...limit, name: "${getReqHeader('x-a')[0]}" }, 'name has'],
    ['openid-connect', { ...signIn, scopes: ['a', '${vars.scope}'] }, 'scopes[1] has "${vars.scope}"'],
    ['openid-connect', { ...signIn, authz_url_params: { a: '${req.host}' } }, 'authz_url_params.a has'],
    ['openid-connect', { ...signIn, issuer_url: 'https://${req.host}/' }, 'issuer_url has "${req.host}"'],
  ])('is found in %s: %j', (type, config, what) => {
    const message = `In the policy, on_http_request[0].actions[0].config.${what}`
    expect(checkPolicy(acting(type, config), options)).toMatchObject([
      { rule: 'not-interpolated', severity: 'warning', message: expect.stringContaining(message) },
    ])
  })

  test('has its own place in the line', () => {
    const [found] = checkPolicy(`on_http_request:
  - actions:
      - type: basic-auth
        config: { credentials: ['ada:correct horse'], realm: 'at \${req.host}' }`)
    expect(found).toMatchObject({ line: 4, column: 66, endColumn: 77 })
  })

  test.each(['costs ${5}', '${REALM}', '${', '$ {req.host}', '$req.host', '{req.host}', '${"a"}'])(
    'is no other text with a dollar sign and a brace: %s',
    (text) => {
      expect(rulesOf(acting('basic-auth', { credentials: ['ada:correct horse'], realm: text }))).toEqual([])
      expect(rulesOf(acting('rate-limit', { ...limit, name: text }))).toEqual([])
    },
  )

  test('is no second problem of a value with an error', () => {
    expect(rulesOf(acting('oauth', { provider: '${req.host}' }))).toEqual([2222])
  })
})

describe('A value that does nothing useful', () => {
  const TLS = 'on_tcp_connect'
  test.each([
    ['url-rewrite', { from: '/app/', to: '/app/' }, 'to'],
    ['redirect', { from: '/app', to: '/app' }, 'to'],
    ['request-body-find-replace', { replacements: [{ from: '', to: 'a' }] }, 'replacements[0].from'],
    ['request-body-find-replace', { replacements: [{ from: 'a', to: 'a' }] }, 'replacements[0].to'],
    ['url-rewrite', { from: '', to: '/a' }, 'from'],
    ['oauth', { provider: 'google', idle_session_timeout: '24h', max_session_duration: '12h' }, 'idle_session_timeout'],
  ])('is found in %s: %j', (type, config, field) => {
    const message = expect.stringContaining(`actions[0].config.${field} is `)
    expect(checkPolicy(acting(type, config))).toContainEqual(
      expect.objectContaining({ rule: 'unlikely-value', message }),
    )
  })

  test.each<[string, (string | number)[]]>([
    ['ipp_2p2q5Yt85IKQQ7zbpR4X', ['unlikely-value']],
    ['my-company-ca', ['unlikely-value']],
    ['/etc/ssl/ca.pem', ['unlikely-value']],
    ['ca_', ['unlikely-value']],
    ['ca_2p2q5Yt85IKQQ7zbpR4X', []],
    ["${secrets.get('webhooks', 'github')}", []],
    ['-----BEGIN CERTIFICATE-----', [2228]],
  ])('is a certificate authority that is neither a certificate nor an ID: %s gets %j', (entry, expected) => {
    const policy = acting('terminate-tls', { mutual_tls_certificate_authorities: [entry] }, TLS)
    expect(rulesOf(policy)).toEqual(expected)
  })

  test('is a strategy that does not verify certificates, unless an expression reads them', () => {
    const policy = (strategy: string, source: string) =>
      JSON.stringify({
        [TLS]: [
          {
            actions: [
              {
                type: 'terminate-tls',
                config: { mutual_tls_certificate_authorities: ['ca_1'], mutual_tls_verification_strategy: strategy },
              },
            ],
          },
          { expressions: [source], actions: [{ type: 'deny' }] },
        ],
      })
    const other = 'conn.client_port > 1024'
    const read = "actions.ngrok.terminate_tls.client.subject.common_name != 'a'"
    expect(rulesOf(policy('request', other))).toEqual(['not-enforced'])
    expect(rulesOf(policy('require-any', other))).toEqual(['not-enforced'])
    expect(rulesOf(policy('require-and-verify', other))).toEqual([])
    expect(rulesOf(policy('request', read))).toEqual([])
  })
})

describe('A path that is not decoded', () => {
  test.each([
    ["req.url.raw_path.startsWith('/admin')"],
    ["req.method == 'GET' && req.url.raw_path == '/admin'"],
    ["req.url.uri.matches('^/admin')"],
  ])('is found in a denial: %s', (condition) => {
    expect(rulesOf(when(condition))).toEqual(['encoded-path'])
  })

  test.each([
    ["req.url.raw_path.contains('%2e%2e')"],
    ["!req.url.raw_path.startsWith('/public')"],
    ["req.url.uri == '/a?b=1'"],
    ["req.url.path.startsWith('/admin')"],
  ])('is not found where it denies more, or where escapes are meant: %s', (condition) => {
    expect(rulesOf(when(condition))).toEqual([])
  })

  test('is not found in a rule that only routes', () => {
    const rule = { expressions: ["req.url.raw_path.startsWith('/a')"], actions: [{ type: 'custom-response' }] }
    expect(rulesOf(JSON.stringify({ on_http_request: [rule] }))).toEqual([])
  })
})

test.each([
  ["!actions.ngrok.oauth.identity.email.matches('@example.com')", ['email-part']],
  ["!actions.ngrok.oauth.identity.email.matches('example\\\\.com$')", ['email-part']],
  ["!actions.ngrok.oauth.identity.email.matches('@(a|b)\\\\.com')", ['email-part']],
  ["!actions.ngrok.oauth.identity.email.matches('@example\\\\.com$')", []],
  ["!actions.ngrok.oauth.identity.email.matches('@(a\\\\.com|b\\\\.com)$')", []],
  ["!actions.ngrok.oauth.identity.email.matches('^admin-')", []],
])('A pattern of an email address has the whole domain: %s', (condition, rules) => {
  const signIn = { actions: [{ type: 'oauth', config: { provider: 'google' } }] }
  const rule = { expressions: [condition], actions: [{ type: 'deny' }] }
  expect(rulesOf(JSON.stringify({ on_http_request: [signIn, rule] }))).toEqual(rules)
})

test.each([
  [["getReqHeader('X-Forwarded-For')"], ['client-sent-address']],
  [["req.headers['x-real-ip'][0]"], ['client-sent-address']],
  [["getReqHeader('true-client-ip')[0]", 'req.host'], ['client-sent-address']],
  [['conn.client_ip', "getReqHeader('x-forwarded-for')"], []],
  [["getReqHeader('x-api-key')"], []],
])('A limit by an address that the client sends limits nobody: %j', (bucket_key, rules) => {
  const config = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key }
  expect(rulesOf(acting('rate-limit', config))).toEqual(rules)
})

test.each([
  ["req.url.path.startsWith('/old/')", ['pattern-of-url']],
  ["req.url.path.startsWith('/')", ['always-true', 'pattern-of-url']],
  ["req.url.path == '/old/'", []],
  ["req.url.path.startsWith('/old/') && req.method == 'GET'", []],
])('A redirect to a path for which its condition holds again leads to another: %s', (condition, rules) => {
  const actions = [{ type: 'redirect', config: { from: '/old/', to: '/old/current/' } }]
  expect(rulesOf(JSON.stringify({ on_http_request: [{ expressions: [condition], actions }] }))).toEqual(rules)
})

test.each(['tls', 'tcp'] as const)('A %s endpoint does not forward to an http endpoint', (protocol) => {
  const check = (url: string) =>
    checkPolicy(acting('forward-internal', { url }, 'on_tcp_connect'), { protocol }).map(({ number }) => number)
  expect([check('https://a.internal'), check('http://a.internal'), check('tcp://a.internal:1')]).toEqual([
    [2222],
    [2222],
    [],
  ])
})

describe('A variable of set-vars compared with another type', () => {
  const policyWith = (condition: string, ...values: unknown[]) =>
    JSON.stringify({
      on_http_request: [
        ...values.map((a) => ({ actions: [{ type: 'set-vars', config: { vars: [{ a }] } }] })),
        { expressions: [condition], actions: [{ type: 'deny' }] },
      ],
    })

  test.each<[string, unknown]>([
    ['vars.a == 100', 'paid'],
    ['vars.a > 5', '10'],
    ["vars.a <= '10'", 10],
    ["vars.a in ['a', 'b']", 3],
    ["vars.a != 'true'", true],
    ['vars.a == 100', "${getReqHeader('x').join(',')}"],
    ['vars.a == 100', 'of ${req.host}'],
    ["vars.a == '1'", '${size(req.host)}'],
    ['vars.a + 1 > 5.0', 5],
    ['2 * vars.a > 5.0', 1.5],
  ])('is found: %s with %j', (condition, value) => {
    expect(rulesOf(policyWith(condition, value))).toEqual(['variable-type'])
  })

  test.each<[string, ...unknown[]]>([
    ["vars.a == 'paid'", 'paid'],
    ['vars.a == 1', '${size(req.host)}'],
    ['vars.a == 1.5', 3],
    ['vars.a + 1.0 > 5.0 && int(vars.a) + 1 > 5', 5],
    ['vars.a + 1 > 5', '${size(req.host)}'],
    ['vars.a == 100', 'paid', 100],
    ['vars.a == 100', "${json.decode(req.host)['a']}"],
    ["vars.a.b == 'c'", { b: 'c' }],
    ["vars.a.startsWith('p')", 'paid'],
    ["vars.a > '2026'", '2027'],
  ])('is not found: %s with %j', (condition, ...values) => {
    expect(rulesOf(policyWith(condition, ...values))).not.toContain('variable-type')
  })
})

test.each([
  [0, []],
  [1, []],
  [2, [['result-not-set', 'Use tokens[1], or add the token to http.tokens of jwt-validation.']]],
])('A token that jwt-validation does not verify has no result: tokens[%i] of 2', (index, warnings) => {
  const config = {
    issuer: { allow_list: [{ value: 'https://a.test' }] },
    audience: { allow_list: [{ value: 'b' }] },
    http: { tokens: ['x-a', 'x-b'].map((name) => ({ type: 'jwt', method: 'header', name })) },
    jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: ['https://a.test/keys'] } } },
  }
  const on_http_request = [
    { actions: [{ type: 'jwt-validation', config }] },
    {
      expressions: [`actions.ngrok.jwt_validation.tokens[${index}].payload.sub == 'a'`],
      actions: [{ type: 'log', config: { metadata: { a: 'b' } } }],
    },
  ]
  expect(checkPolicy(JSON.stringify({ on_http_request })).map(({ rule, hint }) => [rule, hint])).toEqual(warnings)
})
