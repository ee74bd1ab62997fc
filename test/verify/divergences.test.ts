import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../src/verify/report.ts'
import { gatewayToVerify, verifyGateway } from '../support/verify.ts'
import { createFetch } from './divergence.ts'
import { DIVERGENCES } from './divergences.ts'

describe('A run finds', () => {
  const rows = Object.entries(DIVERGENCES).flatMap(([operation, divergences]) =>
    Object.entries(divergences).map(([name, divergence]) => [name, operation, divergence] as const),
  )

  test.each(rows)('the divergence: %s', async (_name, operation, divergence) => {
    const gateway = gatewayToVerify()
    const { at, family = operation.replace(/\..*/, '') } = divergence
    const { report } = await verifyGateway(gateway, { families: [family] }, createFetch(gateway, divergence))
    const places = report.outcomes
      .filter((each) => each.operation === operation)
      .flatMap(({ differences = [] }) => differences.map((each) => each.at))
    expect(places.filter((place) => place.startsWith(at))).not.toEqual([])
    expect([1, 4]).toContain(exitCodeOf(report))
    // The report names each resource that could not be deleted.
    const reportedPaths = [...report.remaining, ...report.inventory].map(({ path }) => path.toLowerCase())
    const isReported = (id: string) => reportedPaths.some((path) => path.includes(id.toLowerCase()))
    expect(gateway.leftovers().filter(({ id }) => !isReported(id))).toEqual([])
  })

  test('each of more than ninety divergences', () => {
    expect(rows.length).toBeGreaterThan(90)
  })
})
