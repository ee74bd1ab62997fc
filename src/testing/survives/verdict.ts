import { readPredicateResult } from '../../core/schema/options.ts'
import { describeThrown, formatCount } from '../../core/schema/text.ts'
import { durationText } from '../../core/schema/time.ts'
import { changesOf, missingChange } from './changes.ts'
import type { Copy } from './copy.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import { Comparison, type Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import type { TriedSchedule } from './types.ts'

/** The verdict on a run, as a word and as a sentence. */
export type Judgement = Pick<TriedSchedule, 'verdict' | 'message'>

/** The results of the run without failures, with which other runs are compared. */
export type Baseline = ReturnType<typeof baselineOf>

/** Collects the results of the run without failures. With the option `holds`, changes are not compared. */
export function baselineOf(run: Run, { holds }: ParsedSurvivalOptions) {
  return {
    /** The outcomes of copies one after the other. */
    outcomes: run.outcomes,
    families: countFamilies(run.leftovers()),
    hasTimersLeft: run.remainingTimers.length > 0,
    changes: holds ? [] : changesOf(run),
  }
}

const verdictOf = (verdict: Judgement['verdict'], message: string): Judgement => ({ verdict, message })

const SURVIVED = verdictOf('survived', 'It survives.')

const STOP_REASONS = {
  nothing: () => 'it waits for nothing, with no timer and no request under way',
  time: (within: number, [next = 0]: readonly number[]) =>
    `it runs longer than ${durationText(within)}, the most that \`within\` allows${next > within ? `; a timer waits for ${durationText(next)}` : ''}`,
  requests: () => 'it sends requests without end',
  turns: () => 'it takes turns of the event loop without end, as with setImmediate',
  timers: () => 'it sets timers without end',
} as const

/** Returns the verdict on a run, compared with the run without failures. That run itself is compared with nothing. */
export async function judge(
  run: Run,
  baseline: Baseline | undefined,
  options: ParsedSurvivalOptions,
): Promise<Judgement> {
  const wrong = judgeEnd(run, baseline, options)
  if (wrong) return wrong
  const [copy] = run.copies
  if (run.copies.length > 1) return judgeCopies(run, baseline, options)
  return copy?.settled?.error
    ? judgeError(run, copy, copy.settled.error, baseline, options)
    : judgeResult(run, baseline, options)
}

/** Returns the verdict on a run that does not end well, whatever it leaves. */
function judgeEnd(run: Run, baseline: Baseline | undefined, options: ParsedSurvivalOptions): Judgement | undefined {
  const { hasEnded, stopReason, requestsAfterEnd, remainingTimers } = run
  const { unhandled } = run.world
  if (stopReason || !hasEnded) {
    return verdictOf(
      'never-ends',
      `it never ends: ${STOP_REASONS[stopReason ?? 'nothing'](options.within, remainingTimers)}.`,
    )
  }
  if (unhandled.length > 0) {
    const error = describeThrown(unhandled[0])
    return verdictOf('unhandled-rejection', `a promise rejects with ${error}, and nobody handles it.`)
  }
  if (requestsAfterEnd > 0) {
    return verdictOf('work-after-end', `it has ended, and then sends ${formatCount(requestsAfterEnd, 'request')}.`)
  }
  if (remainingTimers.length > 0 && baseline && !baseline.hasTimersLeft) {
    const timers = formatCount(remainingTimers.length, 'timer is', 'timers are')
    return verdictOf('work-after-end', `it has ended, and ${timers} left, the first one of ${remainingTimers[0]} ms.`)
  }
  return undefined
}

