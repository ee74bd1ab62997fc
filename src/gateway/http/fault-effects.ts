import { errors, findError } from '../../control/faults/fault.ts'
import type { Operation, PathIds } from '../../core/operation/operation.ts'
import type { Catalogue } from '../../core/schema/catalogue.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { codeOf, formatMessage, statusOf } from '../../core/schema/error-facts.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'
import { utf8Length } from '../../core/schema/platform.ts'
import { listErrors, partsOf } from '../../core/schema/schema-parts.ts'
import { isSecretAt } from '../../core/schema/secret-fields.ts'
import { quote, quoteSecret } from '../../core/schema/text.ts'
import { durationMs } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault } from '../../generated/controls.ts'
import { createVariedText } from './error-response.ts'
import { createJsonResponse, type HttpResponse } from './messages.ts'

/** The fields of a fault that change the response. */
export type FaultEffect = Pick<
  ArmedFault,
  'body' | 'drop' | 'ending' | 'error' | 'latency' | 'message' | 'phase' | 'retryAfter' | 'status' | 'truncate'
>

/** Returns whether a fault makes the request fail before its operation runs. */
export function replacesOperation(fault: FaultEffect): boolean {
  return fault.phase !== 'after' && fault.truncate === undefined && replacesResponse(fault)
}

interface FaultedRequest {
  /** Null if the operation doesn't exist. */
  readonly operation: Operation | null
  readonly ids: PathIds
  /** The body's JSON, or the query parameters. */
  readonly input: unknown
  readonly operationId: string
  readonly hasVariedErrors: boolean
  /** The gateway's time, in ms. */
  readonly now: number
  readonly dialect: CommonDialect
  readonly catalogue: Catalogue
}

/** Creates the response to a request that a fault applies to. `usual` is the response without the fault, if any. */
export function createFaultyResponse(
  fault: FaultEffect,
  usual: HttpResponse | undefined,
  request: FaultedRequest,
): HttpResponse {
  const { latency, drop = false, truncate, ending = 'complete' } = fault
  const { now, operationId } = request
  const response = replacesResponse(fault) || !usual ? createFailure(fault, request) : usual
  // An error with a retry time includes the header, as without a fault. A bare status includes only what the test sets.
  const isRateError = response !== usual && fault.error !== undefined && response.status === 429
  const retryAfter = fault.retryAfter ?? (isRateError ? PRETENDED_WAIT : undefined)
  const body = response.body?.slice(0, truncate) ?? null
  const isCut = response.body !== null && body !== response.body
  const retry = retryAfter === undefined ? {} : { 'Retry-After': String(toSeconds(retryAfter)) }
  return {
    ...response,
    headers: { ...response.headers, ...retry },
    body,
    delivery: {
      drop,
      notBefore: now + (durationMs(latency) ?? 0),
      operationId,
      ...(isCut && ending !== 'complete' && { cut: { ending, wholeBytes: utf8Length(response.body) } }),
    },
  }
}

function toSeconds(duration: string | number): number {
  return Math.ceil((durationMs(duration) ?? 0) / 1000)
}

/** Returns whether a fault replaces the response, rather than only delaying or truncating it. */
function replacesResponse({ status, error, message, body, drop, latency, truncate, retryAfter }: FaultEffect): boolean {
  const hasOwnResponse = [status, error, message, body, retryAfter].some((value) => value !== undefined)
  return hasOwnResponse || drop === true || (latency === undefined && truncate === undefined)
}

function createFailure(fault: FaultEffect, request: FaultedRequest): HttpResponse {
  const { operationId, dialect } = request
  const error = (fault.error && findError(fault.error, request)) || errors.injected_fault
  const status = fault.status ?? statusOf(error, dialect)
  if (typeof fault.body === 'object') return createJsonResponse(status, fault.body)
  if (fault.body !== undefined) return { status, headers: { 'Content-Type': 'text/html' }, body: fault.body }
  return createJsonResponse(status, {
    error_code: codeOf(error, dialect),
    status_code: status,
    msg:
      fault.message ?? (request.hasVariedErrors ? createVariedText(operationId) : createMessage(error, request, fault)),
    details: { operation_id: operationId },
  })
}

/** The default time after which a client may retry, in ms. */
const PRETENDED_WAIT = 60_000

/** Message values that don't come from the request, such as the account limit that a fault only pretends was reached. */
const PRETENDED: Readonly<Record<string, string | number>> = {
  allowed: 'the documented values',
  amount: 2,
  by: 'account',
  bytes: 2,
  count: 2,
  limit: 1,
  max: 1,
  most: 1,
  seconds: 60,
  size: 1,
  suggestion: '',
  wait: toSeconds(PRETENDED_WAIT),
}

/** Describes an unknown value in a way that reads as a name in any sentence. */
const describeUnknown = (name: string) => `<${name.replaceAll('_', ' ')}>`

/** Formats the message of an error with the values of the request. */
function createMessage(
  error: CatalogueError,
  { operation, ids, input, dialect }: FaultedRequest,
  { retryAfter }: FaultEffect,
): string {
  const usual = errors.injected_fault.message({ operation: operation?.name ?? 'the request' })
  if (error === errors.injected_fault) return usual
  const schema = operation?.body ?? operation?.query
  const quoteValue = (name: string, value: unknown) =>
    typeof value === 'object' || (schema && isSecretAt(schema, [name])) ? quoteSecret(value) : quote(value)
  const sent = Object.entries(isObject(input) ? input : {})
  const values = Object.fromEntries(sent.map(([name, value]) => [name, quoteValue(name, value)]))
  const fields = Object.entries((schema && partsOf(schema).entries) ?? {})
  const [field] = fields.find(([, each]) => listErrors(each).has(error)) ?? []
  const named = field === undefined ? {} : { field, received: values[field] ?? quote(undefined) }
  const wait = retryAfter !== undefined && { wait: toSeconds(retryAfter) }
  const what = (operation?.name.split('.')[0] ?? 'resources').replaceAll('_', ' ')
  try {
    return formatMessage(
      error,
      { what, ...values, ...PRETENDED, ...ids, ...named, ...wait, header: dialect.versionHeader },
      describeUnknown,
    )
  } catch {
    // The message function of a test's own family may need a value that isn't in the request.
    return usual
  }
}
