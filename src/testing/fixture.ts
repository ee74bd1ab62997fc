import { type Clock, isManual, readClock } from '../core/engine/clock.ts'
import { requireObject } from '../core/schema/arguments.ts'
import { AssertionError } from '../core/schema/assertion-error.ts'
import { atCaller, withoutWrapperFrames } from '../core/schema/caller-stack.ts'
import { printWarning } from '../core/schema/print.ts'
import { formatCount } from '../core/schema/text.ts'
import { durationText, exactTimestamp, timestamp } from '../core/schema/time.ts'
import type { Installed } from '../gateway/http/install.ts'
import type { Gateway } from '../gateway/types.ts'
import type { GatewayOptions } from '../generated/options.ts'
import type { ReplaceGlobals } from './globals.ts'
import { watchLosses } from './losses.ts'
import { requireGateway } from './matched-domain.ts'
import type { ReplacedTimers } from './replaced-timers.ts'
import { unusedIn } from './strict.ts'
import type { TestPlace } from './test-place.ts'
import { machineClockHint, timeZoneHint } from './time-hints.ts'
import { DelayedRequests } from './traffic.ts'

export const START = '2026-01-01T00:00:00Z'

/**
 * Creates a test's gateway, with a default clock and seed unless the options set them.
 * @throws TypeError if the options are not an object (for example, from an async function or one without `return`), or if `create` does not
 * return a gateway or returns another test's gateway
 */
export function createForTest<C extends Clock, G extends Gateway<C>>(
  create: (options: GatewayOptions<C>) => G,
  options: GatewayOptions<C>,
  createDefaults: () => { readonly clock: C; readonly seed: string },
): G {
  requireObject('gatewayOptions', options)
  const defaults = createDefaults()
  const gateway = create({ ...options, clock: options.clock ?? defaults.clock, seed: options.seed ?? defaults.seed })
  requireGateway('create returned', gateway)
  // `connect` sets this hook.
  if (gateway.transport.hooks.drop) {
    throw atCaller(
      new TypeError('create returned the gateway of an earlier test. Allowed: a new gateway for each test.'),
    )
  }
  return gateway
}

const PASSED = 'Your assertions passed, but the test left something behind (set `strict: false` to allow this):'

/** An error with the strings that runners show: some runners show the message, and others show the stack, which begins with the message. */
export interface ErrorWithText {
  readonly name?: string
  /** Not a string if a client throws an object that is not an error. */
  message?: unknown
  stack?: string
  /** Vitest's comparison of the expected and received values. */
  diff?: string
}

/**
 * Like {@link assertStrict}, but also throws for unfinished requests and losses. The error has no stack frames, because no single line
 * caused it.
 */
export function requireStrict(gateway: Gateway, connection: TestConnection): void {
  const { traffic, lost } = connection
  const { unfinished } = traffic
  // A request in progress may still use what seems unused.
  const problems = [...unfinished, ...lost(), ...(unfinished.length > 0 ? [] : unusedIn(gateway))]
  if (problems.length === 0) {
    for (const hint of traffic.hints) printWarning(hint)
    return
  }
  const error = new AssertionError([PASSED, ...problems].join('\n'))
  connection.failure = 'leftovers'
  throw Object.assign(error, { stack: `${error.name}: ${error.message}` })
}

/**
 * Adds the report and the unfinished requests to the error of a failing test. Omits the report if a matcher has already added it. If there
 * is a diff, the added text follows it, because vitest prints the diff after the message.
 */
export function addReport(error: ErrorWithText | undefined, gateway: Gateway, connection: TestConnection): void {
  if (!error) return
  const message = typeof error.message === 'string' ? error.message : listValues(error)
  // In node:assert errors, `diff` is the name of a format.
  const diff = error.diff?.includes('\n') ? error.diff : undefined
  const stack = error.stack && withoutWrapperFrames(error.stack)
  if (stack && stack !== error.stack) overwrite(error, 'stack', stack)
  // A matcher's message ends with the report, and the report always contains dates.
  const [failure = ''] = message.split('\n\nThe gateway at ', 1)
  const texts = [
    // Rare, but the likeliest causes when they occur.
    ...timeZoneHint(failure, connection.timers, gateway),
    ...machineClockHint(`${failure}\n${diff ?? ''}`, gateway),
    ...timersHint(message, gateway, connection),
    // A SurvivalError describes its own gateways.
    ...(connection.hasReport(message) || error.name === 'SurvivalError' ? [] : [gateway.report({ about: message })]),
    ...listUnfinished(message, gateway, connection),
    ...connection.traffic.hints,
  ]
  if (texts.length === 0) return
  const added = `\n\n${texts.join('\n')}\n`
  if (diff) overwrite(error, 'diff', diff + added.trimEnd())
  else overwrite(error, 'message', message + added)
  // A function, because a replacement string may contain patterns such as "$&". Without a message, the first line is the error's name.
  const stackWithReport = stack?.replace(message || /$/m, () => message + added)
  if (stackWithReport) overwrite(error, 'stack', stackWithReport)
}

