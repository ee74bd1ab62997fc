import { EvaluationProblem } from '../service/policy/cel/values.ts'
import { type Body, joinBytes, toFetchBody } from './body.ts'
import { createDecompressor } from './codings.ts'

/** The maximum size, in bytes, of a body that actions read. The largest documented limit of a sender is 25 MB, for GitHub's webhooks. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024

/** The reasons why a body is not available to actions. */
type BodyFailure = 'tooLong' | 'broken' | 'unknown'

/** The response status for each reason why a body is not available. */
export type BodyStatuses = Readonly<Record<BodyFailure, number>>

/** Thrown if an action needs a body that isn't available (rules: traffic#bodies). */
export class BodyProblem extends EvaluationProblem {
  readonly status: number

  constructor(
    readonly failure: BodyFailure,
    statuses: BodyStatuses,
    message: string,
  ) {
    super(message)
    this.status = statuses[failure]
  }

  /** The error number for a body that can't be read or changed. */
  get number(): number {
    return this.failure === 'unknown' ? 3904 : 3903
  }
}

/** Reads a whole body. @throws BodyProblem if it exceeds the limit or is interrupted */
export async function readBody(body: Body, limit: number, statuses: BodyStatuses): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of partsOf(body)) {
      size += part.length
      if (size > limit) break
      parts.push(part)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BodyProblem('broken', statuses, `the body ended early: ${reason}`)
  }
  if (size > limit) throw new BodyProblem('tooLong', statuses, `the body is larger than ${limit} bytes`)
  return parts.length === 1 && parts[0] ? parts[0] : joinBytes(parts)
}

/** Discards a body until it ends or exceeds a number of bytes. */
export async function drainBody(body: Body, limit: number): Promise<void> {
  let size = 0
  try {
    for await (const part of partsOf(body)) {
      size += part.length
      if (size > limit) return
    }
  } catch {
    // The body was cut short.
  }
}

async function* partsOf(body: Body): AsyncGenerator<Uint8Array> {
  if (body === null) return
  if (body instanceof Uint8Array) return yield body
  if (!(body instanceof ReadableStream)) return yield* body
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (!(value instanceof Uint8Array)) throw new TypeError('part of it is not bytes')
      yield value
    }
  } finally {
    // The rest of a body that is too long isn't read.
    reader.cancel().catch(() => {})
  }
}

/** Returns a body as a stream, decoded from content codings such as `gzip`. @throws BodyProblem for an unknown coding */
export function decodeBody(
  body: Exclude<Body, null>,
  codings: readonly string[],
  statuses: BodyStatuses,
): ReadableStream<Uint8Array> {
  return codings.reduceRight((stream, coding) => {
    const decompressor = createDecompressor(coding)
    if (decompressor) return stream.pipeThrough(decompressor)
    throw new BodyProblem(
      'unknown',
      statuses,
      `the body uses the content coding ${coding}, which cannot be decoded here`,
    )
  }, toStream(body))
}

/** Returns a body as a stream. */
export function toStream(body: Exclude<Body, null>): ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return body
  const { body: stream } = new Response(toFetchBody(body))
  return stream as ReadableStream<Uint8Array> // A response with a body always has a stream.
}

/** Returns the codings in a `content-encoding` header, in the order in which they were applied. */
export function readCodings(header: string | undefined): readonly string[] {
  const names = (header ?? '').split(',').map((each) => each.trim().toLowerCase())
  return names.filter((each) => each !== '' && each !== 'identity')
}
