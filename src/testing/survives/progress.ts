import type { SurvivalProgress } from './types.ts'

/** The schedules between two lines: more would only slow the search down. */
const STEP = 50

interface Shown {
  show(progress: SurvivalProgress): void
  /** Takes the line away. */
  end(): void
}

/** Shows progress as one line that is rewritten, on a terminal; nothing elsewhere, and nothing in CI. */
export function progressLine(): Shown {
  const { stderr, env } = globalThis.process ?? {}
  let isShown = false
  const write = (text: string) => void stderr.write(`\r\x1b[2K${text}`)
  return {
    show({ tried, total, failing }) {
      if (!stderr?.isTTY || env.CI || tried === 0 || tried % STEP > 0) return
      isShown = true
      write(`${tried.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} schedules, ${failing} fail`)
    },
    end: () => void (isShown && write('')),
  }
}
