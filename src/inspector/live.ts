import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Live, LOADING, settle } from './live-value.ts'
import { page } from './page.ts'

/** Loads a value, and reloads it when something changes at the server or in the inputs, one load at a time. */
export function useLive<T>(load: () => Promise<T>, inputs: readonly unknown[]): Live<T> {
  const [live, setLive] = useState<Live<T>>(LOADING)
  const state = useRef({ load, last: live, isLoading: false, isStale: false }).current
  state.load = load
  const run = async () => {
    state.isLoading = true
    while (state.isStale) {
      state.isStale = false
      state.last = await settle(state.last, state.load)
      setLive(state.last)
    }
    state.isLoading = false
  }
  // A layout effect runs during rendering. An effect would start the load one frame later.
  const { version } = page
  useLayoutEffect(() => {
    if (version === 0) return
    state.isStale = true
    if (!state.isLoading) void run()
  }, [version, ...inputs])
  return live
}

/** Loads the response of a control, and reloads it when something changes. */
export function useControl<T>(path: string): Live<T> {
  return useLive(() => page.control<T>('GET', path), [path])
}
