import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { counted, quote } from '../../schema/text.ts'
import { Explorer } from './explore.ts'
import { readSurvivalOptions } from './options.ts'
import { progressLine } from './progress.ts'
import { SurvivalError } from './survival-error.ts'
import type {
  CodeUnderTest,
  FailureGroup,
  ScheduleOptions,
  SurvivalResult,
  SurvivesOptions,
  TriedSchedule,
} from './types.ts'

type Group = { -readonly [Name in keyof FailureGroup]: FailureGroup[Name] }

/** Tries all schedules up to the level at which one fails. */
export async function search<T, G extends Gateway<ManualClock>>(
  code: CodeUnderTest<T, G>,
  options: SurvivesOptions<T, G>,
): Promise<SurvivalResult> {
  const explorer = explorerOf(code, options)
  const groups = new Map<string, Group>()
  const line = progressLine()
  const { onProgress = line.show } = options
  try {
    await explorer.enter()
    for await (const tried of explorer.tries(true)) {
      if (tried.verdict !== 'survived') addTo(groups, tried)
      const { tried: count, total, failing, level: faults } = explorer
      onProgress({ tried: count, total, failing, faults })
    }
  } finally {
    line.end()
    await explorer.end()
  }
  if (groups.size === 0) return resultOf(explorer)
  throw new SurvivalError(
    reportOf(code, [...groups.values()], explorer, options.replay !== undefined),
    [...groups.values()],
    explorer.coverage,
  )
}

/** Yields each schedule that was tried. In between, everything is the host's own. */
export async function* iterate<T, G extends Gateway<ManualClock>>(
  code: CodeUnderTest<T, G>,
  options: ScheduleOptions<T, G>,
): AsyncGenerator<TriedSchedule, SurvivalResult> {
  const explorer = explorerOf(code, options)
  try {
    await explorer.enter()
    for await (const tried of explorer.tries(false)) {
      // Taken now: the next run moves the same clock.
      const whole = { ...tried }
      explorer.leave()
      yield whole
      await explorer.enter()
    }
    return resultOf(explorer)
  } finally {
    await explorer.end()
  }
}

function explorerOf<T, G extends Gateway<ManualClock>>(code: CodeUnderTest<T, G>, options: SurvivesOptions<T, G>) {
  if (typeof code === 'function') return new Explorer(code, readSurvivalOptions(options))
  throw new TypeError(`code is ${quote(code)}. Allowed: a function.`)
}

function addTo(groups: Map<string, Group>, tried: TriedSchedule): void {
  const name = `${tried.verdict} ${tried.schedule.at(-1)?.at}`
  const group = groups.get(name)
  if (group) group.count++
  else groups.set(name, { ...tried, count: 1 })
}

type Tried = Pick<Explorer<never, never>, 'tried' | 'total' | 'failing' | 'isComplete' | 'coverage' | 'level'>

function resultOf({ tried, total, isComplete, coverage, level, failing }: Tried): SurvivalResult {
  const cut = isComplete ? '' : '; the budget has ended'
  const summary = `${number(tried)} of ${number(total)} schedules with up to ${counted(level, 'fault')}; ${number(failing)} fail${cut}`
  return { summary, tried, total, isComplete, coverage }
}

const number = (count: number) => count.toLocaleString('en-US')

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

function reportOf(
  code: { readonly name: string },
  groups: readonly Group[],
  explorer: Tried,
  isReplay: boolean,
): string {
  const [first, ...others] = groups as [Group, ...Group[]] // Nothing is reported without one.
  const { length } = first.schedule
  const name = code.name || 'The code'
  if (length === 0) return `${name} fails without any fault: ${first.message}\n\n${first.story}`
  const faults = `${COUNTS[length]} ${length === 1 ? 'fault' : 'faults'}`
  const tried = explorer.isComplete
    ? `all ${number(explorer.tried)}`
    : `${number(explorer.tried)} of ${number(explorer.total)}`
  const lines = [`${name} does not survive ${faults}: ${first.message}`, '', first.story]
  if (isReplay) return lines.join('\n')
  return [
    ...lines,
    `  The smallest of ${counted(explorer.failing, 'failing schedule')}; ${tried} with ${length === 1 ? '' : 'up to '}${faults} were tried.`,
    `  Replay: survives(code, { replay: '${first.replay}' })`,
    ...others.map(({ count, message, replay }) => `  Also ${counted(count, 'schedule')}: ${message}\n    '${replay}'`),
  ].join('\n')
}
