// Correct programs that change values, each with the options of its search.
import type { createNgrok, NgrokOptions } from '../../../../src/gateway/ngrok.ts'
import type { CodeUnderTest, SurvivesOptions } from '../../../../src/testing/testing.ts'
import { upload } from '../../../support/pem.ts'
import {
  type Body,
  type Call,
  createCall,
  deleteResource,
  ensureDomain,
  find,
  retry,
  sleep,
  statusOf,
} from './client.ts'

/** A correct program. */
export interface RightProgram {
  readonly code: CodeUnderTest
  readonly options?: SurvivesOptions
  readonly initial?: NgrokOptions['initial']
}

const program =
  (work: (call: Call, life: Parameters<CodeUnderTest>[0]) => Promise<unknown>): CodeUnderTest =>
  (life) =>
    work(createCall(life), life)

const unlessTaken = (error: unknown) => {
  if (![400, 409, 413].includes(statusOf(error) ?? 0)) throw error
}

/** Finds an item of a list by one of its fields, or creates it. */
const ensure = (call: Call, path: string, items: string, body: Body, field = 'description'): Promise<Body> =>
  retry(async () => {
    const list = await call('GET', path)
    return list[items].find((each: Body) => each[field] === body[field]) ?? (await call('POST', path, body))
  })

/** Creates an edge with a route, and replaces two of its modules. */
async function reconcile(call: Call) {
  const edge = await ensure(call, '/edges/https', 'https_edges', { description: 'shop' })
  const path = `/edges/https/${edge.id}`
  const { routes } = await retry(() => call('GET', path))
  const match = { match: '/', match_type: 'path_prefix' }
  const route = routes?.find((each: Body) => each.match === '/') ?? (await addRoute(call, path, match))
  const backends = await Promise.all(
    ['blue', 'green'].map((description) =>
      ensure(call, '/backends/http_response', 'backends', { description, body: description, status_code: 200 }),
    ),
  )
  const weights = Object.fromEntries(backends.map(({ id }, place) => [id, place * 100]))
  const weighted = await ensure(call, '/backends/weighted', 'backends', { description: 'split', backends: weights })
  await retry(() => call('PATCH', `/backends/weighted/${weighted.id}`, { backends: weights }))
  await retry(() => call('PUT', `${path}/routes/${route.id}/backend`, { backend_id: weighted.id }))
  await retry(() => call('PUT', `${path}/routes/${route.id}/response_headers`, { add: { 'x-by': 'us' } }))
}

const addRoute = (call: Call, path: string, match: Body): Promise<Body> =>
  retry(async () => {
    const { routes } = await call('GET', path)
    return routes?.find((each: Body) => each.match === match.match) ?? (await call('POST', `${path}/routes`, match))
  })

