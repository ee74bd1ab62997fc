import type { IncomingMessage } from 'node:http'
import { pairsOf } from '../forward/body.ts'

/**
 * Returns whether a connection leaves HTTP with a request. A gateway may ignore the wish to switch protocols (RFC 9110, section 7.8). It
 * does so for HTTP/2, because Java's client has this wish with each request, and for a request with a body.
 */
export function maySwitch({ method, headers }: IncomingMessage): boolean {
  if (method === 'CONNECT') return true
  const { upgrade = '', 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return !/\bh2c?\b/i.test(upgrade) && length === '0' && encoding === undefined
}

/** Returns the bytes of a request without the wish to switch protocols. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const kept = pairsOf(rawHeaders).filter(([name]) => !/^(upgrade|http2-settings)$/i.test(name))
  const lines = kept.map(([name, value]) => `${name}: ${/^connection$/i.test(name) ? withoutToken(value) : value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${url} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1'), head])
}

function withoutToken(connection: string): string {
  return connection
    .split(',')
    .filter((each) => !/^\s*(upgrade|http2-settings)\s*$/i.test(each))
    .join(',')
}
