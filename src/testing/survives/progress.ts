import type { SurvivalProgress } from './types.ts'

/** The schedules between two lines: more would only slow the search down. */
const STEP = 50

/** Returns a display of the progress: one line that is rewritten, on a terminal only, and not in CI. */
export function progressLine() {
  const { stderr, env } = globalThis.process ?? {}
  let hasLine = false
  const write = (text: string) => void stderr.write(`\r\x1b[2K${text}`)
  return {
    show({ tried, total, failing }: SurvivalProgress) {
      if (!stderr?.isTTY || env.CI || tried === 0 || tried % STEP > 0) return
      hasLine = true
      write(`${tried.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} schedules, ${failing} fail`)
    },
    /** Removes the line. */
    end: () => void (hasLine && write('')),
  }
}
