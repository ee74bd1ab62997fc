import { describeReceived } from '../../core/schema/errors.ts'
import { printWarning } from '../../core/schema/print.ts'
import { formatCount, quote } from '../../core/schema/text.ts'
import { assertStrict } from '../strict.ts'
import { noFailuresError, noRequestsError, requireApplied, requireEqualRuns, requireKnownFamilies } from './checks.ts'
import { COPY_NAMES } from './copy.ts'
import { extensionsOf } from './extensions.ts'
import { FAILURES, type Failure, formatReplay, hasSilence, readReplay } from './failures.ts'
import { countSwitches, formatOrder, type Order, permutationsOf, readOrder } from './interleaving.ts'
import { type Learned, Masks } from './masks.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { Outcome, RunRecord } from './record.ts'
import type { Runner } from './runner.ts'
import { storyOf } from './story.ts'
import type { Coverage, ScheduledFault, TriedSchedule } from './types.ts'
import { type Baseline, baselineOf, countRequests, judge } from './verdict.ts'

/** A schedule of failures, in an order of the copies. */
interface Trial extends Order {
  readonly schedule: readonly ScheduledFault[]
}

const START: Trial = { schedule: [], turns: [], switches: 0 }

/** The number of waiting runs for each job. Of 300 schedules with up to two faults, nearly half wait for two seconds. */
const SILENT_SLOTS = 2

/** Replaces the story of a survived schedule in a search, because nobody reads it. */
const NO_STORY = { message: '', story: '', snapshot: {} }

/** If the run without failures sends this many requests, a warning says that the search is slow. */
const SLOW_REQUESTS = 1000

/** Tries schedules of failures and orders of copies, smallest first. */
export class Explorer {
  readonly copies: number
  readonly #names: readonly string[]
  readonly #runner: Runner
  readonly #options: ParsedSurvivalOptions
  readonly #isSearch: boolean
  readonly #replayed: Trial | undefined
  readonly #failures: readonly Failure[]
  readonly #masks: Masks
  readonly #coverage = new Map<string, Record<string, number>>()
  readonly #knownOrders = new Set([''])
  #baseline: Baseline | undefined
  /** A description of the schedules that were tried. */
  scope = 'schedules with up to 0 faults'
  tried = 0
  total = 0
  failing = 0
  /** The number of failures in the current schedule. */
  faults = 0

