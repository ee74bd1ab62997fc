import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Printable characters, with spaces and tabs only between them. */
const VALUE = /^(?![ \t])[\t\x20-\x7e\x80-\u{10ffff}]*(?<![ \t])$/u

type HeaderError = parts.FieldError<string, object>

/** The errors for headers: an invalid name, an invalid value, and a duplicate name. */
export interface HeaderErrors<Name extends HeaderError, Value extends HeaderError, Twice extends HeaderError> {
  readonly name: Name
  readonly value: Value
  readonly twice: Twice
}

/** Creates the schema of headers by name. Names are stored in lowercase. */
export function headersSchema<N extends HeaderError, V extends HeaderError, T extends HeaderError>(
  errors: HeaderErrors<N, V, T>,
) {
  return v.pipe(
    parts.anyObject<Readonly<Record<string, string>>>('an object of header names and values'),
    kit.rule([errors.name, errors.value, errors.twice], (map, report) => {
      const names = new Set<string>()
      for (const [name, value] of Object.entries(map)) {
        const at = { path: [name], value }
        if (!NAME.test(name)) report(errors.name, {}, at)
        else if (typeof value !== 'string' || !VALUE.test(value)) report(errors.value, {}, at)
        else if (names.has(name.toLowerCase())) report(errors.twice, {}, at)
        names.add(name.toLowerCase())
      }
    }),
    v.transform((map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name.toLowerCase(), value]))),
  )
}

/** Creates the schema of a header name, stored in lowercase. */
export function headerNameSchema<E extends HeaderError>(error: E) {
  return v.pipe(
    v.string(),
    kit.rule([error], (name, report) => {
      if (!NAME.test(name)) report(error, {})
    }),
    v.toLowerCase(),
  )
}
