import { errorNamed, errors } from '../control/faults/fault.ts'
import type { ArmedFault } from '../generated/controls.ts'
import type { Operation, PathIds } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { errorsIn, partsOf } from '../schema/documentation.ts'
import { codeOf, messageWith, statusOf } from '../schema/error-facts.ts'
import type { Catalogue, CatalogueError } from '../schema/errors.ts'
import { isSecretAt } from '../schema/secret-fields.ts'
import { quote, quoteSecret } from '../schema/text.ts'
import { durationMs } from '../schema/time.ts'
import { isObject } from '../schema/values.ts'
import { type HttpResponse, jsonAnswer } from './messages.ts'

/** The fields of a fault that change the response. */
export type FaultEffect = Pick<
  ArmedFault,
  'body' | 'drop' | 'error' | 'latency' | 'message' | 'phase' | 'retryAfter' | 'status' | 'truncate'
>

export function isBefore(fault: FaultEffect): boolean {
  return fault.phase !== 'after' && fault.truncate === undefined && fails(fault)
}

interface FaultedRequest {
  /** Null if the API has no such operation. */
  readonly operation: Operation | null
  readonly ids: PathIds
  /** The JSON of the body, or the parameters of the query. */
  readonly input: unknown
  readonly operationId: string
  readonly dialect: CommonDialect
  readonly catalogue: Catalogue
}

export function faultyAnswer(
  fault: FaultEffect,
  usual: HttpResponse | undefined,
  it: FaultedRequest & { readonly now: number },
): HttpResponse {
  const { latency, drop, truncate, retryAfter } = fault
  const { operationId } = it
  const answer = fails(fault) || !usual ? failure(fault, it) : usual
  const retry =
    retryAfter === undefined ? {} : { 'Retry-After': String(Math.ceil((durationMs(retryAfter) ?? 0) / 1000)) }
  return {
    ...answer,
    headers: { ...answer.headers, ...retry },
    body: answer.body?.slice(0, truncate) ?? null,
    delivery: { drop: drop ?? false, notBefore: it.now + (durationMs(latency) ?? 0), operationId },
  }
}

/** Returns whether a fault replaces the response. A fault that only delays or truncates does not. */
function fails({ status, error, message, body, drop, latency, truncate, retryAfter }: FaultEffect): boolean {
  const own = [status, error, message, body, retryAfter].some((value) => value !== undefined)
  return own || drop === true || (latency === undefined && truncate === undefined)
}

function failure(fault: FaultEffect, it: FaultedRequest): HttpResponse {
  const { operationId, dialect } = it
  const error = (fault.error && errorNamed(fault.error, it)) || errors.injected_fault
  const status = fault.status ?? statusOf(error, dialect)
  if (typeof fault.body === 'object') return jsonAnswer(status, fault.body)
  if (fault.body !== undefined) return { status, headers: { 'Content-Type': 'text/html' }, body: fault.body }
  return jsonAnswer(status, {
    error_code: codeOf(error, dialect),
    status_code: status,
    msg: fault.message ?? messageOf(error, it),
    details: { operation_id: operationId },
  })
}

/** Returns the message of the rule that the error belongs to, with the values that the request has. */
function messageOf(error: CatalogueError, { operation, ids, input, dialect }: FaultedRequest): string {
  const usual = errors.injected_fault.message({ operation: operation?.name ?? 'the request' })
  if (error === errors.injected_fault) return usual
  const schema = operation?.body ?? operation?.query
  const shown = (name: string, value: unknown) =>
    typeof value === 'object' || (schema && isSecretAt(schema, [name])) ? quoteSecret(value) : quote(value)
  const sent = Object.entries(isObject(input) ? input : {})
  const values = Object.fromEntries(sent.map(([name, value]) => [name, shown(name, value)]))
  const fields = Object.entries((schema && partsOf(schema).entries) ?? {})
  const [field] = fields.find(([, each]) => errorsIn(each).has(error)) ?? []
  const named = field === undefined ? {} : { field, received: values[field] ?? quote(undefined) }
  try {
    return messageWith(error, { ...values, ...ids, ...named, header: dialect.versionHeader })
  } catch {
    // The message of a test's own family may compute with a value that the request does not have.
    return usual
  }
}
