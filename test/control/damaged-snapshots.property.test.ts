import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway, type Snapshot } from '../../src/index.ts'
import { catchError } from '../support/client.ts'
import { listPaths, REMOVED, replaceAt, valueAt } from '../support/damage.ts'
import { exercise } from '../support/exercise.ts'
import { copyAsJson, createFullGateway, fullGatewayOptions } from '../support/full-gateway.ts'
import { checkAsync, limitCases } from '../support/property.ts'

/** Returns an arbitrary of a path in a snapshot, with a value to put there. */
const damageOneValue = (good: Snapshot) => {
  const values = fc.constantFrom<unknown>(
    ...[null, REMOVED, '', 'x', 'x'.repeat(70_000), true, [], {}],
    ...[-1, 0, 0.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY, 10n, () => 1],
  )
  return fc.oneof(
    { weight: 12, arbitrary: fc.tuple(fc.constantFrom(...listPaths(good)), values) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...listPaths(good)).map((path) => {
        const value = valueAt(good, path)
        const more = Array.isArray(value)
          ? [...value, value[0]]
          : typeof value === 'object' && value
            ? { ...value, extra: 1 }
            : [value]
        return [path, more] as const
      }),
    },
  )
}

describe('A damaged snapshot', () => {
  it('is rejected with the path of the wrong value, or restores a gateway on which every call works', {
    timeout: 120_000,
  }, async () => {
    const gateway = await createFullGateway()
    const before = JSON.stringify(gateway.snapshot())
    const requests = gateway.requests.all()
    const good = copyAsJson(gateway.snapshot())
    await checkAsync(
      fc.asyncProperty(damageOneValue(good), async ([path, value]) => {
        const damagedSnapshot = replaceAt(good, path, value)
        const error = catchError(() => gateway.restore(damagedSnapshot))
        if (error) {
          expect(error.status).toBe(400)
          expect(error.message).toMatch(/^(the snapshot|version|now|seed|sequence|rateLimit|records)\b/)
          expect(Object.keys(error.details)).toContain(`field:${error.details.field}`)
          expect(error.message.length).toBeLessThan(3100)
        } else {
          const other = createGateway(fullGatewayOptions())
          other.restore(damagedSnapshot)
          await exercise(other)
          gateway.restore(JSON.parse(before))
        }
        expect(JSON.stringify(gateway.snapshot())).toBe(before)
        expect(gateway.clock.now).toBe(good.now)
        expect(gateway.requests.all()).toEqual(requests)
      }),
      { numRuns: limitCases(200) },
    )
  })

  it('is rejected with the exact path of the wrong value', async () => {
    const gateway = await createFullGateway()
    const good = copyAsJson(gateway.snapshot())
    for (const path of listPaths(good)) {
      const problem = catchError(() => gateway.restore(replaceAt(good, path, 10n)))
      expect(
        problem?.message.startsWith(`${path.join('.')} is a bigint.`),
        `${path.join('.')}: ${problem?.message}`,
      ).toBe(true)
    }
  })
})