  /**
   * @param isSearch true to end with the level at which a schedule fails, without stories of survived schedules
   * @throws TypeError for an option that names a family, path, or replay that does not exist
   */
  constructor(runner: Runner, isSearch: boolean) {
    this.#runner = runner
    this.#options = runner.options
    this.#isSearch = isSearch
    const { kinds, also, restart, copies, replay } = this.#options
    const enabledKinds: readonly string[] = [...kinds, ...also]
    this.#failures = FAILURES.filter(({ kind }) => enabledKinds.includes(kind) && (kind !== 'crash' || restart))
    this.copies = copies
    this.#names = COPY_NAMES.slice(0, copies)
    this.#masks = new Masks(this.#options.ignore)
    this.#masks.requireKnown(runner.collections)
    requireKnownFamilies(this.#options.mayLeave, runner.collections)
    this.#replayed = replay === undefined ? undefined : readTrial(replay, copies)
  }

  get coverage(): Coverage[] {
    return [...this.#coverage].map(([at, tried]) => ({ at, tried }))
  }

  get isReplay(): boolean {
    return this.#replayed !== undefined
  }

  get isComplete(): boolean {
    return this.tried === this.total
  }

  /** Yields each schedule after trying it, starting with the empty schedule. */
  async *runSchedules(): AsyncGenerator<TriedSchedule> {
    try {
      await this.#runner.open?.()
      const first = yield* this.#runOneAfterTheOther()
      if (first) yield* this.#runTrials(first)
    } finally {
      await this.#runner.close()
    }
  }

  /** Runs the copies one after the other, in each order. Returns the first run, or undefined if the code fails. */
  async *#runOneAfterTheOther(): AsyncGenerator<TriedSchedule, RunRecord | undefined> {
    let first: RunRecord | undefined
    let baseline: Baseline | undefined
    for (const serial of permutationsOf(this.#names)) {
      const [run, result] = await this.#runTrial(START, serial)
      const isSurvived = result.verdict === 'survived'
      baseline?.outcomes.push(...run.outcomes)
      if (!first) {
        first = run
        // Must happen before the next run, because it resets the gateway.
        baseline = baselineOf(run)
        if (isSurvived) this.#warnOfPolls(run)
        // Code that never ends would take as long again.
        const [again] = result.verdict === 'never-ends' ? [run] : await this.#runTrial(START, serial)
        requireEqualRuns(run, again, this.#runner)
      }
      // The likeliest reason: the code calls another URL.
      const reason = `\n  The gateway received no request. ${this.#runner.hints.noRequests}`
      if (!isSurvived && run.arrivals.events.length === 0) yield { ...result, story: result.story + reason }
      else if (run === first || !isSurvived) yield result
      if (!isSurvived) return undefined
      if (run !== first) continue
      if (run.arrivals.events.length === 0) throw noRequestsError(run.gateway.url, this.#runner.hints.noRequests)
      assertStrict(run.gateway)
    }
    this.#baseline = baseline
    return first
  }

  /** Warns before a long search, because a runner that ends the test does not mention the search. */
  #warnOfPolls(run: RunRecord): void {
    const requests = this.#isSearch ? countRequests(run, SLOW_REQUESTS) : undefined
    if (requests === undefined) return
    printWarning(
      `Without failures, the code sends ${requests}. Each schedule repeats them, so the search is slow. Poll less often, or ` +
        'shorten the wait, for example with the option provisioningDelay.',
    )
  }

  /**
   * Learns which values depend on the time or on random numbers, by running the code at another time, with other random numbers and another
   * seed: first with immediate responses, and then with slow ones.
   */
  async #learnMasks({ outcomes }: Baseline): Promise<void> {
    const learned: Learned[] = []
    for (const elsewhere of ['fast', 'slow'] as const) {
      const others: Outcome[] = []
      for (const serial of permutationsOf(this.#names)) {
        const run = await this.#runner.run({ schedule: [], serial, elsewhere }, this.#masks)
        // A stopped run has fewer outcomes.
        others.push(...Array.from({ length: this.copies + 1 }, (_, place) => run.outcomes[place] ?? run.outcome))
        await run.end()
      }
      for (const [place, { ending }] of outcomes.entries()) {
        const other = others[place]
        if (other) learned.push([ending.listInOrder(), other.ending.listInOrder()])
      }
    }
    this.#masks.learn(learned)
  }

  /**
   * Tries levels of schedules, smallest first. Without copies, the level is the number of failures. With copies, it is the number of
   * switches, and the last level contains the orders with a failure.
   */
  async *#runTrials(first: RunRecord): AsyncGenerator<TriedSchedule> {
    const { budget } = this.#options
    const levels = this.#replayed ? [[this.#replayed]] : this.#firstLevels(first)
    for (const [level, trials] of levels.entries()) {
      if (this.#isSearch && this.failing > 0) return
      this.scope = this.#scopeOf(level, trials)
      this.total += trials.length
      const runs = this.#startAhead(trials)
      for (const [place, trial] of trials.entries()) {
        if (this.tried === budget) return
        const [run, result] = await this.#judgeRun(await runs(place), trial)
        if (this.isReplay) requireApplied(run)
        this.tried++
        if (result.verdict !== 'survived') this.failing++
        if (!this.isReplay && this.copies > 1) this.#addOrders(levels, level, run, trial)
        else if (!this.isReplay && result.verdict === 'survived') this.#addSchedules(levels[level + 1], run, trial)
        yield result
      }
    }
  }

  #firstLevels(first: RunRecord): Trial[][] {
    const { faults, switches } = this.#options
    if (this.copies > 1) return [[START], ...Array.from({ length: switches + 1 }, () => [])]
    const levels: Trial[][] = Array.from({ length: faults + 1 }, () => [])
    if (this.#addSchedules(levels[1], first, START) === 0) throw noFailuresError(this.#runner.hints.noFailures)
    return levels
  }

  #scopeOf(level: number, [first]: readonly Trial[]): string {
    const { faults, switches } = this.#options
    if (this.copies > 1 && level <= switches) return `interleavings ${countSwitches(level)}`
    if (this.copies > 1) return `${this.scope}${faults > 0 ? ', and with 1 fault' : ''}`
    return first ? `schedules with up to ${formatCount(first.schedule.length, 'fault')}` : this.scope
  }

  /** Adds the schedules with one more failure than a run. Returns their number. */
  #addSchedules(level: Trial[] | undefined, run: RunRecord, trial: Trial): number {
    const found = level ? extensionsOf(run, this.#failures) : []
    level?.push(...found.map((schedule) => ({ ...trial, schedule })))
    return found.length
  }

  /** Adds the orders in which another copy continues at some point in a run, and the failures for orders with at most one switch. */
  #addOrders(levels: Trial[][], level: number, run: RunRecord, trial: Trial): void {
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
  #hasHiddenState({ hasFaults }: RunRecord): boolean {
    const { disk, create, gatewayOptions = {} } = this.#options
    return hasFaults || disk === 'shared' || create !== undefined || 'rateLimit' in gatewayOptions
  }

  /**
   * Returns a function for the run of each trial in a growing list. Starts as many concurrent runs as the runner allows. Runs with a
   * silence have their own slots and start first, because other runs can proceed while they wait.
   */
  #startAhead(trials: readonly Trial[]): (place: number) => Promise<RunRecord> {
    const { jobs } = this.#runner
    // Runs must not overlap: they share the gateway, and it is judged before the next run.
    if (jobs === 1) return (place) => this.#start(trials[place] ?? START)
    const started: Promise<RunRecord>[] = []
    const left = this.#options.budget - this.tried
    const queues = [
      { isSilent: true, slots: SILENT_SLOTS * jobs, next: 0, running: 0 },
      { isSilent: false, slots: jobs, next: 0, running: 0 },
    ]
    const startMore = () => {
      for (const queue of queues) {
        for (; queue.running < queue.slots && queue.next < Math.min(trials.length, left); queue.next++) {
          const trial = trials[queue.next] ?? START
          if (hasSilence(trial.schedule) !== queue.isSilent) continue
          const run = this.#start(trial)
          const end = () => {
            queue.running--
            startMore()
          }
          queue.running++
          run.then(end, end)
          started[queue.next] = run
        }
      }
    }
    return (place) => {
      startMore()
      return started[place] ?? this.#start(trials[place] ?? START)
    }
  }

