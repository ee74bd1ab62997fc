import type * as v from 'valibot'
import { errorsIn } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { errors as access } from './access-errors.ts'
import type { ControlCall } from './control.ts'

/** What any call can be refused with. */
const OF_ANY_CALL = [
  ...Object.values(access),
  general.gateway_busy,
  general.store_failed,
  general.query_repeated,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
]

const OF_A_BODY = [general.content_type_missing, general.content_type_unsupported, general.query_unknown]

/** A call without a body reads its query, and a body all the same, as its fields. */
const OF_FIELDS = [general.field_unknown, general.field_invalid]

/** Every error that a call to a control can answer with, by the catalogue's numbers; `kept` is what a gateway keeps. */
export function callErrorsOf(
  { from, schema, errors = [], readsRecords }: ControlCall,
  kept: readonly { readonly schema: v.GenericSchema }[],
): readonly CatalogueError[] {
  const found = new Set<CatalogueError>([
    ...OF_ANY_CALL,
    ...OF_FIELDS,
    ...(from === 'body' ? OF_A_BODY : []),
    ...(schema ? errorsIn(schema) : []),
    ...(readsRecords ? kept.flatMap((each) => [...errorsIn(each.schema)]) : []),
    ...errors,
  ])
  return [...found].sort((a, b) => a.number - b.number)
}
