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

  test.each([
    ['{ /* closed * */ "on_http_request": [] }', '/*', 1],
    ['{\n  // closed\n  /* all */ "on_http_request": [] }', '//', 2],
    ['// closed\n{ "on_http_request": [] }', '//', 1],
    ['{ "on_http_request": [] // closed\n}', '//', 1],
    ['{ "on_http_request": [\n  // closed\n  {}, {}\n] }', '//', 2],
    ['{ "on_http_request": [] } /* closed */', '/*', 1],
    ['on_http_request: []\n// all\non_http_response: []\n', '//', 2],
    ['on_http_request: []\n/*\n * all\n */\non_http_response: []\n', '/*', 2],
    ['on_http_request: // all\n  - actions: []\n', '//', 1],
    ["on_http_request: [{ name: 'a // b' }] // all\n", '//', 1],
  ])('a comment of JavaScript makes a policy unreadable: %j', (text, sign, line) => {
    const message = expect.stringContaining(`JSON and YAML have no comments that start with ${sign}.`)
    expect(checkPolicyFile(text).problems).toMatchObject([{ number: 2236, line, message }])
  })

  test('a list of phases instead of an object is a policy with an error', () => {
    const text = '- on_http_request: []\n- on_http_response: []\n'
    expect(checkPolicyFile(text).problems).toMatchObject([{ number: 2236, line: 1, column: 1 }])
    expect(checkPolicyFile('- on_failure: []\n').policies).toEqual([])
  })

  test.each([
    'annotations: { a.b/c: "on_http_request: none" }',
    'description: "on_http_request: none"',
    'metadata: "on_http_request: none"',
  ])('text for people is not a policy: %s', (text) => {
    const spec =
      '{ url: https://a.example, trafficPolicy: { policy: { on_http_request: [{ actions: [{ type: deny }] }] } }'
    const ofSpec = text.startsWith('annotations') ? '' : `, ${text}`
    const manifest = `kind: CloudEndpoint\nmetadata: { name: a${ofSpec === '' ? `, ${text}` : ''} }\nspec: ${spec}${ofSpec} }\n`
    expect(checkPolicyFile(manifest)).toMatchObject({ policies: ['spec.trafficPolicy.policy'], problems: [] })
    expect(checkPolicyFile(`{ "traffic_policy": "on_http_request: []", ${text} }`).policies).toEqual(['traffic_policy'])
  })

  test('the line in a string of JSON is that in the string', () => {
    const text = '{\n  "traffic_policy": "on_http_request:\\n  - actions: [\\n"\n}\n'
    const message = expect.stringContaining('the "[" in line 2 of the string has no "]"')
    expect(checkPolicyFile(text).problems).toMatchObject([{ number: 2236, line: 2, message }])
  })

  test.each([
    ['a document', '# one\n---\n# two\n---\n', ''],
    ['a string in a file', 'version: 3\nendpoints:\n  - traffic_policy: |\n\n', '      '],
  ])('both lines in a message about brackets are those of the file: %s', (_, before, indent) => {
    const policy = 'on_http_request:\n  - expressions: [\n      "true"\n    }\n'
    const { problems } = checkPolicyFile(`${before}${policy.replace(/^(?=.)/gm, indent)}`)
    expect(problems).toMatchObject([
      { line: 8, message: expect.stringContaining('"}" in line 8 closes the "[" in line 6') },
    ])
  })

  test('on_error is not a phase that nothing reads', () => {
    const action = '{ type: forward-internal, config: { url: https://a.internal, on_error: [halt] } }'
    const text = `endpoints: [{ url: https://a.example, upstream: { on_http_request: [{ actions: [${action}] }] } }]\nversion: 3\n`
    expect(checkPolicyFile(text).problems.filter(({ rule }) => rule === 'policy-unread')).toHaveLength(1)
  })

  test('a comment of JavaScript before a policy on its line makes a file unreadable', () => {
    const message = expect.stringContaining('JSON and YAML have no comments that start with /*.')
    expect(checkPolicyFile('/* all */ { "on_http_request": [] }').problems).toMatchObject([{ line: 1, message }])
  })

  test.each([
    ['{ "on_http_request": [], // all\n"on_http_response": [] }', '2230', '//'],
    ['{ "on_http_request": [], /* all */ "on_http_response": [] }', '2230', '/*'],
    ['on_http_request:\n  - actions:\n      - type: deny // all\n', '2201', '//'],
    ['{ "on_http_request": [{ "actions": [{ /* all */ "type": "deny" }] }] }', '2201', '/*'],
  ])('a comment of JavaScript that is read as a part of a value is explained: %j', (text, number, sign) => {
    const hint = `JSON and YAML have no comments that start with ${sign}.`
    expect(checkPolicyFile(text).problems).toContainEqual(expect.objectContaining({ number: Number(number), hint }))
  })

  test.each(['on_http_request: [{ name: a // b, actions: [{ type: dny }] }]', 'on_http_request:\n  - name: "a // b\n'])(
    'a string with slashes is not taken for a comment: %j',
    (text) => {
      expect(JSON.stringify(checkPolicyFile(text).problems)).not.toContain('comments')
    },
  )

  test("an Ingress's annotation has the name of a policy, and not a policy", () => {
    const annotation = 'k8s.ngrok.com/traffic-policy: |\n      on_http_request: []\n'
    const text = `kind: Ingress\nmetadata:\n  annotations:\n    ${annotation}`
    const hint = "Put it in an NgrokTrafficPolicy, and write that resource's name here."
    expect(checkPolicyFile(text).problems).toMatchObject([{ rule: 'policy-unread', line: 4, hint }])
  })

  test('the policy of a manifest is an object, and not a string', () => {
    const text = 'kind: NgrokTrafficPolicy\nspec:\n  policy: |\n    on_http_request: []\n'
    expect(checkPolicyFile(text).problems).toMatchObject([{ rule: 'manifest-field', line: 3 }])
  })

  test('Kubernetes manifests have policies, misspelt ones too, with place and protocol', () => {
    expect(findSlices(MANIFESTS)).toMatchObject([
      { name: 'spec.trafficPolicy.policy', place: 'internal', protocol: 'https', linesBefore: 5 },
      { name: 'spec.policy', linesBefore: 10, text: '    on_htp: []\n' },
    ])
  })

  test.each([
    ['kind: NgrokTrafficPolicy\nspec: {}\n', 2],
    ['x: 1\n---\nkind: NgrokTrafficPolicy\nspec:\n  policy:\n', 5],
    ['kind: NgrokTrafficPolicy\nspec:\n  policy: []\n', 3],
    ['kind: NgrokTrafficPolicy\nspec:\n  policy: deny\n', 3],
    ['kind: CloudEndpoint\nspec:\n  trafficPolicy: {}\n', 3],
    ['kind: AgentEndpoint\nspec:\n  trafficPolicy:\n    inline: []\n', 4],
  ])('A manifest whose policy is missing or no object has a problem: %j', (text, line) => {
    expect(checkPolicyFile(text).problems).toMatchObject([{ number: 2236, line }])
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

  test('heredocs of Terraform have policies, with the name of their block and the protocol of its URL', () => {
    const text =
      'resource "ngrok_endpoint" "a" {\n  url = "tcp://1.tcp.ngrok.io:1"\n  traffic_policy = <<-X\n    on_tcp_connect:\n      - actions: [{ type: dny }]\n  X\n  metadata = <<Y\non: 1\nY\n}\n'
    expect(findSlices(text)).toMatchObject([{ name: 'traffic_policy', owner: 'a', protocol: 'tcp', linesBefore: 3 }])
    expect(checkPolicyFile(text).problems).toMatchObject([{ number: 2201, line: 5, column: 27 }])
    const log = "log, config: { metadata: { a: '$${conn.client_ip}' } }"
    expect(checkPolicyFile(text.replace('dny', () => log)).problems).toEqual([])
  })

  test('a plan of Terraform in JSON has policies, with the places of their resources', () => {
    const traffic_policy = '{"on_http_request":[{"actions":[{"type":"log","config":{"metadata":{"a":"b"}}}]}]}'
    const planOf = (type: string) =>
      JSON.stringify({
        planned_values: { root_module: { resources: [{ type, name: 'a', values: { traffic_policy } }] } },
      })
    expect(checkPolicyFile(planOf('ngrok_cloud_endpoint')).problems).toMatchObject([{ number: 2235 }])
    expect(checkPolicyFile(planOf('ngrok_endpoint'))).toMatchObject({ problems: [], policies: { length: 1 } })
  })

  test.each([
    ['a URL', 'actions: [{ type: forward-internal, config: { url: "https://${local.name}.example.com" } }]', []],
    ['a list', 'actions: [{ type: restrict-ips, config: { allow: ${jsonencode({ "}" = [var.a] })} } }]', []],
    ['a number', 'actions: [{ type: deny, config: { status_code: ${var.code} } }]', []],
    ['an expression', 'expressions: ["size(req.url.path) > ${var.n}"]\n        actions: [{ type: deny }]', []],
    ['all actions', 'actions: ${jsonencode(var.actions)}', []],
    ['another line', 'name: ${var.name}\n        actions: [{ type: dny }]', [[2201, 5]]],
    ['CEL', 'actions: [{ type: log, config: { metadata: { a: "${req.method}" } } }]', [[undefined, 4]]],
    [
      'CEL of the policy',
      'actions: [{ type: log, config: { metadata: { a: "$${req.metod}", b: "c" } } }]',
      [[2224, 4]],
    ],
  ])('a value of Terraform is unknown: %s', (_, rule, problems) => {
    const lines = `    on_http_request:\n      - ${rule}\n`
    const checked = checkPolicyFile(`resource "ngrok_endpoint" "a" {\n  traffic_policy = <<-X\n${lines}  X\n}\n`)
    expect(checked.problems.map(({ number, line }) => [number, line])).toEqual(problems)
    expect([checked.policies.length, checked.computedLines]).toEqual([1, rule.includes('$${') ? [] : [4]])
  })

  test('a policy whose structure Terraform computes is not read', () => {
    const lines = '%{ for p in var.paths }\n- actions: [{ type: dny }]\n%{ endfor }\n'
    expect(checkPolicyFile(`locals {\n  a = <<X\non_http_request:\n${lines}X\n}\n`)).toEqual({
      policies: [],
      problems: [],
      computedLines: [4],
    })
  })

  test('a directive that Terraform does not have is named, and the policy is checked', () => {
    const lines = `on_http_request:\n- actions: [{ type: dny }]\n- actions: [{ type: log, config: { metadata: { a: "%{req.url}" } } }]\n`
    expect(checkPolicyFile(`locals {\n  a = <<X\n${lines}X\n}\n`).problems).toMatchObject([
      { number: 2201, line: 4 },
      {
        rule: 'terraform-value',
        line: 5,
        column: 52,
        message: expect.stringMatching(/Write \$\$\{req.url\}, or %%\{/),
      },
    ])
  })

  test('a problem after an escaped expression of a heredoc has the columns and the text of the file', () => {
    const line =
      'on_http_request: [{ actions: [{ type: log, config: { metadata: { a: "$${req.url} $${req.ur}" } } }] }]'
    const { problems } = checkPolicyFile(`locals {\n  a = <<X\n${line}\nX\n}\n`)
    const column = line.indexOf('req.ur}') + 'req.'.length + 1
    expect(problems).toMatchObject([{ line: 3, column, endColumn: column + 2, source: line }])
  })

  test('a heredoc without its end marker is named', () => {
    const file = 'locals {\n  a = <<X\non_http_request:\n- actions: [{ type: deny }]\nx\n}\n'
    expect(checkPolicyFile(file)).toMatchObject({
      policies: [],
      problems: [{ rule: 'heredoc-unclosed', line: 2, column: 3 }],
    })
    expect(checkPolicyFile(file.replace('on_http_request', 'b')).problems).toEqual([])
  })

  test('a lone carriage return ends a line, as in YAML', () => {
    const file = 'a: b\r---\ron_http_request:\r  - actions:\r      - type: dny\r'
    expect(checkPolicyFile(file).problems).toMatchObject([
      { number: 2201, line: 5, column: 15, source: '      - type: dny' },
    ])
  })

  test('after 1,000 problems, the other policies of a file are not checked, and the last problem says so', () => {
    const { policies, problems } = checkPolicyFile('---\non_http_request: 7\n'.repeat(1_003))
    expect([policies.length, problems.length]).toEqual([1_003, 1_001])
    expect(problems.at(-1)).toMatchObject({ rule: 'too-many-problems', line: 2_001 })
    expect(problems.at(-1)?.message).toContain('1,000 problems before this line. Not checked: 3 more policies.')
  })

  test('a policy in a file that cannot be read has one line, that of the file', () => {
    const { problems } = checkPolicyFile('locals {\n  a = <<X\non_http_request:\n  - a: b\n   c: d\nX\n}\n')
    expect(problems).toMatchObject([{ line: 5, message: expect.stringContaining('in line 5.') }])
    const second = 'a: b\n---\ntraffic_policy:\n  a: b\n c: d\n'
    expect(checkPolicyFile(second).problems).toMatchObject([
      { line: 5, message: expect.stringContaining('in line 5.') },
    ])
  })

  test('a resource of Terraform says the place of its policy', () => {
    const log = 'on_http_request: [{ actions: [{ type: log, config: { metadata: { a: b } } }] }]'
    const cloud = `resource "ngrok_cloud_endpoint" "x" {\n  traffic_policy = <<X\n${log}\nX\n}\n`
    expect(checkPolicyFile(cloud).problems).toMatchObject([{ number: 2235, line: 3 }])
    expect(checkPolicyFile(cloud.replace('ngrok_cloud_endpoint', 'ngrok_endpoint')).problems).toEqual([])
    expect(checkPolicyFile(cloud).computedLines).toEqual([])
  })

  const encode = (object: string, name = 'traffic_policy') =>
    `resource "ngrok_endpoint" "x" {\n  url = "https://a.ngrok.app"\n  ${name} = jsonencode(${object})\n}\n`

  test('an object that Terraform encodes is a policy with its places', () => {
    const object = `{
    # The rules.
    on_http_request = [
      {
        name        = "a" // Quotes: \\"
        expressions = ["req.metod == 'GET'"]
        "actions" : [{ type = "custom-response", config = { status_code = 1000, body = "$\${req.url} \\"" } }]
      },
      /* Both
         forms */
      { actions = [{ type="dny" }, { type = "deny", config = { status_code = 404.5 } }], }
    ]
  }`
    const { policies, problems, computedLines } = checkPolicyFile(encode(object.replace('$\\${', '$${')))
    expect([policies, computedLines]).toEqual([['traffic_policy'], []])
    expect(problems.map(({ number, line, column }) => [number, line, column])).toEqual([
      [2200, 8, 29],
      [2215, 9, 75],
      [2201, 13, 28],
      [2204, 13, 79],
    ])
    expect(checkPolicyFile(encode('{ on_http_request = [{ actions = [{ type = "deny" }] }] }', 'a')).problems).toEqual(
      [],
    )
    expect(checkPolicyFile(encode('{ a = 1 }', 'b')).policies).toEqual([])
  })

  test.each([
    ['{ on_http_request = [{ actions = [{ type = "deny", config = { status_code = var.status } }] }] }'],
    ['{ on_http_request = [for path in var.paths : { actions = [{ type = "deny" }] }] }'],
    ['{ on_http_request = concat([], local.rules) }'],
    ['merge({ on_http_request = [] }, local.policy)'],
    ['local.policy'],
    ['{ on_http_request = [{ name = "%{ if a }b%{ endif }", actions = [] }] }'],
    ['{ on_http_request = [{ actions = [{ type = "dny" }] } }'],
  ])('one that Terraform computes is not read, and the check says so: %s', (object) => {
    expect(checkPolicyFile(encode(object))).toEqual({ policies: [], problems: [], computedLines: [3] })
  })

  test('a value of Terraform in a string of such an object is unknown, and one of CEL needs two dollar signs', () => {
    const rule = (body: string) =>
      `{ on_http_request = [{ actions = [{ type = "dny", config = { a = "${body}" } }] }] }`
    expect(checkPolicyFile(encode(rule('${var.a["b"]}')))).toMatchObject({ problems: [], computedLines: [3] })
    expect(checkPolicyFile(encode(rule('${req.url}'))).problems).toMatchObject([{ rule: 'terraform-value', line: 3 }])
  })

  test('inbound and outbound are those of the older module in the policy of a tunnel and of an edge, and nowhere else', () => {
    const check = (text: string) => checkPolicyFile(text).problems.map(({ number }) => number)
    const inbound = 'inbound: [{ expressions: ["req.Method == \'POST\'"], actions: [{ type: deny }] }]'
    expect(check(`tunnels: { a: { proto: http, policy: { enabled: true, ${inbound} } } }`)).toEqual([])
    expect(check(`kind: HTTPSEdge\nspec: { routes: [{ policy: { ${inbound} } }] }`)).toEqual([])
    expect(
      check(`kind: HTTPSEdge\nspec: { routes: [{ policy: { outbound: [{ actions: [{ type: dny }] }] } }] }`),
    ).toEqual([2201])
    expect(check(`tunnels: { a: { proto: http, traffic_policy: { ${inbound} } } }`)).toEqual([2230])
    expect(check(`kind: NgrokTrafficPolicy\nspec: { policy: { ${inbound} } }`)).toEqual([2230])
  })

  test('a file that cannot be read has a problem at its line, and a template is named as one', () => {
    expect(findPolicies('kind: List\ntraffic_policy: [\n').problems).toMatchObject([{ severity: 'error', path: [] }])
    expect(findPolicies('a: 1\n---\ntraffic_policy: {{ .Values.policy }}\nx: {{ y }}: z').computedLines).toEqual([3])
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
  [
    'a name with an escape',
    '{"on_http_request":[{"actions":[{"type":"basic-auth","config":{"credenti\\u0061ls":["joe:pw12"]}}]}]}',
  ],
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

test.each<[what: string, text: string, policies: readonly string[], problems: readonly string[]]>([
  [
    'an endpoint of an agent',
    'endpoints:\n  - url: https://a.test\n    traffic_policy: { on_http_requests: [] }\n',
    ['endpoints[0].traffic_policy'],
    [
      '3:23-3:39 | endpoints[0].traffic_policy | In the policy, on_http_requests is not a phase. Did you mean on_http_request? Allowed: on_ |                     { on_http_requests: [] }',
    ],
  ],
  [
    'an endpoint without a scheme',
    'endpoints:\n  - url: a.internal\n    traffic_policy: { on_tcp_connect: [] }\n',
    ['endpoints[0].traffic_policy'],
    [
      '3:23-3:37 | endpoints[0].traffic_policy | In the policy, on_tcp_connect is a phase that is not available for internal https endpoint |                     { on_tcp_connect: [] }',
    ],
  ],
  [
    'an internal endpoint with a port',
    'endpoints:\n  - url: a.internal:80\n    traffic_policy: { on_tcp_connect: [] }\n',
    ['endpoints[0].traffic_policy'],
    [
      '3:23-3:37 | endpoints[0].traffic_policy | In the policy, on_tcp_connect is a phase that is not available for internal https endpoint |                     { on_tcp_connect: [] }',
    ],
  ],
  [
    'a tunnel for TCP',
    'tunnels:\n  a:\n    proto: tcp\n    traffic_policy: { on_http_request: [] }\n',
    ['tunnels.a.traffic_policy'],
    [
      '4:23-4:38 | tunnels.a.traffic_policy | In the policy, on_http_request is a phase that is not available for tcp endpoints. Allowed |                     { on_http_request: [] }',
    ],
  ],
  [
    'a tunnel of another kind',
    'tunnels:\n  a:\n    proto: udp\n    traffic_policy: { on_http_request: [] }\n',
    ['tunnels.a.traffic_policy'],
    [],
  ],
  [
    'a cloud endpoint of Kubernetes',
    'kind: CloudEndpoint\nspec:\n  trafficPolicy:\n    policy:\n      on_http_request: []\n',
    ['spec.trafficPolicy.policy'],
    [
      '5:7-5:22 | spec.trafficPolicy.policy | In the policy, on_http_request does not terminate traffic. Add a rule whose last action is |       on_http_request: []',
    ],
  ],
  [
    'an agent endpoint of Kubernetes',
    'kind: AgentEndpoint\nspec:\n  trafficPolicy:\n    inline:\n      on_http_request: []\n',
    ['spec.trafficPolicy.inline'],
    [],
  ],
  [
    'a misspelt policy of Kubernetes',
    'kind: AgentEndpoint\nspec:\n  traffic_policy: 7\n  trafficPolicy:\n    inline:\n      on_htp: []\n',
    ['spec.trafficPolicy.inline'],
    [
      '3:3-3:4 |  | The AgentEndpoint has no field spec.traffic_policy. | ',
      '6:7-6:13 | spec.trafficPolicy.inline | In the policy, on_htp is not a phase. Allowed: on_tcp_connect, on_http_request, on_http_re |       on_htp: []',
    ],
  ],
  [
    'another kind with the same words',
    'kind: ConfigMap\nspec:\n  policy:\n    on_htp: []\n    actions: []\n',
    ['spec.policy'],
    [
      '4:5-4:11 | spec.policy | In the policy, on_htp is not a phase. Allowed: on_tcp_connect, on_http_request, on_http_re |     on_htp: []',
      '5:5-5:12 | spec.policy | In the policy, actions is not a phase. Allowed: on_tcp_connect, on_http_request, on_http_r |     actions: []',
    ],
  ],
  ['a value named otherwise', 'traffic_policies:\n  a:\n    on_http_request: 7\n', [], []],
  [
    'a text named otherwise',
    'actions:\n  note: "on_http_request: 7"\n',
    ['actions.note'],
    ['2:9-2:10 | actions.note | In the policy, on_http_request is 7. Allowed: a list of rules. | '],
  ],
  [
    'a policy in JSON',
    '{ "traffic_policy": "{\\"on_http_request\\": 7}" }',
    ['traffic_policy'],
    ['1:21-1:22 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. | '],
  ],
  [
    'a policy of two documents',
    'on_http_request: 7\n---\non_http_response: 7\n',
    ['', ''],
    [
      '1:18-1:19 |  | In the policy, on_http_request is 7. Allowed: a list of rules. | on_http_request: 7',
      '3:19-3:20 |  | In the policy, on_http_response is 7. Allowed: a list of rules. | on_http_response: 7',
    ],
  ],
  [
    'a policy on the line of its document',
    '--- on_http_request: 7\n',
    [''],
    ['1:22-1:23 |  | In the policy, on_http_request is 7. Allowed: a list of rules. |     on_http_request: 7'],
  ],
  [
    'a policy whose lines are indented',
    '# a\n  on_http_request: 7\n  on_http_response: []\n',
    [''],
    ['2:20-2:21 |  | In the policy, on_http_request is 7. Allowed: a list of rules. |   on_http_request: 7'],
  ],
  [
    'a policy in JSON over lines',
    '{\n  "on_http_request": 7\n}\n',
    [''],
    ['2:22-2:23 |  | In the policy, on_http_request is 7. Allowed: a list of rules. |   "on_http_request": 7'],
  ],
  [
    'two policies of one file, the last first',
    'endpoints:\n  - traffic_policy: { on_http_response: 7, on_http_request: 7 }\n  - traffic_policy: { on_x: [] }\n',
    ['endpoints[0].traffic_policy', 'endpoints[1].traffic_policy'],
    [
      '2:41-2:42 | endpoints[0].traffic_policy | In the policy, on_http_response is 7. Allowed: a list of rules. |                     { on_http_response: 7, on_http_request: 7 }',
      '2:61-2:62 | endpoints[0].traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. |                     { on_http_response: 7, on_http_request: 7 }',
      '3:23-3:27 | endpoints[1].traffic_policy | In the policy, on_x is not a phase. Allowed: on_tcp_connect, on_http_request, on_http_resp |                     { on_x: [] }',
    ],
  ],
  [
    'a text that is folded',
    'traffic_policy: >\n  on_http_request: 7\n',
    ['traffic_policy'],
    ['1:17-1:18 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. | '],
  ],
  [
    'a block that starts with an empty line',
    'traffic_policy: |\n\n    on_http_request: 7\n',
    ['traffic_policy'],
    [
      '3:22-3:23 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. |     on_http_request: 7',
    ],
  ],
  [
    'a text in quotes',
    'traffic_policy: "on_http_request: 7"\n',
    ['traffic_policy'],
    ['1:17-1:18 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. | '],
  ],
  [
    'a map with an alias',
    'a: &a 7\ntraffic_policy:\n  on_http_request: *a\n',
    ['traffic_policy'],
    ['3:3-3:4 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. | '],
  ],
  [
    'a policy by an alias',
    'a: &a { on_http_request: 7 }\ntraffic_policy: *a\nother: { traffic_policy: *a }\n',
    ['traffic_policy'],
    [
      '1:26-1:27 | traffic_policy | In the policy, on_http_request is 7. Allowed: a list of rules. |       { on_http_request: 7 }',
    ],
  ],
  [
    'a file that cannot be read',
    'a: 1\n---\ntraffic_policy:\n  a: [\n',
    [],
    ['4:6-4:7 |  | The file cannot be read as YAML or JSON, so no policy in it is checked: the "[" in line 4  | '],
  ],
  ['a template', 'traffic_policy:\n  a: {{ .Values.b }}\n', ['a template'], []],
  ['a template that YAML cannot read', 'traffic_policy:\n  {{ if .a }}\n', ['a template'], []],
  ['a template beside a policy', 'a: {{ b }}\ntraffic_policy:\n  on_http_request: 7\n', ['a template'], []],
  ['a file without policies', 'a: b\n', [], []],
])('The check of %s finds its policies and their problems', (_what, text, policies, problems) => {
  const checked = checkPolicyFile(text)
  const shown = checked.problems.map(({ line, column, endLine, endColumn, policy, message, source }) =>
    [`${line}:${column}-${endLine}:${endColumn}`, policy, message.slice(0, 90), source].join(' | '),
  )
  expect(checked.computedLines.length > 0 ? [...checked.policies, 'a template'] : checked.policies).toEqual(policies)
  expect(shown).toEqual(problems)
})

const [POLICY, INLINE] = ['spec.trafficPolicy.policy', 'spec.trafficPolicy.inline']
const RULES = 'on_http_request: [{ actions: [{ type: deny }] }]'
const manifestOf = (kind: string, body: string) =>
  `apiVersion: ngrok.k8s.ngrok.com/v1alpha1\nkind: ${kind}\nmetadata: { name: a, labels: { policy: strict, on_call: b } }\n${body}\n`

test.each([
  ['NgrokTrafficPolicy', `spec: { policy: { ${RULES} } }`],
  ['CloudEndpoint', `spec: { trafficPolicy: { policy: { ${RULES} } } }`],
  ['CloudEndpoint', 'spec: { trafficPolicyName: a }'],
  ['AgentEndpoint', `spec: { trafficPolicy: { inline: { ${RULES} } } }`],
  ['AgentEndpoint', 'spec: { trafficPolicy: { targetRef: { kind: NgrokTrafficPolicy, name: a } } }'],
])('A manifest of a %s with its policy in the right place has no problem: %s', (kind, body) => {
  expect(checkPolicyFile(manifestOf(kind, body)).problems).toEqual([])
})

test('A ConfigMap with a policy has no problem, but the operator has no such kind', () => {
  const text = manifestOf('ConfigMap', `data: { shared: { ${RULES} } }`)
  expect(checkPolicyFile(text.replace(/ngrok.*\//, '')).problems).toEqual([])
  const message = 'The kind is "ConfigMap". Allowed: CloudEndpoint, AgentEndpoint, NgrokTrafficPolicy.'
  expect(checkPolicyFile(text).problems).toMatchObject([{ rule: 'manifest-kind', line: 2, message }])
})

test.each([
  ['NgrokTrafficPolicy', 'policy', `policy: { ${RULES} }`, 'spec.policy'],
  ['NgrokTrafficPolicy', 'spec', `spec: { ${RULES} }`, 'spec.policy'],
  ['NgrokTrafficPolicy', 'spec.polcy', `spec: { polcy: { ${RULES} } }`, 'spec.policy'],
  ['CloudEndpoint', 'spec.trafficPolicy.inline', `spec: { trafficPolicy: { inline: { ${RULES} } } }`],
  ['CloudEndpoint', 'spec.trafficPolicy', `spec: { trafficPolicy: { ${RULES} } }`],
  ['CloudEndpoint', 'spec.traffic_policy', `spec: { traffic_policy: '${RULES}' }`],
  ['AgentEndpoint', 'spec.trafficPolicy.policy', `spec: { trafficPolicy: { policy: { ${RULES} } } }`, INLINE],
  ['AgentEndpoint', 'spec.trafficPolcy.inline', `spec: { trafficPolcy: { inline: { ${RULES} } } }`, INLINE],
])('A manifest of a %s has a problem at a policy that is elsewhere: %s', (kind, name, body, right = POLICY) => {
  const { problems } = checkPolicyFile(manifestOf(kind, body))
  const key = name.split('.').at(-1)
  expect(problems).toEqual([
    expect.objectContaining({
      ...{ severity: 'error', rule: 'policy-unread', line: 4, column: body.search(new RegExp(`\\b${key}:`)) + 1 },
      message: `Nothing reads the policy at ${name}.`,
      hint: `Move it to ${right}.`,
    }),
  ])
})

test.each([
  ['NgrokTrafficPolicy', 'spec: { targetRef: a }', 'spec of the NgrokTrafficPolicy has no policy'],
  [
    'CloudEndpoint',
    'spec: { trafficPolicy: { targetRef: a } }',
    'spec.trafficPolicy of the CloudEndpoint has no policy',
  ],
  [
    'AgentEndpoint',
    'spec: { trafficPolicy: {} }',
    'spec.trafficPolicy of the AgentEndpoint has neither inline nor targetRef',
  ],
])('A manifest of a %s without its policy has one problem: %s', (kind, body, what) => {
  expect(checkPolicyFile(manifestOf(kind, body)).problems).toMatchObject([
    { number: 2236, line: 4, message: `In the manifest, ${what}. Allowed: a policy, whose keys are phases.` },
  ])
})

test.each([
  ['traffic_polcy', 1],
  ['traffic-policy', 1],
  ['trafficPolicy', 0],
  ['shared', 0],
])('An endpoint of an agent whose policy is named %s has %s problems', (name, count) => {
  const endpoints = (value: string) => `endpoints:\n  - name: a\n    url: https://a.test\n    ${value}\n`
  for (const value of [`{ ${RULES} }`, `'${RULES}'`]) {
    const { problems } = checkPolicyFile(endpoints(`${name}: ${value}`))
    expect(problems).toHaveLength(count)
    if (count > 0)
      expect(problems[0]).toMatchObject({
        ...{ rule: 'policy-unread', line: 4, column: 5, hint: 'Did you mean traffic_policy?' },
        message: `Nothing reads the policy at endpoints[0].${name}.`,
      })
    // An endpoint may also have what an alias of its policy names.
    expect(checkPolicyFile(endpoints(`${name}: &a { ${RULES} }\n    traffic_policy: *a`)).problems).toEqual([])
  }
})

// Pages agent/config/v2 and v3: endpoints have `traffic_policy`, and tunnels of older agents had `policy`.
test.each([
  ['trafficPolicy', 1],
  ['policy', 1],
  ['traffic_policy', 0],
])('An agent reads no policy of an endpoint but traffic_policy: %s has %s problems', (name, count) => {
  const text = `version: 3\nendpoints:\n  - name: a\n    url: https://a.test\n    ${name}: { ${RULES} }\n`
  const upstream = text.replace('version: 3\n', '').replace('url:', 'upstream: { url: 80 }\n    url:')
  for (const [each, line] of [
    [text, 5],
    [upstream, 5],
  ] as const) {
    const { problems } = checkPolicyFile(each)
    expect(problems).toHaveLength(count)
    if (count > 0)
      expect(problems[0]).toMatchObject({
        rule: 'policy-unread',
        line,
        column: 5,
        hint: 'Did you mean traffic_policy?',
      })
  }
})

test('A tunnel of an older agent has its policy as policy', () => {
  const check = (name: string) =>
    checkPolicyFile(`version: 2\ntunnels:\n  a:\n    addr: 80\n    proto: http\n    ${name}: { ${RULES} }\n`).problems
  expect(check('policy')).toEqual([])
  expect(check('traffic_policy')).toEqual([])
  expect(check('trafficPolicy')).toMatchObject([{ rule: 'policy-unread', line: 6 }])
})

// Page traffic-policy/concepts/ip-policies: phases belong under traffic_policy, not at the top level of the config.
test.each([
  'version: 3\nendpoints:\n  - url: https://a.test\n',
  "# a\nversion: '2'\ntunnels: { a: { addr: 80 } }\n",
  '{ "agent": {},\n"endpoints": [],\n',
])('Phases at the top level of an agent config have one problem, at their line: %j', (config) => {
  const isJson = config.startsWith('{')
  const phase = isJson ? '"on_http_request": [] }' : RULES
  const { problems, policies } = checkPolicyFile(config + phase)
  expect(problems).toMatchObject([
    {
      ...{ rule: 'policy-unread', line: config.split('\n').length, column: 1 },
      message: 'Nothing reads the policy at on_http_request.',
      hint: 'Move it to traffic_policy of an endpoint.',
    },
  ])
  expect(policies).toEqual([])
})

describe('An endpoint that names a policy of the file decides what is allowed in it', () => {
  const LOG = 'on_http_request: [{ actions: [{ type: log, config: { metadata: { a: b } } }] }]'
  const shared = (rules: string, name = 'p') =>
    `---\nkind: NgrokTrafficPolicy\nmetadata: { name: ${name} }\nspec:\n  policy: { ${rules} }\n`
  const cloud = (url: string, more = '') =>
    `---\nkind: CloudEndpoint\nmetadata: { name: c${more} }\nspec: { url: "${url}", trafficPolicyName: p }\n`
  const agent = (url: string) =>
    `---\nkind: AgentEndpoint\nmetadata: { name: a }\nspec: { url: "${url}", trafficPolicy: { targetRef: { name: p } } }\n`
  const check = (...documents: string[]) =>
    checkPolicyFile(documents.join('')).problems.map(({ number, rule }) => number ?? rule)

  test('A policy of a cloud endpoint must end traffic', () => {
    expect(check(shared(LOG), cloud('https://a.test'))).toEqual([2235])
    expect(check(cloud('https://a.test'), shared(LOG))).toEqual([2235])
    expect(check(shared(LOG), agent('https://a.test'))).toEqual([])
  })

  test('Its phases are those of the protocol', () => {
    expect(check(shared(RULES), cloud('tcp://1.tcp.ngrok.io:1234'))).toEqual([2230])
    expect(check(shared(RULES), agent('tcp://1.tcp.ngrok.io:1234'))).toEqual([2230])
  })

  test('Of several endpoints, each decides, and the same problem is there once', () => {
    expect(check(shared(LOG), cloud('https://a.test'), cloud('https://b.test'), agent('https://c.test'))).toEqual([
      2235,
    ])
    expect(check(shared(RULES), cloud('https://a.test'), agent('tcp://1.tcp.ngrok.io:1234'))).toEqual([2230])
    expect(check(shared(RULES.replace('deny', 'dny')), cloud('https://a.test'), agent('https://a.test'))).toEqual([
      2201,
    ])
  })

  test('Another name, and the same name in another namespace, is another policy', () => {
    expect(check(shared(LOG, 'q'), cloud('https://a.test'))).toEqual([])
    expect(check(shared(LOG), cloud('https://a.test', ', namespace: b'))).toEqual([])
    expect(check(shared(LOG), cloud('https://a.test', ', namespace: default'))).toEqual([2235])
  })
})

// Pages k8s/crds: it is invalid to have both, and the resources have one version.
test.each([
  [
    'CloudEndpoint',
    `spec:\n  trafficPolicyName: a\n  trafficPolicy: { policy: { ${RULES} } }`,
    'spec.trafficPolicy.policy and spec.trafficPolicyName',
    5,
  ],
  [
    'AgentEndpoint',
    `spec:\n  trafficPolicy:\n    inline: { ${RULES} }\n    targetRef: { name: a }`,
    'spec.trafficPolicy.inline and spec.trafficPolicy.targetRef',
    7,
  ],
])('A manifest of a %s with a policy and the name of one has a problem', (kind, body, what, line) => {
  expect(checkPolicyFile(manifestOf(kind, body)).problems).toMatchObject([
    {
      rule: 'two-policies',
      line,
      message: `In the manifest, the ${kind} has both ${what}. Allowed: only one of them.`,
    },
  ])
})

test('A manifest with a version that its kind does not have has a problem, and one of another vendor has none', () => {
  const check = (version: string) =>
    checkPolicyFile(`apiVersion: ${version}\nkind: NgrokTrafficPolicy\nspec: { policy: { ${RULES} } }\n`).problems
  expect(check('ngrok.com/v1')).toMatchObject([
    {
      ...{ rule: 'manifest-version', line: 1, column: 1 },
      message:
        'In the manifest, apiVersion of the NgrokTrafficPolicy is "ngrok.com/v1". Allowed: ngrok.k8s.ngrok.com/v1alpha1.',
    },
  ])
  expect(check('example.com/v1')).toEqual([])
})

// The operator's resources: github.com/ngrok/ngrok-operator, api/ngrok/v1alpha1.
test.each([
  ['CloudEndpoint', 'trafficPolicyNam', 'spec: { trafficPolicyNam: a }', 'trafficPolicyName'],
  ['CloudEndpoint', 'traffic_policy_name', 'spec: { traffic_policy_name: a }', 'trafficPolicyName'],
  ['CloudEndpoint', 'binding', `spec: { binding: [public], trafficPolicy: { policy: { ${RULES} } } }`, 'bindings'],
  ['AgentEndpoint', 'targetref', 'spec: { trafficPolicy: { targetref: { name: a } } }', 'targetRef'],
  [
    'AgentEndpoint',
    'protocl',
    `spec: { upstream: { protocl: http2 }, trafficPolicy: { inline: { ${RULES} } } }`,
    'protocol',
  ],
])('A manifest of a %s has a problem at its misspelt field %s', (kind, field, body, meant) => {
  const { problems } = checkPolicyFile(manifestOf(kind, body))
  expect(problems.filter(({ rule }) => rule === 'manifest-field')).toMatchObject([
    { severity: 'error', line: 4, column: body.indexOf(`${field}:`) + 1, hint: `Did you mean ${meant}?` },
  ])
})

test('A manifest whose kind is misspelt has a problem at its kind, and its policy is checked', () => {
  const { problems, policies } = checkPolicyFile(manifestOf('NgrokTrafficPolicies', `spec: { policy: { ${RULES} } }`))
  expect(policies).toEqual(['spec.policy'])
  expect(problems).toMatchObject([{ rule: 'manifest-kind', line: 2, column: 1 }])
  expect(checkPolicyFile(manifestOf('TrafficPolicy', `spec: { policy: { ${RULES} } }`)).problems).toMatchObject([
    { message: 'The kind is "TrafficPolicy". Did you mean NgrokTrafficPolicy?' },
  ])
  expect(checkPolicyFile(manifestOf('BoundEndpoint', `spec: { policy: { ${RULES} } }`)).problems).toEqual([])
})

// Page agent/config/v3, Endpoint definitions, and page agent/config/v2, Tunnel definitions.
test.each([
  ['endpoints: [{ name: a, upstraem: { url: 80 } }]', 'endpoints[0].upstraem', 'upstream'],
  ['endpoints: [{ name: a, upstream: { url: 80, protocl: http2 } }]', 'endpoints[0].upstream.protocl', 'protocol'],
  ['endpoints: [{ name: a, pooling-enabled: true }]', 'endpoints[0].pooling-enabled', 'pooling_enabled'],
  ['tunnels: { a: { adr: 80, proto: http } }', 'tunnels.a.adr', 'addr'],
  ['endpoints: []\nversoin: 3', 'versoin', 'version'],
])('A misspelt field of an agent config has a problem: %s', (body, name, meant) => {
  const { problems } = checkPolicyFile(`version: 3\n${body} # on_http_request\n`)
  expect(problems).toMatchObject([
    { rule: 'config-field', message: `The config of the agent has no field ${name}.`, hint: `Did you mean ${meant}?` },
  ])
})

test('The fields of an agent config that the service documents have none', () => {
  const endpoint = `{ name: a, url: https://a.test, upstream: { url: 80, protocol: http2, proxy_protocol: 1 }, bindings: [public], pooling_enabled: true, description: b, metadata: c, traffic_policy: { ${RULES} } }`
  const tunnel = '{ addr: 80, proto: http, host_header: a, schemes: [https], basic_auth: ["a:password"], metadata: b }'
  const config = `version: 3\nagent: { authtoken: a }\nendpoints: [${endpoint}]\ntunnels: { b: ${tunnel} }\n`
  expect(checkPolicyFile(config).problems).toEqual([])
})

test('A policy that nothing reads is checked too, and is one', () => {
  const text =
    'version: 3\nendpoints:\n  - url: https://a.test\n    traffic_polcy:\n      on_http_request: [{ actions: [{ type: dny }] }]\n'
  const { policies, problems } = checkPolicyFile(text)
  expect(policies).toEqual(['endpoints[0].traffic_polcy'])
  expect(problems).toMatchObject([
    { rule: 'policy-unread', line: 4 },
    { number: 2201, line: 5 },
  ])
})

// Page agent/config/v3: endpoints are a list, and each one has its own traffic_policy.
test.each([
  ['agent', `agent: { traffic_policy: { ${RULES} } }\nendpoints: []`, 'agent.traffic_policy'],
  [
    'an upstream',
    `endpoints: [{ upstream: { traffic_policy: { ${RULES} } } }]`,
    'endpoints[0].upstream.traffic_policy',
  ],
  ['an endpoint itself', `endpoints: [{ url: https://a.test, ${RULES} }]`, 'endpoints[0].on_http_request'],
  ['endpoints that are no list', `endpoints: { a: { traffic_policy: { ${RULES} } } }`, 'endpoints.a.traffic_policy'],
])('An agent config with a policy under %s has one problem', (_where, body, name) => {
  const { problems } = checkPolicyFile(`version: 3\n${body}\n`)
  expect(problems).toMatchObject([{ rule: 'policy-unread', message: `Nothing reads the policy at ${name}.` }])
})

// Page traffic-policy/how-it-works, Phases.
test.each([
  ['alone', '- actions: [{ type: deny }]\n'],
  ['in the config of an agent', 'version: 3\nendpoints:\n  - traffic_policy:\n      - actions: [{ type: deny }]\n'],
])('Rules without a phase are a policy with a problem: %s', (_where, text) => {
  expect(checkPolicyFile(text)).toMatchObject({ policies: [expect.any(String)], problems: [{ severity: 'error' }] })
})

test('A phase in the style of Kubernetes is a misspelt phase in each file', () => {
  expect(checkPolicyFile('onHttpRequest:\n  - actions: [{ type: deny }]\n').problems).toMatchObject([
    { message: expect.stringContaining('Did you mean on_http_request?') },
  ])
})
