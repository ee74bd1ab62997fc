import type { TrafficEntry } from '../control/traffic/entry.ts'
import { suggestion } from '../core/schema/nearest.ts'
import { escapeUnprintable, formatCount, quote } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import type { Gateway } from '../gateway/types.ts'
import { checkPolicy } from '../service/policy/check-text.ts'
import type { PolicyOptions } from '../service/policy/options.ts'
import { codeOfProblem } from '../service/policy/problem.ts'
import { nameOf } from '../traffic/trace.ts'
import { formatTrace } from '../traffic/trace-text.ts'
import { gatewayOf, gatewayResult, type MatcherResult, matcherResult } from './matcher-result.ts'

/** The assertions about visitor requests and traffic policies. */
export interface TrafficMatchers<R = unknown> {
  /**
   * Passes if a rule rejected the last visitor request: one of its actions responded with a status of 400 or higher,
   * or closed the connection. A rule without a name is identified by its position, such as `on_http_request.0`.
   *
   * @example
   * ```ts
   * await gateway.traffic.fetch('https://api.example.com/admin', { from: { country: 'DE' } })
   * expect(gateway).toHaveBeenRefusedBy('no admin')
   * ```
   */
  toHaveBeenRefusedBy(rule: string): R
  /** Passes if an upstream received the last visitor request: any upstream, or the upstream with this URL or ID. */
  toHaveReachedUpstream(upstream?: string): R
  /**
   * Passes if the service accepts a traffic policy, given as YAML or JSON text or as a parsed value. Warnings do not count.
   *
   * @example
   * ```ts
   * expect(readFileSync('policy.yml', 'utf8')).toBeValidPolicy({ protocol: 'https', place: 'cloud' })
   * ```
   */
  toBeValidPolicy(options?: PolicyOptions): R
}

export const trafficMatchers = {
  toHaveBeenRefusedBy(received: unknown, rule: string): MatcherResult {
    if (typeof rule !== 'string' || rule === '')
      throw new TypeError(`toHaveBeenRefusedBy received ${quote(rule)}. Allowed: a rule name.`)
    const gateway = gatewayOf('toHaveBeenRefusedBy', received)
    const last = lastVisit(gateway)
    const isRefused = last.status === null || last.status >= 400
    const rules = last.trace.flatMap((each) => ('actions' in each ? [nameOf(each)] : []))
    const hint = rules.includes(rule) ? '' : suggestion(rule, rules)
    const decision = last.rule === null ? 'no rule responded' : `the rule ${quote(last.rule)} responded`
    return gatewayResult(gateway, isRefused && last.rule === rule, (not) => {
      const expected = `Expected ${describeVisit(last)} ${not}to be rejected by the rule ${quote(rule)}`
      return `${expected}, but ${decision} with ${last.status ?? 'a closed connection'}.${hint}\n${traceOf(last)}`
    })
  },
  toHaveReachedUpstream(received: unknown, ...upstreams: [upstream?: string]): MatcherResult {
    const [wanted] = upstreams
    if (upstreams.length > 0 && typeof wanted !== 'string')
      throw new TypeError(`toHaveReachedUpstream received ${quote(wanted)}. Allowed: the URL or ID of an upstream.`)
    const gateway = gatewayOf('toHaveReachedUpstream', received)
    const last = lastVisit(gateway)
    const { upstream } = last
    return gatewayResult(gateway, upstream !== null && (wanted === undefined || upstream === wanted), (not) => {
      const expected = `Expected ${describeVisit(last)} ${not}to reach ${wanted ?? 'an upstream'}`
      return `${expected}, but it reached ${upstream ?? 'none'}.\n${traceOf(last)}`
    })
  },
  toBeValidPolicy(received: unknown, options: PolicyOptions = {}): MatcherResult {
    if (typeof received !== 'string' && !isObject(received))
      throw new TypeError(`toBeValidPolicy received ${quote(received)}. Allowed: a policy as a string or an object.`)
    const isText = typeof received === 'string'
    const errors = checkPolicy(isText ? received : JSON.stringify(received), options).filter(
      ({ severity }) => severity === 'error',
    )
    const lines = errors.map(({ line, column, message, hint, ...named }) => {
      const place = isText ? `${line}:${column} ` : ''
      return `\n  ${place}${escapeUnprintable(message)} [${codeOfProblem(named)}]${hint === undefined ? '' : ` ${hint}`}`
    })
    return matcherResult(errors.length === 0, (not) =>
      not
        ? 'Expected a policy that the service rejects, but it is valid.'
        : `Expected a valid policy, but it has ${formatCount(errors.length, 'error')}:${lines.join('')}`,
    )
  },
}

/** Returns the last visitor request. @throws TypeError if there was none, because with `not` the assertion would always pass. */
function lastVisit({ traffic }: Gateway): TrafficEntry {
  const last = traffic.last()
  if (last) return last
  throw new TypeError('No visitor has sent a request. Send one with gateway.traffic.fetch.')
}

function describeVisit({ method, url }: TrafficEntry): string {
  return `${method} ${url}`
}

function traceOf(visit: TrafficEntry): string {
  return escapeUnprintable(formatTrace(visit)).replace(/^/gm, '  ')
}
