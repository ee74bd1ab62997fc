import type { JournalFields } from '../control/requests/index.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { GatewayError } from '../gateway/gateway-error.ts'
import type { ErrorKey, OperationName } from '../generated/resources.ts'
import { PROVISIONING_ERRORS, type ProvisioningError } from '../provisioning/managed-domain.ts'
import { counted, quote } from '../schema/text.ts'
import { isGateway, jobOf, provisioningOf, type Subject, subjectOf, what } from './matched-domain.ts'

/** Which requests {@link GatewayMatchers.toHaveBeenRequested} means, and how many. */
export interface Requested extends Omit<JournalFields, 'operation'> {
  /** How many such requests there must be; at least one where it is left out. */
  readonly times?: number
}

/** The operations of a gateway by name, those of its own families among them. */
type OperationOf<T> = OperationName | (T extends { faults: { add(spec: infer Spec): unknown } } ? NameOf<Spec> : never)

type NameOf<Spec> = Spec extends { readonly operation?: infer Name extends string } ? Name : never

/**
 * What `expect` has once the {@link matchers} are registered. The first three look at a reserved domain:
 * `expect(gateway).toHaveCertificate('app.example.com')` at the one of that name or id, as it is now;
 * `expect(domain).toHaveCertificate()` at one as the API has answered it. `T` is what `expect` looks at.
 */
export interface GatewayMatchers<R = unknown, T = unknown> {
  /** A certificate is in use, uploaded or automatic. */
  toHaveCertificate(domain?: string): R
  /** A provisioning job is running, for the first certificate or for a renewal. */
  toBeProvisioning(domain?: string): R
  /** A provisioning job is running, and its last attempt has failed with this. */
  toHaveFailedWith(error: ProvisioningError, domain?: string): R
  /** A gateway was asked for an operation over HTTP: at least once, or as often as `times` says. */
  toHaveBeenRequested(operation: OperationOf<T>, requested?: Requested): R
  /** Everything that was created at a gateway was deleted. */
  toHaveNoLeftovers(): R
  /** An error, or what a function throws, is a `GatewayError`, with this key of the catalogue, or of an own family, where one is named. */
  toBeGatewayError(key?: ErrorKey | (string & Record<never, never>)): R
}

/** What a matcher found, and what is said where that is not what the test expects. */
interface Found {
  readonly pass: boolean
  readonly message: () => string
}

/** The functions behind {@link GatewayMatchers}. */
export type MatcherFunctions = {
  readonly [Name in keyof GatewayMatchers]: (received: unknown, ...args: Parameters<GatewayMatchers[Name]>) => Found
}

/**
 * Matchers for `expect.extend`. `fauxgate/vitest` and `fauxgate/jest` register them, with their types. What a failure
 * says has the gateway's report behind it, where the gateway is what is looked at.
 *
 * @example
 * ```ts
 * import { createGateway } from 'fauxgate'
 * import { matchers } from 'fauxgate/testing'
 * import { expect } from 'vitest'
 * expect.extend(matchers)
 * const gateway = createGateway()
 * gateway.reservedAddrs.create()
 * expect(gateway).toHaveNoLeftovers() // throws: Expected nothing to be left over, and 1 resource is. …
 * ```
 */
