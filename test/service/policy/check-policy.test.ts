import { describe, expect, test } from 'vitest'
import {
  checkPolicy,
  checkPolicyValue,
  listExpressions,
  type PolicyOptions,
} from '../../../src/service/policy/index.ts'

const NO_ENVIRONMENT = "A policy cannot read environment variables. Use secrets.get('vault', 'name')."

const LIST = 'The value is a list. Use its first item, with [0], or test it with in.'

const condition = (source: string, options?: PolicyOptions) => {
  const policy = { on_http_request: [{ expressions: [source], actions: [{ type: 'deny' }] }] }
  const [problem] = checkPolicyValue(policy, options)
  return problem
}

describe('Expressions are checked with types (rules: traffic-policy#expressions)', () => {
  test.each([
    ["req.url == 'https://a.test/' && req.url.path.startsWith('/a')"],
    ["conn.client_ip == '203.0.113.9' || conn.client_ip.geo.location.country_code in ['DE', 'FR']"],
    ["req.user_agent.contains('curl') && !req.user_agent.is_bot"],
    ["'x' in req.headers && req.headers['x'][0] == 'a'"],
    ["getReqHeader('User-Agent').exists(v, v.matches('(?i)google'))"],
    ["has(req.headers['x-custom'])"],
    ["req.url.query_params['q'].sortBy(x, x.size())[0] == 'a'"],
    ['actions.ngrok.oauth.identity != null && actions.ngrok.oauth.identity.email.endsWith("@a.test")'],
    ["timestamp(time.now).getHours('Europe/Berlin') > 8"],
    ["conn.tls.client.subject.common_name == 'a' || conn.tls.client.subject.contains('b')"],
    ["inCidrRange(conn.client_ip, '203.0.113.0/24')"],
    ['hash.sha256(req.host, "hex") == "a".sha256()'],
    ['size(req.cookies) > 0 && req.cookies["a"][0].value > "b"'],
    ["json.decode(string(base64.decode('e30='))).a == 1"],
    ["string(timestamp(time.now)) != '' && string(duration('1s')) == '1s' && int(1u) == 1"],
    ["has({'a': 1}.a) && has(json.decode('{}').a) && strings.quote('A'.lowerAscii()) != ''"],
    ["[].all(e, e > 0) && {}.all(key, key == 'a') && b'a' < b'b' && br'\\d' == b'\\\\d' && .5 < 1.0"],
    ["duration('1s') + timestamp(time.now) > timestamp(time.now) && -9223372036854775808 < 0"],
    // A backslash escapes nothing in a raw text.
    ["req.url.raw_path.contains(r'\\') && req.host != r\"a\\\" + 'x' && req.host != R'''x'y\\''' && req.host != r''"],
    ["{1: 1}[1] == 1 && {1: 1, 'a': 2}['a'] == 2 && size({}) == 0 && json.decode(req.url.query)[1] == 1"],
    ["['x'].exists(h, req.headers[h][0] == 'a') && has(req.headers.authorization) && has(req.url) && has(conn.geo)"],
    ['rand.double() >= 0.5 && rand.int(0, 10) < 5'],
    ['actions.ngrok.rate_limit.limited || actions.ngrok.rate_limit.error.code != ""'],
  ])('%s is valid', (source) => {
    expect(condition(source)).toBeUndefined()
  })

  test.each([
    ['req.path == "/"', 'path', 'Did you mean req.url.path?'],
    ['req.method == "GET" and req.host == "a"', 'and', 'Use &&.'],
    ['req.method == "GET" or req.host == "a"', 'or', 'Use ||.'],
    ['not hasReqHeader("x")', 'not', 'Use !.'],
    ['req.url.path.includes("/a")', 'includes', 'Did you mean contains?'],
    ['req.methd == "GET"', 'methd', 'Did you mean req.method?'],
    ['rq.method == "GET"', 'rq', 'Did you mean req?'],
    ['req.url.path.startswith("/a")', 'startswith', 'Did you mean startsWith?'],
    ['req.method == "GET" && req.url.pth == "/"', 'pth', 'Did you mean req.url.path?'],
    ['res.status_code == 200', 'res', 'It is available in on_http_response, on_event_stream_message.'],
    ['req.method = "GET"', '=', 'Did you mean ==?'],
    ['actions.ngrok.oauth.user.email == "a"', 'user', 'Did you mean actions.ngrok.oauth.identity?'],
    ['conn.client_ip.asn == 1', 'asn', 'Did you mean conn.client_ip.as.number?'],
    ['conn.client_ip.geo.location.contry == "DE"', 'contry', 'Did you mean conn.client_ip.geo.location.country?'],
    ['req.headers["a"][0] == API_KEY', 'API_KEY', NO_ENVIRONMENT],
    ['req.headers["a"][0] == env.API_KEY', 'env', NO_ENVIRONMENT],
    // `has` checks its path as all other expressions do: only an item of a map may be missing.
    ['has(req.header.authorization)', 'header', 'Did you mean req.headers?'],
    ['!has(req.nothing)', 'nothing', undefined],
    ['has(req.url.pth)', 'pth', 'Did you mean req.url.path?'],
    ['has(conn.client_ip.geo.location.contry)', 'contry', 'Did you mean conn.client_ip.geo.location.country?'],
    ['has(actions.ngrok.oauth.identity.emial)', 'emial', 'Did you mean actions.ngrok.oauth.identity.email?'],
    ['req.headers.exists(x, has(req.headers.a) && has(req.ur.a))', 'ur', 'Did you mean req.url?'],
    ["req.method == r'a", "'a", undefined],
    ["req.method == r'''a", "'''a", undefined],
    // A key has the type of the keys of its map.
    ["req.headers[0][0] == 'a'", '0', undefined],
    ['has(req.url.query_params[1])', '1', undefined],
    ["{'a': 1}[1u] == 1", '1u', undefined],
    ["[1].exists(at, req.cookies[at][0].value == 'a')", 'at', undefined],
    ['req.headers["a"] == "b"', 'req.headers["a"] == "b"', LIST],
    ["req.cookies['a'].value == 'b'", 'value', 'The value is a list. Use its first item, with [0].'],
    ["getReqHeader('a').exists(v.matches('b'))", 'v', 'Name it first: exists(v, …).'],
    ["getReqHeader('a').map(x) == ['b']", 'x', 'Name it first: map(x, …).'],
    ["getReqHeader('a').exists(v, val.matches('b'))", 'val', undefined],
    ['req.url == "a" && conn.geo.countrycode == "DE"', 'countrycode', 'Did you mean conn.geo.country_code?'],
  ])('%s: the problem is at "%s", with a hint', (source, part, hint) => {
    const problem = condition(source)
    const { offset = 0, length = 0 } = problem?.within ?? {}
    expect(source.slice(offset, offset + length)).toBe(part)
    expect(problem?.hint).toBe(hint)
  })

  test.each([
    ["b'a'.hex() == '61'", "b'a'.hex()", 'there is no function hex'],
    ['optional.of(1).hasValue()', 'optional.of(1)', 'there is no function of'],
    ['json.decode(req.method).a.hasValue()', 'json.decode(req.method).a.hasValue()', 'there is no function hasValue'],
    ['cel.bind(x, 1, x) == 1', 'cel.bind(x, 1, x)', 'there is no function bind'],
    ['[[1]].sort() == []', 'sort', 'there is no list.sort()'],
    ["secrets.get('a') == 'b'", 'get', 'there is no secrets.get(string)'],
    ['1 < 9223372036854775808', '9223372036854775808', 'the integer exceeds 64 bits'],
    ['-0x8000000000000001 < 1', '0x8000000000000001', 'the integer exceeds 64 bits'],
  ])('%s: the problem is at "%s": %s', (source, part, message) => {
    const problem = condition(source)
    const { offset = 0, length = 0 } = problem?.within ?? {}
    expect(source.slice(offset, offset + length)).toBe(part)
    expect(problem?.message).toContain(message)
  })

  test.each([[{ a: 'x', b: 'y' }], [[{ a: 'x', b: 'y' }]]])(
    'The variables of a map without its list are one mistake, not one at each expression that reads them: %j',
    (vars) => {
      const reads = {
        expressions: ["vars.a == 'x'"],
        actions: [{ type: 'log', config: { metadata: { b: '${vars.b}' } } }],
      }
      const policy = { on_http_request: [{ actions: [{ type: 'set-vars', config: { vars } }] }, reads] }
      expect(checkPolicyValue(policy).map(({ number }) => number)).toEqual([2252])
    },
  )

  test('Variables of set-vars exist after it, in its phase only', () => {
    const setVars = { actions: [{ type: 'set-vars', config: { vars: [{ a: 1 }, { b: '${vars.a}' }] } }] }
    const use = {
      expressions: ['vars.a == vars.b'],
      actions: [{ type: 'log', config: { metadata: { a: '${vars.b}' } } }],
    }
    expect(checkPolicyValue({ on_http_request: [setVars, use] })).toEqual([])
    expect(checkPolicyValue({ on_http_request: [use, setVars] })).toHaveLength(3)
    expect(checkPolicyValue({ on_http_request: [setVars], on_http_response: [use] })).toHaveLength(3)
  })

  test('A condition may ask whether a variable exists that no set-vars sets', () => {
    const ask = (condition: string) => ({
      on_http_request: [{ expressions: [condition], actions: [{ type: 'deny' }] }],
    })
    expect(checkPolicyValue(ask('!has(vars.a)'))).toEqual([])
    expect(checkPolicyValue(ask('has(vars.a.b)'))).toMatchObject([{ number: 2200 }])
  })

  test('A macro without the name of its items says so', () => {
    const policy = { on_http_request: [{ expressions: ['[1].map(x) == [1]'], actions: [{ type: 'deny' }] }] }
    expect(checkPolicyValue(policy)[0]?.message).toContain('map needs a name for each item, and an expression.')
  })

  test('The module has the older spelling too', () => {
    const module = (source: string) => ({
      inbound: [{ expressions: [source], actions: [{ type: 'deny' }] }],
      outbound: [],
    })
    const older = "req.Method == 'PUT' && conn.Geo.CountryCode != 'DE' && req.ContentLength > 10"
    expect(checkPolicyValue(module(older), { place: 'module' })).toEqual([])
    expect(checkPolicyValue({ on_http_request: module(older).inbound })).toHaveLength(1)
  })

  test('All expressions of a policy are listed, with trees, types and places', () => {
    const policy = {
      on_http_request: [
        {
          expressions: ['req.method == "GET"'],
          actions: [
            { type: 'rate-limit', config: { bucket_key: ['req.host'] } },
            { type: 'custom-response', config: { body: 'a ${req.url.path} b ${req.method}' } },
          ],
        },
      ],
    }
    const found = listExpressions(policy).map(({ path, kind, offset, source, type, tree }) => [
      path.slice(2).join('.'),
      kind,
      offset,
      source,
      type,
      tree?.op,
    ])
    expect(found).toEqual([
      ['expressions.0', 'condition', 0, 'req.method == "GET"', 'bool', '=='],
      ['actions.0.config.bucket_key.0', 'field', 0, 'req.host', 'string', '.'],
      ['actions.1.config.body', 'interpolation', 4, 'req.url.path', 'string', '.'],
      ['actions.1.config.body', 'interpolation', 22, 'req.method', 'string', '.'],
    ])
  })
})