/** Lists the plain values of an object that is not an error. Once there is a message, Vitest shows nothing else. */
function listValues(thrown: object): string {
  // Vitest copies functions as strings.
  const isPlain = (value: unknown) => /^(?:string|number|boolean)$/.test(typeof value) && !/^Function</.test(`${value}`)
  return JSON.stringify(Object.fromEntries(Object.entries(thrown).filter(([, value]) => isPlain(value))))
}

/** Creates the error for a test that the runner ended before its function finished. It includes the report and the test's line. */
export function timeoutError(gateway: Gateway, connection: TestConnection, place: TestPlace | undefined): Error {
  const error = new Error('The test runner ended this test before the test function finished.')
  connection.failure = 'timeout'
  const at = place ? `\n    at ${place.file}:${place.line}:${place.column}` : ''
  Object.assign(error, { stack: `Error: ${error.message}${at}` })
  addReport(error, gateway, connection)
  return error
}

/**
 * Sets a string of an error, unless the error is frozen. It defines the property because a DOMException has only a getter. Vitest passes a new
 * property to its reporters only if it is enumerable.
 */
function overwrite(error: ErrorWithText, name: keyof ErrorWithText, value: string): void {
  const whenNew = name in error ? {} : { enumerable: true }
  Reflect.defineProperty(error, name, { value, writable: true, configurable: true, ...whenNew })
}

/** Returns true if the runner has ended the test, according to the runner's own message. */
const hasTimedOut = (message: string, { failure }: TestConnection) =>
  failure === 'timeout' || /timed out/i.test(message)

function listUnfinished(message: string, { clock }: Gateway, connection: TestConnection): readonly string[] {
  const { traffic, failure } = connection
  if (failure === 'leftovers') return []
  return hasTimedOut(message, connection)
    ? [...traffic.unfinishedAtTimeout, ...(isManual(clock) ? traffic.unfinishedServedAtTimeout : [])]
    : traffic.unfinishedAtFailure
}

/** Returns a hint if the code under test waits for timers that do not fire. */
function timersHint(message: string, gateway: Gateway, connection: TestConnection): readonly string[] {
  const { traffic, timers } = connection
  const isTimeout = hasTimedOut(message, connection)
  // A timer may be the time limit of a pending request, such as that of ky.
  if (timers) return traffic.hasPendingRequests ? [] : waitingTimersHint(isTimeout, timers, gateway)
  const { pauses } = traffic
  return fakeTimersHint(gateway) ?? (pauses ? [pauses] : realTimersHint(isTimeout, gateway))
}

/** Returns a hint if timers of the `globals` option are waiting, and the test timed out or never moved the clock. */
function waitingTimersHint(isTimeout: boolean, timers: ReplacedTimers, { clock }: Gateway): readonly string[] {
  const text = describeTimers(timers)
  const [next] = timers.waiting()
  if (text === undefined || !next || (timers.hasMoved() && !isTimeout)) return []
  const now = readClock(clock)
  // A timer that is due now fires at the next move.
  const wait = durationText(Math.max(1, Math.ceil(next.at - now)))
  const atOnce = timers.waiting().filter(({ at }) => at === next.at).length
  if (atOnce >= MANY_TIMERS) {
    const due = formatCount(atOnce, 'timer is', 'timers are')
    return [`${text} ${due} due at that time. Is the await of a delay missing?`]
  }
  if (REJECTED.test(next.setAfter ?? '')) return [`${text} Is your code retrying a request that was rejected?`]
  const before = next.at > now ? `, ${wait} before that` : ''
  return timers.hasMoved()
    ? [
        `${text} The clock advanced to ${exactTimestamp(now)}${before}. Advance it further, unless your code should wait less or should have given up by then.`,
      ]
    : [`${text} Advance the clock while your code waits: \`await gateway.clock.advanceAsync('${wait}')\`.`]
}

