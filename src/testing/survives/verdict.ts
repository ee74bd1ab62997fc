import { readAnswer } from '../../core/schema/options.ts'
import { describeThrown, formatCount } from '../../core/schema/text.ts'
import { durationText } from '../../core/schema/time.ts'
import { changesOf, missingChange } from './changes.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { Run } from './run.ts'
import type { TriedSchedule } from './types.ts'

/** The verdict on a run, as a word and as a sentence. */
export type Judgement = Pick<TriedSchedule, 'verdict' | 'message'>

/** The results of the run without failures, with which other runs are compared. */
export type Baseline = ReturnType<typeof baselineOf>

/** Collects the results of the run without failures. With the option `holds`, changes are not compared. */
export function baselineOf(run: Run, { holds }: ParsedSurvivalOptions) {
  return {
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
  const { settled, stopReason, requestsAfterEnd, remainingTimers } = run
  const { unhandled } = run.world
  if (stopReason || !settled) {
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
  return settled.error ? judgeError(run, settled.error, baseline, options) : judgeResult(run, baseline, options)
}

function judgeError(
  run: Run,
  error: Error,
  baseline: Baseline | undefined,
  { allow }: ParsedSurvivalOptions,
): Judgement {
  const refused = (why: string) => verdictOf('refused-error', `it rejects with ${describeThrown(error)}, ${why}.`)
  if (!baseline) return refused('and nothing had failed')
  const left = countFamilies(run.leftovers().filter((each) => !run.resourcesBefore.includes(each)))
  if (left.size > 0) {
    const families = [...left].map(([family, count]) => `${count} ${family}`).join(' and ')
    return verdictOf('leftovers-after-error', `it rejects with ${describeThrown(error)}, and leaves ${families}.`)
  }
  try {
    return !allow || readAnswer('it', allow(run.toEnded())) ? SURVIVED : refused('which `allow` does not accept')
  } catch (thrown) {
    return refused(`and \`allow\` throws ${describeThrown(thrown)}`)
  }
}

async function judgeResult(
  run: Run,
  baseline: Baseline | undefined,
  { holds }: ParsedSurvivalOptions,
): Promise<Judgement> {
  const message = baseline && (otherLeftovers(run, baseline) ?? missingChange(run, baseline.changes))
  if (message) return verdictOf('other-leftovers', message)
  try {
    const isGood = !holds || (await run.runToEnd('holds', () => holds(run.toEnded()))) !== false
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
