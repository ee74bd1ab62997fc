import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The headers that a request of the API must have. */
export const KEYS = 'Authorization: Bearer k\r\nService-Version: 2\r\n'

/** The bytes of a request for the list of addresses. */
export const GET = `GET /reserved_addrs HTTP/1.1\r\nHost: localhost\r\n${KEYS}\r\n`

/** The head of a creation, without the headers for the size of its body. */
export const POST_HEAD = `POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\n${KEYS}Content-Type: application/json\r\n`

/** Returns the bytes of a creation. */
export const formatPost = (body = '{}') => `${POST_HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

/** A connection that sends bytes unchanged. */
export interface RawConnection {
  readonly socket: Socket
  /** Returns the received text. */
  received(): string
  /** Resolves once the received text matches. */
  until(pattern: RegExp): Promise<void>
  /** Resolves with all responses once `count` were received completely. */
  answers(count: number): Promise<RawAnswer[]>
  /** Resolves with the statuses of all responses once `count` were received completely. */
  statuses(count: number): Promise<number[]>
  /** Resolves with the received text once the other side has closed the connection. */
  ended(): Promise<string>
}

/** Opens a connection to a port of this machine until the end of the test, and sends bytes on it. */
export async function openRawConnection(port: number, bytes: string | Uint8Array = ''): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  // A reset closes it too.
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))
  socket.write(bytes)
  const untilTrue = async (holds: () => boolean, what: unknown) => {
    while (!holds()) await Promise.race([once(socket, 'data'), closed.then(() => fail(what, text))])
  }
  const answers = async (count: number) => {
    await untilTrue(() => text.split('HTTP/1.1 ').length > count && text.endsWith('}'), `answer ${count}`)
    return parseRawAnswers(text)
  }
  return {
    socket,
    received: () => text,
    until: (pattern) => untilTrue(() => pattern.test(text), pattern),
    answers,
    statuses: async (count) => (await answers(count)).map(({ status }) => status),
    async ended() {
      await closed
      return text
    },
  }
}

function fail(what: unknown, text: string): never {
  throw new Error(`The connection ended before ${what} came. It brought: ${text}`)
}

/** A response on the wire. */
export type RawAnswer = ReturnType<typeof parseRawAnswers>[number]

/** Parses consecutive responses, each with a `Content-Length`. */
export function parseRawAnswers(text: string) {
  const answers: { status: number; headers: Headers; body: string }[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Headers(lines.map((each) => each.split(/: (.*)/).slice(0, 2) as [string, string]))
    const length = Number(headers.get('content-length'))
    answers.push({ status: Number(line.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

/** Resolves once a condition holds. It checks every millisecond. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise<void>((resolve) => setTimeoutOf(resolve, 1))
}

// Some tests replace the global one by fake timers.
const setTimeoutOf = setTimeout

/** Returns the Node server of a port. */
export async function findServer(port: number): Promise<Server> {
  const started = channel('http.server.request.start')
  let server: Server | undefined
  const see = (message: unknown) => {
    const { server: its, socket } = message as { server: Server; socket: Socket }
    if (socket.localPort === port) server = its
  }
  started.subscribe(see)
  await (await openRawConnection(port, GET)).answers(1)
  started.unsubscribe(see)
  return server as Server
}
