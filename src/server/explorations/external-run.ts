import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Arrival } from '../../gateway/http/arrival.ts'
import type { HttpResponse } from '../../gateway/http/messages.ts'
import type { ExplorationStep } from '../../generated/controls.ts'
import type { Surroundings } from '../../testing/survives/arrivals.ts'
import type { Copy } from '../../testing/survives/copy.ts'
import type { StopReason } from '../../testing/survives/driver.ts'
import { RunRecord } from '../../testing/survives/record.ts'
import { later } from '../waiting.ts'

/** The real time after which an idle copy counts as asleep, in ms: before its first request, and later. */
const QUIET_MS = { first: 5000, later: 300 }

/** The largest `Retry-After` that a client receives, in seconds, because the client waits in real time. */
const MAX_RETRY_AFTER = 1

/** The details of a run in another process. */
export interface RunDetails {
  readonly number: number
  /** The real time, in ms, after which a request without a response is aborted. */
  readonly silence: number
  /** The maximum real time of the run, in ms. */
  readonly timeout: number
  readonly hasSetup: boolean
  /** Passes a step to the program that runs the code. Resolves when the program asks for the step after it. */
  send(step: ExplorationStep): Promise<void>
  /** Called when the verdict on the run is known. */
  close(): void
}

/** The environment of code in another process. The code uses real time, and the gateway its own clock. */
export class ExternalSurroundings implements Surroundings {
  activity = 0
  copy: Copy | undefined
  readonly latency = 0
  crash?: (copy: Copy) => HttpResponse

  constructor(readonly clock: ManualClock) {}
}

/** One run of code in another program. The code reaches the gateway through sockets. */
export class ExternalRun extends RunRecord {
  readonly #details: RunDetails
  /** The URLs of the copies. */
  #urls: readonly string[] = []
  /** Ends the run's wait: the setup has ended, perhaps with an error, or the copies have ended. */
  #proceed: (setupError?: string) => void = () => undefined
  #group: readonly Copy[] = []
  /** The copies that have sent a request since they were last started. */
  readonly #active = new Set<Copy>()
  /** Prevents a request from being let through once all copies are quiet. */
  #cancelQuiet = (): void => undefined
  #cancelTimeout = (): void => undefined
  /** The functions that cancel the timers of silences. A timer would keep a stopped program from exiting. */
  readonly #cancelSilences = new Set<() => void>()
  /** The part of a `Retry-After` that its client did not receive, in ms. */
  #owed = 0
  #polls = 0
  #silences = 0

  constructor(details: RunDetails, ...record: ConstructorParameters<typeof RunRecord>) {
    super(...record)
    this.#details = details
    this.surroundings.crash = (copy) => this.#crash(copy)
  }

  /** The line that states how the gateway's time differs from the code's. */
  override get notes(): readonly string[] {
    const moved = [
      this.#polls > 0 && `at ${this.#polls === 1 ? 'a poll' : `${this.#polls} polls`} to the next event`,
      this.#silences > 0 && `past a silence that really took ${this.#details.silence / 1000}s`,
    ].filter(Boolean)
    return moved.length > 0 ? [`The code runs in real time; the gateway's clock advanced ${moved.join(', and ')}.`] : []
  }