describe('Problems have places in the text', () => {
  const YAML = `on_http_request:
  - expressions:
      - req.path == '/a'
    actions:
      - type: rate-limit
        config:
          name: a
          algorithm: sliding_window
          capacity: 10
          rate: 5s
          bucket_key: [req.host]
      - type: denied
`

  test('in YAML', () => {
    const places = checkPolicy(YAML).map(({ number, line, column, endColumn }) => [number, line, column, endColumn])
    expect(places).toEqual([
      [2200, 3, 13, 17],
      [2225, 10, 17, 19],
      [2201, 12, 15, 21],
    ])
  })

  test('in JSON', () => {
    const text = JSON.stringify(
      { on_http_request: [{ actions: [{ type: 'deny', config: { status_code: 7 } }] }] },
      null,
      2,
    )
    const [problem] = checkPolicy(text)
    expect(problem).toMatchObject({ number: 2215, line: 8, column: 28 })
    expect(text.split('\n')[7]?.slice(27, (problem?.endColumn ?? 0) - 1)).toBe('7')
  })

  test('A missing field is shown at the key above it', () => {
    const [problem] = checkPolicy(
      'on_http_request:\n  - actions:\n      - type: forward-internal\n        config: {}\n',
    )
    expect(problem).toMatchObject({ number: 2234, line: 4, column: 9, endColumn: 15 })
  })

  test('Several missing fields are one problem', () => {
    const problems = checkPolicy('on_http_request:\n  - actions:\n      - type: rate-limit\n')
    expect(problems).toMatchObject([{ number: 2234, line: 3, column: 9 }])
    expect(problems[0]?.message).toContain('.name is missing. It is required, and so are algorithm, capacity,')
  })

  test('A text that cannot be read has one problem, at its line', () => {
    expect(checkPolicy('on_http_request:\n\t- actions: []')).toMatchObject([{ number: 2236, line: 2 }])
    expect(checkPolicy('on_http_request: []\non_http_request: []')).toMatchObject([{ number: 2236, line: 2 }])
    expect(checkPolicy('')).toMatchObject([{ number: 2236, line: 1, column: 1 }])
    expect(checkPolicy('on_http_request: [\n\n')).toMatchObject([{ number: 2236, line: 1, column: 18 }])
  })
})

