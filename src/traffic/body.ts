/** The parts of a body as a server of a host gives them, such as those of a connection of Node. They are read once. */
export interface BodyParts extends AsyncIterable<Uint8Array> {
  /** The number of bytes, as enforced by the connection, or undefined if it is not known before the end. */
  readonly length: number | undefined
  /** Calls a function with each part as it passes, and another one at the end. A body that breaks off has no end. */
  watch(see: (part: Uint8Array) => void, end?: () => void): void
  /** The names and values of the fields after the body, one after the other. They are known once it has been read. */
  readonly rawTrailers?: readonly string[]
  /** Discards the unread body, and closes the connection that it comes from. */
  destroy(): unknown
}

/** Receives an informational response, such as 103. */
export type Inform = (status: number, headers: readonly (readonly [string, string])[]) => void

/**
 * The connection of an upstream that has switched protocols. Only the server that opened it can join it to a visitor's
 * connection.
 */
export interface Switched {
  /** Closes the connection. */
  end(): void
}

/** The body of a message that passes the gateway. Bodies of a `fetch` are streams. */
export type Body = Uint8Array | ReadableStream<Uint8Array> | BodyParts | null

/** Returns a body as a `fetch` takes it. */
export function toFetchBody(body: Body): BodyInit | null {
  const isReady = body === null || body instanceof Uint8Array || body instanceof ReadableStream
  // The types of some libraries lack bodies of bytes and streams.
  return (isReady ? body : toStream(body)) as BodyInit | null
}

function toStream(parts: BodyParts): ReadableStream<Uint8Array> {
  const reader = parts[Symbol.asyncIterator]()
  const pull = async (passing: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.next()
    if (done) passing.close()
    else passing.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: () => void parts.destroy() }, { highWaterMark: 0 })
}

/** Ends a body unread, and with it the connection that it comes from. */
export function discardBody(body: Body): void {
  if (body === null || body instanceof Uint8Array) return
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
  else body.destroy()
}

/** Calls a function with each part of a body as it passes, and another one at its end. Returns the body that passes. */
export function watchBody(body: Body, see: (part: Uint8Array) => void, end?: () => void): Body {
  if (body instanceof ReadableStream) return watchStream(body, see, end)
  if (body !== null && !(body instanceof Uint8Array)) body.watch(see, end)
  else {
    if (body) see(body)
    end?.()
  }
  return body
}

function watchStream(
  stream: ReadableStream<Uint8Array>,
  see: (part: Uint8Array) => void,
  end?: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  const pull = async (passing: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.read()
    if (done) {
      end?.()
      return passing.close()
    }
    see(value)
    passing.enqueue(value)
  }
  // A pipe through a TransformStream takes several times as long.
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

/** Returns the parts of a body as a whole. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
