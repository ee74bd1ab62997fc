import type { ManualClock } from '../../engine/manual-clock.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import type { GatewayOptions } from '../../generated/options.ts'
import type { IssuedCertificate } from '../../x509/order.ts'
import { assertStrict } from '../strict.ts'
import type { Event } from './arrivals.ts'
import { KINDS, type Kind, readReplay, replayText } from './kinds.ts'
import type { ReadSurvivalOptions } from './options.ts'
import { Run } from './run.ts'
import { storyOf } from './story.ts'
import type { CodeUnderTest, Coverage, ScheduledFault, TriedSchedule } from './types.ts'
import { type Clean, cleanOf, type Judgement, judge } from './verdict.ts'
import { World } from './world.ts'

type Schedule = readonly ScheduledFault[]

/** A schedule whose run went well, and the failures that can follow in it. */
interface Parent {
  readonly schedule: Schedule
  readonly next: readonly ScheduledFault[]
}

/** Tries schedules of failures, fewest first. */
export class Explorer {
  readonly #code: CodeUnderTest
  readonly #options: ReadSurvivalOptions
  readonly #kinds: readonly Kind[]
  readonly #world = new World()
  readonly #coverage = new Map<string, Record<string, number>>()
  /** The certificates of all runs, by their orders: to issue one takes as long as a run. */
  readonly #issued = new Map<string, IssuedCertificate>()
  #clean: Clean | undefined
  /** The gateway of the run at present. */
  #gateway: Gateway<ManualClock> | undefined
  #server: { readonly url: string; close(): Promise<void> } | undefined
  tried = 0
  total = 0
  failing = 0
  /** The number of failures of the schedules at present. */
  level = 0

  constructor(code: CodeUnderTest, options: ReadSurvivalOptions) {
    this.#code = code
    this.#options = options
    const groups: readonly string[] = [...options.kinds, ...options.also]
    this.#kinds = KINDS.filter(({ group }) => groups.includes(group) && (group !== 'crash' || options.restart))
  }

