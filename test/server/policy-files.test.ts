import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeYaml, listFiles } from '../../src/server/policy/read-files.ts'
import { FORMATS } from '../../src/server/policy/render.ts'
import { checkPolicyFile } from '../../src/service/policy/files/check-file.ts'
import { findPolicies } from '../../src/service/policy/files/find.ts'

/** Finds the policies of a text, with their own texts. */
const findSlices = (text: string) => findPolicies(text).policies.map(({ slice, ...more }) => ({ ...more, ...slice() }))

const MANIFESTS = `kind: CloudEndpoint
spec:
  url: https://x.internal
  trafficPolicy:
    policy:
      on_http_request: []
---
kind: NgrokTrafficPolicy
spec:
  policy:
    on_htp: []
---
kind: ConfigMap
data: { on_call: nobody }
`

describe('the policies of a file', () => {
  test('a file with phases is a policy', () => {
    const text = 'on_http_request:\n  - actions:\n      - type: deny\n'
    expect(findSlices(text)).toEqual([{ text, name: '', linesBefore: 0, indent: 0 }])
  })

  test('Kubernetes manifests have policies, misspelt ones too, with place and protocol', () => {
    expect(findSlices(MANIFESTS)).toMatchObject([
      { name: 'spec.trafficPolicy.policy', place: 'internal', protocol: 'https', linesBefore: 5 },
      { name: 'spec.policy', linesBefore: 10, text: '    on_htp: []\n' },
    ])
  })

  test("each endpoint of an agent's config has its policy, as an object, as a text or by an alias", () => {
    const text = `common: &shared {on_tcp_connect: []}
endpoints:
  - { url: tcp://a, traffic_policy: {on_tcp_connect: []} }
  - url: tls://b
    traffic_policy: |
      on_tcp_connect: []
  - url: https://c
    traffic_policy: *shared
`
    expect(findSlices(text)).toMatchObject([
      { name: 'endpoints[0].traffic_policy', protocol: 'tcp', linesBefore: 2, indent: 0 },
      { name: 'endpoints[1].traffic_policy', protocol: 'tls', linesBefore: 5, indent: 6 },
      { name: 'endpoints[2].traffic_policy', protocol: 'https', linesBefore: 0 },
    ])
  })

  test('a file that cannot be read has a problem at its line, and a template is named as one', () => {
    expect(findPolicies('kind: List\ntraffic_policy: [\n').problems).toMatchObject([{ severity: 'error', path: [] }])
    expect(findPolicies('traffic_policy: {{ .Values.policy }}\nx: {{ y }}: z').isTemplate).toBe(true)
    const deep = findPolicies(`traffic_policy: ${'['.repeat(65_536)}`)
    expect(deep.problems[0]?.message).toContain('nesting exceeded')
  })
})

test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-16', 'utf-32le', 'utf-32be', 'utf-32'])(
  'a file in %s is read',
  (encoding) => {
    const text = '{"on_http_request": [] } # Grüße 🙂'
    const bytes = execFileSync('iconv', ['-f', 'utf-8', '-t', encoding], { input: text })
    expect(decodeYaml(bytes, 'policy.yaml')).toBe(text)
  },
)

test('bytes that are no text are refused by the name of their file', () => {
  expect(() => decodeYaml(Uint8Array.of(0xc3, 0x28), 'policy.yaml')).toThrow('policy.yaml is not a text in UTF-8')
})

describe('the names of files', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fauxgate-policy-'))
    mkdirSync(join(folder, 'sub/node_modules'), { recursive: true })
    for (const name of ['a.yaml', 'b{1}.json', 'c.txt', 'sub/d.yml', 'sub/node_modules/e.yaml', '.f.yaml'])
      writeFileSync(join(folder, name), '')
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const listed = async (word: string) =>
    (await listFiles([`${folder}/${word}`])).map((file) => file.slice(folder.length + 1))

  test.each([
    ['*.yaml', ['a.yaml']],
    ['**/*.{yaml,yml}', ['a.yaml', 'sub/d.yml']],
    ['[!b]*.*', ['a.yaml', 'c.txt']],
    ['b{1}.json', ['b{1}.json']],
    ['', ['a.yaml', 'b{1}.json', 'sub/d.yml']],
  ])('%j means %j', async (word, expected) => {
    expect(await listed(word)).toEqual(expected)
  })

  test('a glob without files is refused', async () => {
    await expect(listed('*.toml')).rejects.toThrow('matches no file')
  })
})

test.each([
  ['flow', `on_http_request: [{actions: [{type: basic-auth, config: {credentials: ["joe:pw12"], relm: x}}]}]`],
  [
    'a block',
    'on_http_request:\n  - actions:\n      - type: basic-aut\n        config:\n          credentials: [joe:pw12]\n',
  ],
  ['JSON', '{"on_http_request":[{"actions":[{"type":"basic-auth","config":{"credentials":["joe:p\\u00771"]}}]}]}'],
  ['the config of an agent', 'endpoints: [{authtoken: pw12, traffic_policy: {on_http_request: [{actions: []}]}}]'],
  ['a broken policy', 'on_http_request: [{actions: [{type: basic-auth, config: {credentials: ["joe:pw12"]}}]'],
])('no problem shows a secret of %s', (_name, text) => {
  const { problems } = checkPolicyFile(text)
  expect(problems.length).toBeGreaterThan(0)
  expect(JSON.stringify(problems)).not.toMatch(/pw12|p\\+u0077/)
})

test('a problem is at its place in the file, whatever is around its policy', () => {
  const text = `x: 1
endpoints:
  - url: https://a
    traffic_policy: |
      on_http_request:
        - actions: [{ type: dney }]
`
  const [problem] = checkPolicyFile(text).problems
  expect(problem).toMatchObject({ number: 2201, line: 6, column: 29, source: '        - actions: [{ type: dney }]' })
})

describe('the output', () => {
  const problem = {
    severity: 'error',
    number: 2203,
    path: ['on_http_request', 0],
    message: 'The field "x" is unknown: 100%.',
    hint: 'Did you mean y?',
    policy: '',
    source: '\t x: 1',
    ...{ line: 2, column: 3, endLine: 2, endColumn: 4 },
  } as const
  const files = [{ file: 'a.yaml', policies: [''], problems: [problem], isTemplate: false }]
  const render = (format: keyof typeof FORMATS) => FORMATS[format](files, (_style, text) => text)

  test('text has the place, the line, a caret and the hint', () => {
    expect(render('text')).toBe(`a.yaml:2:3: error: The field "x" is unknown: 100%. [ERR_NGROK_2203]
2 | \t x: 1
  | \t ^
  hint: Did you mean y?

1 error in 1 policy of 1 file.
`)
  })

  test('JSON has the numbers and the problems', () => {
    expect(JSON.parse(render('json'))).toMatchObject({
      ...{ files: 1, policies: 1, errors: 1, warnings: 0 },
      problems: [{ file: 'a.yaml', code: 'ERR_NGROK_2203', line: 2, hint: 'Did you mean y?' }],
    })
  })

  test('JUnit and GitHub escape the message', () => {
    expect(render('junit')).toContain('message="The field &quot;x&quot; is unknown: 100%."')
    expect(render('github')).toBe(
      '::error file=a.yaml,line=2,endLine=2,col=3,endColumn=4,title=ERR_NGROK_2203::The field "x" is unknown: 100%25.%0ADid you mean y?\n',
    )
  })
})
