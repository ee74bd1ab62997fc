import * as v from 'valibot'
import { facts } from '../../core/schema/facts.ts'
import { integerFrom } from '../../core/schema/options.ts'

/** The TCP port to listen on, or 0 for any free port. */
export const port = integerFrom(0, 65_535)

/**
 * Returns the host and the port of an address such as `0.0.0.0:4040`, `[::1]:4040`, or 4040 (on 127.0.0.1). Returns undefined for any other
 * value.
 */
export function splitAddress(value: unknown): { readonly host: string; readonly port: number } | undefined {
  const { host = '127.0.0.1', port } =
    /^(?:(?<host>[^\s/:[\]%]+|\[[^\s\]%]+\]):)?(?<port>\d{1,5})$/.exec(String(value))?.groups ?? {}
  if (port === undefined || Number(port) > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** The address to listen on, or its port on this machine. */
export const address = v.pipe(
  v.custom<number | string>(
    (value) => (typeof value === 'number' || typeof value === 'string') && splitAddress(value) !== undefined,
    'a port from 0 to 65535, or a host and a port, such as "0.0.0.0:4040"',
  ),
  v.metadata({ placeholder: '[HOST:]PORT' }),
  facts({ type: 'number | string', json: { type: ['integer', 'string'] } }),
)

/** Creates the schema of a non-empty string. `allowed` describes the string in messages. */
export const nonEmptyText = (allowed: string) => v.pipe(v.string(allowed), v.nonEmpty(allowed))

/** The host to listen on. It must not be empty, because Node would then listen on every address. A URL cannot contain a zone. */
export const host = v.pipe(
  nonEmptyText('a host name or an address'),
  v.check(
    (text) => !/[\s/?#@%]/.test(text) && URL.canParse(`http://${text.includes(':') ? `[${text}]` : text}`),
    'a host name, or an address without brackets and without a zone, such as "::1"',
  ),
)

const NAME_ALLOWED = 'a string of 1 to 100 characters'
/** The name that the inspector shows. */
export const name = v.pipe(nonEmptyText(NAME_ALLOWED), v.maxLength(100, NAME_ALLOWED))