test.each([
  ['dny', ' Did you mean deny?'],
  ['limit', ' Did you mean rate-limit?'],
  ['add-request-headers', ' Did you mean add-headers?'],
  ['rate_limit', ' Did you mean rate-limit?'],
  ['webhook-validation', ' Did you mean verify-webhook?'],
  ['headers', ''],
])('The type %s is no action.%s', (type, suggested) => {
  const [problem] = checkPolicyValue({ on_http_request: [{ actions: [{ type }] }] })
  expect(problem?.message).toContain(`type is "${type}".${suggested} Allowed: add-headers, `)
})

test('An expression that YAML takes for a tag is empty, and the hint says so', () => {
  const [problem] = checkPolicy(
    "on_http_request:\n  - expressions:\n      - !hasReqHeader('x')\n    actions: [{ type: deny }]\n",
  )
  expect(problem).toMatchObject({
    number: 2200,
    line: 3,
    hint: expect.stringContaining('put a string'),
  })
})

describe('A policy that a cloud endpoint may have ends traffic (rules: traffic-policy#termination)', () => {
  const last = (type: string, config: object = {}, expressions: string[] = []) =>
    checkPolicyValue({ on_http_request: [{ expressions, actions: [{ type, config }] }] }, { place: 'cloud' }).map(
      ({ number }) => number,
    )

  test.each<[string, object]>([
    ['deny', {}],
    ['custom-response', {}],
    ['close-connection', {}],
    ['redirect', { to: 'https://a.test' }],
    ['forward-internal', { url: 'https://a.internal' }],
  ])('%s ends it', (type, config) => {
    expect(last(type, config)).toEqual([])
    expect(last(type, config, ['true'])).toEqual([])
    expect(last(type, config, ['req.method == "GET"'])).toEqual([])
  })

  test('Nothing else does', () => {
    expect(last('log', { metadata: { a: 1 } })).toEqual([2235])
    expect(last('forward-internal', { url: 'https://a.internal', on_error: 'continue' })).toEqual([2235])
    expect(checkPolicyValue({}, { place: 'cloud' }).map(({ number }) => number)).toEqual([2235])
    expect(checkPolicyValue({}, { place: 'agent' })).toEqual([])
  })

  test('A last rule for all other traffic does, unless an earlier rule does for all', () => {
    const log = { actions: [{ type: 'log', config: { metadata: { a: '1' } } }] }
    const deny = { expressions: ["req.method == 'PUT'"], actions: [{ type: 'deny' }] }
    const check = (...rules: readonly object[]) => checkPolicyValue({ on_http_request: rules }, { place: 'cloud' })
    expect(check(deny, log)).toMatchObject([{ number: 2235, path: ['on_http_request', 1] }])
    expect(check(deny, { ...log, expressions: [] })).toMatchObject([{ number: 2235 }])
    expect(check(log, deny)).toEqual([])
    expect(check({ ...deny, expressions: [] }, log)).toEqual([])
  })

  test.each(['tcp', 'tls'] as const)('On an endpoint for %s, the rules of a weighted route end it', (protocol) => {
    const forward = { type: 'forward-internal', config: { url: `${protocol}://a.internal:80` } }
    const on_tcp_connect = [
      { actions: [{ type: 'set-vars', config: { vars: [{ drawn: '${rand.int(0, 1)}' }] } }] },
      { expressions: ['int(vars.drawn) <= 0'], actions: [forward] },
      { expressions: ['int(vars.drawn) >= 1 && int(vars.drawn) <= 1'], actions: [forward] },
    ]
    expect(checkPolicyValue({ on_tcp_connect }, { place: 'cloud', protocol })).toEqual([])
    expect(
      checkPolicyValue({ on_tcp_connect: on_tcp_connect.slice(0, 1) }, { place: 'cloud', protocol }),
    ).toMatchObject([{ number: 2235 }])
  })

  test.each(['tcp', 'tls'] as const)('On an endpoint for %s, connections are all traffic', (protocol) => {
    const policy = { on_tcp_connect: [{ actions: [{ type: 'deny' }] }] }
    expect(checkPolicyValue(policy, { place: 'cloud', protocol })).toEqual([])
    const open = { on_tcp_connect: [{ actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }] }
    expect(checkPolicyValue(open, { place: 'cloud', protocol })).toMatchObject([
      { number: 2235, path: ['on_tcp_connect'] },
    ])
  })
})

