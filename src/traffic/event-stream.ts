import type { CompiledPolicy } from './compile.ts'
import type { UpstreamResponse } from './message.ts'
import { runPhase } from './policy-run.ts'
import type { EndpointVisit } from './visit.ts'

/** Runs the rules for messages on the events of a response, as they pass. Other responses stay unchanged. */
export function streamEvents(
  response: UpstreamResponse,
  policy: CompiledPolicy,
  visit: EndpointVisit,
): UpstreamResponse {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || !policy.phases.has('on_event_stream_message')) return response
  const { stream } = response
  if (!stream) return response
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  const runOn = async (text: string) => {
    const event = readEvent(text)
    visit.event = event
    await runPhase(policy, 'on_event_stream_message', visit)
    visit.event = undefined
    return encoder.encode(writeEvent(event))
  }
  response.replaceBody(
    stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n\r\n|\n\n|\r\r/)
          rest = parts.pop() ?? ''
          for (const part of parts) controller.enqueue(await runOn(part))
        },
        async flush(controller) {
          if (rest.trim() !== '') controller.enqueue(await runOn(rest))
        },
      }),
    ),
  )
  return response
}

/** Reads a message of an event stream (HTML Standard, section 9.2). Its lines of data are joined. */
function readEvent(text: string): Map<string, string> {
  const event = new Map<string, string>()
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    const before = event.get(name)
    event.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return event
}

function writeEvent(event: ReadonlyMap<string, string>): string {
  const lines = [...event].flatMap(([name, value]) => value.split('\n').map((line) => `${name}: ${line}`))
  return `${lines.join('\n')}\n\n`
}
