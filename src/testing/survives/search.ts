import { formatCount } from '../../core/schema/text.ts'
import { Explorer } from './explore.ts'
import { progressLine } from './progress.ts'
import { SurvivalError } from './survival-error.ts'
import type { CodeUnderTest, FailureGroup, SurvivalResult, SurvivesOptions, TriedSchedule } from './types.ts'

/** Tries all schedules up to the level at which one fails. */
export async function search(code: CodeUnderTest, options: SurvivesOptions): Promise<SurvivalResult> {
  const explorer = new Explorer(code, options, true)
  const groups = new Map<string, FailureGroup>()
  const line = progressLine()
  const { onProgress = line.show } = options
  try {
    for await (const result of explorer.runSchedules()) {
      if (result.verdict !== 'survived') {
        const name = `${result.verdict} ${result.schedule.at(-1)?.at} ${result.order && result.message}`
        const group = groups.get(name) ?? { ...result, count: 0 }
        groups.set(name, { ...group, count: group.count + 1 })
      }
      const { tried, total, failing, level: faults } = explorer
      onProgress({ tried, total, failing, faults })
    }
  } finally {
    line.end()
  }
  const [first, ...others] = groups.values()
  if (!first) return resultOf(explorer)
  const report = reportOf(code, first, others, explorer, options.replay !== undefined)
  throw new SurvivalError(report, [first, ...others], explorer.coverage)
}

/** Yields each schedule that was tried. Between two schedules, the host has its own timers and dates. */
export async function* iterate(
  code: CodeUnderTest,
  options: SurvivesOptions,
): AsyncGenerator<TriedSchedule, SurvivalResult> {
  const explorer = new Explorer(code, options, false)
  for await (const result of explorer.runSchedules()) {
    explorer.world.restoreGlobals()
    yield result
    explorer.world.replaceGlobals()
  }
  return resultOf(explorer)
}

function resultOf({ tried, total, isComplete, coverage, level, failing, scope }: Explorer): SurvivalResult {
  const cut = isComplete ? '' : '; the budget has ended'
  const summary = `${number(tried)} of ${number(total)} ${scope || `schedules with up to ${formatCount(level, 'fault')}`}; ${number(failing)} fail${cut}`
  return { summary, tried, total, isComplete, coverage }
}

const number = (count: number) => count.toLocaleString('en-US')

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

function reportOf(
  { name }: CodeUnderTest,
  { message, story, replay, verdict, schedule: { length } }: FailureGroup,
  others: readonly FailureGroup[],
  { isComplete, tried, total, failing, scope, copies }: Explorer,
  isReplay: boolean,
): string {
  const code = name || 'The code'
  if (copies > 1 && total === 0) return `${code} fails in copies one after the other: ${message}\n\n${story}`
  if (copies > 1) {
    const count =
      failing === 1 ? 'The only failing interleaving' : `The smallest of ${number(failing)} failing interleavings`
    const which = isComplete ? `all ${number(total)}` : `${number(tried)} of ${number(total)}`
    const shown = verdict === 'race' ? `do not end as one after the other: ${message}` : `fail: ${message}`
    const lines = [`${copies === 2 ? 'Two' : 'Three'} copies at once ${shown}`, '', story]
    if (isReplay) return lines.join('\n')
    return [
      ...lines,
      `  ${count}; ${which} ${scope.replace('interleavings ', '')} were tried.`,
      `  Replay: survives(code, { copies: ${copies}, replay: ${literal(replay)} })`,
      ...alsoOf(others),
    ].join('\n')
  }
  if (length === 0) return `${code} fails without any fault: ${message}\n\n${story}`
  const faults = `${COUNTS[length]} ${length === 1 ? 'fault' : 'faults'}`
  const lines = [`${code} does not survive ${faults}: ${message}`, '', story]
  if (isReplay) return lines.join('\n')
  const which = `${isComplete ? 'all' : `${number(tried)} of`} ${number(total)} with ${length === 1 ? '' : 'up to '}${faults}`
  return [
    ...lines,
    `  ${failing === 1 ? 'The only failing schedule' : `The smallest of ${number(failing)} failing schedules`}; ${which} were tried.`,
    `  Replay: survives(code, { replay: ${literal(replay)} })`,
    ...alsoOf(others),
  ].join('\n')
}

/** The number of further groups whose story a report tells. `error.groups` has all of them. */
const MAX_STORIES = 3

function alsoOf(others: readonly FailureGroup[]): readonly string[] {
  return others.map(({ count, message, replay, story }, index) => {
    const head = `  Also ${formatCount(count, 'schedule')}: ${message}\n    ${literal(replay)}`
    return index < MAX_STORIES ? `${head}\n\n${story.replace(/^(?=.)/gm, '  ')}` : head
  })
}

/** Writes a text as JavaScript does, in single quotes where that needs no escape. */
const literal = (text: string) => (/['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`)
