import http2 from 'node:http2'
import { connect } from 'node:tls'
import { onTestFinished } from 'vitest'

/** Connects a visitor that speaks HTTP/2. */
export function openSession(port: number, ca: string, options: http2.ClientSessionOptions = {}) {
  const tls = { host: '127.0.0.1', port, servername: 'app.example.com', ca, ALPNProtocols: ['h2'] }
  const session = http2.connect('https://app.example.com', { createConnection: () => connect(tls), ...options })
  session.on('error', () => undefined)
  onTestFinished(() => session.destroy())
  return session
}

/** The response that a visitor gets on a stream. */
export interface Http2Answer {
  readonly status: number | undefined
  readonly headers: http2.IncomingHttpHeaders
  readonly text: string
  readonly trailers: http2.IncomingHttpHeaders
  readonly informed: number[]
  /** The code of a reset; 0 for none. */
  readonly code: number
}

/** Sends a request, and resolves once its stream has ended. */
export async function send(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string,
): Promise<Http2Answer> {
  const stream = session.request({ ':path': '/a', ...headers }, { endStream: body === undefined })
  let answer: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
  let trailers = {}
  let text = ''
  const informed: number[] = []
  stream
    .on('response', (received) => (answer = received))
    .on('headers', (received) => informed.push(Number(received[':status'])))
    .on('trailers', (received) => (trailers = received))
    .on('error', () => undefined)
    .setEncoding('latin1')
    .on('data', (part) => (text += part))
  if (body !== undefined) stream.end(body)
  await new Promise((resolve) => stream.once('close', resolve))
  return { status: answer[':status'], headers: answer, text, trailers, informed, code: stream.rstCode }
}
