import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { quote } from '../../core/schema/text.ts'
import type { ListedRecord } from '../../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { findName } from '../record-name.ts'

const MAX_LISTED = 100

const listedRecord = named(
  v.object({
    collection: documented(v.string(), 'The collection of the record, such as `reserved_domains`.'),
    key: documented(
      v.string(),
      "The record's ID; for a route or its module, the IDs of the edge and the route, separated by a slash.",
    ),
    name: documented(v.string(), 'The hostname, name, or description of the record; empty if it has none.'),
  }),
  'ListedRecord',
  'A record of the gateway.',
)

const query = named(
  v.object({
    collection: v.optional(documented(v.string(), 'Only records in this collection.')),
    using: v.optional(
      documented(
        v.string(),
        'Only records that contain this text, such as an ID, as a value, as a key, or before a port.',
      ),
    ),
  }),
  'RecordsQuery',
  'A query for records. Default: all records.',
)

const read = controlCall({
  method: 'GET',
  path: '/records',
  summary: 'List the records in a collection, or those that use a resource',
  from: 'query',
  schema: query,
  response: v.array(listedRecord),
  errors: [general.field_invalid],
  run: listRecords,
})

/** Only the inspector needs this control, and it uses HTTP, so there is no direct API. */
export const records: Control = { calls: [read] }

function listRecords(host: ControlHost, { collection, using }: v.InferOutput<typeof query>): ListedRecord[] {
  if (collection !== undefined) requireKnownCollection(host, collection)
  const chosen = host.collections.filter(({ name }) => collection === undefined || name === collection)
  return host.transact((tx) => {
    const found: ListedRecord[] = []
    for (const each of chosen) {
      for (const record of tx.newestFirst(each)) {
        const key = each.key(record)
        if (key === using || (using !== undefined && !key.split('/').includes(using) && !hasText(record, using)))
          continue
        const listed = { collection: each.name, key: toPathKey(key, record), name: host.withoutKeys(findName(record)) }
        if (found.push(listed) === MAX_LISTED) return found
      }
    }
    return found
  })
}

/** Rejects a name that is neither a collection nor a group of operations. Some groups don't have records. */
function requireKnownCollection({ collections, api }: ControlHost, received: string): void {
  const names = collections.map(({ name }) => name)
  const groups = api.operations.map(({ name }) => name.split('.')[0])
  if (names.includes(received) || groups.includes(received)) return
  const allowed = [...names].sort().join(', ')
  refuse(general.field_invalid, { field: 'collection', received: quote(received), allowed })
}

/** Returns the key of a record as the IDs of its path: for a route, with the ID of its edge. */
function toPathKey(key: string, record: object): string {
  const { edge_id }: { readonly edge_id?: unknown } = record
  return typeof edge_id === 'string' && !key.includes('/') ? `${edge_id}/${key}` : key
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text || value.startsWith(`${text}:`)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => name === text || hasText(inner, text))
}
