import { errorNamed, errors } from '../control/faults/fault.ts'
import type { ArmedFault } from '../generated/controls.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { codeOf, statusOf } from '../schema/error-facts.ts'
import type { Catalogue } from '../schema/errors.ts'
import { durationMs } from '../schema/time.ts'
import { type HttpResponse, jsonAnswer } from './messages.ts'

export function isBefore(fault: ArmedFault): boolean {
  return fault.phase !== 'after' && fault.truncate === undefined && fails(fault)
}

interface Met {
  readonly operation: string
  readonly operationId: string
  readonly dialect: CommonDialect
  readonly catalogue: Catalogue
}

export function faultyAnswer(
  fault: ArmedFault,
  usual: HttpResponse | undefined,
  it: Met & { readonly now: number },
): HttpResponse {
  const { latency, drop, truncate, retryAfter } = fault
  const answer = fails(fault) || !usual ? failure(fault, it) : usual
  const retry =
    retryAfter === undefined ? {} : { 'Retry-After': String(Math.ceil((durationMs(retryAfter) ?? 0) / 1000)) }
  return {
    ...answer,
    headers: { ...answer.headers, ...retry },
    body: answer.body?.slice(0, truncate) ?? null,
    delivery: { drop: drop ?? false, notBefore: it.now + (durationMs(latency) ?? 0) },
  }
}

/** Tells whether a fault gives an answer of its own. A fault that only delays or cuts does not. */
function fails({ status, error, message, body, drop, latency, truncate, retryAfter }: ArmedFault): boolean {
  const own = [status, error, message, body, retryAfter].some((value) => value !== undefined)
  return own || drop === true || (latency === undefined && truncate === undefined)
}

function failure(fault: ArmedFault, it: Met): HttpResponse {
  const { operation, operationId, dialect } = it
  const error = (fault.error && errorNamed(fault.error, it)) || errors.injected_fault
  const status = fault.status ?? statusOf(error, dialect)
  if (typeof fault.body === 'object') return jsonAnswer(status, fault.body)
  if (fault.body !== undefined) return { status, headers: { 'Content-Type': 'text/html' }, body: fault.body }
  return jsonAnswer(status, {
    error_code: codeOf(error, dialect),
    status_code: status,
    msg: fault.message ?? errors.injected_fault.message({ operation }),
    details: { operation_id: operationId },
  })
}
