import { counted } from '../../schema/text.ts'
import { durationText } from '../../schema/time.ts'
import { changesOf, missingChange } from './changes.ts'
import type { ReadSurvivalOptions } from './options.ts'
import type { Run } from './run.ts'
import type { TriedSchedule } from './types.ts'

/** The verdict on a run, as a word and as a sentence. */
export type Judgement = Pick<TriedSchedule, 'verdict' | 'message'>

/** The facts of the run without failures. Other runs are compared with these facts. */
export type Clean = ReturnType<typeof cleanOf>

/** Collects the facts of the run without failures. With the option `holds`, changes are not compared. */
export function cleanOf(run: Run, { holds }: ReadSurvivalOptions) {
  return {
    families: countFamilies(run.leftovers()),
    hasTimersLeft: run.timersLeft.length > 0,
    changes: holds ? [] : changesOf(run),
  }
}

const judged = (verdict: Judgement['verdict'], message: string): Judgement => ({ verdict, message })

const GOOD = judged('survived', 'It survives.')

const WHY = {
  nothing: () => 'it waits for nothing, with no timer and no request under way',
  time: (within: number, [next = 0]: readonly number[]) =>
    `it runs longer than ${durationText(within)}, the most that \`within\` allows${next > within ? `; a timer waits for ${durationText(next)}` : ''}`,
  requests: () => 'it sends requests without end',
  turns: () => 'it takes turns of the event loop without end, as with setImmediate',
  timers: () => 'it sets timers without end',
} as const

/** Returns the verdict on a run, compared with the run without failures. That run itself is compared with nothing. */
export async function judge(run: Run, clean: Clean | undefined, options: ReadSurvivalOptions): Promise<Judgement> {
  const { settled, stuck, requestsAfter, timersLeft } = run
  const { unhandled } = run.world
  if (stuck || !settled) {
    return judged('never-ends', `it never ends: ${WHY[stuck ?? 'nothing'](options.within, timersLeft)}.`)
  }
  if (unhandled.length > 0) {
    const error = quoteError(unhandled[0])
    return judged('unhandled-rejection', `a promise rejects with ${error}, and nobody handles it.`)
  }
  if (requestsAfter > 0) {
    return judged('work-after-end', `it has ended, and then sends ${counted(requestsAfter, 'request')}.`)
  }
  if (timersLeft.length > 0 && clean && !clean.hasTimersLeft) {
    const timers = counted(timersLeft.length, 'timer is', 'timers are')
    return judged('work-after-end', `it has ended, and ${timers} left, the first one of ${timersLeft[0]} ms.`)
  }
  return settled.error ? judgeError(run, settled.error, clean, options) : judgeResult(run, clean, options)
}

function judgeError(run: Run, error: Error, clean: Clean | undefined, { allow }: ReadSurvivalOptions): Judgement {
  const refused = (why: string) => judged('refused-error', `it rejects with ${quoteError(error)}, ${why}.`)
  if (!clean) return refused('and nothing had failed')
  const left = countFamilies(run.leftovers().filter((each) => !run.before.includes(each)))
  if (left.size > 0) {
    const listed = [...left].map(([family, count]) => `${count} ${family}`).join(' and ')
    return judged('leftovers-after-error', `it rejects with ${quoteError(error)}, and leaves ${listed}.`)
  }
  try {
    return !allow || allow(run.ended()) ? GOOD : refused('which `allow` does not accept')
  } catch (thrown) {
    return refused(`and \`allow\` throws ${quoteError(thrown)}`)
  }
}

async function judgeResult(run: Run, clean: Clean | undefined, { holds }: ReadSurvivalOptions): Promise<Judgement> {
  const message = clean && (otherLeftovers(run, clean) ?? missingChange(run, clean.changes))
  if (message) return judged('other-leftovers', message)
  try {
    const isGood = !holds || (await run.drive(async () => holds(run.ended()))) !== false
    return isGood ? GOOD : judged('does-not-hold', 'it resolves, and `holds` says no.')
  } catch (thrown) {
    return judged('does-not-hold', `it resolves, and \`holds\` says: ${quoteError(thrown)}`)
  }
}

function otherLeftovers(run: Run, { families: expected }: Clean): string | undefined {
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

export function quoteError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
