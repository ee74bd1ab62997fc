import type { ManualClock } from '../../core/engine/manual-clock.ts'
import type { GatewayOptions } from '../../core/generated/options.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { requireFunction } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { Transport } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { IssuedCertificate } from '../../service/x509/order.ts'
import { assertStrict } from '../strict.ts'
import type { Event } from './arrivals.ts'
import {
  noFailuresError,
  noRequestsError,
  requireApplied,
  requireEqualRuns,
  requireServer,
  requireUsable,
  type Server,
} from './checks.ts'
import { COPY_NAMES } from './copy.ts'
import { FAILURES, type Failure, formatReplay, readReplay } from './failures.ts'
import { countSwitches, formatOrder, type Order, permutationsOf, readOrder } from './interleaving.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from './options.ts'
import type { Outcome } from './outcome.ts'
import { type Plan, Run } from './run.ts'
import { storyOf } from './story.ts'
import type { CodeUnderTest, Coverage, ScheduledFault, SurvivesOptions, TriedSchedule } from './types.ts'
import { type Baseline, baselineOf, judge } from './verdict.ts'
import { requireHostTimers, World } from './world.ts'

type Schedule = readonly ScheduledFault[]

/** A schedule of failures, in an order of the copies. */
interface Trial extends Order {
  readonly schedule: Schedule
}

/** The story of a schedule that was survived in a search, where nobody reads it. */
const NO_STORY = { message: '', story: '', snapshot: {} }

/** Tries schedules of failures, fewest first. */
export class Explorer {
  readonly world: World
  readonly copies: number
  readonly #copyNames: readonly string[]
  readonly #code: CodeUnderTest
  readonly #options: ParsedSurvivalOptions
  readonly #isSearch: boolean
  readonly #failures: readonly Failure[]
  readonly #coverage = new Map<string, Record<string, number>>()
  /** The certificates of all runs, by their orders. A cache, since issuing a certificate takes as long as a run. */
  readonly #issued = new Map<string, IssuedCertificate>()
  #baseline: Baseline | undefined
  #run: Run | undefined
  /** The gateway of the current run. */
  #gateway: Gateway<ManualClock>
  /** The servers, one for each copy. */
  #servers: Server[] = []
  /** The orders that were tried, in words; empty without copies. */
  scope = ''
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
    this.copies = this.#options.copies
    this.#copyNames = COPY_NAMES.slice(0, this.copies)
    if (this.copies > 1) this.world.context = this.world.host.createContext()
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
      for (const name of serve ? this.#copyNames : []) {
        this.#servers.push(requireServer(await serve?.(this.#gatewayOfEachRun(name))))
      }
      this.world.replaceGlobals()
      yield* this.copies > 1 ? this.#runOrders() : this.#runLevels()
    } finally {
      try {
        this.world.end()
      } finally {
        for (const server of this.#servers) await server.close()
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

  /** Tries the orders of copies, fewest switches first, and then failures in the orders with at most one switch. */
  async *#runOrders(): AsyncGenerator<TriedSchedule> {
    const { replay, faults, switches, budget } = this.#options
    const outcomes: Outcome[] = []
    let first: Run | undefined
    for (const serial of permutationsOf(this.#copyNames)) {
      const [run, result] = await this.#runSchedule([], { serial })
      outcomes.push(...run.outcomes)
      if (result.verdict !== 'survived') return yield result
      if (first) continue
      first = run
      if (run.arrivals.events.length === 0) throw noRequestsError(run.gateway.url)
      assertStrict(run.gateway)
      const [again] = await this.#runSchedule([], { serial })
      requireEqualRuns(run, again)
      yield result
    }
    if (!first) return
    this.#baseline = { ...baselineOf(first, this.#options), outcomes }
    const start: Trial = replay === undefined ? { schedule: [], turns: [], switches: 0 } : readOrderReplay(replay)
    // The last level has the orders in which something fails.
    const levels: Trial[][] = [[start], ...Array.from({ length: switches + 1 }, () => [])]
    const known = new Set([''])
    for (const [level, trials] of levels.entries()) {
      if (this.failing > 0 && this.#isSearch) return
      if (level <= switches) this.scope = `interleavings ${countSwitches(level)}`
      else if (faults > 0) this.scope += ', and with 1 fault'
      this.total += trials.length
      for (const { schedule, turns, switches: taken } of trials) {
        if (this.tried === budget) return
        const [run, result] = await this.#runSchedule(schedule, { turns })
        this.tried++
        if (result.verdict !== 'survived') this.failing++
        if (replay !== undefined) requireApplied(run)
        yield result
        if (replay !== undefined) return
        if (level > switches) continue
        for (const other of run.arrivals.interleaving?.otherOrders(!this.#hasHiddenState(run)) ?? []) {
          const name = formatOrder(other.turns)
          if (other.switches > switches || known.has(name)) continue
          known.add(name)
          levels[Math.max(other.switches, level)]?.push({ schedule, ...other })
          if (other.switches <= level) this.total++
        }
        if (faults > 0 && taken < 2) {
          levels.at(-1)?.push(...this.#extensionsOf(run).map((each) => ({ schedule: each, turns, switches: taken })))
        }
      }
    }
  }

  /** True if a request that changes no record may still change the response to another request. */
  #hasHiddenState({ hasFaults }: Run): boolean {
    const { disk, create, gatewayOptions = {} } = this.#options
    return hasFaults || disk === 'shared' || create !== undefined || 'rateLimit' in gatewayOptions
  }

  /** Runs the code with a schedule of failures, and returns the run and its result. */
  async #runSchedule(schedule: Schedule, plan: Plan = {}): Promise<[Run, TriedSchedule]> {
    const world = this.world
    this.#options.signal?.throwIfAborted()
    world.begin()
    const gateway = this.#renewGateway()
    const [server] = this.#servers
    if (server) gateway.transport.servedAt(server.url)
    const urls = new Map(this.#servers.map(({ url }, place) => [this.#copyNames[place] ?? '', url]))
    const run = new Run(world, this.#options, gateway, schedule, { ...plan, urls })
    this.#run = run
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
    const order = plan.serial ? plan.serial.join(' ') : formatOrder(run.arrivals.interleaving?.order ?? [])
    const replay = [...(order ? [order] : []), ...(schedule.length > 0 ? [formatReplay(schedule)] : [])].join(', ')
    return [run, { schedule, order, verdict, replay, ...shown }]
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
  #gatewayOfEachRun(copyName: string): Gateway<ManualClock> {
    const transport = () => {
      const { transport } = this.#gateway
      const exchange: Transport['exchange'] = (request) => {
        const copy = this.#run?.copies.find(({ name }) => name === copyName)
        return copy ? this.world.runAs(copy, () => transport.exchange(request)) : transport.exchange(request)
      }
      return this.copies > 1 ? { ...transport, exchange } : transport
    }
    return new Proxy(this.#gateway, {
      get: (_first, name) => (name === 'transport' ? transport() : Reflect.get(this.#gateway, name, this.#gateway)),
    })
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

/** Reads a replay with copies, such as `A1 B A` or `A B, POST /reserved_addrs#1 lost-after`. */
function readOrderReplay(replay: string): Trial {
  const [, order, faults] = /^((?:[A-C]\d*(?: |$|(?=, )))+)(?:, (.+))?$/s.exec(replay) ?? []
  if (!order) {
    const allowed = 'Allowed with copies: the text of a report, such as "A1 B A".'
    throw new TypeError(`replay is ${describeReceived(quote(replay))}. ${allowed}`)
  }
  return { turns: readOrder(order), switches: 0, schedule: faults ? readReplay(faults) : [] }
}
