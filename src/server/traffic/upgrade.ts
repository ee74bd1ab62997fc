import { IncomingMessage } from '../http.ts'

/** A request of a visitor over HTTP/1. Node reads `upgrade` when the head is complete: the connection leaves HTTP if it is true. */
export class VisitorRequest extends IncomingMessage {
  declare private hasWish: boolean

  get upgrade(): boolean {
    return this.hasWish && maySwitch(this)
  }

  /** Node sets what its parser has found. */
  set upgrade(found: boolean) {
    this.hasWish = found
  }
}

/**
 * Returns whether a connection leaves HTTP with a request. A gateway may ignore the wish to switch protocols, and must in HTTP/1.0 (RFC 9110,
 * section 7.8). It does so for HTTP/2, because Java's client has this wish with each request, and for a request with a body.
 */
function maySwitch({ method, httpVersion, headers }: VisitorRequest): boolean {
  if (method === 'CONNECT') return true
  const { upgrade = '', 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return httpVersion !== '1.0' && !/\bh2c?\b/i.test(upgrade) && length === '0' && encoding === undefined
}
