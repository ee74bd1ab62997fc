import type { CatalogueError } from './errors.ts'
import { general } from './general-errors.ts'
import type { Operation } from './operation.ts'
import { errorsIn } from './schema-parts.ts'

/** What any request can be refused with, whatever the operation (rules: requests#order-of-checks). */
const OF_ANY_REQUEST = [
  general.auth_missing,
  general.auth_unparsable,
  general.auth_invalid,
  general.version_missing,
  general.version_unsupported,
  general.too_many_requests,
  general.gateway_busy,
  general.query_unknown,
  general.query_repeated,
]

const OF_A_BODY = [
  general.content_type_missing,
  general.content_type_unsupported,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
  general.field_unknown,
  general.field_invalid,
]

/** GET and DELETE have no body; what is sent all the same is looked at. */
const OF_NO_BODY = [general.body_too_large, general.body_unreadable, general.body_unparsable, general.body_unexpected]

const OF_A_LIST = [
  general.field_invalid,
  general.limit_not_a_number,
  general.limit_out_of_range,
  general.id_unparsable,
  general.id_wrong_prefix,
  general.filter_invalid,
]

const OF_IDS = [general.id_unparsable, general.id_wrong_prefix]

/**
 * Every error that an operation can answer with, by the catalogue's numbers: those of any request, of its path, its body or
 * query, those that the rules in its schemas declare, and those that its `run` declares.
 */
export function errorsOf({ body, query, ids, errors = [] }: Operation): readonly CatalogueError[] {
  const found = new Set<CatalogueError>([
    ...OF_ANY_REQUEST,
    ...(Object.keys(ids).length > 0 ? OF_IDS : []),
    ...(body ? [...OF_A_BODY, ...errorsIn(body)] : OF_NO_BODY),
    ...(query ? OF_A_LIST : []),
    ...errors,
  ])
  return [...found].sort((a, b) => a.number - b.number)
}
