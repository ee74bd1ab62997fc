// Measures the direct API, the creation of gateways, and pages of large lists.
import { createGateway, manualClock, ngrok } from '../../dist/index.js'
import { ngrokFamilies } from '../../dist/ngrok.js'
import { format, median, print, rate } from './measure.mjs'

export async function benchDirect() {
  const gateway = createGateway({ seed: 'bench' })
  const { id } = gateway.reservedAddrs.create({ description: 'x' })
  print('direct get, calls/s', format(await rate(() => void gateway.reservedAddrs.get(id))), 'at least 2,000,000')
  print('direct create, calls/s', format(await rate(() => void gateway.weightedBackends.create({ description: 'x' }))))
  const creationRate = await rate(() => void createGateway({ seed: 'bench' }))
  print('createGateway(), µs', (1_000_000 / creationRate).toFixed(1), 'under 100')
}

export async function benchPages() {
  for (const size of [1_000, 10_000, 100_000, 1_000_000]) {
    const gateway = createGateway({ seed: 'bench' })
    const ids = []
    for (let i = 0; i < size; i++) ids.push(gateway.weightedBackends.create({ description: `backend ${i}` }).id)
    const before_id = ids[size >> 1]
    // The first read of a page creates its items. Later reads reuse them.
    gateway.weightedBackends.list({ before_id })
    const pageRate = await rate(() => void gateway.weightedBackends.list({ before_id }), 5)
    print(`page of 100 among ${format(size)}, µs`, (1_000_000 / pageRate).toFixed(1), 'the same at every size')
  }
}

/** Measures what events cost a change of the account, against a gateway without events. Rounds alternate, in processor time. */
export async function benchEvents() {
  const eventSubscriptions = { ...ngrokFamilies.eventSubscriptions, events: undefined }
  const alone = createChange({ ...ngrokFamilies, eventSubscriptions })
  const ways = {
    'with no subscription': [createChange(ngrokFamilies), 'at most 1.02'],
    'with a subscription of another type': [createChange(ngrokFamilies, 'vault_created.v0')],
    'with a subscription of its type': [createChange(ngrokFamilies, 'ip_policy_updated.v0')],
  }
  for (const [name, [change, target]] of Object.entries(ways)) {
    const ratios = []
    for (let round = 0; round <= EVENT_ROUNDS; round++) {
      const before = measureCpu(alone)
      const cost = measureCpu(change)
      // The first round compiles the code. What runs beside it costs both neighbours.
      if (round > 0) ratios.push((2 * cost) / (before + measureCpu(alone)))
    }
    print(`a change ${name}: cost over one without events`, median(ratios).toFixed(3), target)
  }
}

const EVENT_ROUNDS = 101

/** Returns the processor time of 2,000 calls, in µs. */
function measureCpu(call) {
  const before = process.cpuUsage()
  for (let number = 0; number < 2000; number++) call(number)
  return process.cpuUsage(before).user
}

/** Returns a call that changes an IP policy of a new gateway, which has a subscription if a type is given. */
function createChange(families, type) {
  const gateway = createGateway({ dialect: ngrok, families, seed: 'bench', clock: manualClock('2026-01-01T00:00:00Z') })
  if (type !== undefined) {
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({ sources: [{ type }], destination_ids: [id] })
  }
  const { id } = gateway.ipPolicies.create({})
  return (number) => gateway.ipPolicies.update(id, { description: `offices ${number % 10}` })
}
