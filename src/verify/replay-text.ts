import { counted } from '../schema/text.ts'
import type { ReplayReport } from './replay.ts'

/**
 * Returns the result of a replay as text: each difference, each exchange that was not compared with the reason, and the
 * totals.
 */
export function replayText({ compared, differing, skipped, unused }: ReplayReport): string {
  const reasons = new Map<string, number>()
  for (const { reason } of skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  const lines = [
    ...differing.flatMap(({ number, request, differences }) => [
      `${number}. ${request}`,
      ...differences.map((each) => `  ${each.at}: fauxgate ${each.expected} | recorded ${each.received}`),
    ]),
    ...unused.map(({ request, at }) => `The known difference of ${request} at ${at} excuses nothing. Remove it.`),
    ...[...reasons].map(([reason, count]) => `Not compared, ${counted(count, 'exchange')}: ${reason}`),
    `${counted(compared, 'exchange')} compared, ${differing.length} different.`,
  ]
  return `${lines.join('\n')}\n`
}
