import { refuse } from '../core/schema/errors.ts'
import { createJsonResponse, type HttpResponse } from '../gateway/http/messages.ts'
import { joinBytes } from '../traffic/body.ts'
import { encodeLine } from './archive.ts'
import { errors } from './errors.ts'
import { failureResponse, getMessage } from './http.ts'
import { isSandboxName } from './names.ts'
import { type ExistingPolicy, getObject } from './objects.ts'
import { MAX_LINE_BYTES } from './platform-limits.ts'
import type { WorkerEnvironment } from './worker-environment.ts'

/** The number of names that one call to the account returns. */
const PAGE_SIZE = 100

/** The maximum number of rejected sandboxes whose reasons the response contains. */
const MAX_DETAILS = 50

const NEWLINE = 10

/** The response of one sandbox. An error has no outcome. */
interface RestoredBody {
  readonly outcome?: 'restored' | 'kept' | 'ended' | 'refused'
  readonly msg?: string
}

/** The number of bytes within which the name in a line must end. */
const START_BYTES = 64

/** Yields a line for each sandbox, one at a time, and a last line with the numbers of complete and omitted sandboxes. */
async function* generateLines({ ACCOUNTS, SANDBOXES }: WorkerEnvironment, after: string): AsyncGenerator<Uint8Array> {
  const counts = { sandboxes: 0, left_out: 0 }
  let last: string | undefined = after
  while (last !== undefined) {
    const page = await getObject(ACCOUNTS, 'account').list(last, PAGE_SIZE)
    for (const { name } of page) yield* generateLine(SANDBOXES, name, counts)
    last = page.at(-1)?.name
  }
  yield encodeLine({ end: true, ...counts })
}

/** Yields the line of one sandbox in pieces. If the sandbox cannot be read, its line contains the reason, and the other lines follow. */
async function* generateLine(
  sandboxes: WorkerEnvironment['SANDBOXES'],
  name: string,
  counts: { sandboxes: number; left_out: number },
): AsyncGenerator<Uint8Array> {
  let hasBegun = false
  let error: string
  try {
    const copy = await getObject(sandboxes, name).copy(name)
    if ('line' in copy) {
      for await (const piece of readParts(copy.line)) {
        hasBegun = true
        yield piece
      }
      counts.sandboxes++
      return
    }
    // The sandbox was removed after the list was made.
    if (copy.refused.status === 404) return
    error = getMessage(copy.refused)
  } catch (thrown) {
    error = getMessage(failureResponse(thrown))
  }
  counts.left_out++
  // Ensures that a line that was cut short cannot be restored.
  if (hasBegun) yield encodeLine([])
  yield encodeLine({ name, error })
}

/** Returns the archive as a stream. An error before the first line fails the call. */
export async function archiveResponse(env: WorkerEnvironment, after: string): Promise<Response> {
  const lines = generateLines(env, after)
  const first = await lines.next()
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(first)
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await (next ?? lines.next())
        next = undefined
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { headers: { 'Content-Type': 'application/x-ndjson' } })
}

async function* readParts(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

/** A line of an archive. If a line is too long, only its beginning is in memory. */
interface ReceivedLine {
  readonly bytes: Uint8Array
  readonly isTooLong: boolean
}

/** The parts of a line received so far. */
class LineBuffer {
  #start = new Uint8Array()
  #parts: Uint8Array[] = []
  #size = 0

  get isEmpty(): boolean {
    return this.#size === 0
  }

  add(part: Uint8Array): void {
    const missing = START_BYTES - this.#start.length
    if (missing > 0) this.#start = new Uint8Array([...this.#start, ...part.subarray(0, missing)])
    this.#size += part.length
    if (this.#size <= MAX_LINE_BYTES) this.#parts.push(part)
    else this.#parts = []
  }

  take(): ReceivedLine {
    const isTooLong = this.#size > MAX_LINE_BYTES
    const line = { bytes: isTooLong ? this.#start : joinBytes(this.#parts), isTooLong }
    this.#start = new Uint8Array()
    this.#parts = []
    this.#size = 0
    return line
  }
}

/** Reads a body line by line. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedLine> {
  const buffer = new LineBuffer()
  for await (const part of readParts(body)) {
    let rest = part
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      buffer.add(rest.subarray(0, end))
      yield buffer.take()
      rest = rest.subarray(end + 1)
    }
    buffer.add(rest)
  }
  if (!buffer.isEmpty) yield buffer.take()
}

async function restoreLine({ SANDBOXES }: WorkerEnvironment, line: ReceivedLine, existing: ExistingPolicy) {
  const [, name = ''] = /^\{"name":"([^"]*)"/.exec(decodeStart(line)) ?? []
  if (!isSandboxName(name)) refuse(errors.archive_line_invalid, { why: 'it does not start with a sandbox name' })
  if (line.isTooLong)
    refuse(errors.archive_line_invalid, { why: `the sandbox ${name} is larger than ${MAX_LINE_BYTES} bytes` })
  return getObject(SANDBOXES, name).restore(name, line.bytes, existing)
}

/** Restores the sandboxes in an archive one at a time. A rejected sandbox does not stop the others. */
export async function restoreAll(
  env: WorkerEnvironment,
  body: ReadableStream<Uint8Array> | null,
  existing: ExistingPolicy,
): Promise<HttpResponse> {
  const counts = { restored: 0, kept: 0, ended: 0, refused: 0 }
  const details: Record<string, string> = {}
  let isWhole = false
  let number = 0
  for await (const line of readLines(body ?? new Blob([]).stream())) {
    number++
    isWhole = decodeStart(line).startsWith('{"end":true')
    if (isWhole) continue
    const response = await restoreLine(env, line, existing).catch(failureResponse)
    const { outcome = 'refused', msg }: RestoredBody = JSON.parse(response.body ?? '{}')
    counts[outcome]++
    if (msg && counts.refused <= MAX_DETAILS) details[`line ${number}`] = msg
  }
  if (counts.refused > 0) refuse(errors.restore_incomplete, counts, { restored: String(counts.restored), ...details })
  return createJsonResponse(200, { ...counts, is_whole: isWhole })
}

function decodeStart({ bytes }: ReceivedLine): string {
  return new TextDecoder().decode(bytes.subarray(0, START_BYTES))
}