test.each<[string, string, unknown, string]>([
  [
    'a text in a template',
    'custom-response',
    { body: "${'pw-1234' + req.nothing}" },
    'Received: "\'…\' + req.nothing"',
  ],
  [
    'a text with a quote',
    'custom-response',
    { body: "${'''it's pw-1234''' + r'pw-1234\\' + a}" },
    'there is no variable a',
  ],
  ['a text without an end', 'custom-response', { body: '${req.host + "pw-1234}' }, '"${" without its "}"'],
  [
    'a name in a secret',
    'basic-auth',
    { credentials: ['joe:${pw-1234}'] },
    'is not valid at character 7: there is no variable of that name.',
  ],
  [
    'a name in a secret',
    'verify-webhook',
    { provider: 'github', secret: '${pw-1234}' },
    'is not valid at character 3: there is no variable of that name.',
  ],
])('No message quotes %s of %s', (_, type, config, part) => {
  const [problem] = checkPolicyValue({ on_http_request: [{ actions: [{ type, config }] }] })
  expect(problem).toMatchObject({ number: 2224, message: expect.stringContaining(part) })
  expect(JSON.stringify(problem)).not.toContain('pw-1234')
})

describe('Hostile texts are rejected or checked, and nothing overflows', () => {
  const conditionText = (source: string) =>
    JSON.stringify({ on_http_request: [{ expressions: [source], actions: [{ type: 'deny' }] }] })
  const body = (text: string) =>
    JSON.stringify({ on_http_request: [{ actions: [{ type: 'custom-response', config: { body: text } }] }] })
  const pattern = (from: string) =>
    JSON.stringify({ on_http_request: [{ actions: [{ type: 'url-rewrite', config: { from, to: 'a' } }] }] })

  test.each<[string, string, number | undefined]>([
    ['brackets', '['.repeat(65_536), 2236],
    ['a MiB of brackets', '['.repeat(1_048_576), 2236],
    ['braces', '{a: '.repeat(16_000), 2236],
    ['deep lists', `{"on_http_request":${'['.repeat(900)}${']'.repeat(900)}}`, 2236],
    [
      '10,000 rules',
      JSON.stringify({ on_http_request: Array.from({ length: 10_000 }, () => ({ actions: [{ type: 'x' }] })) }),
      2264,
    ],
    ['${ without an end', body('${'.repeat(30_000)), 2224],
    ['nested ${', body('${'.repeat(10_000) + '}'.repeat(10_000)), 2224],
    [
      'anchors that explode',
      `a: &a [x,x,x,x,x,x,x,x]\n${'bcdef'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcde'.charAt(index)},`.repeat(8)}]\n`)
        .join('')}`,
      2236,
    ],
    ['an alias in its own value', 'on_http_request: &rules\n- actions: *rules\n', 2236],
    [
      'a long list that aliases repeat',
      `a: &a [${'x,'.repeat(1000)}]\non_http_request: [${'*a,'.repeat(900)}]\n`,
      2236,
    ],
    ['NUL', 'on_http_request:\u0000', 2236],
    ['parentheses', conditionText(`${'('.repeat(1000)}true${')'.repeat(1000)}`), 2200],
    ['negations', conditionText(`${'!'.repeat(60_000)}true`), 2200],
    ['a sum', conditionText(`${'1+'.repeat(30_000)}1 > 0`), 2200],
    ['a pattern that others need years for', pattern('(a+)+$'.repeat(1000)), undefined],
    ['a pattern of parentheses', pattern('('.repeat(60_000)), 2261],
    ['a pattern of properties', pattern('\\pL'.repeat(10_000)), undefined],
    ['a repetition of repetitions', pattern('(a{1000}){1000}'), 2261],
  ])('%s', (_, text, number) => {
    const problems = checkPolicy(text)
    expect(problems[0]?.number).toBe(number)
    expect(problems[0]?.message ?? '').not.toContain('call stack')
    expect(problems.length).toBeLessThanOrEqual(200)
  })

  test('A secret with a misspelt function has a hint, and is not repeated', () => {
    const config = { provider: 'github', secret: "${secret.get('a', 'b')}" }
    const policy = { on_http_request: [{ actions: [{ type: 'verify-webhook', config }] }] }
    expect(checkPolicyValue(policy)).toMatchObject([
      {
        message: expect.stringMatching(/ at character 3: there is no variable of that name\.$/),
        hint: 'Did you mean secrets?',
      },
    ])
  })

  test.each([
    ["req.host + size('pw')", '3: the types do not match: there is no string + int.'],
    ['conn.pw', '8: conn has no field …'],
    ['req.host == pw ==', '20: unexpected token: the end of the expression.'],
    ['pw#', '5: unexpected character.'],
    ["'pw'.matches('pw[a-')", '16: the pattern is not valid in RE2.'],
    [`[1].exists(${'pw'.repeat(60)})`, '14: exists needs a name for each item, and an expression.'],
    ["startsWith('##', 'a')", '3: there is no startsWith(string, string): startsWith is a method.'],
    ['/pw/a', '3: a value cannot begin with "/".'],
    ["!pw in ['b']", '4: there is no variable of that name.'],
    ["'\\u0070w'.matches('pw[')", '21.'],
  ])('The cause of a problem in a secret is named without words of the secret: %s', (source, cause) => {
    const config = { provider: 'github', secret: `\${${source}}` }
    const [problem] = checkPolicyValue({ on_http_request: [{ actions: [{ type: 'verify-webhook', config }] }] })
    expect(problem?.message.split('is not valid at character ')[1]).toBe(cause)
    expect(JSON.stringify(problem)).not.toMatch(/pw|##/)
  })

  test('A key that an object in JSON has twice has a warning at the second', () => {
    const text = '{"on_http_request": [{\n"actions": [{ "type": "deny", "config": {} ,\n "type": "log" }] }] }'
    expect(checkPolicy(text.replace('log', 'deny'))).toMatchObject([
      { severity: 'warning', rule: 'duplicate-key', line: 3, column: 3, endColumn: 7 },
    ])
    expect(checkPolicy(text.replace(/ ,\n[^}]*/, ''))).toEqual([])
  })

  test('An action with an unknown on_error is not said to end its rule', () => {
    const forward = { type: 'forward-internal', config: { url: 'https://a.internal', on_error: 'ignore' } }
    const rules = [{ actions: [forward, { type: 'deny' }] }, { actions: [{ type: 'deny' }] }]
    expect(checkPolicy(JSON.stringify({ on_http_request: rules.slice(0, 1) }))).toMatchObject([{ number: 2222 }])
    expect(checkPolicy(JSON.stringify({ on_http_request: [{ actions: [forward] }, ...rules.slice(1)] }))).toMatchObject(
      [{ number: 2222 }],
    )
  })

  test('No message repeats a secret', () => {
    const policy = {
      on_http_request: [
        {
          actions: [{ type: 'basic-auth', config: { credentials: ['nocolonsecret', 'user:secret', ['secret1'], 5] } }],
        },
        { actions: [{ type: 'verify-webhook', config: { provider: 'github', secret: ['secret2'] } }] },
        { actions: [{ type: 'oauth', config: { provider: 'google', client_id: 'a', client_secret: { secret: 3 } } }] },
      ],
    }
    const messages = checkPolicyValue(policy).map(({ message }) => message)
    expect(messages).toHaveLength(6)
    expect(messages.filter((message) => /secret\d|nocolonsecret|user:secret/.test(message))).toEqual([])
  })
})

