import * as v from 'valibot'
import { integerFrom } from '../../core/schema/options.ts'

/** The TCP port to listen on; 0 for any free one. */
export const port = integerFrom(0, 65_535)

/** Returns the schema of a text with at least one character. `allowed` describes the text in messages. */
export const nonEmptyText = (allowed: string) => v.pipe(v.string(allowed), v.nonEmpty(allowed))

/** The host to listen on. It must not be empty: Node would listen on every address. */
export const host = nonEmptyText('a host name or an address')

const NAME_ALLOWED = 'a text of 1 to 100 characters'
/** The name that the inspector shows. */
export const name = v.pipe(nonEmptyText(NAME_ALLOWED), v.maxLength(100, NAME_ALLOWED))
