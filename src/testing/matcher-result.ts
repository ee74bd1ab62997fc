import type { Gateway } from '../gateway/types.ts'
import { requireGateway } from './matched-domain.ts'

export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** Returns the result of a matcher. `text` receives `not ` if the assertion was negated. */
export function matcherResult(pass: boolean, text: (not: '' | 'not ') => string): MatcherResult {
  return { pass, message: () => text(pass ? 'not ' : '') }
}

/** Returns the result of a matcher for a gateway. The message ends with the gateway's report. */
export function gatewayResult(gateway: Gateway, pass: boolean, text: (not: '' | 'not ') => string): MatcherResult {
  return matcherResult(pass, (not) => `${text(not)}\n\n${gateway.report()}`)
}

export function gatewayOf(matcher: string, received: unknown): Gateway {
  requireGateway(`${matcher} received`, received)
  return received
}
