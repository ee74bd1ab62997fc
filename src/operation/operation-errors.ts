import type { CatalogueError } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { errorsIn } from '../schema/schema-parts.ts'
import type { Operation } from './operation.ts'

/** What any request can be refused with over HTTP, whatever the operation (rules: requests#order-of-checks). */
const OF_ANY_REQUEST = [
  general.auth_missing,
  general.auth_unparsable,
  general.auth_invalid,
  general.version_missing,
  general.version_unsupported,
  general.too_many_requests,
  general.gateway_busy,
  general.store_failed,
  general.query_unknown,
  general.query_repeated,
]

/** What a body can be refused with before its fields are looked at. */
const OF_A_SENT_BODY = [
  general.content_type_missing,
  general.content_type_unsupported,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
]

const OF_FIELDS = [general.field_unknown, general.field_invalid]

/** GET and DELETE have no body; what is sent all the same is looked at. */
const OF_NO_BODY = [general.body_too_large, general.body_unreadable, general.body_unparsable, general.body_unexpected]

const OF_A_QUERY = [general.query_unknown, general.field_invalid]

const OF_IDS = [general.id_unparsable, general.id_wrong_prefix]

/**
 * Every error that an operation can answer with, by the catalogue's numbers: those of any request, of its path, its body or
 * query, those that the rules in its schemas declare, and those that its `run` declares.
 */
export function errorsOf(operation: Operation): readonly CatalogueError[] {
  const sent = operation.body ? OF_A_SENT_BODY : OF_NO_BODY
  return byNumber([...OF_ANY_REQUEST, ...sent, ...directErrorsOf(operation)])
}

/** The errors of an operation that a direct call can meet too: those of {@link errorsOf} that are not of HTTP. */
export function directErrorsOf({ body, query, ids, errors = [] }: Operation): readonly CatalogueError[] {
  return byNumber([
    ...(Object.keys(ids).length > 0 ? OF_IDS : []),
    ...(body ? [...OF_FIELDS, ...errorsIn(body)] : []),
    ...(query ? [...OF_A_QUERY, ...errorsIn(query)] : []),
    ...errors,
  ])
}

function byNumber(errors: readonly CatalogueError[]): readonly CatalogueError[] {
  return [...new Set(errors)].sort((a, b) => a.number - b.number)
}
