import { Readable, type Writable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import type { Body, BodyParts } from '../../traffic/body.ts'

type See = (part: Uint8Array) => void

/** A Node stream with a body: a request, a response, or an HTTP/2 stream. */
type Source = Readable & {
  readonly complete?: boolean
  readonly aborted?: boolean
  readonly rstCode?: number | undefined
  readonly rawTrailers?: readonly string[]
}

/** A body that arrives on a connection. */
export class ReceivedBody implements BodyParts {
  readonly length: number | undefined
  readonly #source: Source
  readonly #watchers: See[] = []
  readonly #endWatchers: (() => void)[] = []

  constructor(
    source: Source,
    /** The Content-Length header. */
    stated: string | undefined,
    /** Discards the unread body. */
    readonly destroy = (): unknown => source.destroy(),
  ) {
    this.#source = source
    // If a number cannot represent the length exactly, the connection counts the bytes.
    this.length = Number.isSafeInteger(Number(stated ?? Number.NaN)) ? Number(stated) : undefined
    // The reader of the body notices the missing end.
    source.on('error', () => undefined)
  }

  get rawTrailers(): readonly string[] {
    return this.#source.rawTrailers ?? []
  }

  watch(see: See, end?: () => void): void {
    this.#watchers.push(see)
    if (end) this.#endWatchers.push(end)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    // Left open, because a partly read request still receives its response.
    try {
      for await (const part of this.#source.iterator({ destroyOnReturn: false })) {
        this.#see(part)
        yield part
      }
    } finally {
      // A reader that stops early, such as at a limit, must not block the connection with the rest.
      if (!this.#source.readableEnded) this.destroy()
    }
    if (this.isReset) throw new Error('the stream was reset')
    this.#end()
  }

  /** True for an HTTP/2 stream that was reset. Such a stream ends as if it were complete. */
  get isReset(): boolean {
    const { aborted, rstCode = 0 } = this.#source
    return aborted === true || rstCode !== 0
  }

  /** Returns the whole body if it has already arrived and has no trailers. */
  takeArrived(): Buffer | undefined {
    const { complete, destroyed, readableLength, readableDidRead } = this.#source
    if (complete !== true || destroyed || readableDidRead || this.rawTrailers.length > 0) return undefined
    const whole: Buffer = readableLength > 0 ? this.#source.read() : Buffer.alloc(0)
    if (readableLength === 0) this.#source.resume()
    else this.#see(whole)
    this.#end()
    return whole
  }

  /** Returns the stream, whose chunks the watchers see. */
  open(): Readable {
    for (const see of this.#watchers) this.#source.on('data', see)
    this.#source.once('end', () => this.#end())
    return this.#source
  }

  #see(part: Uint8Array): void {
    for (const see of this.#watchers) see(part)
  }

  #end(): void {
    if (!this.isReset) for (const end of this.#endWatchers) end()
  }
}

/**
 * Returns the number of bytes of a body, or undefined if the number is unknown. The number doesn't come from a header, because a policy may
 * have set the header.
 */
export function lengthOf(body: Exclude<Body, null>): number | undefined {
  return body instanceof ReadableStream ? undefined : body.length
}

/** The parts of a message that a body is written to. */
interface Sending {
  /** Sends the trailer fields. */
  readonly trail: (fields: [name: string, value: string][]) => void
  /** Called if the body is interrupted. */
  readonly fail: () => void
}

const NOT_IN_TRAILERS = /^(connection|content-length|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Sends a body as it arrives, then its trailers, and ends the message. The head is sent without waiting for the body. */
export function sendBody(body: Body, to: Writable & { flushHeaders?(): void }, { trail, fail }: Sending): void {
  if (body === null || body instanceof Uint8Array) return void to.end(body?.length ? body : undefined)
  const whole = body instanceof ReceivedBody ? body.takeArrived() : undefined
  if (whole) return void to.end(whole.length > 0 ? whole : undefined)
  to.flushHeaders?.()
  const stream = toReadable(body)
  if (stream.destroyed) return void fail()
  stream.once('error', fail)
  stream.once('close', () => stream.readableEnded || fail())
  stream.once('end', () => {
    if (body instanceof ReceivedBody && body.isReset) return void fail()
    // A trailer must not frame or route a message (RFC 9110, section 6.5.1).
    const trailers = body instanceof ReceivedBody ? pairsOf(body.rawTrailers) : []
    const sent = trailers.filter(([name]) => !NOT_IN_TRAILERS.test(name))
    try {
      if (sent.length > 0) trail(sent)
      to.end()
    } catch {
      // A trailer has a value that this connection cannot send.
      fail()
    }
  })
  stream.pipe(to, { end: false })
}

function toReadable(body: Exclude<Body, null | Uint8Array>): Readable {
  if (body instanceof ReceivedBody) return body.open()
  // Node's types differ from the platform's.
  return body instanceof ReadableStream ? Readable.fromWeb(body as NodeStream) : Readable.from(body)
}

/** Returns the names and values of fields from Node's alternating list. */
export function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
}
