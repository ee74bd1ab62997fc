import { suggestion } from '../core/schema/nearest.ts'
import { formatCount, quote } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import { type GatewayError, gatewayOfErrorHasKey } from '../gateway/gateway-error.ts'
import { tableOf } from '../gateway/table.ts'
import type { Gateway } from '../gateway/types.ts'
import type { JournalFields } from '../generated/controls.ts'
import type { ErrorKey, OperationName } from '../generated/resources.ts'
import { PROVISIONING_ERRORS, type ProvisioningError } from '../service/provisioning/outcomes.ts'
import { standard } from '../service/resources/dialects.ts'
import { type EventMatchers, eventMatchers } from './event-matchers.ts'
import { type CheckedDomain, describeProvisioning, jobOf, readCheckedDomain } from './matched-domain.ts'
import { gatewayOf, gatewayResult, type MatcherResult, matcherResult } from './matcher-result.ts'
import { type TrafficMatchers, trafficMatchers } from './traffic-matchers.ts'

/** The requests that {@link GatewayMatchers.toHaveBeenRequested} expects: their fields and number. */
export interface Requested extends Omit<JournalFields, 'operation'> {
  /** The exact number of matching requests. Default: at least one. */
  readonly times?: number
}

/** The names of a gateway's operations, including the operations of your own families. */
type OperationOf<T> = OperationName | (T extends { faults: { add(spec: infer Spec): unknown } } ? NameOf<Spec> : never)

type NameOf<Spec> = Spec extends { readonly operation?: infer Name extends string } ? Name : never

/**
 * The assertions that registering the {@link matchers} adds to `expect`. The first three check a reserved domain:
 * `expect(gateway).toHaveCertificate('app.example.com')` checks the current state of the domain with that name or ID, and
 * `expect(domain).toHaveCertificate()` checks a domain as returned by the API. `T` is the type of the value passed to `expect`.
 */
export interface GatewayMatchers<R = unknown, T = unknown> extends TrafficMatchers<R>, EventMatchers<R> {
  /** Passes if the domain uses a certificate, uploaded or automatic. */
  toHaveCertificate(domain?: string): R
  /** Passes if a provisioning job is running, for the first certificate or for a renewal. */
  toBeProvisioning(domain?: string): R
  /**
   * Passes if a provisioning job is running and its last attempt failed with this error.
   *
   * @example
   * ```ts
   * expect(gateway).toHaveFailedWith('DNS_ERROR', 'app.example.com')
   * ```
   */
  toHaveFailedWith(error: ProvisioningError, domain?: string): R
  /**
   * Passes if the gateway received HTTP requests for an operation: at least one, or exactly `times`.
   *
   * @example
   * ```ts
   * expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 2 })
   * ```
   */
  toHaveBeenRequested(operation: OperationOf<T>, requested?: Requested): R
  /**
   * Passes if every resource created through requests was deleted. Resources that the test itself created, through the
   * direct API or `gateway.declare`, do not count.
   */
  toHaveNoLeftovers(): R
  /**
   * Passes if the value, or the error that a function throws, is a `GatewayError` (with this key, if you pass one).
   *
   * @example
   * ```ts
   * expect(() => gateway.reservedDomains.get('rd_1')).toBeGatewayError('not_found')
   * ```
   */
  toBeGatewayError(key?: ErrorKey | (string & Record<never, never>)): R
}

/** The functions that implement {@link GatewayMatchers}. */
export type MatcherFunctions = {
  readonly [Name in keyof GatewayMatchers]: (
    received: unknown,
    ...args: Parameters<GatewayMatchers[Name]>
  ) => MatcherResult
}

/**
 * The matchers for `expect.extend`. `fauxgate/vitest` and `fauxgate/jest` register them, with their types. If a matcher
 * receives the gateway, its failure message ends with the gateway's report.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { matchers } from 'fauxgate/testing'
 * import { expect } from 'vitest'
 * expect.extend(matchers)
 * const gateway = createNgrok()
 * const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
 * await gateway.fetch(`${gateway.url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
 * expect(gateway).toHaveNoLeftovers() // throws: Expected no leftover resources, but requests left 1: …
 * ```
 */
