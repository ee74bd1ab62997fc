import { describe, expect, test } from 'vitest'
import { checkPolicyFile } from '../../../src/service/policy/files/check-file.ts'
import { findPolicies } from '../../../src/service/policy/files/find.ts'

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
