import { readClock, systemClock } from '../engine/clock.ts'
import { recordingIn } from '../verify/har-reader.ts'
import type { KnownDifference, ReplayReport } from '../verify/replay.ts'

/** Options of {@link replayRecording}. */
export interface ReplayOptions {
  /** Differences that stay, each with its reason. One that excuses nothing fails the replay. Default: none. */
  readonly known?: readonly KnownDifference[]
}

/**
 * Asks a fresh gateway what a recording asked a service, and compares the answers. Takes the text of a HAR 1.2 file: of
 * `fauxgate record`, of `fauxgate verify --record`, or of another program. Ids and times are matched, and nothing is sent to a
 * service.
 * Returns what was compared, and what was not, with the reason. A recording older than 180 days prints a warning.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { replayRecording } from 'fauxgate/testing'
 * import { test } from 'vitest'
 *
 * test('fauxgate answers as the service did', async () => {
 *   await replayRecording(readFileSync('service.har', 'utf8'))
 * })
 * ```
 * @throws Error that lists each difference. It also throws if nothing was compared, if a known difference excuses nothing,
 * or if the text is no recording.
 */
export async function replayRecording(text: string, { known = [] }: ReplayOptions = {}): Promise<ReplayReport> {
  const recording = recordingIn(text, 'The text')
  // All families of the ngrok dialect come with it: other tests do not load them.
  const { isFine, replay, replayText } = await import('../verify/replay.ts')
  const report = await replay(recording, { now: readClock(systemClock), known })
  for (const warning of report.warnings) console.warn(`fauxgate: ${warning}`)
  if (isFine(report)) return report
  throw new Error(`The replay of the recording failed:\n\n${replayText(report)}`)
}
