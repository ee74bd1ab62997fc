import { expect } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { Trouble } from '../../src/generated/controls.ts'
import { manualClock } from '../../src/index.ts'
import { certificatePair, expiredPair } from '../../src/testing/testing.ts'
import { uncheckedClient } from './client.ts'
import { CLOCK_START, SHOWN_START } from './clock.ts'
import { addDurations, dueAfter, ECDSA, timeAfter } from './provisioning.ts'

/** Opens a gateway of ngrok's dialect that has a key, a quota and a simulated zone. */
export const openPlanted = () =>
  createNgrok({
    seed: 'troubles',
    clock: manualClock(CLOCK_START),
    dns: 'simulated',
    keys: ['key'],
    account: { limits: { vaults: 0 } },
  })

type Planted = ReturnType<typeof openPlanted>

/** A trouble that developers really have, and how Now explains it. */
export interface PlantedTrouble {
  readonly name: string
  /** Makes the trouble without moving the clock. Returns the name of what has it, and details of the cause. */
  readonly make: (gateway: Planted) => unknown
  readonly kind: Trouble['kind']
  /** The cause; `…` is what differs between runs of the table. */
  readonly cause: string
  /** The name of the first thing that has it. */
  readonly about: string
  readonly count?: number
  /** Ends the trouble, and then what it left. Default: the calls of its fix, until there is none. */
  readonly end?: (gateway: Planted) => unknown
  /** The kinds that the trouble has one after the other while its fixes are sent. Default: it goes away. */
  readonly later?: readonly Trouble['kind'][]
}

/** Reserves a managed domain, perhaps with the right record. */
function reserve(gateway: Planted, domain: string, record: 'right' | 'none' = 'right') {
  const { id, cname_target } = gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
  if (record === 'right') gateway.dns.cname(domain, cname_target)
  return id
}

const upload = (gateway: Planted, pair: ReturnType<typeof certificatePair>) => gateway.tlsCertificates.create(pair).id

/** Declares an endpoint of an agent, perhaps with a policy and an upstream. */
function declare(gateway: Planted, url: string, traffic_policy = '', answer?: () => Response) {
  gateway.declare.tunnelSession({ endpoints: [{ url, ...(traffic_policy && { traffic_policy }) }] })
  if (answer) gateway.traffic.upstream(url, answer)
}

const visit = (gateway: Planted, url: string) => gateway.traffic.fetch(url).then(({ status }) => status)

