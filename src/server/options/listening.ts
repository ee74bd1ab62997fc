import * as v from 'valibot'
import { integerFrom } from '../../schema/options.ts'

/** The TCP port to listen on; 0 for any free one. */
export const port = integerFrom(0, 65_535)

const HOST_ALLOWED = 'a host name or an address'
/** The host to listen on. To Node, an empty one is every host. */
export const host = v.pipe(v.string(HOST_ALLOWED), v.nonEmpty(HOST_ALLOWED))

const NAME_ALLOWED = 'a text of 1 to 100 characters'
/** The name that the inspector shows. */
export const name = v.pipe(v.string(NAME_ALLOWED), v.nonEmpty(NAME_ALLOWED), v.maxLength(100, NAME_ALLOWED))