test('An expression in a field that is one itself has no ${}, and the hint says so', () => {
  const [problem] = checkPolicyValue({
    on_http_request: [
      {
        actions: [
          {
            type: 'rate-limit',
            config: { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['${req.host}'] },
          },
        ],
      },
    ],
  })
  expect(problem).toMatchObject({ number: 2224, hint: 'This is already an expression. Write it without ${ and }.' })
})

// With a quadratic pattern, each takes half a minute, longer than a test may take.
test.each([
  ['hyphens', `${'-'.repeat(250_000)}: [`],
  ['blanks', `${' '.repeat(250_000)}"a"b`],
])('An unreadable policy of many %s is rejected in linear time', (_, text) => {
  expect(checkPolicy(text)).toMatchObject([{ number: 2236 }])
})

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const hintsOf = (source: string) =>
  checkPolicy(JSON.stringify({ on_http_request: [{ expressions: [source], actions: [{ type: 'deny' }] }] })).map(
    ({ message, hint }) => `${message} ${hint}`,
  )

test.each([
  ['req.url.path == /admin/', 'a value cannot begin with "/"', "Write a string in quotes: '/admin/'."],
  ['req.url.path.startsWith(/admin)', 'a value cannot begin with "/"', "Write a string in quotes: '/admin'."],
  ['req.url.path in [/a, /b]', 'a value cannot begin with "/"', "Write a string in quotes: '/a'."],
  ['startsWith(req.url.path, "/a")', 'startsWith is a method', 'Write req.url.path.startsWith("/a").'],
  ['getHours(timestamp(time.now)) > 3', 'getHours is a method', 'Write timestamp(time.now).getHours().'],
  ['time.now.timestamp() > timestamp("2026-01-31T12:00:00Z")', 'timestamp is not a method', 'timestamp(time.now).'],
  ['req.method == ${req.host}', 'unexpected character: $', 'already an expression. Write it without ${ and }.'],
  ['hasReqHeader(X-Admin)', 'there is no variable X', "Write a string in quotes: 'X-Admin'."],
  ['getReqHeader(x-admin)[0] == "a"', 'there is no variable x', "Write a string in quotes: 'x-admin'."],
  ['size(req.host) == foo - bar', 'there is no variable foo', 'undefined'],
])('The message about %s explains how to write it', (source, message, hint) => {
  expect(hintsOf(source)).toEqual([expect.stringMatching(new RegExp(`${literal(message)}.*${literal(hint)}`))])
})

