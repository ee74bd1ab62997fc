import type { Dialect } from '../contract/dialect.ts'
import { codeOf, statusOf } from '../contract/error-facts.ts'
import type { CatalogueError } from '../contract/errors.ts'
import { type Content, type Example, jsonContent, type ResponseItem, refTo } from './document.ts'
import type { JsonSchema } from './json-schema.ts'

/** The responses with these errors, by status. */
export function errorResponses(
  errors: readonly CatalogueError[],
  dialect: Dialect,
): Readonly<Record<string, ResponseItem>> {
  const statuses = [...new Set(errors.map((error) => statusOf(error, dialect)))].sort()
  const of = (status: number) => errors.filter((error) => statusOf(error, dialect) === status)
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status, of(status), dialect)]))
}

function errorResponse(status: number, errors: readonly CatalogueError[], dialect: Dialect): ResponseItem {
  const codes = errors.map((error) => codeOf(error, dialect))
  const own: JsonSchema = { properties: { error_code: { enum: codes }, status_code: { const: status } } }
  return {
    description: errors.map((error) => `\`${error.key}\` (${codeOf(error, dialect)})`).join(', '),
    headers: { [dialect.operationIdHeader]: refTo('headers', 'operationId') },
    content: jsonContent({ allOf: [refTo('schemas', 'Error'), own] }, examplesOf(errors)),
  }
}

function examplesOf(errors: readonly CatalogueError[]): Content[string]['examples'] {
  return Object.fromEntries(errors.map(({ key }) => [key, refTo('examples', key)]))
}

/** An example of each error, by key. */
export function errorExamples(errors: readonly CatalogueError[], dialect: Dialect): Readonly<Record<string, Example>> {
  return Object.fromEntries(
    errors.map((error) => [error.key, { summary: `\`${error.key}\``, value: exampleOf(error, dialect) }]),
  )
}

function exampleOf(error: CatalogueError, dialect: Dialect) {
  return {
    error_code: codeOf(error, dialect),
    status_code: statusOf(error, dialect),
    msg: templateOf(error),
    details: { operation_id: OPERATION_ID },
  }
}

const OPERATION_ID = 'op_0000001abcdefghijklmnopqrst'

/** The message of an error, with the names of its values where they are to stand. */
function templateOf(error: CatalogueError): string {
  const names = new Proxy({}, { get: (_, name) => `{${String(name)}}` })
  // It has whatever value a message asks for.
  return (error.message as (values: object) => string)(names)
}

/** The schema of every error's body. */
export function errorSchema({ errorPrefix }: Dialect): JsonSchema {
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