/** Compares copies that ran at once with the same copies one after the other. */
async function judgeCopies(
  run: Run,
  baseline: Baseline | undefined,
  options: ParsedSurvivalOptions,
): Promise<Judgement> {
  const rejected = run.copies.filter(({ settled }) => settled?.error)
  const [first] = rejected
  const rejection = first && `${first.name} rejects with ${describeThrown(first.settled?.error)}`
  if (run.outcomes[1]?.resolved === '' && rejection)
    return verdictOf('refused-error', `${rejection}, and nothing had failed.`)
  if (baseline) {
    const actual = run.outcome
    const whole = baseline.outcomes.filter(({ isWhole }) => isWhole)
    const isAsUsual = ({ resolved }: Outcome) => resolved === actual.resolved
    // A copy that rejects where it may must leave nothing: it counts as a copy that did not run.
    const mayReject = !whole.some(isAsUsual) && (options.allow !== undefined || run.schedule.length > 0)
    const alike = (mayReject ? baseline.outcomes : whole).filter(isAsUsual)
    const comparison = new Comparison([...baseline.outcomes, actual], !options.holds)
    const differences = (alike.length > 0 ? alike : whole).map((each) => comparison.differenceOf(actual, each))
    const [difference] = differences
    if (difference !== undefined && !differences.includes(undefined))
      return verdictOf('race', `${difference}.${sharingOf(run, options)}`)
    if (alike.length === 0)
      return verdictOf(
        'race',
        `${rejection ?? 'all resolve'}, which happens in no order one after the other.${sharingOf(run, options)}`,
      )
    const refused = (mayReject ? rejected : [])
      .map((copy) => judgeAllowed(run, copy, copy.settled?.error, options))
      .find(({ verdict }) => verdict !== 'survived')
    if (refused) return refused
  }
  for (const copy of run.copies) {
    const judgement = copy.settled?.error ? SURVIVED : await judgeHolds(run, copy, options)
    if (judgement.verdict !== 'survived') return judgement
  }
  return SURVIVED
}

/** Describes in a sentence what shows that the copies share something besides the gateway; empty if nothing does. */
function sharingOf({ arrivals: { difference } }: Run, { disk }: ParsedSurvivalOptions): string {
  if (!difference || disk === 'shared') return ''
  const [one, other] = difference
  return (
    ` The copies share something besides the gateway: after the same responses, a copy sent ${one} in one run, and ${other} ` +
    'in another. Create everything that a copy remembers inside the function.'
  )
}

function judgeError(
  run: Run,
  copy: Copy,
  error: Error,
  baseline: Baseline | undefined,
  options: ParsedSurvivalOptions,
): Judgement {
  const refused = (why: string) => verdictOf('refused-error', `it rejects with ${describeThrown(error)}, ${why}.`)
  if (!baseline) return refused('and nothing had failed')
  const left = countFamilies(run.leftovers().filter((each) => !run.resourcesBefore.includes(each)))
  if (left.size > 0) {
    const families = [...left].map(([family, count]) => `${count} ${family}`).join(' and ')
    return verdictOf('leftovers-after-error', `it rejects with ${describeThrown(error)}, and leaves ${families}.`)
  }
  return judgeAllowed(run, copy, error, options)
}

function judgeAllowed(run: Run, copy: Copy, error: unknown, { allow }: ParsedSurvivalOptions): Judgement {
  const refused = (why: string) => verdictOf('refused-error', `it rejects with ${describeThrown(error)}, ${why}.`)
  try {
    return !allow || readPredicateResult('it', allow(run.toEnded(copy)))
      ? SURVIVED
      : refused('which `allow` does not accept')
  } catch (thrown) {
    return refused(`and \`allow\` throws ${describeThrown(thrown)}`)
  }
}

async function judgeResult(
  run: Run,
  baseline: Baseline | undefined,
  options: ParsedSurvivalOptions,
): Promise<Judgement> {
  const message = baseline && (otherLeftovers(run, baseline) ?? missingChange(run, baseline.changes))
  const [copy] = run.copies
  if (message) return verdictOf('other-leftovers', message)
  return copy ? judgeHolds(run, copy, options) : SURVIVED
}

async function judgeHolds(run: Run, copy: Copy, { holds }: ParsedSurvivalOptions): Promise<Judgement> {
  try {
    const isGood = !holds || (await run.runToEnd('holds', () => holds(run.toEnded(copy)))) !== false
    return isGood ? SURVIVED : verdictOf('does-not-hold', 'it resolves, and `holds` says no.')
  } catch (thrown) {
    return verdictOf('does-not-hold', `it resolves, and \`holds\` says: ${describeThrown(thrown)}`)
  }
}

function otherLeftovers(run: Run, { families: expected }: Baseline): string | undefined {
  const families = countFamilies(run.leftovers())
  for (const family of new Set([...expected.keys(), ...families.keys()])) {
    const [actual, count] = [families.get(family) ?? 0, expected.get(family) ?? 0]
    if (actual !== count)
      return `${actual || 'no'} ${family} where ${count || 'none'} ${count === 1 ? 'is' : 'are'} wanted.`
  }
  return undefined
}

function countFamilies(left: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of left) {
    const [family = ''] = each.split(' ')
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return counts
}