export const matchers: MatcherFunctions = {
  ...trafficMatchers,
  ...eventMatchers,
  toHaveCertificate(received, ...names) {
    const subject = readCheckedDomain('toHaveCertificate', received, names)
    const { certificate } = subject.domain
    return domainResult(
      subject,
      certificate !== null,
      'have a certificate',
      certificate ? `has ${certificate.id}` : 'has none',
    )
  },
  toBeProvisioning(received, ...names) {
    const subject = readCheckedDomain('toBeProvisioning', received, names)
    const isRunning = jobOf(subject.domain) !== null
    return domainResult(subject, isRunning, 'be provisioning', isRunning ? 'is' : 'is not')
  },
  toHaveFailedWith(received, error, ...names) {
    if (!PROVISIONING_ERRORS.includes(error)) {
      const allowed = PROVISIONING_ERRORS.map(quote).join(' or ')
      throw new TypeError(`toHaveFailedWith received the error ${quote(error)}. Allowed: ${allowed}.`)
    }
    const subject = readCheckedDomain('toHaveFailedWith', received, names)
    const code = jobOf(subject.domain)?.error_code ?? null
    return domainResult(
      subject,
      code === error,
      `have failed with ${error}`,
      code ? `has failed with ${code}` : 'has not',
    )
  },
  toHaveBeenRequested(received, operation, requested = {}) {
    const gateway = gatewayOf('toHaveBeenRequested', received)
    requireRequested(operation, requested)
    const { times, ...fields } = requested
    const count = gateway.requests.count({ ...fields, operation })
    const which = Object.entries(fields).map(([name, value]) => ` with the ${name} ${value}`)
    const request = (not: string) =>
      times === undefined ? `${not ? 'no' : 'a'} request` : `${not}${formatCount(times, 'request')}`
    const others = count === 0 ? otherStatuses(gateway, operation) : ''
    return gatewayResult(gateway, times === undefined ? count > 0 : count === times, (not) => {
      return `Expected ${request(not)} for ${operation}${which.join(' and')}, but ${countText('was', 'were', count)}.${others}`
    })
  },
  toHaveNoLeftovers(received) {
    const gateway = gatewayOf('toHaveNoLeftovers', received)
    const left = gateway.leftovers({ ofTest: false })
    return gatewayResult(gateway, left.length === 0, (not) => {
      return not
        ? 'Expected leftover resources, but requests left none.'
        : `Expected no leftover resources, but requests left ${left.length}: ${listNames(left)}.`
    })
  },
  toBeGatewayError(received, ...keys) {
    // The matcher calls the function without arguments.
    const { error, text } = typeof received === 'function' ? thrownBy(received as () => unknown) : errorIn(received)
    if (keys.length > 0) requireKnown(keys[0], error)
    const [key] = keys
    const isOne = error?.name === 'GatewayError' && 'key' in error
    return matcherResult(isOne && (key === undefined || error.key === key), (not) => {
      return `Expected ${not ? 'no' : 'a'} GatewayError${key === undefined ? '' : ` ${key}`}, but ${text}`
    })
  },
}

/**
 * Throws for arguments that are certainly mistakes. A value without fields, such as a number, or with an `undefined` field, such as an
 * unset variable, would match any request.
 */
function requireRequested(operation: unknown, requested: unknown): void {
  const wrong = (received: string, allowed: string) =>
    new TypeError(`toHaveBeenRequested received ${received}. ${allowed}`)
  if (typeof operation !== 'string')
    throw wrong(`the operation ${quote(operation)}`, 'Allowed: a name, such as reserved_domains.create.')
  if (!isObject(requested)) throw wrong(quote(requested), 'Allowed: an object with times, status, method, or path.')
  if ('operation' in requested) throw wrong('two operations', 'Pass one, as the first argument.')
  for (const [name, value] of Object.entries(requested)) {
    if (value === undefined) throw wrong(`${name} undefined`, 'Set it, or omit it.')
  }
  const { times = 0 } = requested
  if (!(Number.isSafeInteger(times) && Number(times) >= 0))
    throw wrong(`times ${quote(times)}`, 'Allowed: a non-negative integer.')
}

