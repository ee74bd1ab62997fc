import type { Dialect } from '../contract/dialect.ts'
import { catalogue, type ErrorKey } from '../contract/errors.ts'
import { statusOf } from '../contract/gateway-error.ts'
import type { Operation } from '../contract/operation.ts'
import { type Content, type Example, jsonContent, type ResponseItem, refTo } from './document.ts'
import type { JsonSchema } from './json-schema.ts'

/** The errors that an operation can answer with. */
export function errorsOf(operation: Operation): readonly ErrorKey[] {
  return Object.keys(catalogue).slice(0, operation.body ? 99 : 8) as ErrorKey[]
}

/** The responses with these errors, by status. */
export function errorResponses(errors: readonly ErrorKey[], dialect: Dialect): Readonly<Record<string, ResponseItem>> {
  const statuses = [...new Set(errors.map((key) => statusOf(key, dialect)))].sort()
  const of = (status: number) => errors.filter((key) => statusOf(key, dialect) === status)
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(status, of(status), dialect)]))
}

function errorResponse(status: number, keys: readonly ErrorKey[], dialect: Dialect): ResponseItem {
  const codes = keys.map((key) => codeOf(key, dialect))
  const own: JsonSchema = { properties: { error_code: { enum: codes }, status_code: { const: status } } }
  return {
    description: keys.map((key) => `\`${key}\` (${codeOf(key, dialect)})`).join(', '),
    headers: { [dialect.operationIdHeader]: refTo('headers', 'operationId') },
    content: jsonContent({ allOf: [refTo('schemas', 'Error'), own] }, examplesOf(keys)),
  }
}

function codeOf(key: ErrorKey, { errorPrefix }: Dialect): string {
  return `${errorPrefix}${catalogue[key].number}`
}

function examplesOf(keys: readonly ErrorKey[]): Content[string]['examples'] {
  return Object.fromEntries(keys.map((key) => [key, refTo('examples', key)]))
}

/** An example of each error, by key. */
export function errorExamples(keys: readonly ErrorKey[], dialect: Dialect): Readonly<Record<string, Example>> {
  return Object.fromEntries(keys.map((key) => [key, { summary: `\`${key}\``, value: exampleOf(key, dialect) }]))
}

function exampleOf(key: ErrorKey, dialect: Dialect) {
  return {
    error_code: codeOf(key, dialect),
    status_code: statusOf(key, dialect),
    msg: templateOf(key),
    details: { operation_id: OPERATION_ID },
  }
}

const OPERATION_ID = 'op_0000001abcdefghijklmnopqrst'

/** The message of an error, with the names of its values where they are to stand. */
function templateOf(key: ErrorKey): string {
  const names = new Proxy({}, { get: (_, name) => `{${String(name)}}` })
  return (catalogue[key].message as (values: object) => string)(names)
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
