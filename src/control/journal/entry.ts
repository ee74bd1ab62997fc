import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { time } from '../../core/schema/schema.ts'
import type { JournalEntry } from '../../generated/controls.ts'

const record = v.exactOptional(documented(v.record(v.string(), v.unknown()), 'The record, without secrets.'))

const commit = named(
  v.object({
    operation: documented(
      v.string(),
      'The operation, such as `reserved_domains.create`; the due event, such as `reserved_domains.due`; or `control`.',
    ),
    at: documented(time, "The gateway's time."),
    changes: documented(
      v.array(
        v.object({
          collection: documented(v.string(), 'The collection of the record.'),
          key: documented(v.string(), 'The key of the record.'),
          before: record,
          after: record,
        }),
      ),
      'The changes to records, in order: each record before and after the change.',
    ),
  }),
  'Commit',
  'The changes made by one operation.',
)

function documentedHeaders(what: string) {
  return documented(v.record(v.string(), v.string()), what)
}

export const journalEntry = named(
  v.object({
    operationId: documented(v.string(), 'The operation ID of the response.'),
    operation: documented(
      v.nullable(v.string()),
      "The operation's name, such as `reserved_domains.create`; null for an unknown path or method.",
      {
        type: 'OperationName | (string & Record<never, never>) | null',
        imports: { OperationName: 'generated/resources.ts' },
      },
    ),
    method: documented(v.string(), 'The method of the request.'),
    path: documented(v.string(), 'The path under the base URL, without the query.'),
    query: documented(v.string(), 'The query as sent, without the `?`; empty if there is none.'),
    at: documented(time, "The gateway's time, as a timestamp."),
    requestHeaders: documentedHeaders(
      'The request headers, by lowercase name. A header that carries a secret has the value `[redacted]`.',
    ),
    request: documented(
      v.unknown(),
      "The request's JSON, or a description of a body that is too long or not JSON; null if there is no body.",
    ),
    status: documented(v.number(), 'The HTTP status of the response.'),
    responseHeaders: documentedHeaders('The response headers that the gateway set, by lowercase name.'),
    response: documented(
      v.unknown(),
      "The response's JSON, or a description of a body that is not JSON; null if there is no body.",
    ),
    commit: documented(v.nullable(commit), 'The changes that the request made; null if it made none.', {
      type: 'Commit | null',
      imports: { Commit: 'core/operation/collection.ts' },
    }),
    cancelled: v.exactOptional(
      documented(
        v.literal(true),
        "True if the client gave up before the whole response was sent. `status` is still the response's status.",
      ),
    ),
    fault: documented(v.nullable(v.string()), 'The ID of the fault that applied to the request, or null.'),
    problem: v.exactOptional(
      documented(v.string(), 'The problem with the request. Usually absent, because the response states it.'),
    ),
  }),
  'JournalEntry',
  'A request and its response, without secrets.',
)

/** The fields that a query compares. */
export type JournalQuery = {
  readonly [Field in 'operation' | 'method' | 'path' | 'status']?: JournalEntry[Field] | undefined
}
