import { CONTROL_KEY_HEADER } from '../control/control.ts'
import type { HttpRequest } from '../http/messages.ts'
import { digestOf } from './keys.ts'

const BEARER = /^(Bearer +)(\S.*)$/i
const CONTROL_KEY = CONTROL_KEY_HEADER.toLowerCase()

/**
 * The same request with the digests of its keys in their place. The gateway knows digests alone, and compares them in
 * constant time; whoever sends a digest is asked for its digest.
 */
export function withDigests(request: HttpRequest): HttpRequest {
  return {
    ...request,
    header(name) {
      const value = request.header(name)
      if (!value) return value
      if (name === 'authorization') return value.replace(BEARER, (_, scheme, key) => scheme + digestOf(key))
      return name === CONTROL_KEY ? digestOf(value) : value
    },
  }
}
