import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The headers that a request of the API must have. */
export const KEYS = 'Authorization: Bearer k\r\nService-Version: 2\r\n'

/** A request as bytes: for the list of addresses. */
export const GET = `GET /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}\r\n`

/** The head of a creation, without the headers about the size of its body. */
export const POST_HEAD = `POST /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}Content-Type: application/json\r\n`

/** A creation as bytes. */
export const formatPost = (body = '{}') => `${POST_HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

/** A connection on which bytes are sent as they are. */
export interface RawConnection {
  readonly socket: Socket
  /** The bytes that came back. */
  received(): string
  /** Resolves once what came back matches. */
  until(pattern: RegExp): Promise<void>
  /** Resolves with all answers once there are so many, the last one whole. */
  answers(count: number): Promise<RawAnswer[]>
  /** Resolves with the statuses of all answers once there are so many. */
  statuses(count: number): Promise<number[]>
  /** Resolves with everything that came back once the other side has ended the connection. */
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
  // A reset ends it too.
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

/** An answer as it was on the wire. */
export type RawAnswer = ReturnType<typeof parseRawAnswers>[number]

/** Reads the answers that follow one another on the wire, each with a length. */
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

/** Resolves once something holds. It looks every millisecond, and leaves the processor to what it waits for. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise<void>((resolve) => setTimeoutOf(resolve, 1))
}

// Tests replace it by fake timers.
const setTimeoutOf = setTimeout

/** The Node server behind a port, which shows when it answers a request. */
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
