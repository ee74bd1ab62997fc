/** What the server tells. */
export interface Told {
  readonly event: string
  readonly data: unknown
}

/** How often the page says on a WebSocket that it lives, in ms. */
const BEAT_MS = 30_000

/**
 * What happens at the server, as it happens, until the connection ends. The server tells it in one of two ways:
 *
 * - It answers `GET …/_fauxgate/events` with 200 and a stream of server-sent events.
 * - It answers 426 (Upgrade Required) to whoever may listen, and takes a WebSocket at the same address. That cannot carry
 *   headers, so the page offers the subprotocols `fauxgate` and, where it has a control key, `fauxgate-key.` with the key
 *   behind it, its characters escaped as in URLs; the server chooses `fauxgate`. Each message is one event, the same text
 *   as in a stream: `event: overview\ndata: {…}\n\n`. The page says `:` from time to time, which needs no answer; a message
 *   without an event, such as `:`, means nothing.
 *
 * Either way the first event is `overview`. Answers the refusal, where the page may not listen.
 */
export async function* liveChannel(
  address: string,
  headers: Readonly<Record<string, string>>,
  key: string | null,
): AsyncGenerator<Told, Response | undefined> {
  const response = await fetch(address, { headers })
  const isSocket = response.status === 426
  if (!isSocket && !response.ok) return response
  // An answer that is ok has a body, of bytes.
  const texts = isSocket
    ? messagesOf(address, key)
    : (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream())
  const reader = texts.getReader()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split('\n\n')
    text = events.pop() ?? ''
    for (const each of events) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(each) ?? []
      if (event && data) yield { event, data: JSON.parse(data) }
    }
  }
  return undefined
}

/** The messages of a WebSocket, until it is closed. */
function messagesOf(address: string, key: string | null): ReadableStream<string> {
  const own = key === null ? [] : [`fauxgate-key.${escaped(key)}`]
  const socket = new WebSocket(address.replace(/^http/, 'ws'), ['fauxgate', ...own])
  const beat = setInterval(() => socket.send(':'), BEAT_MS)
  return new ReadableStream({
    start(stream) {
      socket.onmessage = ({ data }) => stream.enqueue(`${data}\n\n`)
      socket.onclose = () => {
        clearInterval(beat)
        stream.close()
      }
    },
  })
}

/** A text in which no sign is left that the name of a subprotocol cannot have. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))
}
