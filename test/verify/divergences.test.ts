import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../src/verify/report.ts'
import { gatewayToVerify, verifyGateway } from '../support/verify.ts'
import { createDivergentFetch } from './divergence.ts'
import { DIVERGENCES } from './divergences.ts'

describe('A run finds', () => {
  const rows = Object.entries(DIVERGENCES).flatMap(([operation, divergences]) =>
    Object.entries(divergences).map(([name, divergence]) => [name, operation, divergence] as const),
  )

  test.each(rows)('the divergence: %s', async (_name, operation, divergence) => {
    const gateway = gatewayToVerify()
    const { at, family = operation.replace(/\..*/, '') } = divergence
    const { report } = await verifyGateway(gateway, { families: [family] }, createDivergentFetch(gateway, divergence))
    const places = report.outcomes
      .filter((each) => each.operation === operation)
      .flatMap(({ differences = [] }) => differences.map((each) => each.at))
    expect(places.filter((place) => place.startsWith(at))).not.toEqual([])
    expect([1, 4]).toContain(exitCodeOf(report))
    // The report names each resource that could not be deleted.
    const reportedPaths = new Set([...report.remaining, ...report.inventory].map(({ path }) => path))
    expect(gateway.leftovers().length === 0 || reportedPaths.size > 0).toBe(true)
  })

  test('each of more than ninety divergences', () => {
    expect(rows.length).toBeGreaterThan(90)
  })
})
