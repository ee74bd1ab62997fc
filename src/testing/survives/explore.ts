import { describeReceived } from '../../core/schema/errors.ts'
import { requireFunction } from '../../core/schema/options.ts'
import { formatCount, quote } from '../../core/schema/text.ts'
import { assertStrict } from '../strict.ts'
import type { Event } from './arrivals.ts'
import { noFailuresError, noRequestsError, requireApplied, requireEqualRuns, requireKnownFamilies } from './checks.ts'
import { COPY_NAMES } from './copy.ts'
import { FAILURES, type Failure, formatReplay, readReplay } from './failures.ts'
import { Gateways } from './gateways.ts'
import { countSwitches, formatOrder, type Order, permutationsOf, readOrder } from './interleaving.ts'
import { type Learned, Masks } from './masks.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from './options.ts'
import { type Outcome, type Plan, Run } from './run.ts'
import { storyOf } from './story.ts'
import type { CodeUnderTest, Coverage, ScheduledFault, SurvivesOptions, TriedSchedule } from './types.ts'
import { type Baseline, baselineOf, judge } from './verdict.ts'
import { requireHostTimers, World } from './world.ts'

/** A schedule of failures, in an order of the copies. */
interface Trial extends Order {
  readonly schedule: readonly ScheduledFault[]
}

const START: Trial = { schedule: [], turns: [], switches: 0 }

/** The story of a schedule that was survived in a search, where nobody reads it. */
const NO_STORY = { message: '', story: '', snapshot: {} }

/** Tries schedules of failures and orders of copies, the smallest first. */
export class Explorer {
  readonly world: World
  readonly copies: number
  readonly #names: readonly string[]
  readonly #code: CodeUnderTest
  readonly #options: ParsedSurvivalOptions
  readonly #isSearch: boolean
  readonly #failures: readonly Failure[]
  readonly #gateways: Gateways
  readonly #masks: Masks
  readonly #coverage = new Map<string, Record<string, number>>()
  readonly #knownOrders = new Set([''])
  #baseline: Baseline | undefined
  #run: Run | undefined
  /** The words for the schedules that were tried. */
  scope = 'schedules with up to 0 faults'
  tried = 0
  total = 0
  failing = 0
  /** The number of failures in the current schedule. */
  faults = 0

  /** @param isSearch true to end with the level at which a schedule fails, without stories of survived schedules */
  constructor(code: CodeUnderTest, options: SurvivesOptions, isSearch: boolean) {
    requireFunction('code', code)
    this.#code = code
    this.#options = readSurvivalOptions(options)
    this.#isSearch = isSearch
    const { kinds, also, restart, copies } = this.#options
    const enabledKinds: readonly string[] = [...kinds, ...also]
    this.#failures = FAILURES.filter(({ kind }) => enabledKinds.includes(kind) && (kind !== 'crash' || restart))
    requireHostTimers()
    this.world = new World(copies)
    this.copies = copies
    this.#names = COPY_NAMES.slice(0, copies)
    this.#gateways = new Gateways(this.world, this.#options)
    this.#masks = new Masks(this.#options.ignore)
    this.#masks.requireKnown(this.#gateways.collections)
    requireKnownFamilies(this.#options.mayLeave, this.#gateways.collections)
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
      await this.#gateways.serve(this.#names, (name) => this.#run?.copies.find((copy) => copy.name === name))
      this.world.replaceGlobals()
      const first = yield* this.#runOneAfterTheOther()
      if (first) yield* this.#runTrials(first)
    } finally {
      try {
        this.world.end()
      } finally {
        await this.#gateways.close()
      }
    }
  }

