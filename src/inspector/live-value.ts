/** A value from the server. Its first load is in progress, its first load has failed, or the value is known. */
export type Live<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly problem: string }
  | {
      readonly state: 'known'
      readonly value: T
      /** The time of the load, in ms on the browser's clock. */
      readonly at: number
      /** The error of a later load, if the value may have changed since. */
      readonly problem?: string
    }

export const LOADING = { state: 'loading' } as const

/** Returns the result for a value's state. The caller specifies a result for each of the three states. */
export function inState<T, R>(live: Live<T>, loading: R, failed: R, known: (value: T) => R): R {
  if (live.state === 'known') return known(live.value)
  return live.state === 'failed' ? failed : loading
}

/** Loads a value, and returns the new state. After an error, returns the last value with the error. */
export async function settle<T>(last: Live<T>, load: () => Promise<T>): Promise<Live<T>> {
  try {
    return { state: 'known', value: await load(), at: Date.now() }
  } catch (error) {
    const problem = String(Object(error).message)
    return last.state === 'known' ? { ...last, problem } : { state: 'failed', problem }
  }
}
