import { expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const policy = { authority: 'letsencrypt' }

it('Leftovers are the resources that were created and not deleted, without the initial resources of the same family and id', () => {
  const gateway = createGateway({
    clock: manualClock(CLOCK_START),
    initial: { reservedAddrs: [{}], compression: [ROUTE] },
    provisioningDelay: 0,
  })
  expect(gateway.leftovers()).toEqual([])
  const { id } = gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: policy })
  const backend = gateway.weightedBackends.create().id
  // This module is on the route of the initial module.
  gateway.circuitBreaker.replace(ROUTE, {})
  gateway.compression.replace(ROUTE, { enabled: false })
  expect(gateway.leftovers()).toEqual(
    expect.arrayContaining([
      { family: 'reserved_domains', id },
      { family: 'weighted_backends', id: backend },
      { family: 'circuit_breaker', id: 'edghts_1/edghtsrt_1' },
    ]),
  )
  expect(gateway.leftovers()).toHaveLength(3)
  gateway.reservedDomains.delete(id)
  gateway.weightedBackends.delete(backend)
  gateway.circuitBreaker.delete(ROUTE)
  expect(gateway.leftovers()).toEqual([])
})