  get coverage(): Coverage[] {
    return [...this.#coverage].map(([at, tried]) => ({ at, tried }))
  }

  get isComplete(): boolean {
    return this.tried === this.total
  }

  async enter(): Promise<void> {
    this.#server ??= await this.#options.serve?.(this.#gatewayOfEachRun())
    this.#world.enter()
  }

  leave(): void {
    this.#world.leave()
  }

  async end(): Promise<void> {
    this.#world.end()
    await this.#server?.close()
  }

  /** Yields each schedule after it was tried, the empty one first. May end with the level at which one fails. */
  async *tries(endsAtFailure: boolean): AsyncGenerator<TriedSchedule> {
    const { replay, faults, budget } = this.#options
    const [first, clean] = await this.#tried([])
    const [second] = await this.#tried([])
    requireAlike(first.events, second.events)
    yield clean
    if (clean.verdict !== 'survived') return
    if (first.events.length === 0) throw nothingToFail(first.gateway.url)
    assertStrict(first.gateway)
    this.#clean = cleanOf(first, this.#options)
    if (replay !== undefined) return yield* this.#replayed(readReplay(replay))
    let parents: Parent[] = [{ schedule: [], next: this.#following(first) }]
    for (let level = 1; level <= faults && parents.length > 0; level++) {
      if (endsAtFailure && this.failing > 0) return
      this.level = level
      this.total += parents.reduce((sum, { next }) => sum + next.length, 0)
      const children: Parent[] = []
      for (const { schedule, next } of parents) {
        for (const fault of next) {
          if (this.tried === budget) return
          const longer = [...schedule, fault]
          const [run, tried] = await this.#tried(longer)
          this.tried++
          if (tried.verdict !== 'survived') this.failing++
          else if (level < faults) children.push({ schedule: longer, next: this.#following(run) })
          yield tried
        }
      }
      parents = children
    }
  }

  async *#replayed(schedule: Schedule): AsyncGenerator<TriedSchedule> {
    this.total = 1
    this.level = schedule.length
    const [run, tried] = await this.#tried(schedule)
    this.tried = 1
    const missing = schedule.length - run.events.filter(({ kind }) => kind).length
    if (missing > 0) {
      throw new Error(
        `The replay "${replayText(schedule)}" no longer applies: ${missing} of its failures happened nowhere. ` +
          'The code has changed since. Search again without replay.',
      )
    }
    if (tried.verdict !== 'survived') this.failing = 1
    yield tried
  }

  async #tried(schedule: Schedule): Promise<[Run, TriedSchedule]> {
    const world = this.#world
    this.#options.signal?.throwIfAborted()
    world.begin()
    const gateway = this.#newGateway()
    this.#gateway = gateway
    if (this.#server) gateway.transport.servedAt(this.#server.url)
    const run = new Run(world, this.#options, gateway, schedule)
    await run.run(this.#code)
    for (const { at, fault } of schedule) {
      const tried = this.#coverage.get(at) ?? {}
      tried[fault] = (tried[fault] ?? 0) + 1
      this.#coverage.set(at, tried)
    }
    const judgement = await judge(run, this.#clean, this.#options)
    await run.end()
    return [run, triedOf(run, judgement)]
  }

  #newGateway(): Gateway<ManualClock> {
    const { create, gatewayOptions } = this.#options
    const options: GatewayOptions<ManualClock> = { seed: 'survives', ...gatewayOptions, clock: this.#world.clock }
    const gateway = create ? create(options) : createGateway(options)
    gateway.transport.hooks.issue = (order, issue) => {
      const key = JSON.stringify(order)
      const certificate = this.#issued.get(key) ?? issue(order)
      this.#issued.set(key, certificate)
      return certificate
    }
    return gateway
  }

  /** Makes a stand-in for the gateway of each run in turn, so that one server is enough. */
  #gatewayOfEachRun(): Gateway<ManualClock> {
    const get = (first: Gateway<ManualClock>, name: string | symbol) => {
      const gateway = this.#gateway ?? first
      return Reflect.get(gateway, name, gateway)
    }
    return new Proxy(this.#newGateway(), { get })
  }

  /** Returns the failures that can come after the last one of a run. */
  #following({ events }: Run): ScheduledFault[] {
    const last = events.findLastIndex(({ kind }) => kind)
    const folded = foldedIn(events)
    return events.flatMap((event, place) => {
      if (place <= last || folded.has(event)) return []
      const { at, nth } = event
      return this.#kinds.filter((kind) => fits(kind, event)).map(({ name }) => ({ at, nth, fault: name }))
    })
  }
}

function fits(kind: Kind, { on, hasChanged, answer }: Event): boolean {
  if (kind.at !== on || (kind.needsChange && !hasChanged)) return false
  return !kind.needsBody || (answer?.body?.length ?? 0) > 1
}

/**
 * Returns the polls that need no failures of their own. Of a row of equal questions with equal answers, the first two and
 * the last stand for all.
 */
function foldedIn(events: readonly Event[]): ReadonlySet<Event> {
  const folded = new Set<Event>()
  const rows = new Map<string, Event[]>()
  const end = (row: readonly Event[]) => {
    for (const event of row.slice(2, -1)) folded.add(event)
  }
  for (const event of events) {
    if (event.hasChanged || event.kind) {
      for (const row of rows.values()) end(row)
      rows.clear()
      continue
    }
    const row = rows.get(event.question) ?? []
    const [before] = row
    const isSame = before?.answer?.status === event.answer?.status && before?.answer?.body === event.answer?.body
    if (before && !isSame) end(row)
    rows.set(event.question, before && !isSame ? [event] : [...row, event])
  }
  for (const row of rows.values()) end(row)
  return folded
}

function triedOf(run: Run, { verdict, message }: Judgement): TriedSchedule {
  const { schedule, gateway } = run
  return {
    schedule,
    verdict,
    message,
    get replay() {
      return replayText(schedule)
    },
    get story() {
      return storyOf(run)
    },
    get snapshot() {
      return gateway.snapshot()
    },
  }
}

function nothingToFail(url: string): Error {
  return new Error(
    `The code sent no request to ${url}, so nothing can fail. Let it use the fetch that it receives, or the global fetch ` +
      'with the url that it receives. A client with an HTTP stack of its own needs the option serve.',
  )
}

/** Refuses code that does not do the same twice: no schedule could be repeated. */
function requireAlike(first: readonly Event[], second: readonly Event[]): void {
  const textOf = (event: Event | undefined) => (event ? `${event.question} → ${event.answer?.status}` : 'nothing')
  for (let place = 0; place < Math.max(first.length, second.length); place++) {
    const [one, other] = [textOf(first[place]), textOf(second[place])]
    if (one === other) continue
    throw new Error(
      `Two runs without failures differ. The first: ${one}. The second: ${other}. Make everything that the code ` +
        'remembers inside the function, and nothing by chance: a cache or a counter of a module outlives a run.',
    )
  }
}