test('A string in quotes that contains an expression in ${} is a string', () => {
  expect(hintsOf('req.host == "${req.host}"')).toEqual([])
})

test.each([
  ['variables: [{ tier: a }]', 2],
  ['vars: [{ name: tier, value: a }]', 1],
])('A set-vars action with a mistake is no mistake of the expressions that read its variables: %s', (config, count) => {
  const policy = `on_http_request:
  - actions: [{ type: set-vars, config: { ${config} } }]
  - expressions: ["vars.tier == 'a'"]
    actions: [{ type: deny }]
`
  expect(checkPolicy(policy)).toHaveLength(count)
})

test.each(['expression: ["req.method == \'GET\'"]', 'expressions: { a: true }', 'expressions: [[true]]'])(
  'Rules after one whose conditions cannot be read have no warnings: %s',
  (conditions) => {
    const rule = `{ ${conditions}, actions: [{ type: deny }] }`
    const problems = checkPolicy(`on_http_request: [${rule}, { actions: [{ type: deny }] }]`)
    expect(problems.map(({ severity }) => severity)).toEqual(['error'])
  },
)

test('An expression that YAML takes for a tag has its own place', () => {
  const rule = "expressions:\n      - req.method == 'GET'\n      - !hasReqHeader('X')\n    actions: [{ type: deny }]"
  expect(checkPolicy(`on_http_request:\n  - ${rule}\n`)).toMatchObject([{ line: 4, column: 9 }])
})

test('A text that is no string, and options that are no object, are named', () => {
  const call = (...values: unknown[]) => Reflect.apply(checkPolicy, undefined, values)
  expect(() => call({})).toThrow(new TypeError('text is an object. Allowed: a string.'))
  expect(() => call()).toThrow(new TypeError('text is missing. Allowed: a string.'))
  expect(() => call('', null)).toThrow(new TypeError('options is null. Allowed: an object.'))
})