  /** @param urls the URLs of the copies */
  async run(urls: readonly string[]): Promise<void> {
    const { number, hasSetup, timeout } = this.#details
    const { arrivals } = this
    this.#urls = urls
    const setupError = hasSetup && (await this.#runSetup())
    if (typeof setupError === 'string') throw new Error(`The setup of run ${number} failed: ${setupError}`)
    this.#cancelTimeout = later(timeout, () => this.#stop('real-time'))
    await this.runCopies(async (group) => {
      this.#group = group
      await this.#wait(() => {
        for (const copy of group) this.#startLife(copy)
      })
      return this.stopReason
    })
    this.#cancelTimers()
    this.eventsBeforeEnd = arrivals.events.length
    arrivals.settle(LATEST_TIME)
  }

  /** Runs the setup, which may take as much time as the run. Resolves with an error if it fails. */
  async #runSetup(): Promise<string | undefined> {
    const { timeout, send } = this.#details
    this.#cancelTimeout = later(timeout, () => this.#proceed('it takes more real time than `timeout` allows'))
    const error = await this.#wait(() => send({ do: 'setup', url: this.gateway.url }))
    this.#cancelTimeout()
    return error
  }

  /** Handles the end of a step. */
  ended(name: string | undefined, life: number | undefined, error: string | undefined): void {
    const copy = this.copies.find((each) => each.name === name)
    if (!copy) this.#proceed(error)
    else if (copy.life === life && !copy.settled && !this.stopReason) {
      if (!copy.hasCrashed)
        copy.settled = error === undefined ? {} : { error: Object.assign(new Error(error), { name: '' }) }
      if (copy.hasCrashed || this.shouldResume(copy)) this.#startLife(copy)
      if (this.#group.every(({ settled }) => settled)) this.#proceed()
      else this.#letThrough()
    }
  }

  async runToEnd(_option: string, work: () => unknown): Promise<unknown> {
    return work()
  }

  async end(): Promise<void> {
    this.#cancelTimers()
    for (const cancel of this.#cancelSilences) cancel()
    this.#details.close()
  }

  #cancelTimers(): void {
    this.#cancelTimeout()
    this.#cancelQuiet()
  }

  /** Runs an action, and waits until the run proceeds. */
  #wait(work: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#proceed = resolve
      work()
    })
  }

  #startLife(copy: Copy): void {
    this.#active.delete(copy)
    this.beginLife(copy)
    void this.#sendOf(copy, 'start')
  }

  #sendOf(copy: Copy, what: 'start' | 'kill'): Promise<void> {
    const url = this.#urls[this.copies.indexOf(copy)] ?? this.gateway.url
    return this.#details.send({ do: what, copy: copy.name, life: copy.life, url })
  }

  /** Breaks the connection of a crashed copy, once the program has killed the copy. */
  #crash(copy: Copy): HttpResponse {
    const drop = {
      status: 503,
      headers: {},
      body: null,
      delivery: { drop: true, notBefore: this.surroundings.clock.now },
    }
    return { ...drop, safe: this.#sendOf(copy, 'kill').then(() => drop) }
  }

  #stop(reason: StopReason): void {
    if (this.stopReason) return
    this.stopReason = reason
    for (const copy of this.#group) if (!copy.settled && !copy.hasCrashed) void this.#sendOf(copy, 'kill')
    this.#proceed()
  }

  protected override arrive(arrival: Arrival): HttpResponse {
    const { arrivals } = this
    const { copy } = this.surroundings
    if (!copy || copy.hasCrashed || this.stopReason) return arrival.fail({ drop: true })
    this.#active.add(copy)
    this.#advance(this.#owed)
    this.#owed = 0
    if (arrivals.isPoll(arrival, copy)) this.#advanceToNext()
    const response = arrivals.arrive(arrival)
    if (arrivals.isOverloaded) this.#stop('requests')
    if (!response.safe) return this.#inRealTime(response)
    const safe = response.safe.then((final) => this.#inRealTime(final))
    this.#letThrough()
    return { ...response, safe }
  }

  /** Ends a response that is not due yet after a silence, and limits `Retry-After`. */
  #inRealTime(response: HttpResponse): HttpResponse {
    const { clock } = this.surroundings
    const { notBefore = 0 } = response.delivery ?? {}
    if (notBefore > clock.now && notBefore < LATEST_TIME) {
      const cancel = later(this.#details.silence, () => {
        this.#cancelSilences.delete(cancel)
        if (notBefore > clock.now) this.#silences++
        this.#advance(notBefore - clock.now)
      })
      this.#cancelSilences.add(cancel)
    }
    const seconds = Number(response.headers['Retry-After'] ?? 0)
    if (!(seconds > MAX_RETRY_AFTER)) return response
    this.#owed = (seconds - MAX_RETRY_AFTER) * 1000
    return { ...response, headers: { ...response.headers, 'Retry-After': String(MAX_RETRY_AFTER) } }
  }

  /** Advances the clock to the event that a poll is waiting for, if it is due within the time of a run. */
  #advanceToNext(): void {
    const { clock } = this.surroundings
    const next = Math.min(clock.nextDueAt() ?? LATEST_TIME, this.arrivals.nextAt())
    if (next <= clock.now || next > this.arrivals.start + this.options.within) return
    this.#polls++
    this.#advance(next - clock.now)
  }

  #advance(ms: number): void {
    const { clock } = this.surroundings
    if (ms > 0) clock.advance(ms)
    this.arrivals.settle(clock.now)
  }

  /** Lets the next request of the copies through, once no copy can continue: each one waits, has ended, or is asleep. */
  #letThrough(): void {
    this.#cancelQuiet()
    const { interleaving } = this.arrivals
    if (!interleaving || interleaving.waiting.size === 0) return
    const others = this.#group.filter(({ settled, name }) => !settled && !interleaving.waiting.has(name))
    const go = () => void (interleaving.next() && this.#letThrough())
    if (others.length === 0) return void interleaving.next()
    const areAwake = others.every((copy) => this.#active.has(copy))
    this.#cancelQuiet = later(areAwake ? QUIET_MS.later : QUIET_MS.first, go)
  }
}
