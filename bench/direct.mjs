// The direct API, the creation of gateways, and pages of large lists.
import { createGateway } from '../dist/index.js'
import { rate, row, whole } from './measure.mjs'

export async function benchDirect() {
  const gateway = createGateway({ seed: 'bench' })
  const { id } = gateway.reservedAddrs.create({ description: 'x' })
  row('direct get, calls/s', whole(await rate(() => void gateway.reservedAddrs.get(id))), 'at least 2,000,000')
  row('direct create, calls/s', whole(await rate(() => void gateway.weightedBackends.create({ description: 'x' }))))
  const created = await rate(() => void createGateway({ seed: 'bench' }))
  row('createGateway(), µs', (1_000_000 / created).toFixed(1), 'under 100')
}

export async function benchPages() {
  for (const size of [1_000, 10_000, 100_000, 1_000_000]) {
    const gateway = createGateway({ seed: 'bench' })
    const ids = []
    for (let i = 0; i < size; i++) ids.push(gateway.weightedBackends.create({ description: `backend ${i}` }).id)
    const before_id = ids[size >> 1]
    // The first visit of a page makes its items; a list that is read again has them.
    gateway.weightedBackends.list({ before_id })
    const pages = await rate(() => void gateway.weightedBackends.list({ before_id }), 5)
    row(`page of 100 among ${whole(size)}, µs`, (1_000_000 / pages).toFixed(1), 'the same at every size')
  }
}
