import { CONTROL_KEY_HEADER } from '../../control/address.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { codeOf, formatMessage, statusOf } from '../../core/schema/error-facts.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'
import { type Dialect, ngrok, standard } from '../../service/resources/dialects.ts'
import { createReference, type Example, type ResponseItem } from './document.ts'
import type { JsonSchema } from './json-schema.ts'
import messages from './messages.json'
import ngrokMessages from './messages.ngrok.json'

// `npm run generate` writes messages.json and messages.ngrok.json: the responses to the requests of test/core/schema/errors.

/** Creates the responses for a list of errors, by status. */
export function createErrorResponses(
  errors: readonly CatalogueError[],
  dialect: CommonDialect,
): Readonly<Record<string, ResponseItem>> {
  const statuses = [...new Set(errors.map((error) => statusOf(error, dialect)))].sort()
  const responses = statuses.map((status) => {
    const ofStatus = errors.filter((error) => statusOf(error, dialect) === status)
    return [status, createErrorResponse(status, ofStatus, dialect)]
  })
  return Object.fromEntries(responses)
}

const RETRY_AFTER = { description: 'The number of seconds to wait.', schema: { type: 'integer', minimum: 1 } }

/** Creates the response for a status. All errors share one schema, which suits client generators; examples list the errors. */
function createErrorResponse(status: number, errors: readonly CatalogueError[], dialect: CommonDialect): ResponseItem {
  const examples = Object.fromEntries(errors.map(({ key }) => [key, createReference('examples', key)]))
  return {
    description: `An error with status ${status}.`,
    headers: {
      [dialect.operationIdHeader]: createReference('headers', 'operationId'),
      ...(status === 429 && { 'Retry-After': RETRY_AFTER }),
    },
    content: { 'application/json': { schema: createReference('schemas', 'Error'), examples } },
  }
}

/** Returns an example response for each error, by key. */
export function createErrorExamples(
  errors: readonly CatalogueError[],
  dialect: Dialect,
): Readonly<Record<string, Example>> {
  return Object.fromEntries(errors.map((error) => [error.key, createExample(error, dialect)]))
}

function createExample(error: CatalogueError, dialect: Dialect): Example {
  const [error_code, status_code] = [codeOf(error, dialect), statusOf(error, dialect)]
  const details = { operation_id: `op_${'0'.repeat(27)}` }
  const value = { error_code, status_code, msg: createMessage(error, dialect), details }
  return { summary: error_code, value }
}

const RECORDED_MESSAGES: Readonly<Record<string, string>> = messages
const NGROK_MESSAGES: Readonly<Record<string, string>> = ngrokMessages

/** Returns an error's recorded message. If no test causes the error, returns the message with its values' names in braces. */
function createMessage(error: CatalogueError, dialect: Dialect): string {
  const recorded = (dialect.name === ngrok.name ? NGROK_MESSAGES[error.key] : undefined) ?? RECORDED_MESSAGES[error.key]
  if (recorded === undefined) return formatMessage(error, { header: CONTROL_KEY_HEADER })
  const [recordedDomain = ''] = standard.serviceDomains
  const [serviceDomain = recordedDomain] = dialect.serviceDomains
  return recorded.replaceAll(standard.versionHeader, dialect.versionHeader).replaceAll(recordedDomain, serviceDomain)
}

/** Returns the body schema for these errors. */
export function createErrorSchema({ errorPrefix }: CommonDialect, errors: readonly CatalogueError[]): JsonSchema {
  const codes = [...new Set(errors.flatMap(({ code = [] }) => code))]
  return {
    type: 'object',
    description: 'The error for a rejected request. The request changed nothing.',
    required: ['error_code', 'status_code', 'msg', 'details'],
    properties: {
      error_code: {
        type: 'string',
        pattern: [`^${errorPrefix}\\d+$`, ...codes.map((code) => `^${code}$`)].join('|'),
        description: 'The error code, for programs.',
      },
      status_code: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      msg: { type: 'string', description: 'A human-readable message with the received value and the allowed values.' },
      details: {
        type: 'object',
        required: ['operation_id'],
        properties: {
          operation_id: {
            type: 'string',
            pattern: '^op_[0-9A-Za-z]{27}$',
            description: 'The ID of the request, as in the header.',
          },
          field: { type: 'string', description: 'The field that `msg` is about.' },
          rule: { type: 'string', description: "The error's key, which is the same in every dialect." },
          received: { type: 'string', description: 'The value received for this field.' },
          allowed: { type: 'string', description: 'The allowed values.' },
          choices: {
            type: 'string',
            description: 'All allowed values, separated by commas, if there is a list of them.',
          },
          nearest: { type: 'string', description: 'The allowed value that the client probably meant.' },
          typed: {
            type: 'string',
            description: 'The allowed values for clients that can send only strings, if these are fewer.',
          },
          further_problems: { type: 'string', description: 'The number of additional fields with problems.' },
        },
        // A generated type for all other fields would also have to match the fields above, and some of those are optional.
        additionalProperties: true,
        description:
          'More facts about the error. For an invalid body, `field:<path>` has the message of each of the first problems.',
      },
    },
  }
}
