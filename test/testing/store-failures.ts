import { expect } from 'vitest'
import { type StorePlace, storeSuite } from '../../src/testing/testing.ts'

/** Runs all checks, or those with these names. Returns the messages of the checks that fail, by name. */
export async function findStoreFailures(
  newPlace: () => StorePlace,
  ...checks: string[]
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const suite = storeSuite(newPlace)
  expect(suite.map(({ name }) => name)).toEqual(expect.arrayContaining(checks))
  for (const { name, run } of suite) {
    if (checks.length === 0 || checks.includes(name))
      await run().catch((error: Error) => failures.set(name, error.message))
  }
  return failures
}
