import type { SurvivalProgress } from './types.ts'

/** The schedules between two lines: more would only slow the search down. */
const STEP = 50

/** Shows progress as one line that is rewritten, on a terminal; nothing elsewhere, and nothing in CI. */
export function progressLine() {
  const { stderr, env } = globalThis.process ?? {}
  let isShown = false
  const write = (text: string) => void stderr.write(`\r\x1b[2K${text}`)
  return {
    show({ tried, total, failing }: SurvivalProgress) {
      if (!stderr?.isTTY || env.CI || tried === 0 || tried % STEP > 0) return
      isShown = true
      write(`${tried.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} schedules, ${failing} fail`)
    },
    /** Takes the line away. */
    end: () => void (isShown && write('')),
  }
}
