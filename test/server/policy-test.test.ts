import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { testPolicy } from '../../src/server/node.ts'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

const POLICY = `on_http_request:
  - name: no admin
    expressions: ["req.url.path.startsWith('/admin') && conn.geo.country_code != 'DE'"]
    actions: [{ type: deny }]
  - name: slow down
    actions:
      - type: rate-limit
        config: { name: all, algorithm: sliding_window, capacity: 10, rate: 60s, bucket_key: [conn.client_ip] }
  - name: block tor
    expressions: ["'x-tor' in req.headers"]
    actions: [{ type: add-headers, config: { headers: { x-a: b } } }, { type: deny, config: { status_code: 451 } }]
  - actions: [{ type: forward-internal, config: { url: https://app.internal } }]
`

const TESTS = `policy: policy.yml
upstreams:
  https://app.internal: { body: hello, headers: { x-from: app } }
tests:
  - name: admin is closed to the world
    request: { url: https://api.example.com/admin, from: { country: RU } }
    expect: { status: 403, rule: no admin, upstream: null, error: null, body: '' }
  - name: the eleventh request in a minute waits
    repeat: 11
    request: { url: https://api.example.com/ }
    expect: { status: 429, headers: { retry-after: '60', x-from: null } }
  - name: and passes a minute later
    steps:
      - { repeat: 10, request: { url: https://api.example.com/, method: POST, body: x }, expect: { contains: hell } }
      - { advance: 60s }
      - { request: { url: https://api.example.com/ }, expect: { status: 200, upstream: https://app.internal, headers: { x-from: app } } }
`

beforeEach(() => {
  enterNewFolder()
  writeFileSync('policy.yml', POLICY)
  writeFileSync('policy.test.yml', TESTS)
})

