import type { ManualClock } from '../../core/engine/manual-clock.ts'
import type { GatewayOptions } from '../../core/generated/options.ts'
import { requireFunction } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import type { IssuedCertificate } from '../../service/x509/order.ts'
import { requireGateway } from '../matched-domain.ts'
import { assertStrict } from '../strict.ts'
import type { Event } from './arrivals.ts'
import { FAILURES, type Failure, formatReplay, readReplay } from './failures.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from './options.ts'
import { Run } from './run.ts'
import { storyOf } from './story.ts'
import type { CodeUnderTest, Coverage, ScheduledFault, SurvivesOptions, TriedSchedule } from './types.ts'
import { type Baseline, baselineOf, judge } from './verdict.ts'
import { requireHostTimers, World } from './world.ts'

type Schedule = readonly ScheduledFault[]

interface Server {
  readonly url: string
  close(): Promise<void>
}

/** The story of a schedule that was survived in a search, where nobody reads it. */
const NO_STORY = { message: '', story: '', snapshot: {} }

/** Tries schedules of failures, fewest first. */
export class Explorer {
  readonly world: World
  readonly #code: CodeUnderTest
  readonly #options: ParsedSurvivalOptions
  readonly #isSearch: boolean
  readonly #failures: readonly Failure[]
  readonly #coverage = new Map<string, Record<string, number>>()
  /** The certificates of all runs, by their orders. A cache, since issuing a certificate takes as long as a run. */
  readonly #issued = new Map<string, IssuedCertificate>()
  #baseline: Baseline | undefined
  /** The gateway of the current run. */
  #gateway: Gateway<ManualClock>
  #server: Server | undefined
  tried = 0
  total = 0
  failing = 0
  /** The number of failures in each current schedule. */
  level = 0

  /** @param isSearch true to end with the level at which a schedule fails, without stories of survived schedules */
  constructor(code: CodeUnderTest, options: SurvivesOptions, isSearch: boolean) {
    requireFunction('code', code)
    this.#code = code
    this.#options = readSurvivalOptions(options)
    this.#isSearch = isSearch
    const { kinds, also, restart } = this.#options
    const enabledKinds: readonly string[] = [...kinds, ...also]
    this.#failures = FAILURES.filter(({ kind }) => enabledKinds.includes(kind) && (kind !== 'crash' || restart))
    requireHostTimers()
    this.world = new World()
    this.#gateway = this.#newGateway()
  }

