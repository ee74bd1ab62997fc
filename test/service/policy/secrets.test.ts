import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import type { Field } from '../../../src/service/policy/action.ts'
import { ACTIONS } from '../../../src/service/policy/actions/index.ts'
import { POLICY_SECRETS } from '../../../src/service/resources/policy-secrets.ts'
import { client } from '../../support/client.ts'
import { collectCommits } from '../../support/gateway.ts'

const secret = (name: string) => `planted-${name}`
const rules = (of: string) => [
  { actions: [{ type: 'basic-auth', config: { credentials: [`joe:${secret(`${of}-basic`)}`], realm: 'shown' } }] },
  { actions: [{ type: 'verify-webhook', config: { provider: 'github', secret: secret(`${of}-hook`) } }] },
  { actions: [{ type: 'oauth', config: { provider: 'google', client_id: 'a', client_secret: secret(`${of}-app`) } }] },
  { actions: [{ type: 'deny' }] },
]
const YAML = `on_http_request:
  - name: shown
    actions:
      - type: basic-auth # shown
        config: { credentials: ["joe:planted-yaml1", 'ann:planted-yaml2'] }
  - actions:
      - type: verify-webhook
        config:
          provider: github
          secret: |
            planted-yaml3
            planted-yaml4
      - type: deny
`
const JSON_TEXT = JSON.stringify({ on_http_request: rules('json') })

/** Returns everything that a gateway shows of its state and traffic, apart from its responses. */
function open() {
  const gateway = createNgrok({ seed: 'secrets', clock: { now: () => 0 } })
  const commits = collectCommits(gateway)
  const shown = () => ({
    commits: JSON.stringify(commits),
    journal: JSON.stringify(gateway.requests.all()),
    report: String(gateway.report()),
    snapshot: JSON.stringify(gateway.snapshot()),
  })
  return { gateway, send: client(gateway, ngrokFamilies), shown }
}
const namesWith = (shown: Record<string, string>) =>
  Object.entries(shown).flatMap(([name, text]) => (text.includes('planted-') ? [name] : []))

describe('The secrets of policies are hidden wherever secrets are (rules: secrets#policies)', () => {
  const ENDPOINT = [
    'POST',
    '/endpoints',
    (traffic_policy: string) => ({ url: 'https://a.internal', traffic_policy }),
  ] as const
  const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
  const MODULE = ['PUT', `${ROUTE}/traffic_policy`, (value: string) => ({ value })] as const

  test.each([
    [...ENDPOINT, YAML],
    [...ENDPOINT, JSON_TEXT],
    [...MODULE, YAML],
    [...MODULE, JSON_TEXT],
  ])('%s %s', async (method, path, toBody, text) => {
    const { gateway, send, shown } = open()
    const { status, text: sent } = await send(method, path, { json: toBody(text) })
    expect([status < 300, sent.includes('planted-')]).toEqual([true, true])
    expect(namesWith(shown())).toEqual([])
    expect(shown().journal).toContain('[redacted]')
    expect(shown().journal).toContain('shown')
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain('planted-')
    // In the same process, the snapshot has the secrets. From its JSON, the policy is still one.
    const before = gateway.snapshot()
    gateway.restore(before)
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain('planted-')
    const other = createNgrok()
    other.restore(JSON.parse(JSON.stringify(before)))
    expect(namesWith({ other: JSON.stringify(other.snapshot({ privateKeys: true })) })).toEqual([])
  })

  test('an object of the older module `policy`', async () => {
    const { send, shown } = open()
    const { status } = await send('PUT', `${ROUTE}/policy`, { json: { inbound: rules('module') } })
    expect(status).toBe(200)
    expect(namesWith(shown())).toEqual([])
    expect(shown().journal).toContain('shown')
  })

  test.each<[string, string]>([
    ['a text that cannot be read', YAML.replace('on_http_request:', 'on_http_request: [')],
    ['another type', YAML.replace('basic-auth', 'basic-atuh')],
    ['a template', YAML.replace('ann:planted-yaml2', '${planted-name')],
    ['a password that is too short', JSON_TEXT.replace('joe:planted-json-basic', 'joe:planted')],
  ])('a rejected policy: %s', async (_, traffic_policy) => {
    const { send, shown } = open()
    const { status, text } = await send('POST', '/endpoints', { json: { url: 'https://a.internal', traffic_policy } })
    expect([status, text.includes('planted')]).toEqual([400, false])
    expect(namesWith(shown())).toEqual([])
  })
})

test('The names of secrets are those that the rows of the actions mark', () => {
  const marked = new Set<string>()
  const collect = (name: string, field: Field): void => {
    if (field.isSecret) marked.add(name)
    if (field.kind === 'list') collect(name, field.item)
    if (field.kind === 'object') for (const [inner, each] of Object.entries(field.fields)) collect(inner, each)
  }
  for (const { config } of ACTIONS) for (const [name, field] of Object.entries(config)) collect(name, field)
  // The rows do not describe the fields of `ai-gateway`.
  expect(['api_keys', ...marked].sort()).toEqual([...POLICY_SECRETS].sort())
})
