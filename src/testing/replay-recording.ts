import * as v from 'valibot'
import { readClock, systemClock } from '../core/engine/clock.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { describeReceived } from '../core/schema/errors.ts'
import { optionsOf, readOptions, type SchemasOf, textOption } from '../core/schema/options.ts'
import { printWarning } from '../core/schema/print.ts'
import { quote } from '../core/schema/text.ts'
import { parseHar } from '../verify/har-reader.ts'
import type { KnownDifference, ReplayReport } from '../verify/replay.ts'

/** The options for {@link replayRecording}. */
export interface ReplayOptions {
  /** The accepted differences, each with a reason. The replay fails if an accepted difference does not occur. Default: none. */
  readonly known?: readonly KnownDifference[]
}

const replayOptions = optionsOf({
  known: v.optional(v.array(optionsOf({ request: textOption, at: textOption, reason: textOption })), []),
} satisfies SchemasOf<ReplayOptions>)

/**
 * Replays a recording of a service against a fresh gateway, and compares the responses. Takes the text of a HAR 1.2 file from `fauxgate
 * record`, `fauxgate verify --record`, or another program. IDs and times are matched up, and nothing is sent to a service. Returns the
 * exchanges that were compared, and those that were skipped, and why. Prints a warning for a recording older than 180 days.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { replayRecording } from 'fauxgate/testing'
 * import { test } from 'vitest'
 *
 * test('fauxgate responds like the service', async () => {
 *   await replayRecording(readFileSync('service.har', 'utf8'))
 * })
 * ```
 * @throws Error that lists all differences if there are any. Error if nothing was compared, a known difference does not occur, or the text
 * is not a recording. TypeError for an unknown option or a value that is not allowed.
 */
export async function replayRecording(text: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const { known } = readOptions(replayOptions, options)
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) {
    throw atCaller(
      new TypeError(`text is ${describeReceived(quote(text))}. Allowed: the text of a HAR 1.2 file, not its path.`),
    )
  }
  const recording = parseHar(text, 'The text')
  // Loaded here because it loads all families of the ngrok dialect, and other tests do not need them.
  const { hasPassed, replay, replayText } = await import('../verify/replay.ts')
  const report = await replay(recording, { now: readClock(systemClock), known })
  for (const warning of report.warnings) printWarning(`fauxgate: ${warning}`)
  if (hasPassed(report)) return report
  throw atCaller(new Error(`The replay of the recording failed:\n\n${replayText(report)}`))
}
