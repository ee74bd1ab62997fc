import { useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../page.ts'

/**
 * What is asked for, and asked for again whenever something has changed. Undefined until the first answer. One question
 * at a time: what changes meanwhile is asked for afterwards.
 */
export function useLive<T>(ask: () => Promise<T>, of: readonly unknown[]): T | undefined {
  const page = usePage()
  const [value, show] = useState<T | undefined>(undefined)
  const latest = useRef({ ask, isAsking: false, again: false, isGone: false })
  latest.current.ask = ask
  const version = page.version
  useEffect(() => {
    const state = latest.current
    state.isGone = false
    return () => {
      state.isGone = true
    }
  }, [])
  useEffect(() => {
    const state = latest.current
    if (version === 0) return
    if (state.isAsking) {
      state.again = true
      return
    }
    const run = async () => {
      state.isAsking = true
      do {
        state.again = false
        await page.doing(async () => {
          const answer = await state.ask()
          if (!state.isGone) show(answer)
        })
      } while (state.again && !state.isGone)
      state.isAsking = false
    }
    void run()
  }, [version, ...of])
  return value
}
