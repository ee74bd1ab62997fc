// Measures the direct API, the creation of gateways, and pages of large lists.
import { createGateway } from '../../dist/index.js'
import { format, print, rate } from './measure.mjs'

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
