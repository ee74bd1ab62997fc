import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { checkPolicy } from '../../src/service/policy/index.ts'
import { client, controlClient } from '../support/client.ts'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { open } from '../support/gateway.ts'

/** Names of what each object has: a table that is an object seems to have them too. */
const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']

/** Returns the JSON of an object with one field: a literal with `__proto__` would set the prototype. */
const withField = (name: string, value: unknown) => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`

const policyWith = (action: string) => `{"on_http_request":[{"actions":[${action}]}]}`

const MISTAKES: readonly [what: string, number: number, toPolicy: (name: string) => string][] = [
  ['the type of an action', 2201, (name) => policyWith(`{"type":"${name}"}`)],
  ['a phase', 2230, (name) => withField(name, [])],
  ['a field of a rule', 2236, (name) => `{"on_http_request":[${withField(name, 1)}]}`],
  ['a field of an action', 2236, (name) => policyWith(`{"type":"deny",${withField(name, 1).slice(1)}`)],
  ['a field of a config', 2203, (name) => policyWith(`{"type":"deny","config":${withField(name, 1)}}`)],
  ['a provider of people', 2222, (name) => policyWith(`{"type":"oauth","config":{"provider":"${name}"}}`)],
  [
    'a provider of webhooks',
    2222,
    (name) => policyWith(`{"type":"verify-webhook","config":{"provider":"${name}","secret":"x"}}`),
  ],
  ['a variable', 2200, (name) => `{"on_http_request":[{"expressions":["${name}"],"actions":[{"type":"deny"}]}]}`],
  ['a field', 2200, (name) => `{"on_http_request":[{"expressions":["req.${name}"],"actions":[{"type":"deny"}]}]}`],
  [
    'a function',
    2200,
    (name) => `{"on_http_request":[{"expressions":["get${name}('a')"],"actions":[{"type":"deny"}]}]}`,
  ],
  ['a method', 2200, (name) => `{"on_http_request":[{"expressions":["[1].${name}(x)"],"actions":[{"type":"deny"}]}]}`],
]

describe.each(NAMES)('%s is no known name', (name) => {
  test.each(MISTAKES)('as %s of a policy: %d', async (_what, number, toPolicy) => {
    const traffic_policy = toPolicy(name)
    const numbers = checkPolicy(traffic_policy).map((each) => each.number)
    expect(numbers).toContain(number)
    const gateway = createNgrok()
    gateway.reservedDomains.create({ domain: 'a.ngrok.app' })
    const endpoint = { url: 'https://a.ngrok.app', type: 'cloud', bindings: ['public'], traffic_policy }
    const answer = await client(gateway)('POST', '/endpoints', { json: endpoint })
    expect(answer.status).toBe(400)
    expect(numbers.map((each) => `ERR_NGROK_${each}`)).toContain(answer.body.error_code)
    const checked = await controlClient(open())('POST', '/policy/check', { policy: traffic_policy })
    expect(checked.status).toBe(200)
    expect(checked.body.map(({ code }: { code: string }) => code)).toContain(`ERR_NGROK_${number}`)
  })

  test.each(['protocol', 'place'])('as the %s of a checked policy', async (option) => {
    const sent = { policy: 'on_http_request: []', [option]: name }
    expect((await controlClient(open())('POST', '/policy/check', sent)).status).toBe(400)
  })

  test('as a plan, which may be any text', () => {
    expect(checkPolicy(policyWith('{"type":"deny"}'), { plan: name })).toEqual([])
  })

  test.each(['error', 'operation', 'resource', 'method', 'path', 'agent'])('as the %s of a fault', async (field) => {
    const answer = await controlClient(open())('POST', '/faults', { [field]: name, times: 1 })
    expect(answer.status).toBe(400)
  })

  test('as a field of a fault', async () => {
    const answer = await controlClient(open())('POST', '/faults', JSON.parse(withField(name, 1)))
    expect(answer.status).toBe(400)
    expect(answer.body.msg).toContain(`${name} is not a field`)
  })

  test('as an option', () => {
    for (const options of [withField(name, 1), `{"account":{"plan":"${name}"}}`])
      expect(() => createNgrok(JSON.parse(options))).toThrow(/ is not an option\.|Allowed: /)
  })

  test('but a variable, a header and metadata may have it', async () => {
    const vars = `{"type":"set-vars","config":{"vars":[${withField(name, { a: 'x' })}]}}`
    const log = `{"type":"log","config":{"metadata":${withField(name, 'x')}}}`
    const end = `{"type":"custom-response","config":{"status_code":200,"body":"\${vars.${name}.a}"}}`
    const url = 'https://api.example.com'
    const gateway = createNgrok()
    const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    const sources = [{ type: 'http_request_complete.v0' as const }]
    gateway.eventSubscriptions.create({ sources, destination_ids: [destination.id] })
    const rules = `{"actions":[${vars},${log}]},{"expressions":["size(vars) == 1"],"actions":[${end}]}`
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy: `{"on_http_request":[${rules}]}` }] })
    const response = await gateway.traffic.fetch(url, { headers: new Headers([[name, 'y']]) })
    expect([response.status, await response.text()]).toEqual([200, 'x'])
    expect(Object.entries(gateway.traffic.last()?.headers ?? {})).toContainEqual([name.toLowerCase(), 'y'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`"vars":${withField(name, { a: 'x' })}`)
    expect(JSON.stringify(gateway.sentEvents.list().at(-1)?.object)).toMatch(new RegExp(`"${name}":\\["y"\\]`, 'i'))
  })

  test('as an action, or as a field of what an action did, of a visitor', async () => {
    const url = 'https://api.example.com'
    const gateway = createNgrok()
    const policy = policyWith('{"type":"oauth","config":{"provider":"google"}}')
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy: policy }] })
    const visit = (actions: string) => gateway.traffic.fetch(url, { from: { actions: JSON.parse(actions) } })
    // An account can have actions that are not documented.
    expect((await visit(withField(name, {}))).status).toBe(302)
    await expect(visit(`{"oauth":${withField(name, 1)}}`)).rejects.toThrow('which is not a policy variable')
  })

  test('as a command, and in a test of a policy', async () => {
    enterNewFolder()
    const { code, stderr } = await runToEnd({}, name)
    expect([code, stderr.split('.')[0]]).toEqual([2, `fauxgate: "${name}" is not a command`])
    const policy = JSON.parse(policyWith(`{"type":"${name}"}`))
    writeFileSync(
      'a.test.json',
      JSON.stringify({ policy, tests: [{ name, request: { url: 'https://a.test/' }, expect: { status: 200 } }] }),
    )
    const tested = await runToEnd({}, 'policy', 'test', 'a.test.json')
    expect(tested.stderr).toContain(`is "${name}"`)
    expect(tested.stderr).toContain('2201')
  })
})
