import type { CommonDialect } from '../../core/schema/dialect.ts'
import { createErrorFacts } from '../../core/schema/error-facts.ts'
import { Refusal } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'

/** A response from the agent's API: a body, a page, or neither. */
export interface AgentResponse {
  readonly status: number
  readonly body?: object
  /** An HTML page. */
  readonly page?: string
}

/** The noun that error messages use for the thing that a request starts. */
export type Started = 'tunnel' | 'endpoint'

/** The Go types that the agent reads definitions into. */
const TYPES: Readonly<Record<Started, string>> = { tunnel: 'config.HTTPv2Tunnel', endpoint: 'config.Endpoint' }

/** Ends a request with one of the agent's own errors. */
export class AgentFailure extends Error {
  constructor(
    readonly response: AgentResponse,
    /** The problem, if the request could not be read. */
    readonly invalid?: string,
  ) {
    super()
  }
}

// The error codes are those observed by programs (rules: agent#errors).
const NOT_FOUND = 100
const INVALID = 102
const NOT_STARTED = 103

/** Creates the response to an unknown path or method. */
export function createUnknownPath(status: 404 | 405, path: string): AgentResponse {
  return {
    status,
    body: { status_code: status, msg: status === 404 ? 'Not Found' : 'Method Not Allowed', details: { path } },
  }
}

/** Creates the response to an unknown name or ID. */
export function createNotFound(path: string): AgentResponse {
  return createFailure(404, NOT_FOUND, 'Resource not found', { path })
}

/** Creates the response to an invalid body. */
export function createInvalid(err: string, what: Started = 'tunnel'): AgentResponse {
  return createFailure(400, INVALID, `invalid ${what} configuration`, { err })
}

/** Creates the response to a replay of a request that can't be resent. */
export function createNotReplayed(err: string): AgentResponse {
  return createFailure(400, INVALID, 'request cannot be replayed', { err })
}

/** Runs work that reads the request. Converts its errors to the agent's own errors. */
export function withAgentErrors<T>(work: () => T, what: Started = 'tunnel'): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { message, error: problem, field } = error.problems[0]
    // Agents read definitions as YAML, and programs rely on this sentence.
    const isUnknown = problem.key === general.field_unknown.key
    const unknown = `yaml: unmarshal errors:\n  line 1: field ${field} not found in type ${TYPES[what]}`
    throw new AgentFailure(createInvalid(isUnknown ? unknown : message, what), message)
  }
}

/** Creates the response to a service error. Its text ends with the error code. */
export function notStarted(refusal: Refusal, dialect: CommonDialect, what: Started): AgentResponse {
  const { message, code } = createErrorFacts(refusal, dialect)
  return createFailure(502, NOT_STARTED, `failed to start ${what}`, { err: `${message}\r\n\r\n${code}\r\n` })
}

function createFailure(status_code: number, error_code: number, msg: string, details: object): AgentResponse {
  return { status: status_code, body: { error_code, status_code, msg, details } }
}