  async #start({ schedule, turns }: Trial, serial?: readonly string[]): Promise<RunRecord> {
    this.#options.signal?.throwIfAborted()
    this.faults = schedule.length
    return this.#runner.run({ schedule, turns, ...(serial && { serial }) }, this.#masks)
  }

  async #runTrial(trial: Trial, serial?: readonly string[]): Promise<[RunRecord, TriedSchedule]> {
    return this.#judgeRun(await this.#start(trial, serial), trial)
  }

  /** Judges a run, ends it, and returns the run and its result. */
  async #judgeRun(run: RunRecord, trial: Trial): Promise<[RunRecord, TriedSchedule]> {
    const { schedule } = trial
    const { serial } = run.plan
    const { verdict, message, isOfValues } = await judge(run, this.#baseline)
    if (isOfValues && this.#baseline && !this.#masks.areLearned) {
      // Called before a value is reported, because the value may depend on the time.
      await run.end()
      await this.#learnMasks(this.#baseline)
      return this.#runTrial(trial, serial)
    }
    for (const { at, fault } of schedule) {
      const counts = this.#coverage.get(at) ?? {}
      counts[fault] = (counts[fault] ?? 0) + 1
      this.#coverage.set(at, counts)
    }
    const isShown = !this.#isSearch || verdict !== 'survived'
    const shown = isShown ? { ...storyOf(run, message), snapshot: run.gateway.snapshot() } : NO_STORY
    await run.end()
    const turns = serial?.map((copy) => ({ copy })) ?? run.arrivals.interleaving?.order ?? []
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
