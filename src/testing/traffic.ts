import { CONTROL_PATH } from '../control/address.ts'
import { REAL_TIMEOUTS } from '../control/views/report-notes.ts'
import type { ClockFollower } from '../core/engine/clock.ts'
import { EventLoop } from '../core/engine/event-loop.ts'
import { platform } from '../core/schema/platform.ts'
import { formatCount } from '../core/schema/text.ts'
import type { ServedHooks } from '../gateway/http/arrival.ts'
import { type Fetch, isRequest } from '../gateway/http/fetch.ts'
import type { Gateway } from '../gateway/types.ts'
import { watchMoves } from './moves.ts'
import { Pauses } from './pauses.ts'
import { nameRequest } from './request-name.ts'

/**
 * The number of microtasks before a request arrives. Vitest needs about 30 from the last line of a test to its end, so a larger number
 * reveals a forgotten `await` there. Runners do not fake promises, and fake timers run all microtasks before time passes.
 */
const MICROTASKS = 200

/** The number of times that other code must run until a client has connected to a server on loopback and sent its request. */
const CONNECTING = 5

interface Unfinished {
  readonly requests: ReadonlySet<{ readonly name: string }>
  readonly moves: ReadonlySet<{ readonly name: string }>
  /** The failure that came last before the end. */
  readonly failure: string | undefined
}

const MISSING_AWAIT = 'Is an await missing?'

const leftByPromiseAll = (failure: string) =>
  `The test may have awaited it: Promise.all doesn't wait for the others after a failure, such as ${failure}.`

/** Describes a request that failed, or returns undefined if it succeeded. A connection that broke has no status. */
function describeFailure(name: string, status: number | undefined): string | undefined {
  if (status === undefined) return name
  return status >= 400 ? `${name} → ${status}` : undefined
}

/** The members of a gateway that do not depend on its state. */
const STATELESS = ['fetch', 'url', 'dialect']

/**
 * Requests that a test has sent and its gateway has not received. Each arrives some microtasks later, in the order sent, so that a test
 * notices a forgotten `await`. If the test uses a member of the gateway in the same synchronous run, its requests arrive before that.
 * `requests` always makes them arrive, because an assertion must count each sent request. Responses still arrive later.
 */
export class DelayedRequests {
  /** The functions that let requests arrive, with the names of the requests. */
  readonly #waiting = new Map<() => Promise<Response>, string>()
  readonly #unfinishedRequests = new Set<{ readonly name: string; isAlone: boolean }>()
  readonly #unfinishedMoves = new Set<{ readonly name: string }>()
  /** The requests and moves that were unfinished when the test ended. Closing its servers takes long enough to finish them. */
  #unfinishedAtEnd: Unfinished | undefined
  readonly #served = this.#watchServed()
  readonly #closers: (() => Promise<void>)[] = []
  /** The requests that a server received or still handled at the end, each with the failure that came last before that. */
  readonly #servedAtEnd = new Map<{ readonly name: string }, string | undefined>()
  readonly #refused: string[] = []
  readonly #wrongKeys: string[] = []
  readonly #notAwaited = new Map<string, string>()
  readonly #pauses: Pauses
  #isSameRun = false
  #lastRequest: string | undefined
  /** The request that ended last, with its status, if it failed. */
  #lastFailure: string | undefined
  /** Detaches from the gateway's clock. */
  readonly end: () => void

