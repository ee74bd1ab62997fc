import { IncomingMessage } from '../http.ts'

/** A visitor's request over HTTP/1. Node reads `upgrade` when the head is complete. If it is true, the connection no longer uses HTTP. */
export class VisitorRequest extends IncomingMessage {
  declare private hasWish: boolean

  get upgrade(): boolean {
    return this.hasWish && maySwitch(this)
  }

  /** Node sets the value that its parser found. */
  set upgrade(found: boolean) {
    this.hasWish = found
  }
}

/**
 * Returns whether a connection leaves HTTP with a request. A gateway may ignore a request to switch protocols, and must in HTTP/1.0 (RFC
 * 9110, section 7.8). This gateway ignores a switch to HTTP/2, which Java's client offers with every request, and any switch in a request
 * with a body.
 */
function maySwitch({ method, httpVersion, headers }: VisitorRequest): boolean {
  if (method === 'CONNECT') return true
  const { upgrade = '', 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return httpVersion !== '1.0' && !/\bh2c?\b/i.test(upgrade) && length === '0' && encoding === undefined
}