export const matchers: MatcherFunctions = {
  toHaveCertificate(received, name) {
    const subject = subjectOf('toHaveCertificate', received, name)
    const { certificate } = subject.domain
    return ofDomain(
      subject,
      certificate !== null,
      'have a certificate',
      certificate ? `has ${certificate.id}` : 'has none',
    )
  },
  toBeProvisioning(received, name) {
    const subject = subjectOf('toBeProvisioning', received, name)
    const isRunning = jobOf(subject.domain) !== null
    return ofDomain(subject, isRunning, 'be provisioning', isRunning ? 'is' : 'is not')
  },
  toHaveFailedWith(received, error, name) {
    if (!PROVISIONING_ERRORS.includes(error)) {
      const allowed = PROVISIONING_ERRORS.map(quote).join(' or ')
      throw new TypeError(`toHaveFailedWith was asked about ${quote(error)}. Allowed: ${allowed}.`)
    }
    const subject = subjectOf('toHaveFailedWith', received, name)
    const code = jobOf(subject.domain)?.error_code ?? null
    return ofDomain(subject, code === error, `have failed with ${error}`, code ? `has failed with ${code}` : 'has not')
  },
  toHaveBeenRequested(received, operation, { times, ...fields } = {}) {
    const gateway = gatewayOf('toHaveBeenRequested', received)
    if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0)) {
      throw new TypeError(`toHaveBeenRequested was asked for ${quote(times)} times. Allowed: an integer from 0 on.`)
    }
    const count = gateway.requests.count({ ...fields, operation })
    const which = Object.entries(fields).map(([name, value]) => ` with the ${name} ${value}`)
    const request = (not: string) =>
      times === undefined ? `${not ? 'no' : 'a'} request` : `${not}${counted(times, 'request')}`
    const others = count === 0 ? otherAnswers(gateway, operation) : ''
    return ofGateway(gateway, times === undefined ? count > 0 : count === times, (not) => {
      return `Expected ${request(not)} of ${operation}${which.join(' and')}, and there ${was(count)}.${others}`
    })
  },
  toHaveNoLeftovers(received) {
    const gateway = gatewayOf('toHaveNoLeftovers', received)
    const count = gateway.leftovers().length
    return ofGateway(gateway, count === 0, (not) => {
      return not
        ? 'Expected something to be left over, and nothing is.'
        : `Expected nothing to be left over, and ${counted(count, 'resource is', 'resources are')}.`
    })
  },
  toBeGatewayError(received, key) {
    // It is called as a test would.
    const { error, what } = typeof received === 'function' ? thrownBy(received as () => unknown) : of(received)
    const isOne = error?.name === 'GatewayError' && 'key' in error
    return found(isOne && (key === undefined || error.key === key), (not) => {
      return `Expected ${not ? 'no' : 'a'} GatewayError${key === undefined ? '' : ` ${key}`}, and ${what}.`
    })
  },
}

/** A finding whose message depends on what the test expects: the thing, or `not ` the thing. */
function found(pass: boolean, text: (not: '' | 'not ') => string): Found {
  return { pass, message: () => text(pass ? 'not ' : '') }
}

function ofGateway(gateway: Gateway, pass: boolean, text: (not: '' | 'not ') => string): Found {
  return found(pass, (not) => `${text(not)}\n\n${gateway.report()}`)
}

function ofDomain({ domain, gateway }: Subject, pass: boolean, verb: string, fact: string): Found {
  const text = (not: string) =>
    `Expected ${domain.domain} ${not}to ${verb}, and it ${fact}. ${provisioningOf(domain, gateway)}`
  if (gateway) return ofGateway(gateway, pass, (not) => `${text(not)}${timelineOf(gateway, domain.id)}`)
  const hint = `So it was when it was answered; ask the gateway, as in expect(gateway), for how it is now.`
  return found(pass, (not) => `${text(not)}\n${hint}`)
}

function timelineOf({ provisioning }: Gateway, id: string): string {
  const lines = provisioning.printTimeline(id)
  return lines === '' ? '' : `\n${lines.replace(/^/gm, '  ')}`
}

function gatewayOf(matcher: string, received: unknown): Gateway {
  if (isGateway(received)) return received
  throw new TypeError(`${matcher} received ${what(received)}. Allowed: a gateway.`)
}

function was(count: number): string {
  return count === 0 ? 'was none' : counted(count, 'was', 'were').replace(/^(\d+) (\w+)$/, '$2 $1')
}

/** What requests of an operation were answered, where those that were looked for are none of them. */
function otherAnswers(gateway: Gateway, operation: OperationName): string {
  const statuses = gateway.requests.all({ operation }).map(({ status }) => status)
  return statuses.length === 0 ? '' : ` Those that there were answered ${statuses.join(', ')}.`
}

/** What may be an error, and how messages say what it is. */
interface Received {
  readonly error: ErrorWithKey | undefined
  readonly what: string
}

interface ErrorWithKey extends Error {
  readonly key?: GatewayError['key']
  readonly code?: GatewayError['code']
}

const AWAITED = 'await expect(promise).rejects.toBeGatewayError()'

function of(received: unknown): Received {
  if (received instanceof Promise) return { error: undefined, what: `it is a promise: ${AWAITED}` }
  if (!(received instanceof Error)) return { error: undefined, what: `it is ${quote(received)}` }
  const { key, code }: ErrorWithKey = received
  return {
    error: received,
    what: `it is ${received.name}${key ? ` ${key} (${code})` : ''}: ${received.message.replace(/\.$/, '')}`,
  }
}

function thrownBy(call: () => unknown): Received {
  try {
    const result = call()
    if (!(result instanceof Promise)) return { error: undefined, what: 'the function threw nothing' }
    result.catch(() => undefined)
    return {
      error: undefined,
      what: `the function answered a promise: ${AWAITED}`,
    }
  } catch (error) {
    return of(error)
  }
}
