import * as v from 'valibot'
import { integerFrom } from '../../schema/options.ts'

/** The TCP port to listen on; 0 for any free one. */
export const port = integerFrom(0, 65_535)

/** A text with at least one character. `allowed` says what it is, for messages. */
export const textThatIs = (allowed: string) => v.pipe(v.string(allowed), v.nonEmpty(allowed))

/** The host to listen on. To Node, an empty one is every host. */
export const host = textThatIs('a host name or an address')

const NAME_ALLOWED = 'a text of 1 to 100 characters'
/** The name that the inspector shows. */
export const name = v.pipe(textThatIs(NAME_ALLOWED), v.maxLength(100, NAME_ALLOWED))
