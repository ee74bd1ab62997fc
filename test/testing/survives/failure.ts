import { SurvivalError } from '../../../src/testing/testing.ts'

/** Returns the error of a search that finds a failing schedule. Throws any other error, or one if the code survives. */
export async function expectSurvivalError(search: Promise<unknown>): Promise<SurvivalError> {
  const error = await search.then(
    () => new Error('It survives.'),
    (thrown) => thrown,
  )
  if (error instanceof SurvivalError) return error
  throw error
}
