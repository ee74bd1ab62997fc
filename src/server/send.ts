import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpResponse } from '../http/messages.ts'

/** Where an answer goes, and what it answers. */
interface Exchanged {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Sends an answer; where it cannot be sent, its connection ends. */
export function send({ status, headers, body }: HttpResponse, { request, response }: Exchanged): void {
  try {
    // Names and values one behind the other, which Node reads as they are.
    const lines: string[] = []
    for (const name in headers) lines.push(name, headers[name] ?? '')
    if (body !== null) lines.push('Content-Length', String(Buffer.byteLength(body)))
    response.writeHead(status, lines)
    const { socket } = response
    if (socket && body !== null) {
      // Head and body as one piece: `end(body)` would write an empty one after them, which costs the system as much again.
      socket.cork()
      response.write(body)
      socket.uncork()
      response.end()
    } else response.end(body)
  } catch (error) {
    console.error(error)
    request.socket.destroy()
  }
}
