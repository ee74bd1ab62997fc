import { Queue } from '../../core/engine/queue.ts'
import type { AgentCall, AgentWatcher } from '../../traffic/agent-calls.ts'

/** The maximum size of all captured requests (the agent's default), and of one body. */
const MAX_BYTES = 50 * 1024 * 1024
const MAX_BODY_BYTES = 1024 * 1024

/** The approximate memory used by a request, and by each chunk of a body, apart from their bytes. */
const REQUEST_BYTES = 1024
const PART_BYTES = 256

type Headers = readonly (readonly [string, string])[]

/** A body that grows as it passes through the agent. Only its beginning is stored. */
export interface CapturedBody {
  readonly parts: Uint8Array[]
  size: number
  /** True if more bytes passed through than were stored. */
  isCut: boolean
  /** True once the body has ended. */
  isEnded: boolean
}

/** A request that passed through an agent, including secrets. */
export interface Captured extends Pick<AgentCall, 'tunnel' | 'upstream' | 'ip' | 'at' | 'secrets'> {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: CapturedBody
  /** False once the request has been dropped; the rest of its body isn't stored. */
  isKept: boolean
  /** The response, or undefined until the upstream has responded. */
  response:
    | { readonly status: number; readonly headers: Headers; readonly body: CapturedBody; readonly at: number }
    | undefined
}

/** The most recent requests that passed through agents, up to a total of 50 MB. */
export class CapturedRequests {
  readonly #queue = new Queue<Captured>()
  readonly #counts = new Map<string, number>()
  #bytes = 0
  #next = 0

  readonly add: AgentWatcher = ({ tunnel, request, ...facts }) => {
    this.#counts.set(tunnel.id, this.countOf(tunnel.id) + 1)
    if (!tunnel.inspect) return undefined
    const { method, url } = request
    const headers = [...request.headers]
    const id = toHex(Math.floor(facts.at / 1000)) + toHex(++this.#next)
    const captured: Captured = { ...facts, id, tunnel, method, url, headers, body: newBody(), ...NEW }
    this.#queue.add(captured)
    this.#grow(sizeOf(captured))
    request.watchBody(
      (part) => this.#keep(captured, captured.body, part),
      () => {
        captured.body.isEnded = true
      },
    )
    return (response, at) => {
      const { status } = response
      captured.response = { status, at, headers: [...response.headers], body: newBody() }
      const { body } = captured.response
      response.watchBody((part) => this.#keep(captured, body, part))
    }
  }

  /** Returns the requests, newest first. */
  newestFirst(): Captured[] {
    return this.#queue.all().reverse()
  }

  /** Returns the number of requests that passed through a tunnel, including dropped requests. */
  countOf(tunnel: string): number {
    return this.#counts.get(tunnel) ?? 0
  }

  /** Removes the requests. Their counts and other metrics remain. */
  empty(): void {
    for (const each of this.#queue.all()) each.isKept = false
    this.#queue.replace([])
    this.#bytes = 0
  }

  clear(): void {
    this.empty()
    this.#counts.clear()
    this.#next = 0
  }

  #keep({ isKept }: Captured, body: CapturedBody, part: Uint8Array): void {
    if (!isKept) return
    const kept = part.slice(0, MAX_BODY_BYTES - body.size)
    if (kept.length < part.length) body.isCut = true
    if (kept.length === 0) return
    body.parts.push(kept)
    body.size += kept.length
    this.#grow(kept.length + PART_BYTES)
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#queue.drop()
      if (!oldest) return
      oldest.isKept = false
      this.#bytes -= sizeOf(oldest)
    }
  }
}

/** Returns why a request can't be resent, or undefined if it can (rules: agent#replays). */
export function replayProblem({ headers, body: { size, isCut, isEnded } }: Captured): string | undefined {
  const fieldOf = (name: string) => headers.find(([each]) => each === name)?.[1]
  if (fieldOf('upgrade') !== undefined)
    return 'It asked to switch protocols, and only the program that sent it can speak the new protocol.'
  if (isCut) return `Only the first ${size} bytes of its body were kept.`
  const length = fieldOf('content-length')
  if (length === undefined) return isEnded ? undefined : 'The end of its body has not arrived.'
  return Number(length) === size ? undefined : `Only ${size} of the ${length} bytes of its body have arrived.`
}

const NEW = { isKept: true, response: undefined }

const newBody = (): CapturedBody => ({ parts: [], size: 0, isCut: false, isEnded: false })

const toHex = (number: number): string => number.toString(16).padStart(8, '0')

function sizeOf({ url, headers, body, response }: Captured): number {
  const bodies = [body, response?.body].map((each) => (each ? each.size + each.parts.length * PART_BYTES : 0))
  return REQUEST_BYTES + url.length + headers.flat().join('').length + bodies.reduce((sum, size) => sum + size)
}
