import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A connection on which bytes are sent as they are. */
export interface RawConnection {
  readonly socket: Socket
  /** The bytes that came back. */
  received(): string
  /** Resolves once what came back matches. */
  until(pattern: RegExp): Promise<void>
  /** Resolves with everything that came back once the other side has ended the connection. */
  ended(): Promise<string>
}

/** Opens a connection to a port of this machine and sends bytes on it. */
export async function rawConnection(port: number, bytes: string | Uint8Array = ''): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  // A reset ends it too.
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))
  socket.write(bytes)
  return {
    socket,
    received: () => text,
    async until(pattern) {
      while (!pattern.test(text)) await Promise.race([once(socket, 'data'), closed.then(() => fail(pattern, text))])
    },
    async ended() {
      await closed
      return text
    },
  }
}

function fail(pattern: RegExp, text: string): never {
  throw new Error(`The connection ended before ${pattern} came. It brought: ${text}`)
}

/** An answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** The answers that stand behind one another, each with a length. */
export function rawAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
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

/** Resolves once something holds, looking again whenever other work of the process is done. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise<void>((resolve) => process.nextTick(() => setImmediateOf(resolve)))
}

const setImmediateOf = setImmediate

/** The Node server behind a port, which shows when it answers a request. */
export async function serverBehind(port: number, request: string): Promise<Server> {
  const started = channel('http.server.request.start')
  let server: Server | undefined
  const see = (message: unknown) => {
    const { server: its, socket } = message as { server: Server; socket: Socket }
    if (socket.localPort === port) server = its
  }
  started.subscribe(see)
  const connection = await rawConnection(port, request)
  await connection.until(/^HTTP\/1.1 200 /)
  connection.socket.destroy()
  started.unsubscribe(see)
  return server as Server
}
