import type { Gateway, GatewayOptions, ManualClock } from '../../../src/index.ts'
import { pem, upload } from '../../support/pem.ts'
import { DOMAIN, ECDSA } from '../../support/provisioning.ts'

type Json = Record<string, unknown>

/** Works a served gateway as its clients and its inspector do. */
export interface Client {
  /** Sends a request and returns the JSON of the response. */
  send(method: string, path: string, body?: object | string, headers?: Readonly<Record<string, string>>): Promise<Json>
  /** Calls a control. Its response must not be an error. */
  control(method: string, path: string, body?: object): Promise<Json>
  /** Writes as the inspector does: without an entry in the journal. */
  write(method: string, path: string, body: object): Promise<Json>
  /** Returns the gateway, whose members a program in the same process uses. */
  gateway(): Gateway<ManualClock>
  /** Sends a request to the API of the agent. */
  agent(method: string, path: string, body?: object): Promise<Json>
  /** Ends the server, and starts it again with the same store. */
  restart(): Promise<void>
  /** Sets the time of a fake system clock. */
  setTime(time: string): void
}

/** Something that happened at a gateway, of which a test is copied. */
export interface History {
  readonly name: string
  readonly dialect?: 'ngrok'
  readonly options?: Omit<GatewayOptions, 'clock' | 'dialect'>
  /** Default: manual. */
  readonly clock?: 'system'
  run(client: Client): Promise<unknown>
  /** Texts that the copied test has. */
  readonly has?: readonly (string | RegExp)[]
  /** Texts that it does not have. */
  readonly lacks?: readonly (string | RegExp)[]
  /** A step whose first lines, without it, make the test fail. Default: the first status is another one. */
  readonly without?: RegExp
}

const managed = (domain: string) => ({ domain, certificate_management_policy: ECDSA })
const POLICY = 'on_http_request:\n  - actions:\n      - type: deny\n'

