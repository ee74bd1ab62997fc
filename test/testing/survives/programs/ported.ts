// The order in which four public programs call their API, in the standard dialect and without their code: the routes, edges
// and tunnels that they configure as well are left out, or are modules of a route.
import { type Call, found, type Place, type Program, program, retried, sleep, statusOf } from './client.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'

/** Runs a reconciliation again and again until it succeeds, as controllers do. */
async function requeued(reconcile: () => Promise<void>): Promise<void> {
  for (let wait = 5000; ; wait = Math.min(wait * 2, 300_000)) {
    try {
      return await reconcile()
    } catch {
      await sleep(wait)
    }
  }
}

/** An ingress controller of 2022: begins from the top after each failure, and meets what it has made. */
const ingressController = program((call, { disk, effect }) =>
  requeued(async () => {
    if (disk.get('edge')) return
    await call('POST', '/reserved_domains', { domain: 'ingress.example.com' })
    await call('POST', '/backends/weighted', { description: 'ingress', backends: {} })
    await call('PUT', `${ROUTE}/compression`, { enabled: true })
    await effect('annotate the ingress', () => disk.set('edge', 'edghts_1'))
  }),
)

/** A controller of TCP edges: looks the address up, and the backend not. Its status is written at each step. */
const tcpEdgeController = program((call, { disk, effect }) => {
  return requeued(async () => {
    if (!disk.get('backend')) {
      const { id } = await call('POST', '/backends/weighted', { description: 'tcp edge', backends: {} })
      await effect('write the backend to the status', () => disk.set('backend', id))
    }
    if (!disk.get('address')) {
      const metadata = '{"owner":"tcp edge"}'
      const known = await found(call, 'reserved_addrs', 'metadata', metadata)
      const { id } = known ?? (await call('POST', '/reserved_addrs', { metadata }))
      await effect('write the address to the status', () => disk.set('address', id))
    }
    await call('PATCH', `/reserved_addrs/${disk.get('address')}`, { description: `uses ${disk.get('backend')}` })
  })
})

/** A helper for domains: notes errors, and continues as if nothing had happened. */
const domainHelper = program(async (call) => {
  const noted = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined)
  // It asks with a retry, and it changes without one.
  const domain = await retried(() => found(call, 'reserved_domains', 'domain', 'helper.example.com'))
  if (!domain) await noted(call('POST', '/reserved_domains', { domain: 'helper.example.com' }))
  await noted(call('PUT', `${ROUTE}/compression`, { enabled: true }))
})

/** Returns the domain that a status names, or the one with that name. */
async function known(call: Call, { disk }: Place, name: string) {
  const id = disk.get('id')
  if (id === undefined) return found(call, 'reserved_domains', 'domain', name)
  return call('GET', `/reserved_domains/${id}`).catch((error) => {
    if (statusOf(error) === 404) return undefined
    throw error
  })
}

/** A controller of domains: looks up, creates, updates, writes its status, and begins again after each failure. */
const domainController = program((call, place) => {
  const { disk, effect } = place
  return requeued(async () => {
    const wanted = 'from the controller'
    const there = await known(call, place, 'controlled.example.com')
    const domain = there ?? (await call('POST', '/reserved_domains', { domain: 'controlled.example.com' }))
    if (domain.description !== wanted) await call('PATCH', `/reserved_domains/${domain.id}`, { description: wanted })
    if (disk.get('id') !== domain.id) await effect('write the status', () => disk.set('id', domain.id))
  })
})

export const RED: Readonly<Record<string, Program>> = {
  'an ingress controller': ingressController,
  'a controller of TCP edges': tcpEdgeController,
  'a helper for domains': domainHelper,
}

export const GREEN: Readonly<Record<string, Program>> = { 'a controller of domains': domainController }
