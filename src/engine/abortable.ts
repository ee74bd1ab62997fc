/**
 * A promise that a signal can end. `begin` starts what settles it and answers what takes that back, which is called as
 * soon as the promise is settled, however that comes about. No listener outlives the promise.
 */
export function abortable(
  signal: AbortSignal | undefined,
  begin: (resolve: () => void, reject: (reason: unknown) => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const ended = (finish: () => void) => () => {
      signal?.removeEventListener('abort', abort)
      takeBack()
      finish()
    }
    const abort = ended(() => reject(signal?.reason))
    const takeBack = begin(ended(resolve), (reason) => ended(() => reject(reason))())
    signal?.addEventListener('abort', abort)
  })
}