/** Throws for an unknown error key, because with `not` the assertion would always pass. */
function requireKnown(key: unknown, error: ErrorWithKey | undefined): void {
  const { catalogue } = tableOf(standard)
  if (typeof key === 'string') {
    if (catalogue.has(key) || error?.key === key || (error && gatewayOfErrorHasKey(error, key))) return
  }
  const allowed = 'Allowed: the key of an error, such as not_found.'
  const hint = suggestion(String(key), catalogue.keys())
  throw new TypeError(
    `toBeGatewayError received the key ${key === undefined ? 'undefined' : quote(key)}, which is not an error key of this gateway. ${allowed}${hint}`,
  )
}

function domainResult({ domain, gateway }: CheckedDomain, pass: boolean, verb: string, state: string): MatcherResult {
  const text = (not: string) =>
    `Expected ${domain.domain} ${not}to ${verb}, but it ${state}. ${describeProvisioning(domain, gateway)}`
  if (gateway) return gatewayResult(gateway, pass, (not) => `${text(not)}${timelineOf(gateway, domain.id)}`)
  const hint = 'This is the domain as returned by the API. For its current state, use expect(gateway).'
  return matcherResult(pass, (not) => `${text(not)}\n${hint}`)
}

function timelineOf({ provisioning }: Gateway, id: string): string {
  const lines = provisioning.printTimeline(id)
  return lines === '' ? '' : `\n${lines.replace(/^/gm, '  ')}`
}

/** The maximum number of resources listed in a message. */
const MAX_NAMED = 10

/** Lists the newest resources by family and ID. */
function listNames(left: ReturnType<Gateway['leftovers']>): string {
  const names = left.slice(-MAX_NAMED).map(({ family, id }) => `${family} ${id}`)
  return [...names, ...(left.length > names.length ? [`and ${left.length - names.length} more`] : [])].join(', ')
}

function countText(is: string, are: string, count: number): string {
  return `there ${count > 1 ? are : is} ${count || 'none'}`
}

function otherStatuses(gateway: Gateway, operation: OperationName): string {
  const entries = gateway.requests.all().filter((each) => each.operation === operation)
  const statuses = entries.map(({ status }) => status)
  return statuses.length === 0 ? '' : ` Other requests for this operation returned ${statuses.join(', ')}.`
}

/** The error that `toBeGatewayError` checks, and the text that describes it. */
interface CheckedError {
  readonly error: ErrorWithKey | undefined
  readonly text: string
}

interface ErrorWithKey extends Error {
  readonly key?: GatewayError['key']
  readonly code?: GatewayError['code']
}

const AWAIT_EXAMPLE = 'await expect(promise).rejects.toBeGatewayError()'

/** Throws unless the value is an error or `undefined`, because with `not` any other value would always pass. */
function errorIn(received: unknown): CheckedError {
  if (isThenable(received)) throw new TypeError(`toBeGatewayError received a promise. Write: ${AWAIT_EXAMPLE}`)
  if (received === undefined) return { error: undefined, text: 'it is undefined.' }
  if (!isError(received)) {
    throw new TypeError(`toBeGatewayError received ${quote(received)}. Allowed: an error, or a function that throws.`)
  }
  const { key, code }: ErrorWithKey = received
  return {
    error: received,
    text: `it is ${received.name}${key ? ` ${key} (${code})` : ''}: ${received.message}`,
  }
}

/** Calls a function, and throws if it returns a promise: the promise may still reject, so `not` would pass too early. */
function thrownBy(call: () => unknown): CheckedError {
  let result: unknown
  try {
    result = call()
  } catch (error) {
    return errorIn(error)
  }
  if (!isThenable(result)) return { error: undefined, text: 'the function threw nothing.' }
  result.then(undefined, () => undefined)
  throw new TypeError(`toBeGatewayError received a function that returned a promise. Write: ${AWAIT_EXAMPLE}`)
}

/** Returns true for a promise. It does not use `instanceof` because a promise from another node:vm context has a different class. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
