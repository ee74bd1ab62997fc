import { counted } from '../../schema/text.ts'
import { durationText } from '../../schema/time.ts'
import { type Change, changesOf, lackOf } from './changes.ts'
import type { AnyRun } from './run.ts'
import type { ScheduleOptions, Verdict } from './types.ts'

/** What is wrong with a run, as a word and as a sentence. */
export interface Judgement {
  readonly verdict: Verdict
  readonly message: string
}

/** What the run without failures has left: others are measured by it. */
export interface Clean {
  readonly families: ReadonlyMap<string, number>
  readonly hasTimersLeft: boolean
  readonly changes: readonly Change[]
}

/** Measures the run without failures. Where the caller has a check of its own, that alone judges values. */
export function cleanOf(run: AnyRun, { holds }: Pick<ScheduleOptions<never, never>, 'holds'>): Clean {
  return { families: familiesOf(run), hasTimersLeft: run.timersLeft.length > 0, changes: holds ? [] : changesOf(run) }
}

const GOOD: Judgement = { verdict: 'survived', message: 'It survives.' }

/** Judges a run by the one without failures; that one by itself. */
export function judge(run: AnyRun, within: number, clean: Clean | undefined): Judgement {
  const { settled, stuck, unhandled, requestsAfter, timersLeft } = run
  if (stuck || !settled) return { verdict: 'never-ends', message: `it never ends: ${WHY[stuck ?? 'nothing'](within)}.` }
  const [error] = unhandled
  if (unhandled.length > 0)
    return {
      verdict: 'unhandled-rejection',
      message: `a promise rejects with ${quoteError(error)}, and nobody handles it.`,
    }
  if (requestsAfter > 0) {
    return { verdict: 'work-after-end', message: `it has ended, and then sends ${counted(requestsAfter, 'request')}.` }
  }
  const [delay] = timersLeft
  if (delay !== undefined && clean && !clean.hasTimersLeft) {
    return {
      verdict: 'work-after-end',
      message: `it has ended, and ${counted(timersLeft.length, 'timer is', 'timers are')} left, the first one of ${delay} ms.`,
    }
  }
  if (settled.error && !clean) {
    return {
      verdict: 'refused-error',
      message: `it rejects with ${quoteError(settled.error)}, and nothing had failed.`,
    }
  }
  return settled.error ? judgeError(run, settled.error) : judgeResult(run, clean)
}

const WHY = {
  nothing: () => 'it waits for nothing, with no timer and no request under way',
  time: (within: number) => `it runs longer than ${durationText(within)}, the most that \`within\` allows`,
  requests: () => 'it sends requests without end',
  turns: () => 'it takes turns of the event loop without end, as with setImmediate',
  timers: () => 'it sets timers without end',
} as const

function judgeError(run: AnyRun, error: Error): Judgement {
  const left = run.leftovers().filter((each) => !run.before.has(each))
  if (left.length === 0) return GOOD
  return {
    verdict: 'leftovers-after-error',
    message: `it rejects with ${quoteError(error)}, and leaves ${listed(countFamilies(left))}.`,
  }
}

function judgeResult(run: AnyRun, clean: Clean | undefined): Judgement {
  if (!clean) return GOOD
  const families = familiesOf(run)
  for (const family of new Set([...clean.families.keys(), ...families.keys()])) {
    const is = families.get(family) ?? 0
    const wanted = clean.families.get(family) ?? 0
    if (is === wanted) continue
    const message = `${is === 0 ? 'no' : is} ${family} where ${wanted === 0 ? 'none' : wanted} ${wanted === 1 ? 'is' : 'are'} wanted.`
    return { verdict: 'other-leftovers', message }
  }
  const message = lackOf(run, clean.changes)
  return message ? { verdict: 'other-leftovers', message } : GOOD
}

function familiesOf(run: AnyRun): ReadonlyMap<string, number> {
  return countFamilies(run.leftovers())
}

function countFamilies(left: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of left) {
    const family = each.slice(0, each.indexOf(' '))
    counts.set(family, (counts.get(family) ?? 0) + 1)
  }
  return counts
}

function listed(families: ReadonlyMap<string, number>): string {
  return [...families].map(([family, count]) => `${count} ${family}`).join(' and ')
}

export function quoteError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function judgeByAllow(error: Error, allow: () => boolean): Judgement {
  const refused = (why: string): Judgement => {
    return { verdict: 'refused-error', message: `it rejects with ${quoteError(error)}, ${why}.` }
  }
  try {
    return allow() ? GOOD : refused('which `allow` does not accept')
  } catch (thrown) {
    return refused(`and \`allow\` throws ${quoteError(thrown)}`)
  }
}

/** Judges what the caller's own checks say of a run that is good so far. */
export async function judgeByCaller(
  run: AnyRun,
  { allow, holds }: Pick<ScheduleOptions<never, never>, 'allow' | 'holds'>,
): Promise<Judgement> {
  const ended = run.ended() as never // The checks know their own types.
  const { error } = run.settled ?? {}
  if (error) return allow ? judgeByAllow(error, () => allow(ended)) : GOOD
  try {
    if (holds && (await run.drive(async () => holds(ended))) === false)
      return { verdict: 'does-not-hold', message: 'it resolves, and `holds` says no.' }
    return GOOD
  } catch (thrown) {
    return { verdict: 'does-not-hold', message: `it resolves, and \`holds\` says: ${quoteError(thrown)}` }
  }
}
