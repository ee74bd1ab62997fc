import { CONTROL_KEY_HEADER } from '../control/control.ts'
import { isOneOf } from '../http/access.ts'
import { digestOf, freshKeys, type KeyDigests, type Keys } from './keys.ts'

const BEARER = /^Bearer +(\S.*)$/i
const CONTROL_KEY = CONTROL_KEY_HEADER.toLowerCase()

/** A header of a request by its lower-case name, or null. */
type Header = (name: string) => string | null

/**
 * Lets in whoever has a key of the sandbox (rules: sandboxes#keys). Of those it knows the digests alone, which it compares in constant time; the
 * gateway behind it has keys that nobody ever sees, so that it stays the same when the sandbox is given new ones.
 */
export class Gate {
  /** The keys of the gateway behind it. */
  readonly keys: Keys = freshKeys('')
  /** Keys that were let in last: a digest takes longer than most requests. */
  #known: { digests: KeyDigests | undefined } & { -readonly [Name in keyof Keys]?: string } = { digests: undefined }

  /** The headers with which a request comes to the gateway. */
  headers(header: Header, digests: KeyDigests): Header {
    if (this.#known.digests !== digests) this.#known = { digests }
    return (name) => {
      if (name === 'authorization') return this.#authorization(header(name))
      return name === CONTROL_KEY ? this.#key('control_key', header(name)) : header(name)
    }
  }

  #authorization(received: string | null): string | null {
    const key = received && BEARER.exec(received)?.[1]
    return key && this.#isLetIn('api_key', key) ? `Bearer ${this.keys.api_key}` : received
  }

  #key(name: keyof Keys, received: string | null): string | null {
    return received && this.#isLetIn(name, received) ? this.keys[name] : received
  }

  #isLetIn(name: keyof Keys, received: string): boolean {
    const { digests, [name]: known } = this.#known
    if (!digests) return false
    if (known !== undefined && isOneOf([known], received)) return true
    const isLetIn = isOneOf([digests[name]], digestOf(received))
    if (isLetIn) this.#known[name] = received
    return isLetIn
  }
}
