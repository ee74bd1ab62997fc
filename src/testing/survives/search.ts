import { escapeUnprintable, formatCount } from '../../core/schema/text.ts'
import { COPY_NAMES } from './copy.ts'
import { Explorer } from './explore.ts'
import { LocalRunner } from './local-runner.ts'
import { cutMiddle, MAX_LINE_LENGTH } from './story.ts'
import { SurvivalError } from './survival-error.ts'
import type {
  CodeUnderTest,
  FailureGroup,
  SurvivalProgress,
  SurvivalResult,
  SurvivesOptions,
  TriedSchedule,
} from './types.ts'

/** The terms that a report uses for the code and for the call that retries one schedule. */
export interface Wording {
  readonly name: string
  /** Formats the call that retries one schedule. */
  formatReplay(replay: string): string
  /** Replaces the names of options, in backticks, with the names that the caller of the search uses. */
  nameOptions(text: string): string
}

/** Tries all schedules for a function, up to the level at which one fails. */
export async function search(code: CodeUnderTest, options: SurvivesOptions): Promise<SurvivalResult> {
  const runner = new LocalRunner(code, options)
  const { copies, onProgress } = runner.options
  const formatReplay = (replay: string) =>
    `survives(code, { ${copies > 1 ? `copies: ${copies}, ` : ''}replay: ${literal(replay)} })`
  const line = progressLine()
  try {
    return await searchWith(
      new Explorer(runner, true),
      { name: code.name, formatReplay, nameOptions: (text) => text },
      onProgress ?? line.show,
    )
  } finally {
    line.end()
  }
}

/** Tries all schedules up to the level at which one fails. @throws SurvivalError with the smallest failing schedule. */
export async function searchWith(
  explorer: Explorer,
  wording: Wording,
  onProgress: (progress: SurvivalProgress) => void,
): Promise<SurvivalResult> {
  const groups = new Map<string, FailureGroup>()
  for await (const result of explorer.runSchedules()) {
    if (result.verdict !== 'survived') {
      const name = groupOf(result)
      const group = groups.get(name) ?? { ...result, count: 0 }
      groups.set(name, { ...group, count: group.count + 1 })
    }
    const { tried, total, failing, faults } = explorer
    onProgress({ tried, total, failing, faults })
  }
  const [first, ...others] = [...groups.values()].map((group) => ({
    ...group,
    message: wording.nameOptions(group.message),
  }))
  if (!first) return resultOf(explorer)
  const report = escapeUnprintable(reportOf(wording, first, others, explorer))
  throw new SurvivalError(report, [first, ...others], explorer.coverage)
}

/** Returns the name of the group of a failing schedule. With copies, the copy and the ID in a message do not matter. */
function groupOf({ verdict, schedule, order, message }: TriedSchedule): string {
  const names = [...new Set(order.match(/[A-C]/g))]
  const text = message
    .replace(/\b[A-C]\b/g, (name) => COPY_NAMES[names.indexOf(name)] ?? name)
    .replace(/\b([a-z]+)_([a-z]|\d+)\b/g, '$1')
  return `${verdict} ${schedule.at(-1)?.at} ${order && text}`
}

/** Yields each schedule after trying it. Between schedules, the host has its own timers and dates. */
export async function* iterate(
  code: CodeUnderTest,
  options: SurvivesOptions,
): AsyncGenerator<TriedSchedule, SurvivalResult> {
  const runner = new LocalRunner(code, options)
  const explorer = new Explorer(runner, false)
  for await (const result of explorer.runSchedules()) {
    runner.world.restoreGlobals()
    yield result
    runner.world.replaceGlobals()
  }
  return resultOf(explorer)
}

function resultOf({ tried, total, isComplete, coverage, failing, scope }: Explorer): SurvivalResult {
  const cut = isComplete ? '' : '; the budget has ended'
  const summary = `${number(tried)} of ${number(total)} ${scope}; ${number(failing)} fail${cut}`
  return { summary, tried, total, isComplete, coverage }
}

const number = (count: number) => count.toLocaleString('en-US')

/** The end of a sentence about copies with differing outcomes. */
const RACE = 'end differently than copies that run one after the other'

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

