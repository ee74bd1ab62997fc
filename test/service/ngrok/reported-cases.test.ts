import { expect, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'

/** Opens a gateway, and the REST API and the API of the agent as programs call them. */
function open(options: Omit<NgrokOptions, 'clock'> = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'reports', ...options })
  const read = async (response: Response) => {
    const text = await response.text()
    const body = text.startsWith('{') ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, body }
  }
  const toInit = (method: string, json: unknown) => ({
    method,
    ...(json !== undefined && { body: JSON.stringify(json) }),
    headers: {
      authorization: 'Bearer key',
      'ngrok-version': '2',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
  })
  const api = async (method: string, path: string, json?: unknown) =>
    read(await gateway.fetch(`${gateway.url}${path}`, toInit(method, json)))
  const agent = async (method: string, path: string, json?: unknown) =>
    read(await gateway.agent.fetch(`http://127.0.0.1:4040${path}`, toInit(method, json)))
  return { gateway, api, agent }
}

type Opened = ReturnType<typeof open>

const POLICY = JSON.stringify({
  on_http_request: [{ actions: [{ type: 'custom-response', config: { status_code: 200 } }] }],
})

/** Reports of programs against the API or the agent: the calls, and what the program finds. */
const CASES: readonly (readonly [
  name: string,
  options: Omit<NgrokOptions, 'clock'>,
  run: (it: Opened) => Promise<unknown>,
  found: unknown,
])[] = [
  [
    'a script greps the free domain from the list of tunnels',
    {},
    async ({ gateway, agent }) => {
      await gateway.agent.start({ addr: 3333 })
      return /https:\/\/[^/"]*\.ngrok-free\.app/.test((await agent('GET', '/api/tunnels')).text)
    },
    true,
  ],
  [
    'http and https of one tunnel have one host and one upstream, and each is stopped by its own URI',
    {},
    async ({ agent }) => {
      await agent('POST', '/api/tunnels', { addr: 3001, name: 'web', proto: 'http', bind_tls: 'both' })
      const { tunnels } = (await agent('GET', '/api/tunnels')).body
      const hosts = new Set(tunnels.map(({ public_url }: { public_url: string }) => new URL(public_url).host))
      const stopped = []
      for (const { uri } of tunnels) stopped.push((await agent('DELETE', new URL(uri, 'http://a').pathname)).status)
      return [hosts.size, stopped, (await agent('GET', '/api/tunnels')).body.tunnels]
    },
    [1, [204, 204], []],
  ],
  [
    'a program stops the https of two tunnels, and a new start of both changes nothing',
    { initial: { reservedDomains: [{ domain: 'abcd.ngrok.io' }] } },
    async ({ agent }) => {
      const sent = { name: 'abcd', proto: 'http', hostname: 'abcd.ngrok.io', addr: 80, bind_tls: 'both' }
      await agent('POST', '/api/tunnels', sent)
      await agent('DELETE', '/api/tunnels/abcd')
      const again = await agent('POST', '/api/tunnels', sent)
      return [again.status >= 400, (await agent('GET', '/api/tunnels')).body.tunnels.length]
    },
    [true, 1],
  ],
  [
    'the fourth tunnel of an account with three is 502 with 103, and its text has the code',
    { account: { limits: { endpoints: 3 } } },
    async ({ agent }) => {
      for (const name of ['a', 'b', 'c']) await agent('POST', '/api/tunnels', { addr: 25_565, proto: 'tcp', name })
      const { status, body } = await agent('POST', '/api/tunnels', { addr: 25_565, proto: 'tcp', name: 'd' })
      return [status, body.error_code, body.msg, /ERR_NGROK_\d+/.test(body.details.err)]
    },
    [502, 103, 'failed to start tunnel', true],
  ],
  [
    'a policy with a map in the place of a list does not start a tunnel, and the corrected one does',
    {},
    async ({ agent }) => {
      const actions = { type: 'custom-response', config: { status_code: 200 } }
      const start = async (rules: unknown) =>
        (await agent('POST', '/api/tunnels', { addr: 80, name: 'web', traffic_policy: { on_http_request: rules } }))
          .status
      return [await start({ actions }), await start([{ actions: [actions] }])]
    },
    [502, 201],
  ],
  [
    'an edge fails with 7117 until an operator has reserved its domain',
    {},
    async ({ api }) => {
      const create = () => api('POST', '/edges/https', { hostports: ['app.example.com:443'] })
      const before = await create()
      await api('POST', '/reserved_domains', { domain: 'app.example.com' })
      return [before.status, before.body.error_code, (await create()).status]
    },
    [400, 'ERR_NGROK_7117', 201],
  ],
  [
    'a domain without its record has a DNS_ERROR that names the target, and is ready after the record is set',
    { dns: 'simulated' },
    async ({ gateway, api }) => {
      const { id, cname_target } = (await api('POST', '/reserved_domains', { domain: 'app.example.com' })).body
      const read = async () => (await api('GET', `/reserved_domains/${id}`)).body
      gateway.clock.advance('1m')
      const { error_code, msg } = (await read()).certificate_management_status.provisioning_job
      gateway.dns.cname('app.example.com', cname_target)
      gateway.clock.advance('1h')
      const { certificate, certificate_management_status } = await read()
      return [
        error_code,
        msg.includes(cname_target),
        certificate !== null,
        certificate_management_status.provisioning_job,
      ]
    },
    ['DNS_ERROR', true, true, null],
  ],
  [
    'an orphaned domain is 413, and a list finds it',
    {},
    async ({ api }) => {
      const reserve = () => api('POST', '/reserved_domains', { name: 'orphan.ngrok.app' })
      const [first, second] = [await reserve(), await reserve()]
      const { reserved_domains } = (await api('GET', '/reserved_domains')).body
      return [second.body.error_code, reserved_domains.map(({ id }: { id: string }) => id === first.body.id)]
    },
    ['ERR_NGROK_413', [true]],
  ],
  [
    'a cloud endpoint without pooling at the pooled URL of an agent is 18017, which an operator tries again',
    { initial: { reservedDomains: [{ domain: 'app.example.com' }] } },
    async ({ api, agent }) => {
      const url = 'https://app.example.com'
      await agent('POST', '/api/tunnels', { addr: 80, name: 'web', url, pooling_enabled: true })
      const create = () => api('POST', '/endpoints', { url, type: 'cloud', traffic_policy: POLICY })
      const before = await create()
      await agent('DELETE', '/api/tunnels/web')
      return [before.body.error_code, (await create()).status]
    },
    ['ERR_NGROK_18017', 201],
  ],
  [
    'an endpoint of http works at a domain that never gets its certificate',
    {},
    async ({ gateway, api }) => {
      await api('POST', '/reserved_domains', { domain: 'app.example.com' })
      gateway.provisioning.failAlways('DNS_ERROR')
      gateway.clock.advance('1h')
      const { status } = await api('POST', '/endpoints', { url: 'http://app.example.com', traffic_policy: POLICY })
      return [status, (await gateway.traffic.fetch('http://app.example.com/')).status]
    },
    [201, 200],
  ],
  [
    'a domain with an uploaded wildcard certificate waits for no job',
    {},
    async ({ gateway, api }) => {
      const { certificate_pem, private_key_pem } = gateway.authority.serverCertificate({
        names: ['*.team.example.com'],
      })
      const { id } = (await api('POST', '/tls_certificates', { certificate_pem, private_key_pem })).body
      const { body } = await api('POST', '/reserved_domains', { domain: 'a.team.example.com', certificate_id: id })
      return [body.certificate.id === id, body.certificate_management_policy, body.certificate_management_status]
    },
    [true, null, null],
  ],
  [
    'the policy of a domain can be deleted at each start of a program',
    {},
    async ({ api }) => {
      const { id } = (await api('POST', '/reserved_domains', { domain: 'app.example.com' })).body
      const remove = async () => (await api('DELETE', `/reserved_domains/${id}/certificate_management_policy`)).status
      return [await remove(), await remove()]
    },
    [204, 204],
  ],
  [
    'the plan of 100 rules of IP policies meets the limit of 120 requests a minute, and a minute later it does not',
    { rateLimit: { requests: 120, window: '1m' } },
    async ({ gateway, api }) => {
      for (let count = 0; count < 120; count++) await api('GET', '/ip_policy_rules')
      const limited = await api('GET', '/ip_policy_rules')
      gateway.clock.advance('1m')
      return [limited.status, Number(limited.headers.get('retry-after')) > 0, (await api('GET', '/ip_policies')).status]
    },
    [429, true, 200],
  ],
]

test.each(CASES)('Of reported programs, %s', async (_name, options, run, found) => {
  expect(await run(open(options))).toEqual(found)
})