  /** Replaces `fetch` and the other members of a gateway. */
  constructor(gateway: Gateway) {
    const { fetch, clock } = gateway
    this.#pauses = new Pauses(clock)
    for (const [name, member] of Object.entries(gateway)) {
      if (!STATELESS.includes(name)) this.#arriveBeforeUse(gateway, name, member)
    }
    Object.assign(gateway, { fetch: this.#delayFetch(fetch, () => gateway.url) })
    gateway.transport.hooks.served = this.#served
    const detach = clock.attach?.(this.#follower)
    const unwatch = watchMoves(clock, this.#unfinishedMoves, (move) => this.#noteNotAwaited(move))
    this.end = () => {
      if (typeof detach === 'function') detach()
      unwatch()
    }
  }

  /** Descriptions of requests without a response, and of unfinished clock moves. */
  get unfinished(): readonly string[] {
    return this.#describeUnfinished(MISSING_AWAIT)
  }

  /** The same descriptions for a test that its runner has ended. The test may have awaited all of the requests. */
  get unfinishedAtTimeout(): readonly string[] {
    return this.#describeUnfinished('The test may have awaited it.')
  }

  /**
   * Descriptions for a test that failed, also of requests over HTTP that were pending at the end. These don't fail a passing test, because
   * other processes may send them.
   */
  get unfinishedAtFailure(): readonly string[] {
    const { failure } = this.#unfinishedAtEnd ?? this.#listUnfinished()
    const [failureOfServed] = this.#servedAtEnd.values()
    return [
      ...this.#describeUnfinished(MISSING_AWAIT, failure && leftByPromiseAll(failure)),
      ...this.#describeServed(failureOfServed === undefined ? MISSING_AWAIT : leftByPromiseAll(failureOfServed)),
    ]
  }

  /** The same descriptions for a test that its runner has ended. On a manual clock, a delay by a fault can outlast the test. */
  get unfinishedServedAtTimeout(): readonly string[] {
    return this.#describeServed(`The test may have awaited it. ${REAL_TIMEOUTS}`)
  }

  #describeServed(hint: string): readonly string[] {
    return describeUnfinished(
      'request',
      new Set(this.#servedAtEnd.keys()),
      hint,
      ' over HTTP',
      'the server closed or the test ended',
    )
  }

  /** Returns true if a request was pending at the end. A waiting timer may then be that request's time limit. */
  get hasPendingRequests(): boolean {
    const { requests } = this.#unfinishedAtEnd ?? this.#listUnfinished()
    return requests.size + this.#servedAtEnd.size > 0
  }

  /** Waits for the HTTP requests that are in transit when a test fails, and notes them. */
  async awaitServed(): Promise<void> {
    this.#unfinishedAtEnd ??= this.#listUnfinished()
    if (this.#closers.length === 0) return
    const noted = this.#served.closing()
    const eventLoop = new EventLoop()
    for (let count = 0; count < CONNECTING; count++) await eventLoop.runOtherCode()
    eventLoop.close()
    noted()
  }

  /** Closes the servers that are still open, because an open server keeps the process of a failed test alive. */
  async closeServers(): Promise<void> {
    this.#unfinishedAtEnd ??= this.#listUnfinished()
    await Promise.all(this.#closers.map((close) => close()))
  }

  #watchServed(): NonNullable<ServedHooks['served']> {
    const pending = new Set<{ readonly name: string }>()
    let isAtEnd = false
    const addAtEnd = (request: { readonly name: string }) => {
      if (!this.#servedAtEnd.has(request)) this.#servedAtEnd.set(request, this.#lastFailure)
    }
    return {
      opened: (close) => void this.#closers.push(close),
      received: (name, authorization = '') => {
        const request = { name }
        this.#noteKey(name, authorization)
        pending.add(request)
        if (isAtEnd) addAtEnd(request)
        return (status) => {
          pending.delete(request)
          this.#lastFailure = describeFailure(name, status)
        }
      },
      closing: () => {
        isAtEnd = true
        for (const request of pending) addAtEnd(request)
        return () => {
          isAtEnd = false
        }
      },
    }
  }

  #listUnfinished(): Unfinished {
    const [requests, moves] = [new Set(this.#unfinishedRequests), new Set(this.#unfinishedMoves)]
    return { requests, moves, failure: this.#lastFailure }
  }

  #describeUnfinished(hint: string, hintOfRequests = hint): readonly string[] {
    const { requests, moves } = this.#unfinishedAtEnd ?? this.#listUnfinished()
    return [
      ...describeUnfinished('request', requests, hintOfRequests),
      ...describeUnfinished('move', moves, hint, ' of the clock'),
    ]
  }

  /** A description of the rejected control calls over HTTP, if any. */
  get refused(): readonly string[] {
    const calls = formatCount(this.#refused.length, 'control call was', 'control calls were')
    return this.#refused.length === 0 ? [] : [`${calls} rejected and had no effect: ${this.#refused.join(', ')}.`]
  }

  /** A description of the requests whose API key is a stringified object, if any. A gateway without `keys` accepts any key. */
  get wrongKeys(): readonly string[] {
    const requests = formatCount(this.#wrongKeys.length, 'request sent', 'requests sent')
    const names = this.#wrongKeys.join(', ')
    return names === ''
      ? []
      : [`${requests} a stringified object instead of an API key: ${names}. Is an await missing?`]
  }

  /** Hints at requests that the test did not await and that arrived because the clock moved. */
  get hints(): readonly string[] {
    return [...this.#notAwaited].map(
      ([request, move]) =>
        `${request} was still pending when the test called \`${move}\`, although the test had awaited something ` +
        `else since. ` +
        'It arrived only because that call moved the clock. Is an await missing?',
    )
  }

  /** The request whose response or failure came last, with the status of an error. Undefined if there was none or if other requests were in progress. */
  get lastRequest(): string | undefined {
    return this.#lastRequest
  }

  /** A hint that code waits on real timers while the gateway's clock does not move; otherwise undefined. */
  get pauses(): string | undefined {
    return this.#pauses.text
  }

  #delayFetch(fetch: Fetch, baseUrl: () => string): Fetch {
    return (input, init) => {
      const request = { name: nameRequest(input, init, baseUrl()).name, isAlone: this.#unfinishedRequests.size === 0 }
      for (const other of this.#unfinishedRequests) other.isAlone = false
      // Copies, because the caller may change them before the request arrives.
      const [sent, options] = [isRequest(input) ? input : String(input), init && copyInit(init)]
      this.#unfinishedRequests.add(request)
      this.#pauses.requestSent()
      const response = this.#send(request.name, () => fetch(sent, options))
      let failure: string | undefined = request.name
      void response.then(
        ({ status }) => {
          failure = describeFailure(request.name, status)
          this.#noteRefused(request.name, status)
          const sentHeaders = options?.headers ?? (isRequest(input) ? input.headers : undefined)
          this.#noteKey(request.name, new (platform('Headers'))(sentHeaders).get('authorization') ?? '')
        },
        () => undefined,
      )
      return response.finally(() => {
        this.#unfinishedRequests.delete(request)
        this.#pauses.responseReceived()
        this.#lastFailure = failure
        this.#lastRequest = request.isAlone ? (failure ?? request.name) : undefined
      })
    }
  }

  /** Notes a rejected control call. The journal does not contain control calls, so nothing else would show this one. */
  #noteRefused(name: string, status: number): void {
    if (status >= 400 && name.includes(` ${CONTROL_PATH}/`)) this.#refused.push(`${name} → ${status}`)
  }

  #noteKey(name: string, authorization: string): void {
    const [, text] = /(\[object \w+\])/.exec(authorization) ?? []
    if (text) this.#wrongKeys.push(`${name} with ${text}`)
  }

  /** Sends a request after some microtasks, or earlier if {@link #arriveAll} is called. */
  async #send(name: string, fetch: () => Promise<Response>): Promise<Response> {
    let response: Promise<Response> | undefined
    const arrive = () => {
      this.#waiting.delete(arrive)
      response ??= fetch()
      return response
    }
    this.#waiting.set(arrive, name)
    this.#isSameRun = true
    for (let count = 0; count < MICROTASKS; count++) {
      await null
      this.#isSameRun = false
    }
    return arrive()
  }

  /** Records the requests in transit. Immediately after they are sent, the test may still await them. */
  #noteNotAwaited(move: string): void {
    if (!this.#isSameRun) for (const name of this.#waiting.values()) this.#notAwaited.set(name, move)
  }

  #arriveAll(): void {
    for (const arrive of this.#waiting.keys()) void arrive()
  }

  /** Makes requests arrive before a member of the gateway is used. */
  #arriveBeforeUse(gateway: object, name: string, member: unknown): void {
    let value = member
    Object.defineProperty(gateway, name, {
      get: () => {
        if (this.#isSameRun || name === 'requests') this.#arriveAll()
        return value
      },
      set: (other) => {
        value = other
      },
      enumerable: true,
      configurable: true,
    })
  }

  /** Lets requests arrive before the clock moves. */
  readonly #follower: ClockFollower = {
    nextDueAt: () => undefined,
    nextStopAt: () => undefined,
    settle: () => undefined,
    moves: () => {
      if (this.#isSameRun) this.#arriveAll()
      return () => undefined
    },
  }
}

function copyInit(init: RequestInit): RequestInit {
  const { headers } = init
  if (!headers || typeof headers !== 'object') return { ...init }
  return { ...init, headers: Symbol.iterator in headers ? [...headers].map(([...pair]) => pair) : { ...headers } }
}

function describeUnfinished(
  one: string,
  underWay: ReadonlySet<{ readonly name: string }>,
  hint: string,
  rest = '',
  end = 'the test ended',
): readonly string[] {
  if (underWay.size === 0) return []
  const which = formatCount(underWay.size, `${one}${rest} was`, `${one}s${rest} were`)
  const names = [...underWay].map(({ name }) => name)
  return [`${which} still pending when ${end}: ${names.join(', ')}. ${hint}`]
}
