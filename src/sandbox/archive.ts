import * as v from 'valibot'
import { refuse } from '../core/schema/errors.ts'
import { utf8Bytes, utf8Text } from '../core/schema/platform.ts'
import { errors } from './errors.ts'
import { SCOPES } from './key-list.ts'
import type { Metadata } from './metadata.ts'
import type { SandboxState } from './objects.ts'
import { storedOptions } from './options.ts'

/** The version of the lines of an archive. An older fauxgate rejects a newer line and states the reason. */
const FORMAT = 1

const time = v.number()

const archivedSandbox = v.object({
  name: v.string(),
  created: time,
  expires: v.nullable(time),
  options: storedOptions,
  keys: v.array(
    v.object({
      name: v.string(),
      scopes: v.array(v.picklist(SCOPES)),
      digest: v.string(),
      created: time,
      expires: v.nullable(time),
    }),
  ),
  state: v.object({
    version: v.number(),
    seed: v.string(),
    now: time,
    sequence: v.number(),
    operations: v.number(),
    records: v.array(v.object({ collection: v.string(), key: v.string(), record: v.looseObject({}) })),
  }),
})

/** Encodes a value as an archive line. */
export function encodeLine(value: object): Uint8Array {
  return utf8Bytes(`${JSON.stringify(value)}\n`)
}

/** The number of records in one piece of a line. Only one piece is in memory as text at a time. */
const RECORDS_PER_PIECE = 500

/**
 * Streams the archive line of a sandbox in pieces. It contains digests of keys but not the keys. The state contains the gateway's secrets.
 */
export function streamSandbox(metadata: Metadata, state: SandboxState): ReadableStream<Uint8Array> {
  const pieces = encodePieces(metadata, state)
  // The platform passes only streams of bytes between objects.
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const { done, value } = pieces.next()
      if (!done) return controller.enqueue(value)
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}

function* encodePieces({ name, ...metadata }: Metadata, { records, ...facts }: SandboxState) {
  const encoder = new TextEncoder()
  const whole = JSON.stringify({ name, format: FORMAT, ...metadata, state: { ...facts, records: [] } })
  yield encoder.encode(whole.slice(0, -']}}'.length))
  for (let at = 0; at < records.length; at += RECORDS_PER_PIECE) {
    const piece = records.slice(at, at + RECORDS_PER_PIECE).map((each) => JSON.stringify(each))
    yield encoder.encode((at === 0 ? '' : ',') + piece.join(','))
  }
  yield encoder.encode(']}}\n')
}

/** Reads the streamed archive line of a sandbox to fork. */
export async function readOriginal(name: string, line: ReadableStream<Uint8Array>) {
  const { metadata, state } = readLine(name, new Uint8Array(await new Response(line).arrayBuffer()))
  return { options: metadata.options, state }
}

/** Reads the archive line of a sandbox. The error for an invalid line does not quote the line, because it may contain a secret. */
export function readLine(name: string, line: Uint8Array): { metadata: Metadata; state: SandboxState } {
  let value: unknown
  try {
    value = JSON.parse(utf8Text(line))
  } catch {
    refuse(errors.archive_line_invalid, { why: 'it is not JSON in UTF-8, or it is incomplete' })
  }
  const { error, format }: { readonly error?: unknown; readonly format?: unknown } = Object(value)
  if (Number(format) > FORMAT) {
    const why = `a newer version of fauxgate wrote it in format ${Number(format)}; this version reads format ${FORMAT}`
    refuse(errors.archive_line_invalid, { why })
  }
  const { success, output, issues } = v.safeParse(archivedSandbox, value)
  if (!success) {
    const path = issues[0].path?.map(({ key }) => String(key)).join('.')
    const why = error
      ? `it could not be read when the archive was made: ${error}`
      : `${path ?? 'it'} is missing or invalid`
    return refuse(errors.archive_line_invalid, { why })
  }
  const { state, ...metadata } = output
  return { metadata: { ...metadata, name }, state }
}
