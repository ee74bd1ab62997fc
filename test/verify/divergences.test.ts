import { describe, expect, test } from 'vitest'
import { exitCodeOf, type StepOutcome } from '../../src/verify/report.ts'
import { gatewayToVerify, verifyGateway } from '../support/verify.ts'
import { createFetch } from './divergence.ts'
import { DIVERGENCES, OF_FIELDS } from './divergences.ts'
import { REIMPLEMENTATIONS } from './reimplementations.ts'

describe('A run finds', () => {
  const tables = [OF_FIELDS, DIVERGENCES].flatMap((each) =>
    Object.entries(each).flatMap(([operation, divergences]) =>
      Object.entries(divergences).map(([name, divergence]) => [name, operation, divergence] as const),
    ),
  )
  const rows = [
    ...tables,
    ...REIMPLEMENTATIONS.map(([operation, name, divergence]) => [name, operation, divergence] as const),
  ]

  test.each(rows)('the divergence: %s', async (_name, operation, divergence) => {
    const gateway = gatewayToVerify()
    const { at, family = operation.replace(/\..*/, '') } = divergence
    const stop = new AbortController()
    const found: StepOutcome[] = []
    const onOutcome = (outcome: StepOutcome) => {
      const isAt = outcome.differences?.some((each) => each.at.startsWith(at)) ?? false
      if (!isAt || outcome.operation !== operation) return
      found.push(outcome)
      // The rest of the run would find the same again.
      stop.abort()
    }
    const options = { families: [family], signal: stop.signal, onOutcome }
    const { report } = await verifyGateway(gateway, options, createFetch(gateway, divergence))
    expect(found).not.toEqual([])
    expect([1, 4]).toContain(exitCodeOf(report))
    // The report names each resource that could not be deleted.
    const reportedPaths = [...report.remaining, ...report.inventory].map(({ path }) => path.toLowerCase())
    const isReported = (id: string) => reportedPaths.some((path) => path.includes(id.toLowerCase()))
    expect(gateway.leftovers().filter(({ id }) => !isReported(id))).toEqual([])
  })

  test('each of more than a hundred divergences', () => {
    expect(rows.length).toBeGreaterThan(100)
  })
})
