import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc')

const countOldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0

test('a gateway of a test is freed without a full garbage collection', () => {
  const useGateway = () => void createGateway({ clock: manualClock(CLOCK_START) }).dispose()
  for (let warmUp = 0; warmUp < 100; warmUp++) useGateway()
  collectGarbage()
  const before = countOldBytes()
  for (let count = 0; count < 100; count++) {
    useGateway()
    // The second one would move what survives the first to the old generation.
    for (let round = 0; round < 2; round++) collectGarbage({ type: 'minor' })
  }
  // A gateway has 75 KB. Node 20 keeps 20 KB of each.
  expect((countOldBytes() - before) / 100).toBeLessThan(40_000)
})
