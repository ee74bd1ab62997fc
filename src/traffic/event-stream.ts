import { createCompressor } from './codings.ts'
import type { CompiledPolicy } from './compile.ts'
import type { EndpointVisit } from './endpoint-visit.ts'
import type { UpstreamResponse } from './message.ts'
import { isEventStream } from './message-headers.ts'
import { runPhase } from './policy-run.ts'
import { MAX_BODY_BYTES, readCodings } from './read-body.ts'

/** The maximum number of messages per stream whose rules are traced, and of their characters, counted once per rule. */
const MAX_TRACED = 100
const MAX_TRACED_CHARACTERS = 65_536

/**
 * Runs the message rules on a response's events as they pass through. Other responses aren't changed (rules: traffic#bodies). Message rules
 * have their own visit, because other rules and modules may run on the original visit at the same time.
 * @throws BodyProblem for a coding that cannot be decoded
 */
export function streamEvents(
  response: UpstreamResponse,
  policy: CompiledPolicy,
  responseVisit: EndpointVisit,
): UpstreamResponse {
  const isStream = isEventStream(response.headers.get('content-type'))
  const phase = policy.phases.get('on_event_stream_message')
  if (!isStream || !phase) return response
  const stream = response.decode()
  if (!stream) return response
  const visit = responseVisit.forMessages()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const events = new EventReader()
  let [count, characters] = [0, 0]
  const runOn = async ({ text, fields }: StreamEvent, terminator: string) => {
    const before = new Map(fields)
    visit.event = fields
    characters += text.length * phase.rules.length
    visit.isTraced = ++count <= MAX_TRACED && characters <= MAX_TRACED_CHARACTERS
    const end = await runPhase(policy, 'on_event_stream_message', visit)
    visit.event = undefined
    if (end) throw new Error("A rule for the stream's messages failed.")
    const isChanged = [...fields].some(([name, value]) => before.get(name) !== value)
    return encoder.encode(isChanged ? writeEvent(fields) + terminator : text)
  }
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      for (const event of events.read(decoder.decode(chunk, { stream: true })))
        controller.enqueue(await runOn(event, '\n\n'))
    },
    async flush(controller) {
      const rest = events.end(decoder.decode())
      if (rest) controller.enqueue(await runOn(rest, ''))
    },
  })
  const changed = stream.pipeThrough(transform)
  // `compress-response` has already run, and its coding stays.
  const [coding, ...others] = readCodings(response.headers.get('content-encoding'))
  const compressor = others.length === 0 ? createCompressor(coding) : undefined
  if (compressor) response.changeBody(changed.pipeThrough(compressor), coding)
  else response.changeBody(changed)
  return response
}

/** A message in an event stream. */
interface StreamEvent {
  /** The text as it arrived. */
  readonly text: string
  readonly fields: Map<string, string>
}

/** Reads the messages of an event stream (HTML Standard, section 9.2), reading each chunk of text once. */
class EventReader {
  #lines: string[] = []
  /** The beginning of the unfinished line. */
  #line = ''
  /** The text of the message, including line endings. */
  #text = ''
  #endedWithReturn = false

  /** Returns the message that the end of the stream cut off, or undefined if there is none. */
  end(part: string): StreamEvent | undefined {
    this.#add(part)
    if (this.#line !== '') this.#lines.push(this.#line)
    const event = this.#take()
    return event.text === '' ? undefined : event
  }

  #add(part: string, end = ''): void {
    this.#line += part
    this.#text += part + end
    if (this.#text.length > MAX_BODY_BYTES)
      throw new Error(`A message in the stream is longer than ${MAX_BODY_BYTES} characters.`)
  }

  /** Returns the messages that a chunk of text completes. @throws Error for a message that is too long */
  *read(part: string): Generator<StreamEvent> {
    // A line ending may arrive in two parts.
    let from = this.#endedWithReturn && part.startsWith('\n') ? 1 : 0
    if (part !== '') this.#endedWithReturn = part.endsWith('\r')
    if (this.#text !== '') this.#text += part.slice(0, from)
    const ends = /\r\n|\n|\r/g
    ends.lastIndex = from
    for (let end = ends.exec(part); end; end = ends.exec(part)) {
      this.#add(part.slice(from, end.index), end[0])
      from = ends.lastIndex
      if (this.#line !== '') this.#lines.push(this.#line)
      else yield this.#take()
      this.#line = ''
    }
    this.#add(part.slice(from))
  }

  #take(): StreamEvent {
    const event = { text: this.#text, fields: readFields(this.#lines) }
    this.#text = ''
    this.#lines = []
    return event
  }
}

/** Reads the fields of a message. Joins the values of lines with the same name. */
function readFields(lines: readonly string[]): Map<string, string> {
  const values = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    const before = values.get(name)
    if (before) before.push(value)
    else values.set(name, [value])
  }
  return new Map([...values].map(([name, all]) => [name, all.join('\n')]))
}

function writeEvent(fields: ReadonlyMap<string, string>): string {
  return [...fields].flatMap(([name, value]) => value.split('\n').map((line) => `${name}: ${line}`)).join('\n')
}
