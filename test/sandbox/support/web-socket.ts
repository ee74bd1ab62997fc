import { request } from 'node:http'
import type { Socket } from 'node:net'

/** An event that the server sent. */
export interface ReceivedEvent {
  readonly event: string
  // The test knows the data of an event.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any
}

/** A WebSocket for events, or the response that rejected it. */
export interface TestSocket {
  readonly status: number
  readonly refusal: string
  /** Waits for an event. Returns it, and the earlier events that no call has returned. */
  until(isExpected: (received: ReceivedEvent) => boolean): Promise<ReceivedEvent[]>
  send(text: string): void
  /** The code by which the other end closes it. */
  readonly closed: Promise<number>
  end(): void
}

/** Opens a WebSocket for events, as the inspector does. */
export function openSocket(
  url: string,
  key: string | null,
  more: Readonly<Record<string, string>> = {},
): Promise<TestSocket> {
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
    'sec-websocket-protocol': key === null ? 'fauxgate' : `fauxgate, fauxgate-key.${encodeURIComponent(key)}`,
    ...more,
  }
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { headers, agent: false })
    clientRequest.on('upgrade', ({ statusCode: status = 0 }, socket, head) =>
      resolve(createSocket(status, '', socket, head)),
    )
    clientRequest.on('response', async (response) => {
      const { statusCode: status = 0, socket } = response
      resolve(createSocket(status, Buffer.concat(await response.toArray()).toString(), socket, Buffer.alloc(0)))
    })
    clientRequest.on('error', reject).end()
  })
}

function createSocket(status: number, refusal: string, socket: Socket, head: Buffer): TestSocket {
  let bytes = head
  let wake = () => {}
  const received: ReceivedEvent[] = []
  let close: (code: number) => void
  const closed = new Promise<number>((resolve) => {
    close = resolve
  })
  const receive = (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    for (let frame = readFrame(bytes); frame; frame = readFrame(bytes)) {
      bytes = bytes.subarray(frame.size)
      if (frame.opcode === 8) {
        close(frame.payload.readUInt16BE(0))
        // A server that stops waits for this frame.
        socket.end(Buffer.from([0x88, 0x82, 0, 0, 0, 0, ...frame.payload.subarray(0, 2)]))
      }
      const text = frame.payload.toString()
      const [, event, data] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(text) ?? []
      received.push(event && data ? { event, data: JSON.parse(data) } : { event: text, data: undefined })
    }
    wake()
  }
  if (status === 101) socket.on('data', receive).on('error', () => undefined)
  receive(Buffer.alloc(0))
  return {
    status,
    refusal,
    closed,
    async until(isExpected) {
      while (!received.some(isExpected)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return received.splice(0, received.findIndex(isExpected) + 1)
    },
    send(text) {
      const payload = Buffer.from(text)
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]))
    },
    end: () => void socket.destroy(),
  }
}

/** Returns the first whole frame of a server (RFC 6455, 5.2). */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] as number) & 127
  const more = short === 126 ? 2 : short === 127 ? 8 : 0
  if (bytes.length < 2 + more) return undefined
  const length = more === 0 ? short : more === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const size = 2 + more + length
  if (bytes.length < size) return undefined
  return { opcode: (bytes[0] as number) & 15, payload: bytes.subarray(2 + more, size), size }
}
