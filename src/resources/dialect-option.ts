import * as v from 'valibot'
import { facts } from '../schema/documentation.ts'
import { type Dialect, standard } from './dialects.ts'

/** The schema of a dialect that a caller passes. */
export const dialect = v.pipe(
  v.custom<Dialect>(
    (value) => typeof value === 'object' && value !== null && Object.keys(standard).every((name) => name in value),
    () =>
      `an object with ${Object.keys(standard).join(', ')}, such as standard or ngrok, which fauxgate exports, or { ...standard, … }`,
  ),
  facts({ type: 'Dialect', imports: { Dialect: 'resources/dialects.ts' } }),
)
