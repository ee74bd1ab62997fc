import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import type * as parts from '../../parts/index.ts'
import { refuseUnless } from '../shared.ts'

/** Creates a string field. */
export const text = (sentence: string) => kit.documented(v.string(), sentence)

/** Creates a string field that is hidden in all output. */
export const secretText = (sentence: string) => kit.documented(v.pipe(v.string(), kit.secret), sentence)

/**
 * Creates the schema of a string that must match a pattern. If the string is missing from the body, the body is rejected with the same
 * error.
 */
export function textMatching<E extends parts.FieldError<string, object>>(error: E, pattern: RegExp, sentence: string) {
  const read = v.pipe(
    v.string(),
    refuseUnless(error, (value) => pattern.test(value)),
  )
  return kit.documented(v.optional(kit.documented(read, sentence), ''), sentence, { isRequired: true })
}