export const HISTORIES: readonly History[] = [
  {
    name: 'a certificate that fails by DNS, is fixed, and is issued',
    async run({ send, control }) {
      await control('POST', '/provisioning/script', { outcomes: ['DNS_ERROR', 'success'], domain: DOMAIN })
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await control('POST', '/clock', { advance: '30s' })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/clock', { next: true })
      await send('GET', `/reserved_domains/${id}`)
    },
    has: ["gateway.provisioning.script(['DNS_ERROR', 'success'], { domain: 'app.example.com' })", "toBe('DNS_ERROR')"],
    without: /provisioning\.script/,
  },
  {
    name: 'a client that retries through faults with times and with conditions',
    async run({ send, control }) {
      await control('POST', '/faults', { operation: 'reserved_addrs.create', status: 503, times: 2, retryAfter: '2s' })
      for (let number = 0; number < 3; number++) {
        await send('POST', '/reserved_addrs', { description: 'edge' })
        await control('POST', '/clock', { advance: '2s' })
      }
      const { id } = await send('POST', '/reserved_addrs', { description: 'other' })
      await control('POST', '/faults', { resource: id, method: 'GET', error: 'not_found', after: 1 })
      await send('GET', `/reserved_addrs/${id}`)
      await send('GET', `/reserved_addrs/${id}`)
      await control('POST', '/faults', { path: '/reserved_domains', drop: true, phase: 'after', times: 1 })
      await send('POST', '/reserved_domains', { domain: DOMAIN }).catch(() => undefined)
      await send('POST', '/reserved_domains', { domain: DOMAIN })
    },
    without: /faults\.add/,
  },
  {
    name: 'controls that a program in the same process uses',
    options: { dns: 'simulated' },
    async run({ send, gateway }) {
      const { clock, dns, faults, provisioning } = gateway()
      provisioning.failNext('INTERNAL_ERROR')
      const { id, cname_target } = await send('POST', '/reserved_domains', managed(DOMAIN))
      faults.add({ operation: 'reserved_domains.get', status: 503, times: 1 })
      await send('GET', `/reserved_domains/${id}`)
      clock.advance('30s')
      await send('GET', `/reserved_domains/${id}`)
      dns.cname(DOMAIN, String(cname_target))
      provisioning.attempt(DOMAIN)
      await send('GET', `/reserved_domains/${id}`)
      faults.add({ operation: 'reserved_addrs.list', status: 500, when: () => true })
      await send('GET', '/reserved_addrs')
    },
    has: [
      /gateway\.dns\.cname\('app\.example\.com', body\d+\.cname_target\)/,
      'because it contains a function: POST /_fauxgate/faults',
      /the fault fault_\w+ is left out/,
    ],
    lacks: [/Left out: .* by calls/],
    without: /faults\.add/,
  },
  {
    name: 'faults that are removed between requests, one by one and all',
    async run({ send, control }) {
      const { id } = await control('POST', '/faults', { operation: 'reserved_domains.list', status: 500 })
      await send('GET', '/reserved_domains')
      await control('DELETE', `/faults?id=${id}`)
      await send('GET', '/reserved_domains')
      const slow = await control('POST', '/faults', { operation: 'reserved_addrs.list', latency: '5s' })
      await control('DELETE', `/faults?id=${slow.id}`)
      await send('GET', '/reserved_addrs')
      await control('POST', '/faults', { status: 429, retryAfter: 3 })
      await send('GET', '/tls_certificates')
      await control('DELETE', '/faults')
      await send('GET', '/tls_certificates')
    },
    has: ['gateway.faults.remove(fault1.id)', 'gateway.faults.clear()'],
    lacks: ['because'],
    without: /faults\.remove/,
  },
  {
    name: 'a rate limit that a client hits and waits for',
    options: { rateLimit: { requests: 3, window: '60s' } },
    async run({ send, control }) {
      for (let number = 0; number < 5; number++) await send('GET', '/reserved_addrs')
      await control('POST', '/clock', { advance: '60s' })
      await send('GET', '/reserved_addrs')
    },
    has: ["rateLimit: { requests: 3, window: '60s' }", 'toBe(429)'],
    lacks: ['Left out'],
    without: /clock\.advance/,
  },
  {
    name: 'an outcome of all attempts, and its removal',
    async run({ send, control }) {
      await control('POST', '/provisioning/script', { outcomes: [], always: 'INTERNAL_ERROR', domain: DOMAIN })
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await control('POST', '/clock', { advance: '10m' })
      await send('GET', `/reserved_domains/${id}`)
      await control('DELETE', `/provisioning/script?domain=${DOMAIN}`)
      await control('POST', '/provisioning/attempt', { id: DOMAIN })
      await send('GET', `/reserved_domains/${id}`)
    },
    has: ["toBe('INTERNAL_ERROR')", "gateway.provisioning.clear({ domain: 'app.example.com' })"],
    without: /always/,
  },
  {
    name: 'outcomes with words and times, and the removal of one of them',
    async run({ send, control }) {
      const script = { outcomes: [{ outcome: 'DNS_ERROR', message: 'No such host.', retriesAfter: '5m' }], times: 2 }
      await control('POST', '/provisioning/script', script)
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await control('POST', '/clock', { advance: '30s' })
      await send('GET', `/reserved_domains/${id}`)
      const [pending] = (await control('GET', '/provisioning/script')) as unknown as Json[]
      await control('DELETE', `/provisioning/script?id=${pending?.id}`)
      await control('POST', '/clock', { advance: '5m' })
      await send('GET', `/reserved_domains/${id}`)
    },
    without: /provisioning\/script/,
  },
  {
    name: 'moves of the clock: by a duration, to a date, to the next event, to a renewal and to an expiry',
    async run({ send, control }) {
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await control('POST', '/clock', { next: true })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/clock', { to: '2026-01-15' })
      await control('POST', '/provisioning/renew', { id })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/clock', { advance: 30_000 })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/provisioning/script', { outcomes: [], always: 'DNS_ERROR' })
      await control('POST', '/provisioning/expire', { id: DOMAIN })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/clock', { to: '2026-07-01T00:00:00Z' })
      await send('GET', '/tls_certificates')
    },
    has: ["clock.advanceToAsync('2026-01-15T00:00:00Z')", 'provisioning.renewNow(body1.id)'],
    without: /expireNow/,
  },
  {
    name: 'records of DNS that are set, pointed elsewhere, and removed',
    options: { dns: 'simulated' },
    async run({ send, control }) {
      const wildcard = '*.example.com'
      const domain = await send('POST', '/reserved_domains', managed(wildcard))
      const { id, cname_target, acme_challenge_cname_target: challenge } = domain
      await control('PUT', '/dns', { name: wildcard, type: 'CNAME', value: cname_target, after: '10s' })
      await control('PUT', '/dns', { name: '_acme-challenge.example.com', type: 'CNAME', value: 'elsewhere.example' })
      await control('POST', '/clock', { advance: '30s' })
      await send('GET', `/reserved_domains/${id}`)
      await control('PUT', '/dns', { name: '_acme-challenge.example.com', type: 'CNAME', value: challenge })
      await control('PUT', '/dns', { name: 'example.com', type: 'CAA', value: 'letsencrypt.org' })
      await control('POST', '/provisioning/attempt', { id })
      await send('GET', `/reserved_domains/${id}`)
      await control('DELETE', '/dns?name=example.com')
      await control('DELETE', '/dns?name=*.example.com&type=CNAME')
      await control('DELETE', '/dns')
    },
    has: [
      "gateway.dns.cname('*.example.com', body1.cname_target, { after: '10s' })",
      "gateway.dns.cname('_acme-challenge.example.com', body1.acme_challenge_cname_target)",
    ],
    without: /dns\.cname\('_acme-challenge\.example\.com', body1/,
  },
  {
    name: 'things that a test declares, and requests that need them',
    dialect: 'ngrok',
    options: { references: 'declared' },
    async run({ send, control }) {
      const declared = await control('POST', '/declare', {
        tunnel_session: { endpoints: [{ url: 'https://shop.example.com' }, { url: 'https://api.example.com' }] },
      })
      const { id } = declared.tunnel_session as Json
      await send('GET', '/tunnel_sessions')
      await send('GET', `/tunnel_sessions/${id}`)
      const list = (await send('GET', '/endpoints')) as { endpoints: Json[] }
      await send('GET', `/endpoints/${list.endpoints[0]?.id}`)
      await control('DELETE', `/declare?id=${id}`)
      await send('GET', `/tunnel_sessions/${id}`)
      await send('GET', '/endpoints')
    },
    has: ["control('/declare'", "references: 'declared'", 'toHaveLength(2)', 'toHaveLength(0)'],
    without: /DELETE/,
  },
  {
    name: 'a snapshot that is restored, and a reset before everything',
    async run({ send, control }) {
      await send('POST', '/reserved_domains', { domain: 'before.example.com' })
      await control('POST', '/reset')
      const { id } = await send('POST', '/reserved_domains', { domain: DOMAIN })
      await control('POST', '/snapshots', { name: 'one domain' })
      await send('DELETE', `/reserved_domains/${id}`)
      await control('POST', '/clock', { advance: '1d' })
      await control('POST', '/snapshots/restore', { name: 'one domain' })
      await send('GET', `/reserved_domains/${id}`)
      await send('POST', '/reserved_domains', { domain: DOMAIN })
    },
    lacks: ['before.example.com', 'Left out'],
    without: /snapshots\/restore/,
  },
  {
    name: 'the state of a file that is loaded in the middle',
    async run({ send, control }) {
      const { id } = await send('POST', '/reserved_domains', { domain: DOMAIN, description: 'in the file' })
      const state = await control('GET', '/state')
      await send('PATCH', `/reserved_domains/${id}`, { description: 'changed' })
      await control('POST', '/clock', { advance: '1h' })
      await control('PUT', '/state', state)
      await send('GET', `/reserved_domains/${id}`)
      await send('GET', '/reserved_domains')
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('PATCH', `/reserved_domains/${id}`, { description: 'changed again' })
      await send('GET', `/reserved_domains/${id}`)
    },
    has: [
      'when a snapshot was loaded',
      'gateway.restore({',
      'expect(response5.status).toBe(200)',
      "description).toBe('in the file')",
      "toBe('changed again')",
    ],
    lacks: ['marked below'],
    without: /gateway\.restore/,
  },
  {
    name: 'a long state of a file that is loaded in the middle',
    async run({ send, control }) {
      const long = 'x'.repeat(4096)
      for (let number = 0; number < 9; number++) await send('POST', '/reserved_addrs', { metadata: long })
      const { id } = await send('POST', '/reserved_domains', { domain: DOMAIN })
      const state = await control('GET', '/state')
      await send('DELETE', `/reserved_domains/${id}`)
      await send('POST', '/reserved_domains', { domain: 'other.example.com' })
      await control('PUT', '/state', state)
      await send('POST', '/reserved_domains', { domain: 'other.example.com' })
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('GET', `/reserved_domains/${id}`)
    },
    has: ['when a snapshot was loaded', 'something left out may have caused its error', /rd_\w+ is not from this test/],
  },
  {
    name: 'clients of several accounts and without access',
    dialect: 'ngrok',
    options: { keys: ['first-key-of-this-test', 'second-key-of-this-test'] },
    async run({ send }) {
      const { id } = await send(
        'POST',
        '/ip_policies',
        { description: 'office' },
        { authorization: 'Bearer first-key-of-this-test' },
      )
      await send('GET', `/ip_policies/${id}`, undefined, { authorization: 'Bearer second-key-of-this-test' })
      await send('GET', '/ip_policies', undefined, { authorization: 'Bearer wrong-key-of-this-test' })
      await send('GET', '/ip_policies', undefined, { authorization: '' })
      await send('DELETE', `/ip_policies/${id}`, undefined, { authorization: 'Bearer second-key-of-this-test' })
      await send('GET', `/ip_policies/${id}`, undefined, { authorization: 'Bearer first-key-of-this-test' })
    },
    has: ['Left out: 2 steps, marked below', 'because its API key is not in the journal'],
    lacks: ['key-of-this-test'],
  },
  {
    name: 'a certificate that was uploaded, with its hidden key',
    async run({ send }) {
      const { id } = await send('POST', '/tls_certificates', { description: 'ours', ...upload() })
      await send('GET', `/tls_certificates/${id}`)
      const { id: domain } = await send('POST', '/reserved_domains', { domain: DOMAIN, certificate_id: id })
      await send('POST', '/reserved_domains', { domain: 'other.example.com' })
      await send('PATCH', `/reserved_domains/${domain}`, { description: 'with it' })
      await send('POST', '/tls_certificates', { certificate_pem: pem('leaf-p256'), private_key_pem: 'none' })
    },
    has: ['because private_key_pem in it is hidden: POST /tls_certificates', 'Left out: 5 steps'],
    lacks: ['BEGIN CERTIFICATE'],
  },
  {
    name: 'ids in paths, queries and bodies, and pages by their cursor',
    dialect: 'ngrok',
    async run({ send }) {
      const policy = await send('POST', '/ip_policies', { description: 'office' })
      for (const cidr of ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'])
        await send('POST', '/ip_policy_rules', { ip_policy_id: policy.id, cidr, action: 'allow' })
      let page = await send('GET', '/ip_policy_rules?limit=2')
      while (page.next_page_uri) {
        const { pathname, search } = new URL(String(page.next_page_uri))
        page = await send('GET', pathname + search)
      }
      await send('GET', `/ip_policy_rules?filter=${encodeURIComponent(`obj.id == "${policy.id}"`)}`)
      await send('DELETE', `/ip_policies/${policy.id}`)
      await send('POST', '/ip_restrictions', { type: 'api', ip_policy_ids: [policy.id], enforced: false })
    },
    has: ['ip_policy_id: body1.id', /before_id=\$\{body\d\.id/],
    lacks: [/\b(ipp|ipr)_\w{20}/],
  },
  {
    name: 'an update with secrets, which are hidden',
    dialect: 'ngrok',
    async run({ send }) {
      const { id } = await send('POST', '/vaults', { name: 'keys', description: 'of the shop' })
      await send('POST', '/vault_secrets', { name: 'token', value: 'a-secret-of-the-shop', vault_id: id })
      await send('GET', '/vault_secrets')
      await send('PATCH', `/vaults/${id}`, { description: 'of two shops' })
      await send('POST', '/vault_secrets', { name: 'token', value: 'another-secret-of-it', vault_id: id })
    },
    has: ['because value in it is hidden: POST /vault_secrets'],
    lacks: ['a-secret-of-the-shop'],
  },
  {
    name: 'a deletion, what is not found then, and errors with details',
    async run({ send }) {
      const { id } = await send('POST', '/reserved_addrs', { description: 'edge', region: 'eu' })
      await send('DELETE', `/reserved_addrs/${id}`)
      await send('GET', `/reserved_addrs/${id}`)
      await send('DELETE', `/reserved_addrs/${id}`)
      await send('POST', '/reserved_addrs', { description: 1, region: 'nowhere', colour: 'red' })
      await send('POST', '/reserved_domains', { domain: '-' })
      await send('POST', '/reserved_domains', '{"domain": ')
      await send('GET', '/nowhere')
      await send('PUT', '/reserved_addrs')
      await send('GET', '/reserved_addrs?limit=none')
      await send('HEAD', '/reserved_addrs')
    },
    has: [/send\(`\/reserved_addrs\/\$\{body1\.id\}`\)/],
  },
  {
    name: 'requests at the same time',
    async run({ send }) {
      const names = Array.from({ length: 8 }, (_, number) => `d${number}.example.com`)
      const created = await Promise.all(names.map((domain) => send('POST', '/reserved_domains', { domain })))
      await Promise.all([...names, ...names].map((domain) => send('POST', '/reserved_domains', { domain })))
      await Promise.all(created.map(({ id }) => send('DELETE', `/reserved_domains/${id}`)))
      await send('GET', '/reserved_domains')
    },
    lacks: ['Left out'],
  },
  {
    name: 'endpoints with a traffic policy, and credentials with an ACL',
    dialect: 'ngrok',
    async run({ send }) {
      const endpoint = await send('POST', '/endpoints', {
        url: 'https://shop.example.internal',
        type: 'cloud',
        traffic_policy: POLICY,
        bindings: ['internal'],
      })
      await send('PATCH', `/endpoints/${endpoint.id}`, {
        description: 'the shop',
        traffic_policy: POLICY.replace('deny', 'none'),
      })
      await send('PATCH', `/endpoints/${endpoint.id}`, { description: 'the shop' })
      const secret = POLICY.replace(
        'type: deny',
        'type: basic-auth\n        config: { credentials: ["me:a-password-of-me"] }',
      )
      await send('POST', '/endpoints', {
        url: 'https://own.example.internal',
        type: 'cloud',
        traffic_policy: secret,
        bindings: ['internal'],
      })
      const credential = await send('POST', '/credentials', {
        acl: ['bind:*.example.com', 'bind:1.tcp.ngrok.io:1234'],
        description: 'ci',
      })
      await send('GET', `/credentials/${credential.id}`)
      await send('PATCH', `/credentials/${credential.id}`, { acl: [] })
      await send('GET', `/endpoints/${endpoint.id}`)
    },
    has: ['traffic_policy'],
    lacks: ['a-password-of-me'],
  },
  {
    name: 'a tunnel that a program starts by the API of the agent',
    dialect: 'ngrok',
    async run({ send, agent, control }) {
      await agent('POST', '/api/tunnels', { name: 'api', addr: '4000', proto: 'http' })
      await send('GET', '/tunnel_sessions')
      await agent('DELETE', '/api/tunnels/api')
      await control('PUT', '/agent', { down: true })
      await send('GET', '/endpoints')
    },
    has: ["// Left out: 2 changes by requests to the agent's API."],
    lacks: ['own process'],
  },
  {
    name: 'a tunnel that a control starts',
    dialect: 'ngrok',
    async run({ send, control }) {
      await control('POST', '/agent/tunnels', { name: 'web', addr: '3000' })
      const { endpoints } = (await send('GET', '/endpoints')) as { endpoints: Json[] }
      await send('GET', `/endpoints/${endpoints[0]?.id}`)
    },
    has: ['because its body may contain secrets: POST /_fauxgate/agent/tunnels'],
    lacks: ['own process', "agent's API"],
  },
  {
    name: 'a domain that a program in the same process reserves',
    async run({ send, gateway }) {
      gateway().reservedDomains.create({ domain: DOMAIN })
      await send('GET', '/reserved_domains')
    },
    has: ["// Left out: 1 change by calls in the gateway's own process."],
    lacks: ["agent's API"],
  },
  {
    name: 'visitors of an endpoint between requests of the API',
    dialect: 'ngrok',
    async run({ send, control }) {
      await send('POST', '/reserved_domains', { domain: 'shop.example.com' })
      const { id } = await send('POST', '/endpoints', {
        url: 'https://shop.example.com',
        type: 'cloud',
        traffic_policy: POLICY,
      })
      await control('PUT', '/traffic/upstreams', { url: 'https://app.internal', status: 200 })
      await control('POST', '/traffic', { url: 'https://shop.example.com/' })
      await send('PATCH', `/endpoints/${id}`, { description: 'open' })
      await control('DELETE', '/traffic')
      await control('POST', '/traffic', { url: 'https://shop.example.com/' })
      await send('GET', `/endpoints/${id}`)
    },
    has: ['1 visitor request, which "Copy as policy test" repeats', "toBe('open')"],
  },
  {
    name: 'a server that is started again with what it has stored',
    async run({ send, restart, control }) {
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await restart()
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/clock', { advance: '30s' })
      const other = await send('POST', '/reserved_domains', { domain: 'other.example.com' })
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('GET', `/reserved_domains/${other.id}`)
    },
    has: ['resources from an earlier start', /rd_\w+ is not from this test/],
  },
  {
    name: 'an endpoint on a domain that was reserved before the journal was cleared',
    dialect: 'ngrok',
    async run({ send, control }) {
      await send('POST', '/reserved_domains', { domain: 'shop.example.com' })
      await control('DELETE', '/requests')
      const url = 'https://shop.example.com'
      await send('POST', '/endpoints', { url, type: 'cloud', traffic_policy: POLICY, bindings: ['public'] })
      await send('POST', '/reserved_domains', { domain: 'api.example.com' })
      await send('POST', '/endpoints', { url: 'https://api.example.com', type: 'cloud', traffic_policy: POLICY })
    },
    has: ['shop.example.com may be left out: POST /endpoints', 'https://api.example.com'],
  },
  {
    name: 'more requests and controls than the journal keeps',
    options: { journalSize: 6 },
    async run({ send, control }) {
      const ids = []
      for (let number = 0; number < 8; number++) {
        await control('POST', '/clock', { advance: '1s' })
        ids.push((await send('POST', '/reserved_domains', { domain: `d${number}.example.com` })).id)
      }
      await send('GET', `/reserved_domains/${ids[0]}`)
      await send('DELETE', `/reserved_domains/${ids[7]}`)
      await send('POST', '/reserved_domains', { domain: 'd0.example.com' })
    },
    has: ['Left out: 5 earlier requests that the journal has dropped.', 'Left out: 2 earlier controls.'],
  },
  {
    name: 'a gateway that began with resources',
    options: { initial: { reservedDomains: [{ domain: DOMAIN, description: 'from the start' }] } },
    async run({ send }) {
      const { reserved_domains } = (await send('GET', '/reserved_domains')) as { reserved_domains: Json[] }
      const path = `/reserved_domains/${reserved_domains[0]?.id}`
      await send('PATCH', path, { description: 'changed' })
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('GET', path)
      await send('DELETE', path)
      await send('GET', path)
    },
    has: [
      "initial: { reservedDomains: [{ domain: 'app.example.com', description: 'from the start' }] }",
      'body1.reserved_domains[0].id',
      'toBe(404)',
    ],
    lacks: ['Left out'],
  },
  {
    name: 'ids of resources that a gateway began with, which no response had before',
    dialect: 'ngrok',
    options: { initial: { reservedDomains: [{ domain: DOMAIN, description: 'from the start' }] } },
    async run({ send, gateway }) {
      const path = `/reserved_domains/${gateway().reservedDomains.list().reserved_domains[0]?.id}`
      await send('GET', path)
      await send('PATCH', path, { description: 'changed' })
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('DELETE', path)
      await send('GET', path)
    },
    has: [
      "expect(body1.description).toBe('from the start')",
      'seed: ',
      /send\('\/reserved_domains\/rd_\w+'\)/,
      'response5.status',
      'toBe(404)',
    ],
    lacks: ['Left out'],
    without: /DELETE/,
  },
  {
    name: 'texts that a snapshot brings back, also an empty one',
    async run({ send, control }) {
      const first = await send('POST', '/reserved_addrs', { description: 'before' })
      const other = await send('POST', '/reserved_addrs', {})
      await control('POST', '/snapshots', { name: 'first' })
      for (const { id } of [first, other]) await send('PATCH', `/reserved_addrs/${id}`, { description: 'after' })
      await control('POST', '/snapshots/restore', { name: 'first' })
      for (const { id } of [first, other]) await send('GET', `/reserved_addrs/${id}`)
    },
    has: ["expect(body5.description).toBe('before')", 'expect(body6.description).toBe(undefined)'],
    without: /restore/,
  },
  {
    name: 'a system clock that runs',
    clock: 'system',
    async run({ send, setTime }) {
      const { id, created_at } = await send('POST', '/reserved_domains', managed(DOMAIN))
      setTime('2026-01-01T00:00:29.900Z')
      await send('GET', `/reserved_domains/${id}`)
      setTime('2026-01-01T00:00:30.100Z')
      await send('GET', `/reserved_domains/${id}`)
      await send('GET', `/reserved_domains?filter=${encodeURIComponent(`obj.createdAt < "${created_at}"`)}`)
      setTime('2026-03-20T12:00:00Z')
      await send('GET', '/tls_certificates')
    },
    has: ["clock.advanceToAsync('2026-01-01T00:00:30Z')"],
    without: /advanceToAsync\('2026-01-01T00:00:30Z'\)/,
  },
  {
    name: 'a move of the clock that the page undoes, and writes of the page',
    async run({ send, control, write }) {
      const { id } = await send('POST', '/reserved_domains', managed(DOMAIN))
      await control('POST', '/clock', { advance: '1h', remember: true })
      await send('GET', `/reserved_domains/${id}`)
      await control('POST', '/undo')
      await send('GET', `/reserved_domains/${id}`)
      const addr = await write('POST', '/reserved_addrs', { description: 'made on the page' })
      await write('PATCH', `/reserved_domains/${id}`, { description: 'said on the page' })
      await send('PATCH', `/reserved_domains/${id}`, { metadata: String(addr.addr) })
      await control('POST', '/clock', { advance: '1d', remember: true })
      await send('GET', `/reserved_domains/${id}`)
    },
    has: ['gateway.restore(state1)', 'metadata: body4.addr'],
    lacks: ['undo', 'remember', 'Left out'],
    without: /gateway\.restore/,
  },
  {
    name: 'an undo of a state that a page remembered before the journal was cleared',
    async run({ send, control }) {
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await control('PUT', '/undo')
      await control('DELETE', '/requests')
      await send('POST', '/reserved_addrs', {})
      await control('POST', '/undo')
      await send('POST', '/reserved_domains', { domain: DOMAIN })
      await send('POST', '/reserved_domains', { domain: 'other.example.com' })
    },
    has: ['when the page went back to an earlier state'],
    lacks: ['undo'],
  },
  {
    name: "names with quotes, templates, line ends and characters that change the text's direction",
    async run({ send }) {
      const description = ["it's `done` at $", '{once} \\ "now"\u2028\u202Egnp.exe\r\n// \u0007'].join('')
      const { id } = await send('POST', '/reserved_addrs', { description })
      await send('PATCH', `/reserved_addrs/${id}`, { description, metadata: `${id}: ${description}` })
      await send('GET', `/${encodeURIComponent('\u202Egnp')}/x'y"z`)
    },
    lacks: ['\u202E', '\u2028', '\u0007'],
  },
]
