import { readPredicateResult } from '../../core/schema/arguments.ts'
import { describeThrown, formatCount } from '../../core/schema/text.ts'
import { durationText } from '../../core/schema/time.ts'
import { choicesOf } from './choices.ts'
import { countDifference, describeDifference, type EndingDifference, type IsChosen } from './comparison.ts'
import { type Copy, thrownText } from './copy.ts'
import type { Ending } from './ending.ts'
import type { Outcome, RunRecord } from './record.ts'
import type { TriedSchedule } from './types.ts'

/** The verdict on a run, as a word and as a sentence. */
export interface Judgement extends Pick<TriedSchedule, 'verdict' | 'message'> {
  /** True if values differ, but not the numbers of resources. */
  readonly isOfValues?: boolean | undefined
}

/** The results of the run without failures, which other runs are compared with. */
export type Baseline = ReturnType<typeof baselineOf>

/** Collects the results of the run without failures. */
export function baselineOf(run: RunRecord) {
  return {
    /** The outcomes of copies that run one after the other. */
    outcomes: [...run.outcomes],
    ending: run.outcomes.at(-1)?.ending ?? run.ending,
    /** The resources before the code ran. */
    before: run.outcomes[0]?.ending,
    hasTimersLeft: run.remainingTimers.length > 0,
  }
}

/**
 * Describes the first difference between the resources that runs leave. With the `holds` option, only the numbers of resources
 * count.
 */
function differenceOf(
  { options }: RunRecord,
  actual: Ending,
  expected: Ending,
  isChosen?: IsChosen,
): EndingDifference | undefined {
  if (!options.holds) return describeDifference(actual, expected, isChosen)
  const message = countDifference(actual.counts, expected.counts)
  return message === undefined ? undefined : { message, isOfValues: false }
}

const verdictOf = (verdict: Judgement['verdict'], message: string): Judgement => ({ verdict, message })

const SURVIVED = verdictOf('survived', 'It survives.')

/** A message counts requests if there are at least this many. */
const MANY_REQUESTS = 100

/**
 * Counts the requests in a run, and the repetitions of its most frequent request, if there are at least `min` requests. Shows the last
 * response.
 */
export function countRequests({ arrivals: { events } }: RunRecord, min: number): string | undefined {
  const requests = events.filter(({ type }) => type === 'request')
  if (requests.length < min) return undefined
  const counts = new Map<string, number>()
  for (const { description } of requests) counts.set(description, (counts.get(description) ?? 0) + 1)
  const [most = '', count = 0] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))
  const last = requests.findLast(({ description }) => description === most)
  const repeated = last && `${last.hideSecrets(most)} → ${last.response?.status ?? 'no response'}`
  return `${formatCount(requests.length, 'request')}, ${formatCount(count, 'time', 'times')} ${repeated}`
}

const STOP_REASONS = {
  nothing: () => 'it waits, but no timer is set and no request is pending',
  time: (within: number, [next = 0]: readonly number[]) =>
    `it takes longer than ${durationText(within)}, the maximum that \`within\` allows${next > within ? `; a timer waits for ${durationText(next)}` : ''}`,
  'real-time': () => 'it takes more real time than `timeout` allows',
  requests: () => 'it never stops sending requests',
  turns: () => 'it keeps the event loop busy forever, for example with setImmediate',
  timers: () => 'it never stops setting timers',
} as const

/** Returns the verdict on a run, compared with the run without failures. That run itself is not compared. */
export async function judge(run: RunRecord, baseline: Baseline | undefined): Promise<Judgement> {
  const wrong = judgeEnd(run, baseline)
  if (wrong) return wrong
  if (run.copies.length > 1) return judgeCopies(run, baseline)
  const [copy] = run.copies
  const judgeOne = copy?.settled?.error ? judgeError : judgeResult
  return (copy && (await judgeOne(run, copy, baseline))) ?? SURVIVED
}