  /** Runs the copies one after the other, in each order. Returns the first run; undefined if the code fails. */
  async *#runOneAfterTheOther(): AsyncGenerator<TriedSchedule, Run | undefined> {
    let first: Run | undefined
    let baseline: Baseline | undefined
    for (const serial of permutationsOf(this.#names)) {
      const [run, result] = await this.#runTrial(START, { serial })
      const isSurvived = result.verdict === 'survived'
      baseline?.outcomes.push(...run.outcomes)
      if (!first) {
        first = run
        // Before the next run, which resets the gateway.
        baseline = baselineOf(run)
        // Code that never ends would take as long again.
        const [again] = result.verdict === 'never-ends' ? [run] : await this.#runTrial(START, { serial })
        requireEqualRuns(run, again)
      }
      if (run === first || !isSurvived) yield result
      if (!isSurvived) return undefined
      if (run !== first) continue
      if (run.arrivals.events.length === 0) throw noRequestsError(run.gateway.url)
      assertStrict(run.gateway)
    }
    this.#baseline = baseline
    return first
  }

  /**
   * Runs the code at another time, with other random numbers and by another seed, at once and with slow responses, to learn which
   * values follow from these.
   */
  async #learnMasks({ outcomes }: Baseline): Promise<void> {
    const learned: Learned[] = []
    for (const elsewhere of ['fast', 'slow'] as const) {
      const others: Outcome[] = []
      for (const serial of permutationsOf(this.#names)) {
        this.world.begin(elsewhere)
        await this.#gateways.withOtherSeed(async (gateway) => {
          const plan = { serial, urls: this.#gateways.urls }
          const run = new Run(this.world, this.#options, this.#masks, gateway, [], plan)
          this.#run = run
          await run.run(this.#code)
          // A run that was stopped has fewer outcomes.
          others.push(...Array.from({ length: this.copies + 1 }, (_, place) => run.outcomes[place] ?? run.outcome))
          await run.end()
        })
      }
      for (const [place, { ending }] of outcomes.entries()) {
        const other = others[place]
        if (other) learned.push([ending.listInOrder(), other.ending.listInOrder()])
      }
    }
    this.#masks.learn(learned)
  }

  /**
   * Tries levels of schedules, the smallest first. Without copies, the level is the number of failures. With copies, it is the
   * number of switches, and the last level has the orders in which something fails.
   */
  async *#runTrials(first: Run): AsyncGenerator<TriedSchedule> {
    const { replay, budget } = this.#options
    const levels = replay === undefined ? this.#firstLevels(first) : [[readTrial(replay, this.copies)]]
    for (const [level, trials] of levels.entries()) {
      if (this.#isSearch && this.failing > 0) return
      this.scope = this.#scopeOf(level, trials)
      this.total += trials.length
      for (const trial of trials) {
        if (this.tried === budget) return
        const [run, result] = await this.#runTrial(trial, { turns: trial.turns })
        if (replay !== undefined) requireApplied(run)
        this.tried++
        if (result.verdict !== 'survived') this.failing++
        if (replay === undefined && this.copies > 1) this.#addOrders(levels, level, run, trial)
        else if (replay === undefined && result.verdict === 'survived')
          this.#addSchedules(levels[level + 1], run, trial)
        yield result
      }
    }
  }

  #firstLevels(first: Run): Trial[][] {
    const { faults, switches } = this.#options
    if (this.copies > 1) return [[START], ...Array.from({ length: switches + 1 }, () => [])]
    const levels: Trial[][] = Array.from({ length: faults + 1 }, () => [])
    if (this.#addSchedules(levels[1], first, START) === 0) throw noFailuresError()
    return levels
  }

  #scopeOf(level: number, [first]: readonly Trial[]): string {
    const { faults, switches } = this.#options
    if (this.copies > 1 && level <= switches) return `interleavings ${countSwitches(level)}`
    if (this.copies > 1) return `${this.scope}${faults > 0 ? ', and with 1 fault' : ''}`
    return first ? `schedules with up to ${formatCount(first.schedule.length, 'fault')}` : this.scope
  }

  /** Adds the schedules that have one failure more than a run. Returns how many there are. */
  #addSchedules(level: Trial[] | undefined, run: Run, trial: Trial): number {
    const found = level ? extensionsOf(run, this.#failures) : []
    level?.push(...found.map((schedule) => ({ ...trial, schedule })))
    return found.length
  }