describe('fauxgate policy test', () => {
  test('runs the requests of each test on its own gateway, and lists what no test reached', async () => {
    const { code, stdout, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`policy.test.yml
  ✓ admin is closed to the world
  ✓ the eleventh request in a minute waits
  ✓ and passes a minute later
  3 of 4 rules of policy.yml applied, with 7 of 10 outcomes of rules and actions. No test reached:
    line 3: the case where conn.geo.country_code != 'DE' is the first false operand of && in the rule no admin
    line 9: the rule block tor

3 passed, 0 failed
`)
  })

  test('shows each difference of a failing test, and the trace of its request', async () => {
    writeFileSync(
      'policy.test.yml',
      TESTS.replace('status: 403, rule: no admin', 'status: 200, rule: other').replace('x-from: null', "x-from: 'b'"),
    )
    const { code, stdout } = await runToEnd({}, 'policy', 'test', '.')
    expect(code).toBe(1)
    expect(stdout).toContain(`  ✗ admin is closed to the world
      GET https://api.example.com/admin
        status: expected 200, received 403
        rule: expected "other", received "no admin"
        the trace of the request:
`)
    expect(stdout).toContain(`headers.x-from: expected "b", received none`)
    expect(stdout).toContain('is true (conn.geo.country_code = "RU", req.url.path = "/admin")')
    expect(stdout).toContain('            deny denied with 403\n')
    expect(stdout).toMatch(/\n1 passed, 2 failed\n$/)
  })

  test.each(['text', 'json', 'junit', 'github'])(
    'prints paths relative to the working directory in %s',
    async (format) => {
      const folder = process.cwd()
      mkdirSync('policies')
      writeFileSync('policies/empty.yml', '')
      const tests = { fails: '../policy.yml', lost: 'missing.yml', without: 'empty.yml' }
      for (const [name, policy] of Object.entries(tests)) {
        const text = TESTS.replace('policy.yml', policy).replace('status: 403', 'status: 404')
        writeFileSync(`policies/${name}.test.yml`, text)
      }
      const { stdout, stderr } = await runToEnd({}, 'policy', 'test', `${folder}/policies`, '--format', format)
      expect(stderr).toContain('policies/missing.yml cannot be read')
      expect(stderr).toContain('policies/empty.yml')
      expect(stdout).toContain('policies/fails.test.yml')
      expect(stdout + stderr).not.toContain(folder)
    },
  )

  test('names an action that never ran, of a rule that applied', async () => {
    writeFileSync(
      'policy.yml',
      POLICY.replace(
        '{ type: add-headers, config: { headers: { x-a: b } } }',
        '{ type: redirect, config: { to: https://a.test } }',
      ),
    )
    writeFileSync(
      'tor.test.yml',
      'policy: policy.yml\ntests: [{ name: tor, request: { url: "https://a.example.com/", headers: { x-tor: "1" } }, expect: { status: 302 } }]',
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'tor.test.yml')
    expect(stdout).toContain('    line 11: the action deny\n')
  })

  test.each([
    [
      'request-body-find-replace',
      'replacements: [{ from: a, to: b }, { from: zebra, to: c }]',
      ['replacements[0]', 'replacements[1]'],
    ],
    ['remove-headers', 'headers: [X-A, x-b]', ['x-a', 'x-b']],
  ])('counts each part of %s, since one of them may do nothing', async (type, config, names) => {
    writeFileSync('policy.yml', `on_http_request:\n  - actions:\n      - { type: ${type}, config: { ${config} } }\n`)
    const request = '{ url: https://a.example.com/, method: POST, body: aaa, headers: { x-a: a } }'
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml\ntests: [{ name: a, request: ${request}, expect: { status: 200 } }]`,
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stdout).toContain(`with 1 of 2 outcomes of rules and actions. No test reached:
    line 3: the outcome "${names[1]}" of ${type}
`)
    const json = JSON.parse((await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', 'json')).stdout)
    expect(json.files[0].rules[0].actions[0].outcomes).toEqual([
      { name: names[0], wasReached: true },
      { name: names[1], wasReached: false },
    ])
  })

  test('names each error of the policy with its code', async () => {
    writeFileSync('policy.yml', 'on_http_request: [{ actions: [{ type: dny }] }]')
    const { code, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(code).toBe(2)
    expect(stderr).toMatch(/policy\.yml:1:39: In the policy, .* \[ERR_NGROK_2201\]\n/)
  })

  // Issue 60: nothing was verified, limited or rejected, and the coverage was full.
  test('counts the outcomes of checks, so that a check which found nothing is not covered', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request:
  - actions:
      - { type: verify-webhook, config: { provider: github, secret: abc, enforce: false } }
      - { type: rate-limit, config: { name: all, algorithm: sliding_window, capacity: 1, rate: 60s, bucket_key: [conn.client_ip] } }
      - { type: restrict-ips, config: { allow: [203.0.113.0/24] } }
      - { type: url-rewrite, config: { from: /v1/, to: /v2/ } }
`,
    )
    const visit = (url: string, status: number, ip = '203.0.113.1') =>
      `{ request: { url: https://a.example.com${url}, from: { ip: ${ip} } }, expect: { status: ${status} } }`
    const write = (steps: string) =>
      writeFileSync('policy.test.yml', `policy: policy.yml\ntests: [{ name: a, steps: [${steps}] }]`)
    write(visit('/', 200))
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(
      stdout,
    ).toContain(`  1 of 1 rule of policy.yml applied, with 3 of 7 outcomes of rules and actions, 1 of them not enforced. No test reached:
    line 3: the outcome "verified" of verify-webhook
    line 4: the outcome "limited" of rate-limit
    line 5: the outcome "denied" of restrict-ips
    line 6: the outcome "ran" of url-rewrite
`)
    const under = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '43')
    expect(under.code).toBe(1)
    expect(under.stderr).toContain('the tests reach 42 % of the outcomes of its rules and actions')
    write([visit('/v1/', 200), visit('/', 429), visit('/', 403, '198.51.100.1')].join())
    const json = JSON.parse((await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', 'json')).stdout)
    expect(json.files[0].reached).toBe(85)
    expect(json.files[0].rules[0].actions[1].outcomes).toEqual([
      { name: 'allowed', wasReached: true },
      { name: 'limited', wasReached: true },
    ])
  })

  test.each([
    [
      'a step without expect',
      '{ request: REQUEST }, { request: { url: https://a.example.com/b }, expect: { status: 200 } }',
      0,
    ],
    ['all but the last of several requests', '{ repeat: 2, request: REQUEST, expect: { status: 403 } }', 1],
    [
      'a step that expects only that a header which the policy does not name is absent',
      '{ request: REQUEST, expect: { headers: { x-none: null } } }',
      0,
    ],
    [
      'a step with expect',
      '{ request: REQUEST, expect: { rule: null } }, { request: REQUEST, expect: { status: 403 } }',
      2,
    ],
  ])('counts no outcome of a request that no test compares: %s', async (_, steps, reached) => {
    const limit =
      '{ type: rate-limit, config: { name: all, algorithm: sliding_window, capacity: 1, rate: 60s, bucket_key: [conn.client_ip], enforce: false } }'
    const denial = '{ expressions: [actions.ngrok.rate_limit.limited], actions: [{ type: deny }] }'
    writeFileSync(
      'policy.yml',
      `on_http_request: [{ expressions: ["req.url.path == '/'"], actions: [${limit}] }, ${denial}]`,
    )
    const request = '{ url: https://a.example.com/ }'
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml\ntests: [{ name: a, steps: [${steps.replaceAll('REQUEST', request)}] }]`,
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', 'json')
    const [first] = JSON.parse(stdout).files[0].rules
    expect(first.wasReached).toBe(true)
    const outcomes: readonly { wasReached: boolean }[] = first.actions[0].outcomes
    expect(outcomes.filter(({ wasReached }) => wasReached)).toHaveLength(reached)
  })

  test('counts the outcome of a rule for the messages of a stream', async () => {
    writeFileSync(
      'policy.test.yml',
      `policy: { on_event_stream_message: [{ actions: [{ type: sse-find-replace, config: { replacements: [{ from: a, to: b }] } }] }] }
upstreams: { "https://a.example.com": { headers: { content-type: text/event-stream }, body: "data: a\\n\\n" } }
tests: [{ name: a, request: { url: https://a.example.com }, expect: { contains: "data: b" } }]
`,
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stdout).toContain('applied, with 1 of 1 outcome of rules and actions.')
  })

  test('counts no error of an action with enforce: false', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request:
  - actions:
      - { type: rate-limit, config: { name: all, algorithm: sliding_window, capacity: 1, rate: 60s, bucket_key: [conn.client_ip], enforce: false } }
      - { type: circuit-breaker, config: { error_threshold: 0.5, volume_threshold: 1, enforce: false } }
`,
    )
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml
upstreams: { "https://a.example.com": { status: 500 } }
tests:
  - name: a
    steps:
      - { request: { url: https://a.example.com }, expect: { status: 500 } }
      - { repeat: 2, request: { url: https://a.example.com }, expect: { status: 500 } }
`,
    )
    const json = JSON.parse((await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', 'json')).stdout)
    const outcomes = json.files[0].rules[0].actions.map((action: { outcomes: unknown }) => action.outcomes)
    expect(outcomes).toEqual([
      [
        { name: 'allowed', wasReached: true },
        { name: 'not enforced', wasReached: true },
      ],
      [{ name: 'closed', wasReached: true }],
    ])
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stdout).toContain('with 3 of 3 outcomes of rules and actions, 1 of them not enforced.')
  })

  test('gives the policy the secrets of the file, and shows lists, maps and conditions of several lines', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request:
  - name: claude
    expressions:
      - |
        req.headers.exists(name, name == 'x-key')
          && req.headers['x-key'][0] == secrets.get('callers', 'claude')
    actions: [{ type: custom-response, config: { status_code: 204 } }]
  - name: not chatgpt
    expressions: ["!('com.openai.chatgpt' in conn.client_ip.categories)"]
    actions: [{ type: deny }]
`,
    )
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml
secrets: { callers: { claude: '1234567890' } }
tests:
  - name: claude
    request: { url: https://api.example.com/, headers: { x-key: 1234567890 } }
    expect: { status: 204 }
  - name: chatgpt
    request: { url: https://api.example.com/, from: { facts: { conn.client_ip.categories: [com.openai.chatgpt] } } }
    expect: { status: 403 }
`,
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stdout).toContain('  ✓ claude\n')
    expect(stdout).toContain(
      `req.headers.exists(name, name == 'x-key') && req.headers['x-key'][0] == secrets.get('callers', 'claude') is false (req.headers = {"host":["api.example.com"]})`,
    )
    expect(stdout).toContain('is false (conn.client_ip.categories = ["com.openai.chatgpt","com.openai","com"])')
  })

  test('shows each condition that failed, even if the test passes', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request: [{ name: strangers, expressions: ["getReqHeader('x')[0] != 'token'"], actions: [{ type: deny }] }]`,
    )
    const request = 'request: { url: https://a.example.com/ }, expect: { status: 200 }'
    writeFileSync('policy.test.yml', `policy: policy.yml\ntests: [{ name: home, repeat: 2, ${request} }]\n`)
    const failure =
      "rule strangers did not apply: getReqHeader('x')[0] != 'token' failed: No such key: index out of bounds, index 0 >= size 0 (getReqHeader('x') = [])"
    const run = async (format: string) =>
      (await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', format)).stdout
    expect(await run('text')).toContain(`  ✓ home\n      ${failure}\n`)
    expect(JSON.parse(await run('json')).files[0].results[0].failures).toEqual([failure])
    expect(await run('github')).toContain(`::warning file=policy.test.yml,line=2,title=home::${failure}\n`)
  })

  test('prints the warnings of policy check once, and passes all the same', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request:
  - { expressions: ["getReqHeader('x')[0] != 'token'"], actions: [{ type: deny }] }
  - { expressions: ["req.headers['X-Key'][0] == 'a'"], actions: [{ type: deny }] }
`,
    )
    const request = 'request: { url: https://a.example.com/ }, expect: { status: 200 }'
    const tests = `policy: policy.yml\ntests: [{ name: one, ${request} }, { name: two, ${request} }]\n`
    for (const file of ['a.test.yml', 'b.test.yml']) writeFileSync(file, tests)
    const run = (format: string) => runToEnd({}, 'policy', 'test', 'a.test.yml', 'b.test.yml', '--format', format)
    const place =
      'policy.yml:2:22: warning: In the policy, on_http_request[0].expressions[0] fails for a request without'
    const [text, json, junit, github] = [await run('text'), await run('json'), await run('junit'), await run('github')]
    expect(text.code).toBe(0)
    expect(text.stdout.split(place)).toHaveLength(2)
    expect(text.stdout.match(/warning: /g)).toHaveLength(2)
    const [first, second] = JSON.parse(json.stdout).files
    expect(first.warnings.map(({ file, code, line }: Record<string, unknown>) => `${file} ${code} ${line}`)).toEqual([
      'policy.yml missing-value 2',
      'policy.yml header-with-capitals 3',
    ])
    expect(second.warnings).toEqual([])
    expect(junit.stdout).toContain('<system-out>policy.yml:2:22: In the policy')
    expect(junit.stdout).toContain('tests="2" failures="0"')
    expect(github.stdout.split('::warning file=policy.yml,line=2,')).toHaveLength(2)
  })

  const MANIFESTS = `apiVersion: ngrok.k8s.ngrok.com/v1alpha1
kind: CloudEndpoint
metadata: { name: web }
spec:
  url: https://web.example.com
  trafficPolicy:
    policy:
      on_http_request:
        - name: closed
          expressions: ["req.url.path == '/a'"]
          actions: [{ type: deny }]
        - actions: [{ type: redirect, config: { from: /b, to: /c } }]
---
kind: NgrokTrafficPolicy
metadata: { name: limits }
spec: { policy: { on_http_request: [{ actions: [{ type: deny }] }] } }
`
  const TERRAFORM = `resource "ngrok_endpoint" "other" {
  url            = "https://other.example.com"
  traffic_policy = <<-EOT
    on_http_request:
      - actions: [{ type: deny, config: { status_code: 404 } }]
  EOT
}
resource "ngrok_endpoint" "web" {
  traffic_policy = <<EOF
on_http_request:
  - name: closed
    expressions: ["req.url.path == '/a'"]
    actions: [{ type: custom-response, config: { status_code: 403, body: "$\${req.method}" } }]
EOF
  url = "https://web.example.com"
}
`
  const AGENT = `version: 3
endpoints:
  - name: web
    url: https://web.example.com
    traffic_policy:
      on_http_request:
        - { name: closed, expressions: ["req.url.path == '/a'"], actions: [{ type: deny }] }
  - { name: other, url: https://other.example.com, traffic_policy: { on_http_request: [{ actions: [{ type: deny }] }] } }
`
  const visitWeb = (path: string, expected: string) =>
    `{ name: ${path}, request: { url: "https://web.example.com${path}" }, expect: ${expected} }`

  test.each([
    ['the manifest of a cloud endpoint, which has no upstream', MANIFESTS, '{ status: 404, error: ERR_NGROK_3200 }', 9],
    ['a heredoc of Terraform', TERRAFORM, '{ status: 200, error: null }', 11],
    ['the config of an agent', AGENT, '{ status: 200, upstream: https://web.example.com }', 7],
  ])('tests a policy in %s', async (_, text, end, line) => {
    writeFileSync('policy.yml', text)
    const tests = [visitWeb('/a', '{ status: 403, rule: closed }'), visitWeb('/', end)]
    writeFileSync('policy.test.yml', `policy: policy.yml\npolicy_name: web\ntests: [${tests}]`)
    const { stdout, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', 'json')
    expect(stderr).toBe('')
    const { passed, failed, files } = JSON.parse(stdout)
    expect([passed, failed, files[0].rules[0].line]).toEqual([2, 0, line])
    writeFileSync('policy.yml', text.replaceAll(/deny|custom-response/g, 'dny'))
    const refused = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(refused.stderr).toMatch(/policy\.yml:\d+:\d+: .* "dny"/)
  })

  test('asks which one of several policies is tested', async () => {
    writeFileSync('policy.yml', MANIFESTS)
    const run = async (name: string) => {
      writeFileSync('policy.test.yml', `policy: policy.yml\n${name}\ntests: [${visitWeb('/', '{ status: 404 }')}]`)
      return (await runToEnd({}, 'policy', 'test', 'policy.test.yml')).stderr
    }
    const allowed = 'Allowed: one of "web", "limits".'
    expect(await run('')).toContain(`policy.yml contains 2 policies, but policy_name is missing. ${allowed}`)
    writeFileSync('policy.yml', `resource "a" "b" {\nx = <<E\non_http_request: \${var.a}\nE\n}\n`)
    expect(await run('')).toContain('policy.yml is a template. Test its rendered output.')
    writeFileSync('policy.yml', MANIFESTS)
    expect(await run('policy_name: app')).toContain(`but policy_name is "app". ${allowed}`)
  })

  test('what a policy lets fall through reaches no upstream at a cloud endpoint, and its phases are those of its protocol', async () => {
    const policy = (more: string) =>
      `policy:\n  on_http_request: [{ actions: [{ type: redirect, config: { from: /b, to: /c } }] }]\n${more}`
    const run = async (more: string, status: number) => {
      writeFileSync('policy.test.yml', `${policy(more)}\ntests: [${visitWeb('/', `{ status: ${status} }`)}]`)
      return await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    }
    expect((await run('place: cloud', 404)).code).toBe(0)
    expect((await run('place: agent', 200)).code).toBe(0)
    expect((await run('protocol: tcp', 200)).stderr).toContain('policy.test.yml:2:3: ')
  })

  test('gives the policy the IP policies of the file', async () => {
    writeFileSync(
      'policy.yml',
      'on_http_request: [{ actions: [{ type: restrict-ips, config: { ip_policies: [ipp_office] } }] }]',
    )
    const visit = (ip: string, status: number) =>
      `  - { name: ${ip}, request: { url: https://a.example.com/, from: { ip: ${ip} } }, expect: { status: ${status} } }\n`
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml
ip_policies: { ipp_office: { allow: [203.0.113.0/24], deny: [203.0.113.9/32] } }
tests:
${visit('203.0.113.1', 200)}${visit('203.0.113.9', 403)}${visit('198.51.100.1', 403)}`,
    )
    const { stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stdout).toMatch(/\n3 passed, 0 failed\n$/)
  })

  test('names the expressions that were true for each request that a test compares', async () => {
    writeFileSync(
      'policy.yml',
      `on_http_request:
  - name: no writes
    expressions:
      - "req.method == 'POST'"
      - "req.url.path.startsWith('/admin')"
      - 'true'
      - true
    actions: [{ type: deny }]
  - expressions: ["getReqHeader('x-token')[0] == 'a'"]
    actions: [{ type: log, config: { metadata: { a: b } } }]
`,
    )
    const visit = (method: string, path: string, more = '', expect = 'expect: { status: 200 }') =>
      `{ request: { url: https://a.example.com${path}, method: ${method}, headers: { ${more} } }, ${expect} }`
    const run = async (...steps: string[]) => {
      writeFileSync('policy.test.yml', `policy: policy.yml\ntests: [{ name: a, steps: [${steps.join()}] }]`)
      return await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '100')
    }
    const denied = visit('POST', '/admin', '', 'expect: { status: 403 }')
    const first = await run(denied, visit('GET', '/', 'x-token: a'), visit('GET', '/'), visit('POST', '/', '', ''))
    expect(first.code).toBe(1)
    expect(first.stdout).toContain(`with 3 of 5 outcomes of rules and actions. No test reached:
    line 5: the outcome "did not apply" of the rule no writes, with req.url.path.startsWith('/admin') false
    line 9: the outcome "did not apply" of the rule on_http_request.1, with getReqHeader('x-token')[0] == 'a' false
`)
    const all = [denied, visit('GET', '/', 'x-token: a'), visit('GET', '/', 'x-token: b'), visit('POST', '/')]
    expect((await run(...all)).code).toBe(0)
  })

  /** Runs requests on a policy. Returns the exit code with `--fail-under 100`, and what no request reached. */
  const listMissed = async (policy: string, requests: readonly string[]) => {
    writeFileSync('policy.yml', policy)
    // Each expectation holds, and counts because each policy contains the header's name.
    const tests = requests.map(
      (each) => `{ name: a, request: { url: https://a.test/, ${each} }, expect: { headers: { actions: null } } }`,
    )
    writeFileSync('policy.test.yml', `policy: policy.yml\ntests: [${tests.join()}]`)
    const { code, stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '100')
    return [code, ...[...stdout.matchAll(/^ {4}line \d+: the (.*)$/gm)].map(([, line]) => line)]
  }
  const header = (name: string, value: string) => `headers: { ${name}: '${value}' }`

  test.each([
    ["getReqHeader('x-token')[0] != 'secret-1'", 'x-token', ['secret-1', 'b']],
    ["!hasReqHeader('x-age') || int(getReqHeader('x-age')[0]) < 18", 'x-age', ['20', '9']],
    ["getReqCookie('session').value != 'secret-1'", 'cookie', ['session=secret-1', 'session=b']],
    ["req.cookies['session'].size() != 1", 'cookie', ['session=a', 'session=a; session=b']],
    [
      "!hasReqHeader('x-at') || timestamp(getReqHeader('x-at')[0]) < timestamp('2026-01-01T00:00:00Z')",
      'x-at',
      ['2027-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ],
  ])('an expression that can fail must fail once: %s', async (condition, name, values) => {
    const policy = `on_http_request:\n  - name: closed\n    expressions:\n      - "${condition}"\n    actions: [{ type: deny }]\n`
    const requests = [...values.map((value) => header(name, value)), 'method: GET']
    const failed = (missed: readonly unknown[]) => missed.filter((each) => String(each).includes('"failed"'))
    expect(failed(await listMissed(policy, requests.slice(0, 2)))).toEqual([
      expect.stringContaining('outcome "failed" of the rule closed, where '),
    ])
    expect(failed(await listMissed(policy, [...requests, header(name, 'nothing')]))).toEqual([])
  })

  const stored = (vars: string, condition: string) => `on_http_request:
  - actions: [{ type: set-vars, config: { vars: [${vars}] } }]
  - name: closed
    expressions: ["${condition}"]
    actions: [{ type: deny }]
`
  const owners = '{ owners: { a: shop, b: blog } }'
  const requests = [header('x', 'a'), header('x', 'b')]

  test.each([
    [owners, "hasReqHeader('x') && vars.owners[getReqHeader('x')[0]] != 'shop'", 1],
    [`{ sent: '\${req.headers}' }`, "vars.sent.x[0] != 'a'", 1],
    [owners, "vars.owners.a != 'shop'", 0],
    [owners, "has(vars.owners[req.method]) && vars.owners[req.method] != 'shop'", 0],
    ['{ list: [a, b] }', "vars.list[1] != 'b'", 0],
  ])('a missing part of a variable counts as a failure: %s, %s', async (vars, condition, failures) => {
    const missed = await listMissed(stored(vars, condition), requests)
    expect(missed.filter((each) => String(each).includes('"failed"')).length).toBe(failures)
  })

  test.each([
    [
      'basic-auth',
      "{ credentials: ['ann:password-1', 'bob:password-2'] }",
      ['YW5uOnBhc3N3b3JkLTE=', 'YW5uOg=='].map((text) => header('authorization', `Basic ${text}`)),
      'credentials[1]',
      header('authorization', 'Basic Ym9iOnBhc3N3b3JkLTI='),
    ],
    [
      'restrict-ips',
      '{ allow: [203.0.113.0/24, 198.51.100.0/24] }',
      ['from: { ip: 203.0.113.7 }', 'from: { ip: 192.0.2.1 }'],
      'allow[1]',
      'from: { ip: 198.51.100.7 }',
    ],
    [
      'restrict-ips',
      '{ allow: [203.0.113.0/24, 198.51.100.0/2] }',
      ['from: { ip: 203.0.113.7 }', 'from: { ip: 8.8.8.8 }'],
      'allow[1]',
      'from: { ip: 198.51.100.7 }',
    ],
    [
      'restrict-ips',
      '{ allow: [0.0.0.0/0], deny: [203.0.113.0/24, 198.51.100.0/24] }',
      ['from: { ip: 203.0.113.7 }', 'from: { ip: 192.0.2.1 }'],
      'deny[1]',
      'from: { ip: 198.51.100.7 }',
    ],
  ])('each of several items of %s %s must decide once', async (type, config, requests, missed, last) => {
    const policy = `on_http_request:\n  - actions: [{ type: ${type}, config: ${config} }]\n`
    expect(await listMissed(policy, requests)).toEqual([1, `outcome "${missed}" of ${type}`])
    expect(await listMissed(policy, [...requests, last])).toEqual([0])
  })

  test('warns about a policy that nothing reads', async () => {
    writeFileSync(
      'ngrok.yml',
      `version: 3\nendpoints:\n  - url: https://a.test\n    traffic_polcy:\n      ${POLICY.replaceAll('\n', '\n      ')}`,
    )
    writeFileSync('policy.test.yml', TESTS.replace('policy.yml', 'ngrok.yml'))
    const { code, stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(code).toBe(0)
    expect(stdout).toContain('ngrok.yml:4:5: warning: Nothing reads the policy at endpoints[0].traffic_polcy.')
  })

  test.each([24, 2])('each range of inCidrRanges must decide once, a wider one by itself: /%i', async (bits) => {
    const condition = `inCidrRanges(conn.client_ip, ['203.0.113.0/24', '198.51.100.0/${bits}'])`
    const policy = `on_http_request:\n  - name: closed\n    expressions: ["${condition}"]\n    actions: [{ type: deny }]\n`
    const requests = ['203.0.113.7', '8.8.8.8', '198.51.100.7'].map((ip) => `from: { ip: ${ip} }`)
    expect(await listMissed(policy, requests.slice(0, 2))).toEqual([
      1,
      `list item '198.51.100.0/${bits}' in the rule closed`,
    ])
    expect(await listMissed(policy, requests)).toEqual([0])
  })

  /** Runs a policy of one rule with requests such as `PUT /a`, and returns the parts of its expressions that none of them reached. */
  const listMissing = async (rule: string, visits: readonly string[], more = '') => {
    writeFileSync('policy.yml', `on_http_request:\n  - name: closed\n${rule}`)
    const steps = visits.map((visit) => {
      const [method, path] = visit.split(' ')
      return `{ request: { url: https://a.test${path}, method: ${method} }, expect: { status: 200 } }`
    })
    writeFileSync('policy.test.yml', `policy: policy.yml\ntests: [{ name: a, steps: [${[...steps, more].join()}] }]`)
    const { code, stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '100')
    const missing = [...stdout.matchAll(/^ {4}(line \d+: the .*)$/gm)].map(([, line]) => line)
    expect(code).toBe(missing.length > 0 ? 1 : 0)
    return missing
  }
  const conditionOf = (condition: string) =>
    `    expressions:\n      - |\n        ${condition}\n    actions: [{ type: custom-response, config: { status_code: 200 } }]\n`
  const [IS_PUT, IS_POST, IS_A, IS_B] = [
    "req.method == 'PUT'",
    "req.method == 'POST'",
    "req.url.path == '/a'",
    "req.url.path == '/b'",
  ]
  const orMissing = (source: string, line = 5) =>
    `line ${line}: the case where ${source} is the first true operand of || in the rule closed`
  const andMissing = (source: string, line = 5) =>
    `line ${line}: the case where ${source} is the first false operand of && in the rule closed`

  test.each([
    [`${IS_PUT} || ${IS_POST}`, ['PUT /', 'GET /'], [orMissing(IS_POST)], ['POST /']],
    [`${IS_PUT} || ${IS_A}`, ['PUT /a', 'GET /'], [orMissing(IS_A)], ['GET /a']],
    [`${IS_PUT} || ${IS_A} || ${IS_B}`, ['PUT /', 'GET /'], [orMissing(IS_A), orMissing(IS_B)], ['GET /a', 'GET /b']],
    [`${IS_PUT} || (${IS_A} || ${IS_B})`, ['PUT /', 'GET /b', 'GET /'], [orMissing(IS_A)], ['GET /a']],
    [`${IS_A} && !(${IS_PUT})`, ['GET /a', 'GET /'], [andMissing(`!(${IS_PUT})`)], ['PUT /a']],
    [`${IS_A} && ${IS_PUT}`, ['PUT /a', 'GET /a'], [andMissing(IS_A)], ['GET /']],
    [`!(${IS_A} || ${IS_PUT})`, ['GET /', 'GET /a'], [orMissing(IS_PUT)], ['PUT /']],
    [`${IS_PUT} && (${IS_A} || ${IS_B})`, ['PUT /a', 'GET /', 'PUT /'], [orMissing(IS_B)], ['PUT /b']],
    [
      `(${IS_A} ||\n          ${IS_B}) &&\n          ${IS_PUT}`,
      ['PUT /a', 'GET /a'],
      [andMissing(`${IS_A} || ${IS_B}`), orMissing(IS_B, 6)],
      ['PUT /', 'PUT /b'],
    ],
    [
      `['/a', '/c'].exists(path, req.url.path == path && ${IS_PUT})`,
      ['PUT /a', 'PUT /'],
      [andMissing(IS_PUT)],
      ['GET /a'],
    ],
    [
      `${IS_A} ? ${IS_PUT} : ${IS_POST}`,
      ['PUT /a', 'GET /a'],
      [`line 5: the branch ${IS_POST} of ?: in the rule closed`],
      ['POST /'],
    ],
    [
      `${IS_A} ? ${IS_PUT} : (${IS_B} ? ${IS_POST} : true)`,
      ['PUT /a', 'GET /a'],
      [`line 5: the branch ${IS_POST} of ?: in the rule closed`, 'line 5: the branch true of ?: in the rule closed'],
      ['POST /b', 'GET /'],
    ],
    [
      "req.method in ['PUT', 'POST',\n          'PATCH', 'DELETE']",
      ['PUT /', 'GET /'],
      [
        "line 5: the list item 'POST' in the rule closed",
        "line 6: the list items 'PATCH', 'DELETE' in the rule closed",
      ],
      ['POST /', 'PATCH /', 'DELETE /'],
    ],
    [
      `!(req.method in ['PUT', 'POST']) || ${IS_A}`,
      ['GET /', 'PUT /'],
      [orMissing(IS_A), "line 5: the list item 'POST' in the rule closed"],
      ['PUT /a', 'POST /'],
    ],
  ])('counts each operand, branch and item of the condition %s', async (condition, visits, missing, more) => {
    expect(await listMissing(conditionOf(condition), visits)).toEqual(missing)
    expect(await listMissing(conditionOf(condition), [...visits, ...more])).toEqual([])
  })

  test('counts the branches of the expressions in the config of an action, and shows none of a secret', async () => {
    const rule = `    actions:
      - type: basic-auth
        config: { credentials: ["\${${IS_A} ? 'user:password' : 'other:password'}"], enforce: false }
      - type: set-vars
        config: { vars: [{ greeting: "\${hasQueryParam('de') ? 'Hallo' : 'Hello'}" }] }
      - type: custom-response
        config:
          status_code: 200
          body: |
            \${vars.greeting}
            \${${IS_A} ? 'A' : 'B'}
`
    const basic = 'headers: { authorization: Basic dXNlcjpwYXNzd29yZA== }'
    const login = `{ request: { url: https://a.test/a?de=1, ${basic} }, expect: { status: 200 } }`
    expect(await listMissing(rule, ['GET /a?de=1'], login)).toEqual([
      'line 5: the branch … of ?: in basic-auth',
      "line 7: the branch 'Hello' of ?: in set-vars",
      "line 13: the branch 'B' of ?: in custom-response",
    ])
    expect(await listMissing(rule, ['GET /a?de=1', 'GET /'], login)).toEqual([])
  })

  test('counts no part of an expression that failed, of a request without expect, or of a rule with the same expression', async () => {
    const failing = conditionOf(`(${IS_A} || ${IS_B}) && getReqHeader('x')[0] == 'a'`)
    const withHeader = (path: string, value: string, more = 'expect: { status: 200 }') =>
      `{ request: { url: https://a.test${path}, headers: { x: ${value} } }, ${more} }`
    const [a, b] = [orMissing(IS_A), orMissing(IS_B)]
    const rest = [withHeader('/a', 'a'), withHeader('/a', 'b')].join()
    expect(await listMissing(failing, ['GET /', 'GET /b'], rest)).toEqual([b])
    expect(await listMissing(failing, ['GET /'], [rest, withHeader('/b', 'a', '')].join())).toEqual([b])
    expect(await listMissing(failing, ['GET /'], [rest, withHeader('/b', 'a')].join())).toEqual([])
    const same = conditionOf(`${IS_A} || ${IS_B}`)
    const twice = `${same}  - name: closed\n${same}`
    expect(await listMissing(twice, ['GET /a', 'GET /b', 'GET /'])).toEqual(['line 7: the rule closed'])
    expect(a).not.toBe(b)
  })

  test('fails under a share of outcomes, in percent', async () => {
    const { code, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '76')
    expect(code).toBe(1)
    expect(stderr).toBe(
      'fauxgate: policy.yml: the tests reach 70 % of the outcomes of its rules and actions, below --fail-under 76.\n',
    )
    expect((await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--fail-under', '70')).code).toBe(0)
    for (const wrong of ['101', 'all', '-1', '7.5'])
      expect((await runToEnd({}, 'policy', 'test', 'policy.test.yml', `--fail-under=${wrong}`)).code).toBe(2)
  })

  test('writes JSON, JUnit and commands of GitHub', async () => {
    writeFileSync('policy.test.yml', TESTS.replace('status: 403', 'status: 404'))
    const run = async (format: string) =>
      (await runToEnd({}, 'policy', 'test', 'policy.test.yml', '--format', format)).stdout
    const json = JSON.parse(await run('json'))
    expect(json).toMatchObject({ passed: 2, failed: 1, files: [{ reached: 70, file: 'policy.test.yml' }] })
    expect(json.files[0].results[0].differences).toEqual([{ what: 'status', expected: '404', received: '403' }])
    const junit = await run('junit')
    expect(junit).toContain('<testsuite name="policy.test.yml" tests="3" failures="1">')
    expect(junit).toContain('<failure message="status: expected 404, received 403">')
    expect(junit).toMatch(
      /<failure [^>]+>GET https:\/\/api\.example\.com\/admin&#10; {2}status: .*&#10; {2}the trace of the request:&#10;/,
    )
    expect(junit).toContain('name="admin is closed to the world" file="policy.test.yml" line="5">')
    const [error, operand, notice] = (await run('github')).trimEnd().split('\n')
    expect(error).toMatch(/^::error file=policy\.test\.yml,line=5,title=admin is closed to the world::GET .*%0A/)
    expect(operand).toMatch(
      /^::notice file=policy\.yml,line=3::No test reaches the case where .* is the first false operand of &&/,
    )
    expect(notice).toBe('::notice file=policy.yml,line=9::No test reaches the rule block tor.')
  })

  test.each([
    ['policy: policy.yml', 'policy.test.yml:1:1: tests is missing. Allowed: a map with policy and tests.'],
    [
      'on_http_request: []',
      'policy.test.yml:1:1: This is a policy, not its tests. Pass a test file whose "policy" names this file, or check it with "fauxgate policy check".',
    ],
    ['policy: policy.yml\ntests: []', 'policy.test.yml:2:1: tests is an array of 0 items. Allowed: at least one test.'],
    [
      'policy: nowhere.yml\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 200 } }]',
      'nowhere.yml cannot be read: there is no such file.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: a.test } }]',
      'tests.0.request.url is "a.test". Allowed: a URL such as',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, reqest: {} }]',
      '"tests.0.reqest" is not an option. Supported: name, request, repeat, expect, steps.',
    ],
    [
      'policy: /dev/zero\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 200 } }]',
      '/dev/zero cannot be read: it is a device, not a file.',
    ],
    ...['G T', '""', 'CONNECT'].map((method): [string, string] => [
      `policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, method: ${method} }, expect: { status: 200 } }]`,
      `tests.0.request.method is "${method.replaceAll('"', '')}". Allowed: a method `,
    ]),
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, body: x }, expect: { status: 200 } }]',
      'policy.test.yml:2:58: tests.0.request.body was set for a GET request, which cannot have a body. Add a method such as POST.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, headers: { "a b": x } }, expect: { status: 200 } }]',
      'Allowed: header names, such as "x-key".',
    ],
    ...['__proto__', 'prototype', 'constructor'].flatMap((name): [string, string][] => [
      [
        `policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 403, headers: { ${name}: x } } }]`,
        'tests.0.expect.headers is an object. Allowed: names other than __proto__, prototype, constructor.',
      ],
      [
        `policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, headers: { ${name}: x } }, expect: { status: 403 } }]`,
        'tests.0.request.headers is an object. Allowed: names other than __proto__, prototype, constructor.',
      ],
      [
        `policy: policy.yml\nsecrets: { ${name}: { a: x } }\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 403 } }]`,
        'secrets is an object. Allowed: names other than __proto__, prototype, constructor.',
      ],
    ]),
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, headers: { a: "x\\ny" } }, expect: { status: 200 } }]',
      'tests.0.request.headers.a is "x\\ny". Allowed: a single-line Latin-1 string.',
    ],
    [
      'policy: policy.yml\nsecrets: { a: b }\ntests: [{ name: a, request: { url: https://a.test } }]',
      'secrets.a is "b". Allowed: a map from names to strings.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test, headers: { a: 1.5 } } }]',
      'policy.test.yml:2:66: tests.0.request.headers.a is 1.5. Allowed: a string.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, steps: [{ advance: 5 minutes }] }]',
      'tests.0.steps.0.advance is "5 minutes". Allowed:',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, steps: [{ expect: { status: 200 } }] }]',
      'tests.0.steps.0.request is missing.',
    ],
    ['policy: policy.yml\ntests: [{ name: a, repeat: 2, steps: [] }]', 'tests.0 has both steps and its own request.'],
    [
      'policy: { on_http_request: [{ actions: [{ type: dny }] }] }\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 200 } }]',
      'policy.test.yml:1:49: ',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: "https://[/" } }]',
      'tests.0.request.url is "https://[/".',
    ],
    [
      'policy: policy.yml\nstart: never\ntests: [{ name: a, request: { url: "https://a.test" } }]',
      'policy.test.yml:2:8: start is "never". Allowed: an RFC 3339 time',
    ],
    [
      'policy: policy.yml\nupstreams: { nowhere: {} }\ntests: [{ name: a, request: { url: "https://a.test" } }]',
      'policy.test.yml:2:14: upstreams.nowhere is "nowhere". Allowed: URLs such as "https://app.internal" as names.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test } }]',
      'policy.test.yml:2:9: tests.0.expect is missing: the test compares nothing. Allowed: a map with status,',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test }, expect: {} }]',
      'policy.test.yml:2:54: tests.0.expect is empty: it compares nothing. Allowed: a map with status,',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, steps: [{ request: { url: https://a.test }, expect: {} }, { request: { url: https://a.test }, expect: { status: 200 } }] }]',
      'tests.0.steps.0.expect is empty: it compares nothing.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test }, expect: { headers: {} } }]',
      'tests.0.expect.headers is an object. Allowed: at least one header, because an empty map compares nothing.',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 200, contains: "" } }]',
      'tests.0.expect.contains is "". Allowed: a non-empty string',
    ],
    [
      'policy: policy.yml\ntests: [{ name: a, steps: [{ request: { url: https://a.test } }, { advance: 1s, repeat: 2 }] }]',
      'tests.0.steps.1 combines advance with other fields. Move advance to its own step.',
    ],
    [
      'policy: policy.yml\nplace: nowhere\ntests: [{ name: a, request: { url: https://a.test }, expect: { status: 200 } }]',
      'policy.test.yml:2:8: place is "nowhere". Allowed: "cloud" or "agent" or',
    ],
    ['a: [', 'policy.test.yml:1:4: The file cannot be read:'],
  ])('says what is wrong with a file: %s', async (text, message) => {
    writeFileSync('policy.test.yml', text)
    const { code, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('names all problems of a file at once, each with its line', async () => {
    writeFileSync(
      'policy.test.yml',
      'policy: policy.yml\nplace: moon\ntests:\n  - name: a\n    request: { url: x }\n  - nam: b\n',
    )
    const { stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(stderr.split('\n').map((line) => line.replace(/^fauxgate: |\. .*|: the test.*/g, ''))).toEqual([
      'policy.test.yml:2:8: place is "moon"',
      'policy.test.yml:4:5: tests.0.expect is missing',
      'policy.test.yml:5:21: tests.0.request.url is "x"',
      'policy.test.yml:6:5: tests.1.name is missing',
      'policy.test.yml:6:10: "tests.1.nam" is not an option',
      'policy.test.yml:6:5: tests.1.request is missing',
      'policy.test.yml:6:5: tests.1.expect is missing',
      '',
    ])
  })

  test.each([204, 205, 304])('an upstream may have the status %s, which allows no body', async (status) => {
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml\nupstreams: { "https://app.internal": { status: ${status}, body: x } }\n` +
        `tests: [{ name: a, request: { url: "https://a.test/" }, expect: { status: ${status}, body: '' } }]`,
    )
    expect((await runToEnd({}, 'policy', 'test', 'policy.test.yml')).code).toBe(0)
  })

  test('an upstream may be a URL with a path that a policy reads, such as a JWKS document', async () => {
    const jwks = 'https://idp.example.com/jwks.json'
    const jws = `{ allowed_algorithms: [RS256], keys: [{ sources: [{ additional_jkus: ["${jwks}"] }] }] }`
    const http = '{ tokens: [{ type: jwt, method: header, name: Authorization, prefix: "Bearer " }] }'
    const config = `{ issuer: { allow_list: [{ value: i }] }, http: ${http}, jws: ${jws} }`
    writeFileSync('policy.yml', `on_http_request: [{ actions: [{ type: jwt-validation, config: ${config} }] }]\n`)
    const token = ['{"alg":"RS256","typ":"JWT"}', '{"iss":"i"}', 'x'].map((each) =>
      Buffer.from(each).toString('base64url'),
    )
    writeFileSync(
      'policy.test.yml',
      `policy: policy.yml\nupstreams: { "${jwks}": { body: '{"keys":[]}' } }\ntests: [{ name: a, ` +
        `request: { url: "https://a.test/", headers: { authorization: "Bearer ${token.join('.')}" } }, expect: { status: 401, body: shown } }]`,
    )
    const { code, stdout, stderr } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toContain('None of the keys signed the token')
  })

  test('shows an absent header as absent, although its name is that of a secret', async () => {
    writeFileSync(
      'policy.yml',
      'on_http_request: [{ expressions: ["getReqHeader(\'authorization\') == []"], actions: [{ type: deny }] }]',
    )
    writeFileSync(
      'policy.test.yml',
      'policy: policy.yml\ntests: [{ name: a, request: { url: "https://a.test/" }, expect: { status: 200 } }]',
    )
    const { code, stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(code).toBe(1)
    expect(stdout).toContain("is true (getReqHeader('authorization') = [])")
    expect(stdout).not.toContain('[redacted]')
  })

  test('says that a folder has no test files', async () => {
    mkdirSync('empty')
    writeFileSync('empty/policy.yml', POLICY)
    const { code, stderr } = await runToEnd({}, 'policy', 'test', 'empty')
    expect([code, stderr]).toEqual([
      2,
      'fauxgate: No test files in empty. Names of test files end with .test.yml, .test.yaml, or .test.json.\n',
    ])
  })

  test('a test fails that needs a fact which it does not give, and names the fact', async () => {
    writeFileSync('policy.yml', POLICY.replace("'x-tor' in req.headers", 'conn.client_ip.is_tor_node == true'))
    const { code, stdout } = await runToEnd({}, 'policy', 'test', 'policy.test.yml')
    expect(code).toBe(1)
    expect(stdout).toContain("Pass it: { from: { facts: { 'conn.client_ip.is_tor_node': … } } }.")
  })

  test('runs again after a change with --watch, until a signal stops it', async () => {
    const child = spawn(process.execPath, [inject('command'), 'policy', 'test', 'policy.test.yml', '--watch'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const parts = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]()
    let shown = ''
    const waitFor = async (text: string) => {
      while (!shown.includes(text)) {
        const { value, done } = await parts.next()
        if (done) throw new Error(`It ended before it printed ${text}: ${shown}`)
        shown += value
      }
    }
    await waitFor('3 passed, 0 failed')
    writeFileSync('policy.yml', readFileSync('policy.yml', 'utf8').replace('no admin', 'closed'))
    await waitFor('2 passed, 1 failed')
    child.kill('SIGTERM')
    const [code] = await new Promise<[number | null]>((resolve) =>
      child.once('exit', (exitCode) => resolve([exitCode])),
    )
    expect(code).toBe(1)
  })
})

describe('testPolicy', () => {
  const declare = () => {
    const tests = new Map<string, () => Promise<void>>()
    testPolicy('policy.test.yml', (name, work) => tests.set(name, work))
    return tests
  }

  test('declares a test for each case of the file', async () => {
    const tests = declare()
    expect([...tests.keys()]).toEqual([
      'admin is closed to the world',
      'the eleventh request in a minute waits',
      'and passes a minute later',
    ])
    for (const work of tests.values()) await expect(work()).resolves.toBeUndefined()
  })

  test('a case fails with its differences, and all do if the service would reject the policy', async () => {
    writeFileSync('policy.test.yml', TESTS.replace('status: 403', 'status: 404'))
    const [first, second] = [...declare().values()]
    await expect(first?.()).rejects.toThrow('status: expected 404, received 403')
    await expect(second?.()).resolves.toBeUndefined()
    writeFileSync('policy.yml', POLICY.replace('deny', 'dny'))
    for (const work of declare().values()) await expect(work()).rejects.toThrow('policy.yml:4:')
  })

  test('throws at once for a file that cannot be read', () => {
    expect(() => testPolicy('nowhere.test.yml', test)).toThrow(
      'nowhere.test.yml cannot be read: there is no such file.',
    )
  })
})