/** Returns the verdict on a run that doesn't end well, regardless of what it leaves behind. */
function judgeEnd(run: RunRecord, baseline: Baseline | undefined): Judgement | undefined {
  const { hasEnded, stopReason, requestsAfterEnd, notAwaited, remainingTimers, unhandled, options } = run
  if (stopReason || !hasEnded) {
    const copy = run.copies.find(({ settled }) => !settled)
    const reason = STOP_REASONS[stopReason ?? 'nothing'](options.within, remainingTimers)
    const requests = countRequests(run, MANY_REQUESTS)
    const sent = requests === undefined ? '' : `; it sent ${requests}`
    return verdictOf('never-ends', `${subjectOf(run, copy)} never ends: ${reason}${sent}.`)
  }
  if (unhandled.length > 0) {
    return verdictOf(
      'unhandled-rejection',
      `a promise rejects with ${thrownText(unhandled[0])}, but nothing handles it.`,
    )
  }
  if (notAwaited !== undefined) {
    return verdictOf('work-after-end', `it has ended, but ${notAwaited} is still pending. Is an await missing?`)
  }
  if (requestsAfterEnd > 0) {
    return verdictOf('work-after-end', `it sends ${formatCount(requestsAfterEnd, 'request')} after it has ended.`)
  }
  if (remainingTimers.length > 0 && baseline && !baseline.hasTimersLeft) {
    const timers = formatCount(remainingTimers.length, 'timer is', 'timers are')
    return verdictOf(
      'work-after-end',
      `it has ended, but ${timers} left, the first with a delay of ${remainingTimers[0]} ms.`,
    )
  }
  return undefined
}

/** Compares copies that ran concurrently with the same copies running one after the other. */
async function judgeCopies(run: RunRecord, baseline: Baseline | undefined): Promise<Judgement> {
  const rejected = run.copies.filter(({ settled }) => settled?.error)
  const [first] = rejected
  if (run.outcomes[1]?.resolved === '' && first) return refuseError(run, first)
  if (baseline) {
    const actual = run.outcome
    const whole = baseline.outcomes.filter(({ isWhole }) => isWhole)
    const isAsUsual = ({ resolved }: Outcome) => resolved === actual.resolved
    // A copy that is allowed to reject must leave nothing: it counts as a copy that did not run.
    const mayReject = !whole.some(isAsUsual) && (run.options.allow !== undefined || run.schedule.length > 0)
    const alike = (mayReject ? baseline.outcomes : whole).filter(isAsUsual)
    const differences = (alike.length > 0 ? alike : whole).map(({ ending }) => differenceOf(run, actual.ending, ending))
    const [difference] = differences
    if (difference && !differences.includes(undefined)) {
      const left = run.schedule.length > 0 && rejected.map((copy) => judgeLeftBy(run, copy)).find(Boolean)
      if (left) return left
      const isOfValues = differences.some((each) => each?.isOfValues)
      return { ...verdictOf('race', `${difference.message}.${sharingOf(run)}`), isOfValues }
    }
    if (alike.length === 0) {
      const ending = first ? describeRejection(run, first) : 'all resolve'
      return verdictOf('race', `${ending}. One after the other, ${endingsOf(run, whole)}.${sharingOf(run)}`)
    }
    for (const copy of mayReject ? rejected : []) {
      const refused = judgeAllowed(run, copy)
      if (refused) return refused
    }
  }
  for (const copy of run.copies) {
    const refused = copy.settled?.error ? undefined : await judgeHolds(run, copy)
    if (refused) return refused
  }
  return SURVIVED
}

/** Returns a verdict if a copy rejected after a failure and left a resource that it had created. That is no race. */
function judgeLeftBy(run: RunRecord, copy: Copy): Judgement | undefined {
  const own = run.arrivals.events.filter((event) => event.copy === copy.name && event.response?.status === 201)
  const bodies = own.map(({ response }) => response?.body ?? '').join()
  const left = run.leftoversAfterError().filter((each) => bodies.includes(`"id":"${each.split(' ')[1]}"`))
  return left.length > 0 ? describeLeftovers(run, copy, left) : undefined
}

function describeLeftovers(run: RunRecord, copy: Copy, left: readonly string[]): Judgement {
  const families = [...countFamilies(left)].map(([family, count]) => `${count} ${family}`).join(' and ')
  return verdictOf('leftovers-after-error', `${describeRejection(run, copy)}, and leaves ${families}.`)
}

/** Describes which copies resolve in some outcomes, such as `only A or only B resolve`. */
function endingsOf({ copies }: RunRecord, outcomes: readonly Outcome[]): string {
  const all = copies.map(({ name }) => name).join()
  const word = copies.length === 2 ? 'both' : 'all'
  const endings = outcomes.map(({ resolved }) => (resolved === all ? word : resolved ? `only ${resolved}` : 'none'))
  return `${[...new Set(endings)].join(' or ')} resolve`
}