  /** Adds the orders in which another copy continues somewhere in a run, and the failures of orders with at most one switch. */
  #addOrders(levels: Trial[][], level: number, run: Run, trial: Trial): void {
    const { faults, switches } = this.#options
    const { interleaving } = run.arrivals
    if (!interleaving || level > switches) return
    for (const order of interleaving.otherOrders(!this.#hasHiddenState(run))) {
      const name = formatOrder(order.turns)
      if (order.switches > switches || this.#knownOrders.has(name)) continue
      this.#knownOrders.add(name)
      levels[Math.max(order.switches, level)]?.push({ ...START, ...order })
      if (order.switches <= level) this.total++
    }
    if (faults > 0 && trial.switches < 2) this.#addSchedules(levels.at(-1), run, trial)
  }

  /** True if a request that changes no record may still change the response to another request. */
  #hasHiddenState({ hasFaults }: Run): boolean {
    const { disk, create, gatewayOptions = {} } = this.#options
    return hasFaults || disk === 'shared' || create !== undefined || 'rateLimit' in gatewayOptions
  }

  /** Runs the code with failures, and returns the run and its result. */
  async #runTrial(trial: Trial, plan: Plan): Promise<[Run, TriedSchedule]> {
    const { world } = this
    const { schedule } = trial
    this.#options.signal?.throwIfAborted()
    world.begin()
    const gateway = this.#gateways.renew()
    const run = new Run(world, this.#options, this.#masks, gateway, schedule, { ...plan, urls: this.#gateways.urls })
    this.#run = run
    this.faults = schedule.length
    await run.run(this.#code)
    const { verdict, message, isOfValues } = await judge(run, this.#baseline)
    if (isOfValues && this.#baseline && !this.#masks.areLearned) {
      // Before a value is reported: it may be another one at each time.
      await run.end()
      await this.#learnMasks(this.#baseline)
      return this.#runTrial(trial, plan)
    }
    for (const { at, fault } of schedule) {
      const counts = this.#coverage.get(at) ?? {}
      counts[fault] = (counts[fault] ?? 0) + 1
      this.#coverage.set(at, counts)
    }
    const isShown = !this.#isSearch || verdict !== 'survived'
    const shown = isShown ? { ...storyOf(run, message), snapshot: gateway.snapshot() } : NO_STORY
    await run.end()
    const turns = plan.serial?.map((copy) => ({ copy })) ?? run.arrivals.interleaving?.order ?? []
    const order = this.copies > 1 ? formatOrder(turns) : ''
    const replay = [order, formatReplay(schedule)].filter(Boolean).join(', ')
    return [run, { schedule, order, verdict, replay, ...shown }]
  }
}

/** Reads a replay: with copies, such as `A1 B A` or `A B, POST /reserved_addrs#1 lost-after`. */
function readTrial(replay: string, copies: number): Trial {
  if (copies === 1) return { ...START, schedule: readReplay(replay) }
  const [, order, faults] = /^((?:[A-C]\d*(?: |$|(?=, )))+)(?:, (.+))?$/s.exec(replay) ?? []
  if (order) return { ...START, turns: readOrder(order), schedule: faults ? readReplay(faults) : [] }
  const allowed = 'Allowed with copies: the text of a report, such as "A1 B A".'
  throw new TypeError(`replay is ${describeReceived(quote(replay))}. ${allowed}`)
}

/** Returns the schedules that have one failure more than a run, after its last one. */
function extensionsOf({ arrivals: { events }, schedule }: Run, failures: readonly Failure[]): ScheduledFault[][] {
  const last = events.findLastIndex(({ failure }) => failure)
  const repeated = repeatedPolls(events)
  const next = events.slice(last + 1).filter((event) => !repeated.has(event))
  return next.flatMap((event) => {
    const { at, nth } = event
    return failures.filter((each) => fits(each, event)).map(({ name }) => [...schedule, { at, nth, fault: name }])
  })
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
