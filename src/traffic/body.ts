/** A body's chunks, as provided by the host's server, such as a Node connection. They can be read only once. */
export interface BodyParts extends AsyncIterable<Uint8Array> {
  /** The number of bytes, as enforced by the connection, or undefined if it is not known before the end. */
  readonly length: number | undefined
  /** Calls a function with each chunk as it passes through, and another function at the end, unless the body is interrupted. */
  watch(see: (part: Uint8Array) => void, end?: () => void): void
  /** The names and values of the trailer fields, alternating. Available once the body has been read. */
  readonly rawTrailers?: readonly string[]
  /** Discards the unread body and closes its connection. */
  destroy(): unknown
}

/** Receives an informational response, such as 103. */
export type Inform = (status: number, headers: readonly (readonly [string, string])[]) => void

/**
 * The connection to an upstream that has switched protocols. Only the server that opened the connection can join it to a visitor's
 * connection.
 */
export interface Switched {
  /** Closes the connection. */
  end(): void
}

/** The body of a message that passes through the gateway. The bodies of `fetch` requests and responses are streams. */
export type Body = Uint8Array | ReadableStream<Uint8Array> | BodyParts | null

/** Returns a body in a form that `fetch` accepts. */
export function toFetchBody(body: Body): BodyInit | null {
  const isReady = body === null || body instanceof Uint8Array || body instanceof ReadableStream
  // Some libraries' types don't allow bytes and streams as bodies.
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

/** Discards an unread body and closes its connection. */
export function discardBody(body: Body): void {
  if (body === null || body instanceof Uint8Array) return
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
  else body.destroy()
}

/** Calls a function with each chunk of a body as it passes through, and another function at the end. Returns the body to pass on. */
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

/** Returns the chunks of a body joined together. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
