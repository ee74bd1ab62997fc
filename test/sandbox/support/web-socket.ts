import { request } from 'node:http'
import type { Socket } from 'node:net'

/** An event that was told. */
export interface Told {
  readonly event: string
  // What an event holds is what the test says that it holds.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any
}

/** A WebSocket that listens, or the answer that it was refused with. */
export interface Heard {
  readonly status: number
  readonly refusal: string
  /** What was told and not yet looked at, until one is what is waited for. */
  until(isIt: (told: Told) => boolean): Promise<Told[]>
  send(text: string): void
  /** Resolves with the code by which the other end closes it. */
  readonly closed: Promise<number>
  end(): void
}

/** Listens at a URL by a WebSocket, as the inspector does. */
export function listen(
  url: string,
  key: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  const { hostname, port, pathname } = new URL(url)
  const protocols = key === null ? 'fauxgate' : `fauxgate, fauxgate-key.${encodeURIComponent(key)}`
  const own = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
    'sec-websocket-protocol': protocols,
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path: pathname, headers: own, agent: false })
    sent.on('upgrade', ({ statusCode = 0 }, socket: Socket, head) => resolve(heard(statusCode, socket, head)))
    sent.on('response', (response) => {
      let refusal = ''
      response.setEncoding('utf8').on('data', (part) => {
        refusal += part
      })
      const none = () => Promise.reject(new Error('It was refused.'))
      const closed = Promise.resolve(0)
      const refused = () => ({ status: response.statusCode ?? 0, refusal, until: none, send() {}, closed, end() {} })
      response.on('end', () => resolve(refused()))
    })
    sent.on('error', reject).end()
  })
}

function heard(status: number, socket: Socket, head: Buffer): Heard {
  let bytes = head
  const told: Told[] = []
  let wake: (() => void) | undefined
  let close: (code: number) => void
  const closed = new Promise<number>((resolve) => {
    close = resolve
  })
  const take = (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    for (let frame = frameOf(bytes); frame; frame = frameOf(bytes)) {
      bytes = bytes.subarray(frame.size)
      if (frame.opcode === 8) close(frame.payload.readUInt16BE(0))
      const [, event, data] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(frame.payload.toString()) ?? []
      told.push(
        event && data ? { event, data: JSON.parse(data) } : { event: frame.payload.toString(), data: undefined },
      )
    }
    wake?.()
  }
  take(Buffer.alloc(0))
  socket.on('data', take).on('error', () => undefined)
  return {
    status,
    refusal: '',
    closed,
    async until(isIt) {
      while (!told.some(isIt)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return told.splice(0, told.findIndex(isIt) + 1)
    },
    send(text) {
      const payload = Buffer.from(text)
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]))
    },
    end: () => void socket.destroy(),
  }
}

/** The first frame that is whole (RFC 6455, 5.2), as a server sends it. */
function frameOf(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] as number) & 127
  const more = short === 126 ? 2 : short === 127 ? 8 : 0
  if (bytes.length < 2 + more) return undefined
  const length = more === 0 ? short : more === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const size = 2 + more + length
  if (bytes.length < size) return undefined
  return { opcode: (bytes[0] as number) & 15, payload: bytes.subarray(2 + more, size), size }
}
