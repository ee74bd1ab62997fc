import { accessErrors, CONTROL_KEY_HEADER } from '../control/control.ts'
import { standard } from '../resources/dialects.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { codeOf, statusOf } from '../schema/error-facts.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { jsonContent, type Reference, type ResponseItem, refTo } from './document.ts'
import type { JsonSchema } from './json-schema.ts'
import messages from './messages.json'

// What the requests of test/schema/errors are answered: `npm run generate`.

/** The responses with these errors, by status. */
export function errorResponses(
  errors: readonly CatalogueError[],
  dialect: CommonDialect,
): Readonly<Record<string, ResponseItem>> {
  const statuses = [...new Set(errors.map((error) => statusOf(error, dialect)))].sort()
  const of = (status: number) => errors.filter((error) => statusOf(error, dialect) === status)
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status, of(status), dialect)]))
}

function errorResponse(status: number, errors: readonly CatalogueError[], dialect: CommonDialect): ResponseItem {
  return {
    description: `A refusal with the status ${status}.`,
    headers: { [dialect.operationIdHeader]: refTo('headers', 'operationId') },
    content: jsonContent(oneOrAny(errors.map(({ key }) => refTo('schemas', key)))),
  }
}

function oneOrAny(references: readonly Reference[]): JsonSchema {
  const [first] = references
  return first && references.length === 1 ? first : { anyOf: references }
}

/** The schema of each error, by key, with an example; `fields` says where one of a field can be met. */
export function errorSchemas(
  errors: readonly CatalogueError[],
  dialect: CommonDialect,
  fields: ReadonlyMap<CatalogueError, string>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(errors.map((error) => [error.key, schemaOf(error, dialect, fields.get(error))]))
}

function schemaOf(error: CatalogueError, dialect: CommonDialect, field: string | undefined): JsonSchema {
  return {
    allOf: [refTo('schemas', 'Error')],
    properties: {
      error_code: { const: codeOf(error, dialect) },
      status_code: { const: statusOf(error, dialect) },
      msg: { examples: [exampleOf(error, dialect, field)] },
    },
  }
}

const MET: Readonly<Record<string, string>> = messages

/** A message of an error, as a request has met it; of an error that is not fauxgate's own, as one may meet it. */
function exampleOf(error: CatalogueError, dialect: CommonDialect, field: string | undefined): string {
  const met = MET[error.key]
  if (met !== undefined) return met.replaceAll(standard.versionHeader, dialect.versionHeader)
  const isOfControls = Object.values<CatalogueError>(accessErrors).includes(error)
  return sampleMessage(error, { field, header: isOfControls ? CONTROL_KEY_HEADER : dialect.versionHeader })
}

/** The schema of every error's body. */
export function errorSchema({ errorPrefix }: CommonDialect): JsonSchema {
  return {
    type: 'object',
    description: 'Why a request was refused; a refused request has changed nothing.',
    required: ['error_code', 'status_code', 'msg', 'details'],
    properties: {
      error_code: {
        type: 'string',
        pattern: `^${errorPrefix}\\d+$`,
        description: 'What was wrong, for programs: the same whenever it is the same.',
      },
      status_code: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      msg: { type: 'string', description: 'What was received and what is allowed, in words for people.' },
      details: {
        type: 'object',
        required: ['operation_id'],
        properties: {
          operation_id: {
            type: 'string',
            pattern: '^op_[0-9A-Za-z]{27}$',
            description: 'The id of the request, as in the header.',
          },
          further_problems: { type: 'string', description: 'How many more fields have problems.' },
        },
        additionalProperties: { type: 'string' },
        description: 'Further facts; of a body, a text `field:<path>` for each of its first problems.',
      },
    },
  }
}

/** What messages tell that no request of the tests provokes, by the names that errors have for it; other names stand for themselves. */
const SAMPLES: Readonly<Record<string, string | number>> = {
  field: 'metadata',
  received: '"x"',
  allowed: 'those of the reference',
  limit: 4096,
  most: 1000,
  seconds: 60,
  wait: 12,
  what: 'reserved domain',
  inside: 'a subscriber',
  why: 'it is not there',
  id: 'rd_0000001abcdefghijklmnopqrst',
  reached: '2026-01-01T00:00:00Z',
  asked: '2027-01-01T00:00:00Z',
}

/** The values of messages that use a name in a way of their own. */
const OF_ONE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  control_forbidden: { what: 'Host', received: '"example.com"' },
  nothing_ahead: { what: 'renewal', received: 'rd_0000001abcdefghijklmnopqrst', why: 'it has no certificate' },
  store_failed: { why: 'the disk is full.' },
  too_many_on_order: { what: 'faults' },
}

/** The message of an error as a request may meet it; `known` are the values that are known of it. */
function sampleMessage(error: CatalogueError, known: Readonly<Record<string, string | undefined>>): string {
  const own = { ...known, ...OF_ONE[error.key] }
  const values = new Proxy(SAMPLES, { get: (samples, name: string) => own[name] ?? samples[name] ?? name })
  // It has whatever value a message asks for.
  return (error.message as (values: object) => string)(values)
}
