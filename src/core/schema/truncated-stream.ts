import { atCaller } from './caller-stack.ts'

/** The way a truncated body ends: normally, with a broken connection, or with silence until the client gives up. */
export type Ending = 'complete' | 'break' | 'stall'

/** The error codes of Node's `fetch` for a connection that ended before a response and for one that ended within the body. */
const CODES = { 'fetch failed': 'ECONNRESET', terminated: 'UND_ERR_SOCKET' } as const

/** Returns the error that Node's `fetch` rejects with if a connection breaks. */
export function createBrokenConnection(message: keyof typeof CODES): TypeError {
  const cause = Object.assign(new Error('A fault broke the connection.'), { code: CODES[message] })
  return atCaller(new TypeError(message, { cause }))
}

/** Marks a response with a stalled body, for entry points that cannot deliver such a body. */
export const markStalled = (response: Response): Response => Object.assign(response, { fauxgate: 'stall' })

export const isStalled = (response: Response & { readonly fauxgate?: unknown }): boolean =>
  response.fauxgate === 'stall'

interface Truncation {
  /** The length, in bytes. */
  readonly length: number
  readonly ending: Ending
  /** Ends a stalled body. */
  readonly signal?: AbortSignal | undefined
}

/** Returns the first bytes of a stream. A shorter stream passes through unchanged. */
export function truncateStream(
  source: ReadableStream<Uint8Array>,
  { length, ending, signal }: Truncation,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let left = length
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (left > 0) {
      const { value, done } = await reader.read()
      if (done) return controller.close()
      controller.enqueue(value.subarray(0, left))
      left -= value.length
      return
    }
    void reader.cancel().catch(() => undefined)
    if (ending === 'complete') controller.close()
    else if (ending === 'break') controller.error(createBrokenConnection('terminated'))
    else {
      await waitForAbort(signal)
      controller.error(signal?.reason)
    }
  }
  // Without a queue, the client receives all bytes before the error.
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

function waitForAbort(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
