import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { createJsonResponse, type HttpResponse } from '../gateway/http/messages.ts'
import { encodeLine } from './archive.ts'
import { errors } from './errors.ts'
import { MAX_STATE_BYTES, respond } from './http.ts'
import { isSandboxName } from './names.ts'
import { type ExistingPolicy, getObject } from './objects.ts'
import type { WorkerEnvironment } from './worker-environment.ts'

/** The number of names that one call of the account returns. */
const PAGE_SIZE = 100

/** The maximum number of refused sandboxes whose reasons the response contains. */
const MAX_DETAILS = 50

const NEWLINE = 10

/** The response of one sandbox. A refusal has no outcome. */
interface RestoredBody {
  readonly outcome?: 'restored' | 'kept' | 'ended' | 'refused'
  readonly msg?: string
}

/** Yields a line for each sandbox, one at a time, and a last line that shows that the archive is complete. */
async function* generateLines({ ACCOUNTS, SANDBOXES }: WorkerEnvironment, after: string): AsyncGenerator<Uint8Array> {
  let sandboxes = 0
  let last: string | undefined = after
  while (last !== undefined) {
    const page = await getObject(ACCOUNTS, 'account').list(last, PAGE_SIZE)
    for (const { name } of page) {
      const line = await getObject(SANDBOXES, name).backup(name)
      if (!line) continue
      sandboxes++
      yield line
    }
    last = page.at(-1)?.name
  }
  yield encodeLine({ end: true, sandboxes })
}

export function archiveResponse(env: WorkerEnvironment, after: string): Response {
  const lines = generateLines(env, after)
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { headers: { 'Content-Type': 'application/x-ndjson' } })
}

/** Reads a body line by line. Refuses a line with more bytes than a state may have. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const joinParts = async () => {
    const line = new Uint8Array(await new Blob(parts).arrayBuffer())
    parts = []
    size = 0
    return line
  }
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    let rest = read.value as Uint8Array<ArrayBuffer> // The body of a request shares no memory.
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      parts.push(rest.subarray(0, end))
      yield joinParts()
      rest = rest.subarray(end + 1)
    }
    parts.push(rest)
    size += rest.length
    if (size > MAX_STATE_BYTES) refuse(general.body_too_large, { limit: MAX_STATE_BYTES })
  }
  if (size > 0) yield joinParts()
}

async function restoreLine({ SANDBOXES }: WorkerEnvironment, line: Uint8Array, existing: ExistingPolicy) {
  const [, name = ''] = /^\{"name":"([^"]*)"/.exec(decodeStart(line)) ?? []
  if (!isSandboxName(name)) refuse(errors.archive_line_invalid, { why: 'it does not begin with the name of a sandbox' })
  return getObject(SANDBOXES, name).restore(name, line, existing)
}

/** Restores the sandboxes of an archive one after the other. A refused one does not stop the others. */
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
    const response = await respond(() => restoreLine(env, line, existing))
    const { outcome = 'refused', msg }: RestoredBody = JSON.parse(response.body ?? '{}')
    counts[outcome]++
    if (msg && counts.refused <= MAX_DETAILS) details[`line ${number}`] = msg
  }
  if (counts.refused > 0) refuse(errors.restore_incomplete, counts, { restored: String(counts.restored), ...details })
  return createJsonResponse(200, { ...counts, is_whole: isWhole })
}

function decodeStart(line: Uint8Array): string {
  return new TextDecoder().decode(line.subarray(0, 64))
}
