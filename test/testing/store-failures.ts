import { expect } from 'vitest'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'

/** Runs all checks, or some of them. Returns the messages of those that a store fails, by their names. */
export async function failuresOf(
  newPlace: () => StorePlace,
  ...checks: string[]
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const all = storeSuite(newPlace)
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(checks))
  for (const { name, run } of all) {
    if (checks.length === 0 || checks.includes(name))
      await run().catch((error: Error) => failures.set(name, error.message))
  }
  return failures
}
