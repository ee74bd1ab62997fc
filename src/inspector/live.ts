import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Live, LOADING, settle } from './live-value.ts'
import { page } from './page.ts'

/** The last states by key: after an error, a view shows its last value even if the user left the view in between. */
const kept = new Map<string, Live<unknown>>()

/** Loads the value with a key, and reloads it when something changes at the server or in the inputs, one load at a time. */
export function useLive<T>(key: string, load: () => Promise<T>, inputs: readonly unknown[] = []): Live<T> {
  const [live, setLive] = useState<Live<T>>(LOADING)
  const state = useRef({ key, load, isLoading: false, isStale: false }).current
  Object.assign(state, { key, load })
  const run = async () => {
    state.isLoading = true
    while (state.isStale) {
      state.isStale = false
      const { key: name, load: loadNow } = state
      const last = (kept.get(name) ?? LOADING) as Live<T> // All values with this key have the same type.
      const next = await settle(last, loadNow)
      kept.delete(name)
      kept.set(name, next)
      for (const oldest of kept.keys()) if (kept.size > 99) kept.delete(oldest)
      setLive(next)
    }
    state.isLoading = false
  }
  // A layout effect runs during rendering. An effect would start the load one frame later.
  const { version } = page
  useLayoutEffect(() => {
    if (version === 0) return
    state.isStale = true
    if (!state.isLoading) void run()
  }, [version, key, ...inputs])
  return live
}

/** Loads the response of a control, and reloads it when something changes. */
export function useControl<T>(path: string): Live<T> {
  return useLive(path, () => page.control<T>('GET', path))
}