function reportOf(
  { name, formatReplay }: Wording,
  { message, story, replay, verdict, schedule: { length } }: FailureGroup,
  others: readonly FailureGroup[],
  { isComplete, isReplay, tried, total, failing, scope, copies }: Explorer,
): string {
  const code = cutMiddle(name || 'The code', MAX_NAME_LENGTH)
  if (total === 0) {
    const how = copies > 1 ? 'in copies one after the other' : 'without any fault'
    return headed(`${code} fails ${how}`, message, story).join('\n')
  }
  const faults = `${COUNTS[length]} ${length === 1 ? 'fault' : 'faults'}`
  const words =
    copies > 1
      ? {
          fails: `${copies === 2 ? 'Two' : 'Three'} concurrent copies ${verdict === 'race' ? RACE : 'fail'}`,
          noun: 'interleaving',
          tried: scope.replace('interleavings ', ''),
        }
      : {
          fails: `${code} does not survive ${faults}`,
          noun: 'schedule',
          tried: `with ${length === 1 ? '' : 'up to '}${faults}`,
        }
  const lines = headed(words.fails, message, story)
  if (isReplay) return lines.join('\n')
  const which = `${isComplete ? 'all' : `${number(tried)} of`} ${number(total)} ${words.tried}`
  const count = failing === 1 ? `only failing ${words.noun}` : `smallest of ${number(failing)} failing ${words.noun}s`
  return [
    ...lines,
    `  The ${count}; ${which} were tried.`,
    `  Replay: ${formatReplay(replay)}`,
    ...alsoOf(others, words.noun),
  ].join('\n')
}

/** The maximum length of the code's name in a head, such as a command with long paths. */
const MAX_NAME_LENGTH = 50

/** The minimum length of the message in a head, so that it shows how the code ended. */
const MIN_MESSAGE_LENGTH = 60

/** The share of a truncated message that is its beginning. It names the copy and the error. */
const SHARE_OF_START = 2 / 3

/** Matches the number of requests at the end of a message. A cut within it would leave a number that isn't true. */
const REQUESTS_AT_END = /; it sent \d[\d,]* requests?, .*$/s

/**
 * Returns a story below its head. A long head is truncated because many reporters show only the head. In that case, the full head follows.
 */
function headed(what: string, message: string, story: string): readonly string[] {
  const head = `${what}: ${message}`
  const isLong = head.length > MAX_LINE_LENGTH
  const whole = isLong ? message.replace(REQUESTS_AT_END, '; …') : message
  const left = Math.max(MIN_MESSAGE_LENGTH, MAX_LINE_LENGTH - what.length - 2)
  return [
    cutMiddle(`${what}: ${cutMiddle(whole, left, SHARE_OF_START)}`, MAX_LINE_LENGTH),
    '',
    story,
    ...(isLong ? [`  In full: ${head}`] : []),
  ]
}

/** The number of other groups whose story a report tells. `error.groups` contains all groups. */
const MAX_STORIES = 3

function alsoOf(others: readonly FailureGroup[], noun: string): readonly string[] {
  return others.map(({ count, message, replay, story }, index) => {
    const head = `  Also ${formatCount(count, noun)}: ${message}\n    ${literal(replay)}`
    return index < MAX_STORIES ? `${head}\n\n${story.replace(/^(?=.)/gm, '  ')}` : head
  })
}

/** Formats a string as a JavaScript literal, in single quotes if that needs no escape. */
const literal = (text: string) => (/['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`)

/** The number of schedules between two updates. More updates would only slow the search down. */
const STEP = 50

/** Returns a progress display: a single line that is rewritten, shown only on a terminal and not in CI. */
function progressLine() {
  const { stderr, env } = globalThis.process ?? {}
  let hasLine = false
  const write = (text: string) => void stderr.write(`\r\x1b[2K${text}`)
  return {
    show({ tried, total, failing }: SurvivalProgress) {
      if (!stderr?.isTTY || env.CI || tried === 0 || tried % STEP > 0) return
      hasLine = true
      write(`${tried.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} schedules, ${failing} fail`)
    },
    /** Removes the progress line. */
    end: () => void (hasLine && write('')),
  }
}