/** Starts a tunnel as programs do that use the agent. Returns the status of the response. */
async function startTunnel(gateway: Planted) {
  const body = JSON.stringify({ name: 'shop', addr: '3000', proto: 'http', domain: 'shop.example.org' })
  return (await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels', { method: 'POST', body })).status
}

async function repeat(times: number, work: () => Promise<unknown>) {
  for (let at = 0; at < times; at++) await work()
}

const send = (gateway: Planted, ...request: Parameters<ReturnType<typeof uncheckedClient>>) =>
  uncheckedClient(gateway)(...request)

/** Sends a request whose response a fault delays by an hour. The promise resolves when the client has it, or gave up. */
function sendDelayed(gateway: Planted, name: 'api_keys' | 'credentials', signal: AbortSignal | null = null) {
  gateway.faults.add({ operation: `${name}.list`, latency: '1h', times: 1 })
  const headers = { authorization: 'Bearer key', [gateway.dialect.versionHeader]: '2' }
  return gateway.fetch(`${gateway.url}/${name}`, { headers, signal }).catch(() => undefined)
}

const BREAKER = `
on_http_request:
  - name: breaker
    actions: [{ type: circuit-breaker, config: { error_threshold: 0.5, volume_threshold: 2, tripped_duration: 60s } }]
`
const DENY = `
on_http_request:
  - name: no admin
    expressions: ["req.url.path.startsWith('/admin')"]
    actions: [{ type: deny }]
`

/** A certificate authority, valid until 2025-12-31. Nobody has its key. */
const EXPIRED_CA = `-----BEGIN CERTIFICATE-----
MIIBNjCB3aADAgECAgIH6TAKBggqhkjOPQQDAjAaMRgwFgYDVQQDDA9EZXZpY2Vz
IG9mIDIwMjUwHhcNMjQxMjMxMDAwMDAwWhcNMjUxMjMxMDAwMDAwWjAaMRgwFgYD
VQQDDA9EZXZpY2VzIG9mIDIwMjUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATM
UyJEgRtDr5UvWkraHdg1mnZSv9JP5+jucUWAKuWhH7u88zlhTqlz1QolwB05/I+o
rWrG1sl8PVSudF2Hol8qoxMwETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
A0gAMEUCIQCz0oUQmCl8kv4NRnSgC48Dp4wL1VVnRs1kWQjzz18M3gIgSEIs6gXU
gyIFI3fziMlGCszO5X3fdm7SGPOKf7M8uS8=
-----END CERTIFICATE-----
`

export const PLANTED: readonly PlantedTrouble[] = [
  {
    name: 'a domain without its CNAME record, whose attempt failed',
    make: (gateway) => gateway.provisioning.attempt(reserve(gateway, 'no-record.example.com', 'none')),
    kind: 'broken',
    cause: 'No CNAME record leads to …. Found no record for no-record.example.com. 1 attempt failed.',
    about: 'no-record.example.com',
    later: ['fixed'],
  },
  {
    name: 'a CNAME record to a wrong target',
    make(gateway) {
      reserve(gateway, 'wrong.example.com', 'none')
      gateway.dns.cname('wrong.example.com', 'old.example.net')
    },
    kind: 'broken',
    cause: 'No CNAME record leads to …. Found a CNAME record to old.example.net, which has no record.',
    about: 'wrong.example.com',
  },
  {
    name: 'a CDN that hides the record',
    make(gateway) {
      reserve(gateway, 'cdn.example.com', 'none')
      gateway.dns.proxy('cdn.example.com', 'Cloudflare')
    },
    kind: 'broken',
    cause:
      'No CNAME record leads to …. Found addresses of Cloudflare, a CDN that proxies cdn.example.com and hides its CNAME ' +
      'record. Turn off its proxy for this name.',
    about: 'cdn.example.com',
  },
  {
    name: 'a CAA record that rejects the authority',
    make(gateway) {
      reserve(gateway, 'shop.caa.example.org')
      gateway.dns.caa('caa.example.org', ['digicert.com'])
    },
    kind: 'broken',
    cause:
      'No CAA record may forbid letsencrypt from issuing. Found one for caa.example.org that allows only digicert.com. Add ' +
      'letsencrypt.org to issue, or remove the record.',
    about: 'shop.caa.example.org',
  },
  {
    name: 'a renewal that fails',
    make(gateway) {
      const id = reserve(gateway, 'renewed.example.com')
      gateway.provisioning.attempt(id)
      gateway.dns.a('renewed.example.com', '203.0.113.9')
      gateway.reservedDomains.update(id, { certificate_management_policy: { ...ECDSA, private_key_type: 'rsa' } })
      gateway.provisioning.attempt(id)
    },
    kind: 'broken',
    cause:
      'No CNAME record leads to …. Found an A record with the value 203.0.113.9. 1 attempt failed. The certificate expires ' +
      `at ${timeAfter('90d')}.`,
    about: 'renewed.example.com',
    later: ['fixed'],
  },
  {
    name: 'a scripted DNS_ERROR',
    make(gateway) {
      const id = reserve(gateway, 'dns-error.example.com')
      gateway.provisioning.script(['DNS_ERROR'], { domain: id })
      gateway.provisioning.attempt(id)
    },
    kind: 'injected',
    cause: 'The last attempt ended in DNS_ERROR, because a test scripted it. 1 attempt failed.',
    about: 'dns-error.example.com',
  },
  {
    name: 'scripted INTERNAL_ERRORs',
    make(gateway) {
      const id = reserve(gateway, 'internal-error.example.com')
      gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR', 'INTERNAL_ERROR'], { domain: id })
      for (let attempt = 0; attempt < 3; attempt++) gateway.provisioning.attempt(id)
    },
    kind: 'injected',
    cause: 'The last attempt ended in INTERNAL_ERROR, because a test scripted it. 3 attempts failed.',
    about: 'internal-error.example.com',
  },
  {
    name: 'an INTERNAL_ERROR that stands',
    make(gateway) {
      const id = reserve(gateway, 'always.example.com')
      gateway.provisioning.failAlways('INTERNAL_ERROR', { domain: id })
      gateway.provisioning.attempt(id)
    },
    kind: 'injected',
    cause:
      'Every attempt for always.example.com ends in INTERNAL_ERROR, because it was set for all attempts. 1 attempt failed.',
    about: 'always.example.com',
    later: ['injected'],
  },
  {
    name: 'an outcome that no attempt has used',
    make: (gateway) => gateway.provisioning.script(['INTERNAL_ERROR'], { domain: 'misspelt.example.com' }),
    kind: 'unused',
    cause: '1 outcome is waiting for an attempt. No domain is named misspelt.example.com.',
    about: 'INTERNAL_ERROR for misspelt.example.com',
  },
  {
    name: 'an uploaded certificate that expires soon',
    make(gateway) {
      const certificate_id = upload(
        gateway,
        certificatePair({
          names: ['soon.example.com'],
          notBefore: addDurations(CLOCK_START, '-90d'),
          notAfter: timeAfter('10d'),
        }),
      )
      gateway.reservedDomains.create({ domain: 'soon.example.com', certificate_id })
    },
    kind: 'risk',
    cause: `The uploaded certificate expires at ${timeAfter('10d')}. It is not renewed automatically. Upload a new one.`,
    about: 'soon.example.com',
    end: renew('soon.example.com'),
  },
  {
    name: 'an uploaded certificate that has expired',
    make(gateway) {
      const certificate_id = upload(gateway, expiredPair({ names: ['expired.example.com'] }))
      gateway.reservedDomains.create({ domain: 'expired.example.com', certificate_id })
    },
    kind: 'broken',
    cause: 'The certificate expired at 2025-12-31T00:00:00Z. Upload a new certificate, and attach it to the domain.',
    about: 'expired.example.com',
    async end(gateway) {
      renew('expired.example.com')(gateway)
    },
    later: ['unused'],
  },
  {
    name: 'a certificate for other names',
    make(gateway) {
      const certificate_id = upload(gateway, certificatePair({ names: ['example.net', 'www.example.net'] }))
      gateway.reservedDomains.create({ domain: 'other.example.com', certificate_id })
    },
    kind: 'broken',
    cause:
      'The certificate is for example.net, www.example.net, not for other.example.com. Upload a new certificate, and attach it to the domain.',
    about: 'other.example.com',
    end: renew('other.example.com'),
  },
  {
    name: 'a domain without a certificate',
    make(gateway) {
      const { id } = gateway.reservedDomains.create({ domain: 'bare.example.com' })
      return send(gateway, 'DELETE', `/reserved_domains/${id}/certificate_management_policy`)
    },
    kind: 'risk',
    cause: 'No certificate is attached, and no policy requests one: browsers warn visitors.',
    about: 'bare.example.com',
    end: renew('bare.example.com'),
  },
  {
    name: 'a certificate authority of mutual TLS that has expired',
    make(gateway) {
      gateway.certificateAuthorities.create({ ca_pem: EXPIRED_CA })
    },
    kind: 'broken',
    cause: 'It expired at 2025-12-31T00:00:00Z, so anything that it signed is rejected.',
    about: 'ca_…',
    end: (gateway) =>
      gateway.certificateAuthorities.delete(gateway.certificateAuthorities.list().certificate_authorities[0]?.id ?? ''),
  },
  {
    name: 'a weighted backend whose weights are all 0',
    make(gateway) {
      const { id } = gateway.staticBackends.create({ address: '10.0.0.1:80' })
      gateway.weightedBackends.create({ description: 'canary', backends: { [id]: 0 } })
    },
    kind: 'risk',
    cause: 'The backend forwards no requests: its 1 weight is 0. Give one a weight above 0.',
    about: 'canary',
    end(gateway) {
      const [{ id, backends } = { id: '', backends: {} }] = gateway.weightedBackends.list().backends
      gateway.weightedBackends.update(id, { backends: { [Object.keys(backends)[0] ?? '']: 1 } })
    },
  },
  {
    name: 'a tunnel that the ACL of its credential does not allow',
    async make(gateway) {
      const { id: credential } = gateway.credentials.create({ acl: ['bind:*.example.com'] })
      gateway.declare.tunnelSession({ credential })
      await repeat(2, () => startTunnel(gateway))
    },
    kind: 'rejected',
    count: 2,
    cause:
      'The agent could not start a tunnel. url is "https://shop.example.org". The ACL of cr_… allows bind:*.example.com. Send ' +
      'an allowed value, or add bind:shop.example.org to the ACL.',
    about: 'tunnel shop',
    async end(gateway) {
      const [{ id } = { id: '' }] = gateway.credentials.list().credentials
      gateway.credentials.update(id, { acl: ['bind:*.example.com', 'bind:shop.example.org'] })
      const domain = reserve(gateway, 'shop.example.org')
      expect(await startTunnel(gateway)).toBe(201)
      gateway.reservedDomains.delete(domain)
    },
  },
  {
    name: 'an endpoint whose upstream is offline',
    async make(gateway) {
      declare(gateway, 'https://offline.example.org')
      await repeat(3, () => visit(gateway, 'https://offline.example.org/'))
    },
    kind: 'rejected',
    count: 3,
    cause:
      'Visitors got 502 ERR_NGROK_8012: https://offline.example.org has no upstream. Set one with gateway.traffic.upstream.',
    about: 'GET https://offline.example.org/',
    end(gateway) {
      gateway.traffic.upstream('https://offline.example.org', () => new Response('hello'))
      return visit(gateway, 'https://offline.example.org/')
    },
    later: ['fixed'],
  },
  {
    name: 'a breaker that is open',
    async make(gateway) {
      declare(gateway, 'https://breaker.example.org', BREAKER, () => new Response(null, { status: 500 }))
      await repeat(4, () => visit(gateway, 'https://breaker.example.org/'))
    },
    kind: 'rejected',
    count: 2,
    cause: 'Visitors got 503 ERR_NGROK_3202: the rule breaker of ep_…: circuit-breaker was open.',
    about: 'GET https://breaker.example.org/',
    end(gateway) {
      gateway.clock.advance('60s')
      return visit(gateway, 'https://breaker.example.org/')
    },
    later: ['fixed'],
  },
  {
    name: 'a policy that rejects visitors',
    async make(gateway) {
      declare(gateway, 'https://policy.example.org', DENY, () => new Response('hello'))
      await repeat(2, () => visit(gateway, 'https://policy.example.org/admin'))
    },
    kind: 'rejected',
    count: 2,
    cause: 'Visitors got 403: the rule no admin of ep_…: deny denied with 403.',
    about: 'GET https://policy.example.org/admin',
    end: (gateway) => gateway.traffic.clear(),
  },
  {
    name: 'a tunnel that was stopped',
    async make(gateway) {
      const { id } = gateway.declare.tunnelSession({ endpoints: [{ url: 'https://stopped.example.org' }] })
      gateway.tunnelSessions.stop(id)
      await visit(gateway, 'https://stopped.example.org/')
    },
    kind: 'rejected',
    cause:
      'Visitors got 404 ERR_NGROK_3200: no public endpoint is online at https://stopped.example.org. Start an agent for this ' +
      'URL, or create an endpoint.',
    about: 'GET https://stopped.example.org/',
    end(gateway) {
      declare(gateway, 'https://stopped.example.org', '', () => new Response('hello'))
      return visit(gateway, 'https://stopped.example.org/')
    },
    later: ['fixed'],
  },
  {
    name: 'an agent that is down',
    make: (gateway) => gateway.agent.set({ down: true }),
    kind: 'injected',
    cause: 'The agent is down: connections to it are rejected.',
    about: 'the agent',
  },
  {
    name: 'a fault that every request meets',
    async make(gateway) {
      gateway.faults.add({ operation: 'reserved_addrs.list', status: 503 })
      await repeat(5, () => send(gateway, 'GET', '/reserved_addrs'))
    },
    kind: 'injected',
    cause: 'A fault has applied to 5 requests, and applies to every matching request until you remove it.',
    about: 'reserved_addrs.list status 503',
  },
  {
    name: 'a fault that no request meets',
    async make(gateway) {
      gateway.faults.add({ operation: 'reserved_domains.create', method: 'POST', status: 500, times: 1 })
      await send(gateway, 'GET', '/reserved_domains')
    },
    kind: 'unused',
    cause: 'A fault is waiting for a request. The last one, …: its operation is …, not reserved_domains.create….',
    about: 'reserved_domains.create method POST, times 1, status 500',
  },
  {
    name: 'a flood of requests with a wrong key',
    make: (gateway) =>
      repeat(30, () => send(gateway, 'GET', '/ip_policies', { headers: { authorization: 'Bearer wrong' } })),
    kind: 'rejected',
    count: 30,
    cause:
      "The API key is not one of this gateway's keys. Send a key from the option `keys` (--key), or a token from " +
      'POST /api_keys.',
    about: 'GET /ip_policies',
    end: (gateway) => send(gateway, 'GET', '/ip_policies'),
    later: ['fixed'],
  },
  {
    name: 'a request that is repeated with the same mistake',
    make: (gateway) => repeat(12, () => send(gateway, 'POST', '/ip_policy_rules', { json: { cidr: '10.0.0.0/33' } })),
    kind: 'rejected',
    count: 12,
    cause: '…',
    about: 'POST /ip_policy_rules',
    end: (gateway) => gateway.requests.clear(),
  },
  {
    name: 'a path that the API does not have',
    make: (gateway) => send(gateway, 'GET', '/reserved_domain'),
    kind: 'rejected',
    cause: '…',
    about: 'GET /reserved_domain',
    end: (gateway) => gateway.requests.clear(),
  },
  {
    name: 'a client that asks another host',
    async make(gateway) {
      using _ = gateway.install({ others: 'refuse' })
      for (const query of ['', '?limit=10'])
        await fetch(`https://api.example.net/reserved_domains${query}`).catch(() => undefined)
    },
    kind: 'rejected',
    count: 2,
    cause:
      'The global `fetch` rejected it: no installed gateway handles this address. The gateway is at …. ' +
      "Set the client's base URL to it, or set the gateway's `baseUrl` to the client's base URL.",
    about: 'GET https://api.example.net/reserved_domains',
    end: (gateway) => gateway.requests.clear(),
  },
  {
    name: 'a plan whose limit is reached',
    make: (gateway) => send(gateway, 'POST', '/vaults', { json: { name: 'prod' } }),
    kind: 'rejected',
    cause: '…vaults…',
    about: 'POST /vaults',
    end: (gateway) => gateway.requests.clear(),
  },
  {
    name: 'a client that gave up',
    async make(gateway) {
      const controller = new AbortController()
      const sent = sendDelayed(gateway, 'api_keys', controller.signal)
      await Promise.resolve()
      controller.abort()
      await sent
    },
    kind: 'cancelled',
    cause: 'The client gave up before the response was sent.',
    about: 'GET /api_keys',
    end: (gateway) => gateway.requests.clear(),
  },
  {
    name: 'a response that waits for the clock',
    make(gateway) {
      void sendDelayed(gateway, 'credentials')
    },
    kind: 'waiting',
    cause: `A client is waiting until ${dueAfter('1h')}, because of a fault.`,
    about: 'GET /credentials',
  },
  {
    name: 'a job that waits for a clock that stands',
    async make(gateway) {
      reserve(gateway, 'waits.example.com')
      await send(gateway, 'GET', '/endpoints')
    },
    kind: 'waiting',
    cause: `The clock has not moved since the oldest request: it is ${SHOWN_START}, and the attempt of … is due at …`,
    about: '….example.com',
  },
]

/** Returns what gives a domain a managed certificate. */
function renew(domain: string) {
  return (gateway: Planted) => {
    const found = gateway.reservedDomains.list({ limit: '100' }).reserved_domains.find((each) => each.domain === domain)
    const { id, cname_target } = gateway.reservedDomains.update(found?.id ?? '', {
      certificate_management_policy: ECDSA,
    })
    gateway.dns.cname(domain, cname_target)
    gateway.provisioning.attempt(id)
  }
}

/** Returns whether a text is like a pattern, in which `…` is any text. */
export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('…').map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
