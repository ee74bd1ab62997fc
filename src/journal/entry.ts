import * as v from 'valibot'
import type { JournalEntry } from '../generated/controls.ts'
import { documented, named } from '../schema/documentation.ts'
import { time } from '../schema/schema.ts'

export type { JournalEntry }

const record = v.exactOptional(documented(v.record(v.string(), v.unknown()), 'The record, without secrets.'))

const commit = named(
  v.object({
    operation: documented(v.string(), 'The operation, `provisioning` for what became due, or `control`.'),
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
      'The records that were put, with their form before, and those that were removed.',
    ),
  }),
  'Commit',
  'What one operation changed.',
)

function headers(what: string) {
  return documented(v.record(v.string(), v.string()), what)
}

export const journalEntry = named(
  v.object({
    operationId: documented(v.string(), 'The id that the answer carries.'),
    operation: documented(
      v.nullable(v.string()),
      "The operation's name, such as `reserved_domains.create`; null for an unknown path or method.",
      {
        type: 'OperationName | (string & Record<never, never>) | null',
        imports: { OperationName: 'generated/resources.ts' },
      },
    ),
    method: documented(v.string(), 'The method of the request.'),
    path: documented(v.string(), 'The path below the base URL, without the query.'),
    query: documented(v.string(), 'The query as it was sent, without its `?`; empty for none.'),
    at: documented(time, "The gateway's time, as a timestamp."),
    requestHeaders: headers(
      'The headers of the request, by their names in lower case; those that carry secrets as `[redacted]`.',
    ),
    request: documented(
      v.unknown(),
      "The request's JSON, a text that says what it was where it is none or is too long, or null for no body.",
    ),
    status: documented(v.number(), 'The HTTP status of the answer.'),
    responseHeaders: headers('The headers of the answer that the gateway gave it, by their names in lower case.'),
    response: documented(v.unknown(), "The answer's JSON, or a text in its place as for `request`; null for no body."),
    commit: documented(v.nullable(commit), 'What it changed, or null.', {
      type: 'Commit | null',
      imports: { Commit: 'operation/collection.ts' },
    }),
    fault: documented(v.nullable(v.string()), 'The id of the fault that it met, or null.'),
  }),
  'JournalEntry',
  'A request and its answer, without secrets.',
)

/** Fields that the wanted entries have. */
export type JournalQuery = {
  readonly [Field in 'operation' | 'method' | 'path' | 'status']?: JournalEntry[Field] | undefined
}
