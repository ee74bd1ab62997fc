import { CONTROL_KEY_HEADER } from '../control/control.ts'
import { standard } from '../resources/dialects.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { codeOf, statusOf } from '../schema/error-facts.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { jsonContent, type Reference, type ResponseItem, refTo } from './document.ts'
import type { JsonSchema } from './json-schema.ts'
import messages from './messages.json'

// What the requests of test/schema/errors are answered: `npm run generate`.

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

export function errorSchemas(
  errors: readonly CatalogueError[],
  dialect: CommonDialect,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(errors.map((error) => [error.key, schemaOf(error, dialect)]))
}

function schemaOf(error: CatalogueError, dialect: CommonDialect): JsonSchema {
  return {
    allOf: [refTo('schemas', 'Error')],
    properties: {
      error_code: { const: codeOf(error, dialect) },
      status_code: { const: statusOf(error, dialect) },
      msg: { examples: [exampleOf(error, dialect)] },
    },
  }
}

const CAUSED: Readonly<Record<string, string>> = messages

/** Returns a message as a request has caused it; of an error that no test causes, one with the names of its values. */
function exampleOf(error: CatalogueError, dialect: CommonDialect): string {
  const caused = CAUSED[error.key]
  if (caused !== undefined) return caused.replaceAll(standard.versionHeader, dialect.versionHeader)
  const known: Readonly<Record<string, string>> = { header: CONTROL_KEY_HEADER }
  const names = new Proxy(known, { get: (values, name: string) => values[name] ?? `{${name}}` })
  // The object has every value that a message asks for.
  return (error.message as (values: object) => string)(names)
}

export function errorSchema({ errorPrefix }: CommonDialect): JsonSchema {
  return {
    type: 'object',
    description: 'The error of a refused request, which has changed nothing.',
    required: ['error_code', 'status_code', 'msg', 'details'],
    properties: {
      error_code: {
        type: 'string',
        pattern: `^${errorPrefix}\\d+$`,
        description: 'The code of the error, for programs.',
      },
      status_code: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      msg: { type: 'string', description: 'A message for people: the received value, and the allowed ones.' },
      details: {
        type: 'object',
        required: ['operation_id'],
        properties: {
          operation_id: {
            type: 'string',
            pattern: '^op_[0-9A-Za-z]{27}$',
            description: 'The id of the request, as in the header.',
          },
          further_problems: { type: 'string', description: 'The number of further fields with problems.' },
        },
        additionalProperties: { type: 'string' },
        description: 'Further facts; of a body, a text `field:<path>` for each of its first problems.',
      },
    },
  }
}