/** Returns a sentence with the evidence that the copies share something besides the gateway, or an empty string. */
function sharingOf({ arrivals: { difference }, options }: RunRecord): string {
  if (!difference || options.disk === 'shared') return ''
  const [one, other] = difference
  return (
    ` The copies share something other than the gateway: after the same responses, a copy sent ${one} in one run, and ${other} ` +
    'in another. Create all state that a copy keeps inside the function.'
  )
}

const subjectOf = ({ copies }: RunRecord, copy: Copy | undefined) => (copy && copies.length > 1 ? copy.name : 'it')

const describeRejection = (run: RunRecord, copy: Copy) =>
  `${subjectOf(run, copy)} rejects with ${thrownText(copy.settled?.error)}`

const refuseError = (run: RunRecord, copy: Copy, why?: string) =>
  verdictOf('refused-error', `${describeRejection(run, copy)}${why === undefined ? '' : `, ${why}`}.`)

function judgeError(run: RunRecord, copy: Copy, baseline: Baseline | undefined): Judgement | undefined {
  if (!baseline) return refuseError(run, copy)
  const left = leftoversAfterError(run)
  if (typeof left === 'string') return refuseError(run, copy, left)
  if (left.length > 0) return describeLeftovers(run, copy, left)
  const refused = judgeAllowed(run, copy)
  if (refused) return refused
  if (!run.options.mayLeave) return judgeMissing(run, copy, baseline)
  return verdictOf(
    'does-not-resume',
    `the next try rejects with ${thrownText(copy.settled?.error)}, and nothing failed in it.`,
  )
}

/**
 * Returns a verdict if a family has fewer resources than before the code ran, and fewer than after the run without failures. An example is
 * an old key that is deleted before the new key is stored. Code that only deletes may reject in between.
 */
function judgeMissing(run: RunRecord, copy: Copy, { before, ending }: Baseline): Judgement | undefined {
  const { counts } = run.ending
  for (const [family, earlier] of before?.counts ?? []) {
    const count = counts.get(family) ?? 0
    if (count >= Math.min(earlier, ending.counts.get(family) ?? 0)) continue
    const missing = earlier - count
    return verdictOf(
      'missing-after-error',
      `${describeRejection(run, copy)}, and ${missing} of ${earlier} ${family} ${missing === 1 ? 'is' : 'are'} missing.`,
    )
  }
  return undefined
}

/** Returns the resources that must not remain after an error. Returns a string if `mayLeave` throws. */
function leftoversAfterError(run: RunRecord): readonly string[] | string {
  try {
    return run.leftoversAfterError()
  } catch (thrown) {
    return `and \`mayLeave\` throws ${describeThrown(thrown)}`
  }
}

function judgeAllowed(run: RunRecord, copy: Copy): Judgement | undefined {
  const { allow } = run.options
  try {
    const isAllowed = !allow || readPredicateResult('it', allow(run.toEnded(copy)))
    return isAllowed ? undefined : refuseError(run, copy, 'which `allow` does not accept')
  } catch (thrown) {
    return refuseError(run, copy, `and \`allow\` throws ${describeThrown(thrown)}`)
  }
}

async function judgeResult(run: RunRecord, copy: Copy, baseline: Baseline | undefined): Promise<Judgement | undefined> {
  const isChosen: IsChosen = (...value) => choicesOf(run.arrivals.events)(...value)
  const difference = baseline && differenceOf(run, run.ending, baseline.ending, isChosen)
  if (!difference) return judgeHolds(run, copy)
  return { ...verdictOf('other-leftovers', `${difference.message}.`), isOfValues: difference.isOfValues }
}

async function judgeHolds(run: RunRecord, copy: Copy): Promise<Judgement | undefined> {
  const { holds } = run.options
  const resolves = `${subjectOf(run, copy)} resolves, but \`holds\``
  try {
    const isGood = !holds || (await run.runToEnd('holds', () => holds(run.toEnded(copy)))) !== false
    return isGood ? undefined : verdictOf('does-not-hold', `${resolves} returned false.`)
  } catch (thrown) {
    return verdictOf('does-not-hold', `${resolves} threw: ${describeThrown(thrown)}`)
  }
}

function countFamilies(left: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of left) {
    const [family = ''] = each.split(' ')
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return counts
}
