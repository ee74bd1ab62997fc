import type { Transform } from './codings.ts'
import { isBodiless, type UpstreamResponse, type VisitorRequest } from './message.ts'
import { isEventStream } from './message-headers.ts'

/** The sizes of the bodies in a visit, in bytes. */
export interface VisitSizes {
  readonly request: number
  readonly response: number
  /** The size of the response before the gateway compressed it, or undefined if it wasn't compressed. */
  readonly uncompressed: number | undefined
}

/** Counts the bytes of a visit, and detects when it ends. */
export class VisitMeter {
  readonly #isServed: boolean
  readonly #signal: AbortSignal | undefined
  #request: number
  #uncompressed: number | undefined

  constructor(request: VisitorRequest, isServed: boolean, signal: AbortSignal | undefined) {
    this.#isServed = isServed
    this.#signal = signal
    // The body of a request to which the gateway itself responds may stay unread.
    this.#request = request.length
    let passed = 0
    request.watchBody((part) => {
      passed += part.length
      this.#request = Math.max(this.#request, passed)
    })
  }

  /** Returns a stream that counts the bytes that it passes to a compressor. */
  count({ readable, writable }: Transform): Transform {
    this.#uncompressed = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, passing) => {
        this.#uncompressed = (this.#uncompressed ?? 0) + part.length
        passing.enqueue(part)
      },
    })
    counted.readable.pipeTo(writable).catch(() => undefined)
    return { readable, writable: counted.writable }
  }

  /**
   * Calls a function when the response body has passed through. In the same process, the body is received before the response is returned,
   * because few tests read it to the end. An event stream, which may never end, counts only the part that is read.
   */
  async finish(
    response: UpstreamResponse | undefined,
    method: string,
    ended: (sizes: VisitSizes) => void,
  ): Promise<void> {
    const end = (size: number) => ended({ request: this.#request, response: size, uncompressed: this.#uncompressed })
    if (!response || isBodiless(method, response.status)) return end(0)
    if (response.body === null || response.body instanceof Uint8Array) return end(response.body?.length ?? 0)
    if (!this.#isServed && !isEventStream(response.headers.get('content-type'))) return end(await response.arrive())
    let size = 0
    let isOver = false
    const endOnce = () => {
      if (!isOver) end(size)
      isOver = true
    }
    const count = (part: Uint8Array) => {
      size += part.length
    }
    response.watchBody(count, endOnce)
    this.#signal?.addEventListener('abort', endOnce, { once: true })
  }
}
