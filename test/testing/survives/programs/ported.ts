// Four public programs: their calls in the same order, in the standard dialect, without their code. The routes, edges
// and tunnels that these programs also configure are left out, or are modules of a route.
import { type Call, find, type Program, type ProgramInput, program, retry, sleep, statusOf } from './client.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'

/** Repeats a reconciliation until it succeeds, as controllers do. */
async function requeue(reconcile: () => Promise<void>): Promise<void> {
  for (let wait = 5000; ; wait = Math.min(wait * 2, 300_000)) {
    try {
      return await reconcile()
    } catch {
      await sleep(wait)
    }
  }
}

/** Runs as an ingress controller of 2022: starts from the top after each failure, and conflicts with what it has created. */
const ingressController = program((call, { disk, effect }) =>
  requeue(async () => {
    if (disk.get('edge')) return
    await call('POST', '/reserved_domains', { domain: 'ingress.example.com' })
    await call('POST', '/backends/weighted', { description: 'ingress', backends: {} })
    await call('PUT', `${ROUTE}/compression`, { enabled: true })
    await effect('annotate the ingress', () => disk.set('edge', 'edghts_1'))
  }),
)

/** Runs as a controller of TCP edges: looks up the address, but not the backend. It saves its status at each step. */
const tcpEdgeController = program((call, { disk, effect }) => {
  return requeue(async () => {
    if (!disk.get('backend')) {
      const { id } = await call('POST', '/backends/weighted', { description: 'tcp edge', backends: {} })
      await effect('write the backend to the status', () => disk.set('backend', id))
    }
    if (!disk.get('address')) {
      const metadata = '{"owner":"tcp edge"}'
      const existing = await find(call, 'reserved_addrs', 'metadata', metadata)
      const { id } = existing ?? (await call('POST', '/reserved_addrs', { metadata }))
      await effect('write the address to the status', () => disk.set('address', id))
    }
    await call('PATCH', `/reserved_addrs/${disk.get('address')}`, { description: `uses ${disk.get('backend')}` })
  })
})

/** Runs as a helper for domains: ignores errors of changes, and continues. */
const domainHelper = program(async (call) => {
  const ignoreErrors = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined)
  // This program reads with retries, and changes without a retry.
  const domain = await retry(() => find(call, 'reserved_domains', 'domain', 'helper.example.com'))
  if (!domain) await ignoreErrors(call('POST', '/reserved_domains', { domain: 'helper.example.com' }))
  await ignoreErrors(call('PUT', `${ROUTE}/compression`, { enabled: true }))
})

/** Returns the domain whose id is saved, or else the one with this name. */
async function findOrGet(call: Call, { disk }: ProgramInput, name: string) {
  const id = disk.get('id')
  if (id === undefined) return find(call, 'reserved_domains', 'domain', name)
  return call('GET', `/reserved_domains/${id}`).catch((error) => {
    if (statusOf(error) === 404) return undefined
    throw error
  })
}

/** Runs as a controller of domains: looks up, creates, updates, saves its status, and starts again after each failure. */
const domainController = program((call, input) => {
  const { disk, effect } = input
  return requeue(async () => {
    const description = 'from the controller'
    const existing = await findOrGet(call, input, 'controlled.example.com')
    const domain = existing ?? (await call('POST', '/reserved_domains', { domain: 'controlled.example.com' }))
    if (domain.description !== description) await call('PATCH', `/reserved_domains/${domain.id}`, { description })
    if (disk.get('id') !== domain.id) await effect('write the status', () => disk.set('id', domain.id))
  })
})

export const RED: Readonly<Record<string, Program>> = {
  'an ingress controller': ingressController,
  'a controller of TCP edges': tcpEdgeController,
  'a helper for domains': domainHelper,
}

export const GREEN: Readonly<Record<string, Program>> = { 'a controller of domains': domainController }