  get coverage(): Coverage[] {
    return [...this.#coverage].map(([at, tried]) => ({ at, tried }))
  }

  get isComplete(): boolean {
    return this.tried === this.total
  }

  /** Yields each schedule after it was tried, the empty one first. */
  async *runSchedules(): AsyncGenerator<TriedSchedule> {
    try {
      const { serve } = this.#options
      if (serve) this.#server = requireServer(await serve(this.#gatewayOfEachRun()))
      this.world.replaceGlobals()
      yield* this.#runLevels()
    } finally {
      try {
        this.world.end()
      } finally {
        await this.#server?.close()
        this.#gateway.dispose()
      }
    }
  }

  async *#runLevels(): AsyncGenerator<TriedSchedule> {
    const { replay, faults, budget } = this.#options
    const [first, result] = await this.#runSchedule([])
    // Before the next run, which resets the gateway.
    const baseline = baselineOf(first, this.#options)
    const [second] = await this.#runSchedule([])
    requireEqualRuns(first, second)
    yield result
    if (result.verdict !== 'survived') return
    if (first.arrivals.events.length === 0) throw noRequestsError(first.gateway.url)
    assertStrict(first.gateway)
    this.#baseline = baseline
    let schedules = replay === undefined ? this.#extensionsOf(first) : [readReplay(replay)]
    if (schedules.length === 0) throw noFailuresError()
    while (schedules[0] && !(this.#isSearch && this.failing > 0)) {
      this.level = schedules[0].length
      this.total += schedules.length
      const longer: Schedule[] = []
      for (const schedule of schedules) {
        if (this.tried === budget) return
        const [run, result] = await this.#runSchedule(schedule)
        if (replay !== undefined) requireApplied(run)
        this.tried++
        if (result.verdict !== 'survived') this.failing++
        else if (this.level < faults && replay === undefined) longer.push(...this.#extensionsOf(run))
        yield result
      }
      schedules = longer
    }
  }

  /** Runs the code with a schedule of failures, and returns the run and its result. */
  async #runSchedule(schedule: Schedule): Promise<[Run, TriedSchedule]> {
    const world = this.world
    this.#options.signal?.throwIfAborted()
    world.begin()
    const gateway = this.#renewGateway()
    if (this.#server) gateway.transport.servedAt(this.#server.url)
    const run = new Run(world, this.#options, gateway, schedule)
    await run.run(this.#code)
    for (const { at, fault } of schedule) {
      const counts = this.#coverage.get(at) ?? {}
      counts[fault] = (counts[fault] ?? 0) + 1
      this.#coverage.set(at, counts)
    }
    const { verdict, message } = await judge(run, this.#baseline, this.#options)
    const isShown = !this.#isSearch || verdict !== 'survived'
    const shown = isShown ? { ...storyOf(run, message), snapshot: gateway.snapshot() } : NO_STORY
    await run.end()
    return [run, { schedule, verdict, replay: formatReplay(schedule), ...shown }]
  }

  /** Returns the gateway of the last run, if it can be reset: a reset takes a third of the time of a new gateway. */
  #renewGateway(): Gateway<ManualClock> {
    if (this.#gateway.transport.renewed()) return this.#gateway
    this.#gateway.dispose()
    this.#gateway = this.#newGateway()
    this.#gateway.transport.renewed()
    return this.#gateway
  }

  #newGateway(): Gateway<ManualClock> {
    const { create, gatewayOptions } = this.#options
    const options: GatewayOptions<ManualClock> = { seed: 'survives', ...gatewayOptions, clock: this.world.clock }
    const gateway = create ? create(options) : createGateway(options)
    requireUsable(gateway, this.world.clock)
    gateway.transport.hooks.issue = (order, issue) => {
      const key = JSON.stringify(order)
      const certificate = this.#issued.get(key) ?? issue(order)
      this.#issued.set(key, certificate)
      return certificate
    }
    return gateway
  }

  /** Returns a proxy for the gateway of the current run, so that one server serves all runs. */
  #gatewayOfEachRun(): Gateway<ManualClock> {
    return new Proxy(this.#gateway, { get: (_first, name) => Reflect.get(this.#gateway, name, this.#gateway) })
  }

  /** Returns the schedules that have one failure more than a run, after its last one. */
  #extensionsOf({ arrivals: { events }, schedule }: Run): Schedule[] {
    const last = events.findLastIndex(({ failure }) => failure)
    const repeated = repeatedPolls(events)
    const next = events.slice(last + 1).filter((event) => !repeated.has(event))
    return next.flatMap((event) => {
      const { at, nth } = event
      const failures = this.#failures.filter((failure) => fits(failure, event))
      return failures.map(({ name }) => [...schedule, { at, nth, fault: name }])
    })
  }
}

function fits(failure: Failure, { type, hasChanged, response }: Event): boolean {
  if (failure.type !== type || (failure.needsChange && !hasChanged)) return false
  return !failure.needsBody || (response?.body?.length ?? 0) > 1
}

/**
 * Returns the polls at which no failures need to be tried. In a row of equal requests with equal responses, failures are
 * tried at the first two and the last.
 */
function repeatedPolls(events: readonly Event[]): ReadonlySet<Event> {
  const rows = new Map<string, Event[]>()
  let changes = 0
  for (const event of events) {
    const { description, response, hasChanged, failure } = event
    if (hasChanged || failure) {
      changes++
    } else {
      const key = `${changes} ${description} ${response?.status} ${response?.body}`
      const row = rows.get(key)
      if (row) row.push(event)
      else rows.set(key, [event])
    }
  }
  return new Set([...rows.values()].flatMap((row) => row.slice(2, -1)))
}

/** @throws TypeError if `create` did not make a gateway with the options that it received. */
function requireUsable(gateway: Gateway, clock: ManualClock): void {
  requireGateway('create returned', gateway)
  if (gateway.clock === clock) return
  throw new TypeError(
    'create returned a gateway with another clock. Allowed: one with the options that create receives, such as ' +
      '`create: (options) => createNgrok(options)`.',
  )
}

/** @throws TypeError if `serve` returned something that is no server. */
function requireServer(server: Server | undefined): Server {
  if (typeof server?.url === 'string' && typeof server.close === 'function') return server
  throw new TypeError(`serve returned ${quote(server)}. Allowed: a server with url and close, such as that of serve().`)
}

function noRequestsError(url: string): Error {
  return new Error(
    `The code sent no request to ${url}, so nothing can fail. Let it use the fetch that it receives, or the global fetch ` +
      'with the url that it receives. A client with an HTTP stack of its own needs the option serve.',
  )
}

function noFailuresError(): Error {
  return new Error(
    'No failure applies to what the code does, so nothing can fail. A request can fail in the ways that `kinds` and `also` name, ' +
      'and an effect only with `restart: true`.',
  )
}

/** Throws if a failure of a replay did not happen: the code has changed since. */
function requireApplied({ arrivals: { events }, schedule }: Run): void {
  const missing = schedule.length - events.filter(({ failure }) => failure).length
  if (missing === 0) return
  throw new Error(
    `The replay "${formatReplay(schedule)}" no longer applies: ${missing} of its failures happened nowhere. ` +
      'The code has changed since. Search again without replay.',
  )
}

/** Throws if two runs differ: with such code, no schedule could be repeated. */
function requireEqualRuns({ arrivals: { events: first } }: Run, { arrivals: { events: second } }: Run): void {
  const textOf = (event: Event | undefined) => (event ? `${event.description} → ${event.response?.status}` : 'nothing')
  for (let place = 0; place < Math.max(first.length, second.length); place++) {
    const [one, other] = [textOf(first[place]), textOf(second[place])]
    if (one === other) continue
    throw new Error(
      `Two runs without failures differ. The first: ${one}. The second: ${other}. Use no random values, and ` +
        'create everything that the code remembers inside the function: a cache or a counter of a module outlives a run.',
    )
  }
}