/** Code that doesn't await its delays sets at least this many timers at one time. */
const MANY_TIMERS = 100

/** Matches a request that failed with a status that a retry rarely changes. */
const REJECTED = /→ 4(?:00|01|03|05|13|15|22)$/

/** Describes the waiting timers of the `globals` option, or returns undefined if there are none. */
function describeTimers({ waiting }: ReplacedTimers): string | undefined {
  const [next, ...others] = waiting()
  if (!next) return undefined
  const wait = formatCount(others.length + 1, 'timer is waiting', 'timers are waiting')
  const after = next.setAfter === undefined ? '' : `, and was set after ${next.setAfter}`
  return `${wait} for the gateway's clock. ${others.length > 0 ? 'The next' : 'It'} is due at ${exactTimestamp(next.at)}${after}.`
}

/** Returns a hint if code waits on the runner's fake timers, but the gateway has a manual clock. */
function fakeTimersHint({ clock }: Gateway): readonly string[] | undefined {
  // Vitest and Jest use @sinonjs/fake-timers, and it sets this property.
  const { clock: fake } = globalThis.setTimeout as { clock?: { countTimers?(): number } }
  const count = fake?.countTimers?.() ?? 0
  if (count === 0 || !isManual(clock)) return undefined
  const wait = formatCount(count, 'timer is waiting', 'timers are waiting')
  return [
    `${wait} on the runner's fake timers, which do not follow the gateway's manual clock. Advance both, use the timers from ` +
      '`timersOn(gateway.clock)`, or give the gateway the system clock, which follows fake timers.',
  ]
}

/** Returns a hint if a test timed out after the clock had moved: the code under test may wait on real timers. */
function realTimersHint(isTimeout: boolean, { clock, requests }: Gateway): readonly string[] {
  const last = requests.last()?.at
  if (!isTimeout || !isManual(clock) || last === undefined) return []
  const now = timestamp(clock.now)
  if (last === now) return []
  return [
    `No request came after ${last}, although the clock advanced to ${now}. Is the code under test waiting on real timers? ` +
      'Pass it the timers from `timersOn(gateway.clock)`.',
  ]
}

/** The connection between a gateway and a test: the requests, the losses, and the function that ends the connection. */
export type TestConnection = ReturnType<typeof connect>

/**
 * Connects a gateway to a test: {@link DelayedRequests} delivers the requests, the globals may be replaced, and the gateway is uninstalled
 * at the end of the test.
 */
export function connect(gateway: Gateway, replaceGlobals?: ReplaceGlobals) {
  requireGateway('create returned', gateway)
  const losses = watchLosses(gateway)
  const traffic = new DelayedRequests(gateway)
  const installed: Installed[] = []
  const { install, report } = gateway
  let lastReport: string | undefined
  gateway.report = (options) => {
    lastReport = report(options)
    return lastReport
  }
  gateway.install = (options = {}) => {
    requireObject('options', options)
    const each = install({ ...options, others: options.others ?? 'refuse' })
    installed.push(each)
    return each
  }
  const timers = replaceGlobals?.(gateway, () => traffic.lastRequest)
  if (timers) {
    gateway.transport.hooks.explainNoRequests = () => (traffic.hasPendingRequests ? '' : describeTimers(timers))
  }
  return {
    traffic,
    timers,
    /** The failure that the fixture itself detected. */
    failure: undefined as 'leftovers' | 'timeout' | undefined, // TypeScript would take the type undefined.
    /** Returns the losses that the test would not notice. */
    lost: () => [...traffic.refused, ...traffic.wrongKeys, ...losses],
    /** Returns true if a message, such as a matcher's, contains the test's last report. */
    hasReport: (message: string) => lastReport !== undefined && message.includes(lastReport),
    /** Closes the servers that are still open. Timers that code sets when its connections break are not those that the test waited for. */
    closeServers() {
      timers?.freeze()
      return traffic.closeServers()
    },
    /** Uninstalls the gateway. A second call does nothing. */
    end() {
      traffic.end()
      for (const each of installed) each.uninstall()
      timers?.restore()
    },
  }
}
