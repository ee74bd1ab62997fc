import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { page } from './page.ts'

/**
 * Loads a value, and loads it again when something changes at the server or in the inputs, one load at a time. Returns
 * undefined until it is loaded the first time.
 */
export function useLive<T>(load: () => Promise<T>, inputs: readonly unknown[]): T | undefined {
  const [value, setValue] = useState<T | undefined>(undefined)
  const state = useRef({ load, isLoading: false, isStale: false }).current
  state.load = load
  const run = async () => {
    state.isLoading = true
    while (state.isStale) {
      state.isStale = false
      await page.load(async () => setValue(await state.load()))
    }
    state.isLoading = false
  }
  // A layout effect runs with the drawing: an effect would begin to load one frame later.
  const { version } = page
  useLayoutEffect(() => {
    if (version === 0) return
    state.isStale = true
    if (!state.isLoading) void run()
  }, [version, ...inputs])
  return value
}

/** Loads the response of a control, and loads it again when something changes. */
export function useControl<T>(path: string): T | undefined {
  return useLive(() => page.control<T>('GET', path), [path])
}
