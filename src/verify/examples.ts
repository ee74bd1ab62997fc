import { accountExamples } from './account-examples.ts'
import type { FamilyExample, Upload } from './example.ts'
import { trafficExamples } from './traffic-examples.ts'

/** Returns the example of each family, by the group of its operations. */
export function examplesWith(upload: Upload): Readonly<Record<string, FamilyExample>> {
  return { ...trafficExamples(upload), ...accountExamples }
}