export const RIGHT: Readonly<Record<string, RightProgram>> = {
  'a domain with a unique name, created as often as needed': {
    code: program((call) =>
      retry(() => call('POST', '/reserved_domains', { domain: 'a.example.com', metadata: 'v2' }).catch(unlessTaken)),
    ),
  },
  'an address that is looked up, and adopted': {
    code: program(async (call) => {
      const { id } = await ensure(call, '/reserved_addrs', 'reserved_addrs', { description: 'app' })
      await retry(() => call('PATCH', `/reserved_addrs/${id}`, { metadata: '{"owner":"ci","port":8080}' }))
    }),
  },
  'an edge with modules, replaced until it works': { code: program(reconcile) },
  'a certificate that is polled for, and named in the metadata': {
    code: program(async (call) => {
      const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
      const { id } = await ensureDomain(call, 'a.example.com', policy)
      for (;;) {
        const { certificate } = await retry(() => call('GET', `/reserved_domains/${id}`))
        if (certificate) return retry(() => call('PATCH', `/reserved_domains/${id}`, { metadata: certificate.id }))
        await sleep(7000)
      }
    }),
    options: { kinds: ['lost', '5xx', 'outcomes'] },
  },
  'a certificate that replaces another one': {
    code: program(async (call) => {
      const domain = await ensureDomain(call, 'a.example.com')
      const next = await ensure(call, '/tls_certificates', 'tls_certificates', { description: 'new', ...upload() })
      await retry(() => call('PATCH', `/reserved_domains/${domain.id}`, { certificate_id: next.id }))
      const { tls_certificates } = await retry(() => call('GET', '/tls_certificates'))
      for (const { id, description } of tls_certificates)
        if (description === 'old') await deleteResource(call, `/tls_certificates/${id}`)
    }),
    initial: { tlsCertificates: [{ description: 'old', ...upload('ed25519') }] },
  },
  'a key that is rotated into a vault': {
    code: program(async (call) => {
      const vault = await ensure(call, '/vaults', 'vaults', { name: 'ci' }, 'name')
      // The token of a key is in one response only: a key whose response got lost is of no use.
      const key = await retry(async () => {
        for (const { id, metadata } of (await call('GET', '/api_keys')).keys)
          if (metadata === 'new') await deleteResource(call, `/api_keys/${id}`)
        return call('POST', '/api_keys', { description: 'ci', metadata: 'new' })
      })
      const secret = { name: 'token', value: key.token, vault_id: vault.id }
      const { id } = await ensure(call, '/vault_secrets', 'secrets', secret, 'name')
      await retry(() => call('PATCH', `/vault_secrets/${id}`, { value: secret.value }))
      for (const { id, metadata } of (await retry(() => call('GET', '/api_keys'))).keys)
        if (metadata === 'old') await deleteResource(call, `/api_keys/${id}`)
    }),
    initial: { apiKeys: [{ metadata: 'old' }] },
  },
  'a clean-up of everything that is marked': {
    code: program(async (call) => {
      const { reserved_addrs } = await retry(() => call('GET', '/reserved_addrs'))
      for (const { id, metadata } of reserved_addrs)
        if (metadata === 'ci') await deleteResource(call, `/reserved_addrs/${id}`)
      const { ip_policies } = await retry(() => call('GET', '/ip_policies'))
      for (const { id } of ip_policies) await retry(() => call('PATCH', `/ip_policies/${id}`, { metadata: 'clean' }))
    }),
    initial: { reservedAddrs: [{ metadata: 'ci' }, { metadata: 'prod' }, { metadata: 'ci' }], ipPolicies: [{}, {}] },
  },
  'a reservation whose address another edge uses': {
    code: program(async (call) => {
      const address = await ensure(call, '/reserved_addrs', 'reserved_addrs', { description: 'ssh' })
      const edge = await ensure(call, '/edges/tcp', 'tcp_edges', { description: 'ssh', hostports: [address.addr] })
      await retry(() => call('PATCH', `/edges/tcp/${edge.id}`, { metadata: `at ${address.addr}` }))
    }),
  },
  'metadata with the time of the change': {
    code: program(async (call) => {
      const { id } = await ensure(call, '/reserved_addrs', 'reserved_addrs', { description: 'app' })
      await retry(() => call('PATCH', `/reserved_addrs/${id}`, { metadata: `at ${new Date().toISOString()}` }))
    }),
    options: { ignore: ['reserved_addrs.metadata'] },
  },
  'metadata with the time of the change, which nothing declares': {
    code: program(async (call) => {
      const { id } = await ensure(call, '/reserved_addrs', 'reserved_addrs', { description: 'app' })
      await retry(() => call('PATCH', `/reserved_addrs/${id}`, { metadata: `at ${Date.now()}` }))
    }),
  },
  'resources in parallel, in whatever order': {
    code: program(async (call) => {
      const names = ['a', 'b', 'c']
      const policies = await Promise.all(
        names.map((description) => ensure(call, '/ip_policies', 'ip_policies', { description })),
      )
      const create = (policy: Body) =>
        ensure(call, '/ip_policy_rules', 'ip_policy_rules', {
          description: policy.description,
          ip_policy_id: policy.id,
          cidr: '192.0.2.0/24',
          action: 'allow',
        })
      await Promise.all(policies.map(create))
      const body = { type: 'agent', ip_policy_ids: policies.map(({ id }) => id) }
      await retry(
        async () => (await find(call, 'ip_restrictions', 'type', 'agent')) ?? call('POST', '/ip_restrictions', body),
      )
    }),
    options: { kinds: ['lost', '5xx'] },
  },
  'two copies of a reconciler': {
    code: program(async (call) => {
      const { id } = await find(call, 'ip_policies', 'description', 'app')
      await call('PATCH', `/ip_policies/${id}`, { metadata: 'wanted' })
      await call('POST', '/reserved_domains', { domain: 'a.example.com' }).catch(unlessTaken)
      const domain = await find(call, 'reserved_domains', 'domain', 'a.example.com')
      await call('PATCH', `/reserved_domains/${domain.id}`, { description: 'wanted' })
    }),
    initial: { ipPolicies: [{ description: 'app' }] },
    options: { copies: 2 },
  },
}

/** Returns the options of a search. */
export const optionsOf = ({ options, initial }: RightProgram, create: typeof createNgrok): SurvivesOptions => ({
  faults: options?.copies ? 0 : 1,
  ...options,
  create: (each) => create({ ...each, ...(initial && { initial }) }),
})
