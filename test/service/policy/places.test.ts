import { expect, test } from 'vitest'
import { checkPolicy, type PlacedPolicyProblem } from '../../../src/service/policy/index.ts'

/** Returns the part of a text that a problem is at. */
function partOf(text: string, { line, column, endLine, endColumn }: PlacedPolicyProblem): string {
  const lines = text.split('\n')
  const startOf = (index: number) => lines.slice(0, index).join('\n').length + (index > 0 ? 1 : 0)
  return text.slice(startOf(line - 1) + column - 1, startOf(endLine - 1) + endColumn - 1)
}

const rule = (config: string, type = 'custom-response') =>
  `on_http_request:\n  - actions:\n      - type: ${type}\n        config:\n${config.replace(/^/gm, '          ')}\n`

test.each<[where: string, text: string, parts: readonly string[]]>([
  [
    'the start of a text',
    'on_http_request: [{ expressions: [rq.host == "a"], actions: [{ type: deny }] }]',
    ['1:35 rq'],
  ],
  [
    'JSON with many lists',
    `{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":[${'[],'.repeat(1500)}[]]}}]}]}`,
    ['1:58 "status_code"'],
  ],
  ['a plain text', rule('body: a ${req.nothing} b'), ['5:25 nothing']],
  ['a text in double quotes', rule('body: "a\\t${req.nothing} b"'), ['5:27 nothing']],
  ['a text in single quotes', rule("body: 'a ''${req.nothing} b'"), ['5:28 nothing']],
  ['the second of two equal parts', rule('body: nothing ${req.host} ${req.nothing}'), ['5:43 nothing']],
  ['a literal block', rule('body: |\n  a\n  ${req.nothing}'), ['7:19 nothing']],
  ['a literal block with a comment', rule('body: |- # ${req.nothing}\n  a\n  ${req.nothing}'), ['7:19 nothing']],
  ['a folded block', rule('body: >\n  a\n  ${req.nothing}'), ['7:19 nothing']],
  ['a block that is no text', rule('status_code: |\n  404'), ['5:24 |\n            404\n']],
  [
    'a folded block that is too short',
    rule('credentials:\n  - >-\n    ann:short', 'basic-auth'),
    ['6:15 >-\n              ann:short\n'],
  ],
  ['a number', rule('status_code: 7'), ['5:24 7']],
  ['a number before a comment', rule('status_code: 7 # is no status'), ['5:24 7']],
  ['an empty value', rule('headers:\nbody: a', 'add-headers'), ['5:11 headers', '6:11 body']],
  [
    'an empty text',
    rule("name: ''\nalgorithm: sliding_window\ncapacity: 1\nrate: 60s\nbucket_key: [req.host]", 'rate-limit'),
    ["5:17 ''"],
  ],
  ['a list in brackets', rule('headers: [a, b]'), ['5:11 headers']],
  ['a list in brackets over several lines', rule('headers: [\n  a, # ]\n  b,\n  ]'), ['5:11 headers']],
  ['a map in braces', rule('body: { a: { b: c } }\nstatus_code: 7'), ['5:11 body', '6:24 7']],
  ['a map over several lines', rule('body:\n  a: b\n  c: d\nstatus_code: 7'), ['5:11 body', '8:24 7']],
  ['a list over several lines', rule('body:\n- a\n- b\nstatus_code: 7'), ['5:11 body', '8:24 7']],
  ['an item of a list', rule('allow: [203.0.113.0/24, a]', 'restrict-ips'), ['5:35 a']],
  ['an alias', rule('allow: &it [a]\ndeny: *it', 'restrict-ips'), ['5:23 a', '5:23 a']],
  ['a key with an anchor', rule('status_code: &code 7'), ['5:30 7']],
  ['a key in quotes', rule('"status": 7'), ['5:11 "status"']],
  ['an unknown field of a rule', 'on_http_request:\n  - actions: [{ type: deny }]\n    nme: a\n', ['3:5 nme']],
  ['an unknown field of an action', 'on_http_request: [{ actions: [{ type: deny, confg: 7 }] }]', ['1:45 confg']],
  ['an unknown field of a config', rule('statusCode: 503'), ['5:11 statusCode']],
  [
    'a field that an action has in another phase',
    'on_tcp_connect: [{ actions: [{ type: deny, config: { status_code: 403 } }] }]',
    ['1:54 status_code'],
  ],
  [
    'an unknown field in a field',
    rule('replacements:\n  - from: a\n    with: b', 'request-body-find-replace'),
    ['7:15 with'],
  ],
  ['an unknown phase without rules', 'on_http_requests: 7', ['1:1 on_http_requests']],
  ['the name of a header in a map', rule('headers: { x-a: b, User-Agent: c }', 'add-headers'), ['5:30 User-Agent']],
  ['the name of a header in a list', rule('headers: [x-a, User-Agent]', 'remove-headers'), ['5:26 User-Agent']],
  ['a missing field', rule('{}', 'redirect'), ['4:9 config']],
  ['a phase', 'on_http_requests: []\n', ['1:1 on_http_requests']],
  ['a phase without rules', 'on_http_request: 7', ['1:18 7']],
  ['the whole text', '- a\n- b\n', ['1:1 - a']],
  ['JSON', '{"on_http_request":[{"actions":[{"type":"deny","config":{"status_code":7}}]}]}', ['1:72 7']],
  [
    'a text in JSON with escapes',
    '{"on_http_request":[{"actions":[{"type":"custom-response","config":{"body":"\\u0061\\n${req.nothing}"}}]}]}',
    ['1:91 nothing'],
  ],
  [
    'JSON with a byte order mark',
    '\ufeff{"on_http_request":[{"expressions":["req.nothing"],"actions":[{"type":"deny"}]}]}',
    ['1:43 nothing'],
  ],
  ['lines that end as on Windows', 'on_http_request:\r\n  - actions:\r\n      - type: dny\r\n', ['3:15 dny']],
  ['a second document', 'on_http_request: []\n---\nb: 1\n', ['1:1 o']],
  ['YAML that cannot be read', 'on_http_request:\n  - actions: [a\n', ['2:15 a']],
  ['JSON that is not closed', '{\n  "on_http_request": []\n', ['2:23 ]']],
  ['JSON with another closing bracket', '{"on_http_request": [\n{ "actions": []\n]}', ['3:1 ]']],
  ['JSON with = after a key', '{ "on_http_request" = [] }', ['1:21 =']],
  ['YAML whose tag has an expression after it', 'on_http_request:\n  - expressions: [!a && b]\n', ['2:23 &']],
  ['a key twice', 'on_http_request: []\non_http_request: []\n', ['2:1 o']],
])('A problem in %s has its line, its column and its text', (_where, text, parts) => {
  expect(checkPolicy(text).map((each) => `${each.line}:${each.column} ${partOf(text, each)}`)).toEqual(parts)
})

test.each([
  "!hasReqHeader('a') || req.method == 'GET'",
  "!hasReqHeader('a') && req.method == 'GET'",
  '!(req.method in ["GET", "PUT"])',
  "!req.method == 'GET'",
  "!hasReqHeader('a')",
])('An expression without quotes that YAML reads as a tag has a hint: %s', (expression) => {
  const [problem] = checkPolicy(
    `on_http_request:\n  - expressions:\n      - ${expression}\n    actions: [{ type: deny }]\n`,
  )
  expect(problem).toMatchObject({ severity: 'error', line: 3 })
  expect(problem?.hint).toContain('put a string that begins with "!" in quotes')
})
