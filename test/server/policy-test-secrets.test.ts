import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

beforeEach(() => void enterNewFolder())

const FORMATS = ['text', 'json', 'junit', 'github'] as const

async function runTests(format: string) {
  const { stdout, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', format)
  expect(stderr).toBe('')
  return stdout
}

const reach = async () => JSON.parse(await runTests('json')).files[0].reached

/** Writes a policy with one rule, which denies, and its tests: each is the path, the headers and the expected end of a request. */
function write(expression: string, tests: readonly (readonly [path: string, headers: string, expected: string])[]) {
  writeFileSync(
    'policy.yml',
    `on_http_request:\n  - name: keys\n    expressions: [${JSON.stringify(expression)}]\n    actions: [{ type: deny }]\n`,
  )
  const steps = tests.map(
    ([path, headers, expected], at) =>
      `  - { name: t${at}, request: { url: "https://api.example.com${path}", headers: { ${headers} } }, expect: { ${expected} } }\n`,
  )
  writeFileSync('policy.test.yml', `policy: policy.yml\ntests:\n${steps.join('')}`)
}

describe('Coverage counts what was evaluated, also if the trace hides a part of it', () => {
  test.each([
    [
      "getReqHeader('x-api-key')[0] != 'KEYAAAA-1111-2222'",
      '/',
      'x-api-key: KEYAAAA-1111-2222',
      'x-api-key: wrong-key-1',
    ],
    ["!(getReqHeader('x-api-key')[0] in ['KEYAAAA-1111-2222'])", '/', 'x-api-key: KEYAAAA-1111-2222', 'x-api-key: no'],
    [
      "req.headers['authorization'][0] != 'Bearer abcdefgh'",
      '/',
      'authorization: Bearer abcdefgh',
      'authorization: no',
    ],
    ["getReqCookie('sid').value != 'abcdefgh1234'", '/', 'cookie: sid=abcdefgh1234', 'cookie: sid=zyxwvuts'],
  ])('%s, with the right and with a wrong key', async (expression, path, right, wrong) => {
    write(expression, [[path, wrong, 'status: 403, rule: keys']])
    const alone = await reach()
    write(expression, [[path, right, 'status: 200, rule: null']])
    const other = await reach()
    write(expression, [
      [path, wrong, 'status: 403, rule: keys'],
      [path, right, 'status: 200, rule: null'],
      // Without the key, the expression fails.
      [path, '', 'status: 200, rule: null'],
    ])
    expect([alone < 100, other < 100, await reach()]).toEqual([true, true, 100])
    expect(await runTests('text')).toContain('outcomes of rules and actions.\n')
  })

  test('a parameter with the name of a secret, in the branches of a choice', async () => {
    const expression =
      "req.url.query_params['token'][0] == 'abcdefgh1234' ? req.url.path == '/closed' : req.url.path != '/open'"
    write(expression, [
      ['/?token=abcdefgh1234', '', 'status: 200'],
      ['/closed?token=abcdefgh1234', '', 'status: 403'],
      ['/open?token=wrong-token', '', 'status: 200'],
      ['/?token=wrong-token', '', 'status: 403'],
      ['/', '', 'status: 200'],
    ])
    expect(await reach()).toBe(100)
  })

  test('a rule whose name is sent as a secret', async () => {
    writeFileSync(
      'policy.test.yml',
      `policy: { on_http_request: [{ name: everybody, actions: [{ type: deny }] }] }
tests: [{ name: a, request: { url: "https://a.test/", headers: { x-token: everybody } }, expect: { rule: everybody } }]
`,
    )
    expect(await runTests('text')).toContain('1 passed, 0 failed')
  })
})

describe('No output shows what traces hide', () => {
  const OTHER = 'KEYBBBB-3333-4444'
  const SENT = 'KEYAAAA-1111-2222'

  test.each(FORMATS)('the keys of a list, of which tests send one: %s', async (format) => {
    write(`!(getReqHeader('x-api-key')[0] in ['${SENT}', '${OTHER}'])`, [
      ['/', `x-api-key: ${SENT}`, 'status: 200'],
      ['/', 'x-api-key: wrong', 'status: 200'],
    ])
    const output = await runTests(format)
    expect(output).not.toContain(SENT)
    expect(output).not.toContain(OTHER)
    if (format === 'text') expect(output).toContain("line 3: the list item '[redacted]' in the rule keys")
    if (format === 'json') expect(output).toContain("!(getReqHeader('x-api-key')[0] in ['[redacted]', '[redacted]'])")
  })

  test.each(
    [
      `getReqHeader('x-api-key')[0] == '${OTHER}' || req.url.path == '/a'`,
      `'${OTHER}' != getReqHeader('x-api-key')[0] && req.url.path == '/a'`,
      `['${OTHER}'].exists(key, key == req.headers['x-api-key'][0]) || req.url.path == '/a'`,
      `getQueryParam('token')[0].startsWith('${OTHER}') || req.url.path == '/a'`,
      `getReqCookie('sid').value == '${OTHER}' || req.url.path == '/a'`,
      `{'${OTHER}': true}[req.headers.authorization[0]] || req.url.path == '/a'`,
      `hash.sha256(getReqHeader('x-api-key')[0]) == '${OTHER}' || req.url.path == '/a'`,
      `getReqHeader('authorization')[0] == 'Bearer ${OTHER}' || req.url.path == '/a'`,
    ].flatMap((expression) => FORMATS.map((format) => [expression, format] as const)),
  )('%s: %s', async (expression, format) => {
    write(expression, [['/b', 'x-api-key: a, authorization: b, cookie: sid=c', 'status: 418']])
    const output = await runTests(format)
    expect(output).not.toContain(OTHER)
    expect(output).toContain('[redacted]')
  })

  test('what no request can send as a secret is shown', async () => {
    write(
      "req.url.path == '/a' || req.url.path in ['/KEYBBBB-3333-4444'] || getReqHeader('x-colour')[0] == 'aquamarine'",
      [['/a', 'x-colour: b', 'status: 403']],
    )
    const output = await runTests('text')
    expect(output).toContain("the list item '/KEYBBBB-3333-4444'")
    expect(output).toContain(
      "the case where getReqHeader('x-colour')[0] == 'aquamarine' is the first true operand of ||",
    )
  })
})
