import { type ManualClock, manualClock } from '../../core/engine/manual-clock.ts'
import { quote } from '../../core/schema/text.ts'
import { type Transport, type ViewedCollection, withTransport } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { ExplorationSettings, ExplorationStep, RunEnd } from '../../generated/controls.ts'
import type { GatewayOptions } from '../../generated/options.ts'
import type { IssuedCertificate } from '../../service/x509/order.ts'
import { START } from '../../testing/fixture.ts'
import { requireUsable } from '../../testing/survives/checks.ts'
import { COPY_NAMES } from '../../testing/survives/copy.ts'
import type { Masks } from '../../testing/survives/masks.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from '../../testing/survives/options.ts'
import type { Plan } from '../../testing/survives/record.ts'
import type { Runner } from '../../testing/survives/runner.ts'
import { searchWith } from '../../testing/survives/search.ts'
import { SurvivalError } from '../../testing/survives/survival-error.ts'
import type { SurvivesOptions } from '../../testing/survives/types.ts'
import { ExternalRun, ExternalSurroundings } from './external-run.ts'
import { StepQueue } from './step-queue.ts'

/** The offset of the second run's start, in ms. It changes each unit of a date. */
const ELSEWHERE_MS = 2_941_261_000

/** The gateways of a server, for the runs of explorations. */
export interface RunGateways {
  /** Creates a gateway that is not reachable yet. */
  create(options: GatewayOptions<ManualClock>): Gateway
  /** Puts a gateway at its own URL. */
  add(gateway: Gateway): { readonly name: string; readonly url: string }
  remove(name: string): void
}

/**
 * Explores which failures break a program in another process. That process asks for the next step, and reports when it is done.
 */
export class Exploration implements Runner {
  readonly options: ParsedSurvivalOptions
  readonly jobs: number
  readonly isRepeatable = false
  readonly hints = {
    noRequests:
      'The code must call the URL that it receives. A command finds it in FAUXGATE_URL, NGROK_API_URL and NGROK_API_BASE_URL.',
    unequal:
      'State that the code stores outlives a run: remove it in the setup, or store it in the folder FAUXGATE_FOLDER, which is new for each run.',
  }
  readonly #settings: ExplorationSettings
  readonly #gateways: RunGateways
  readonly #steps = new StepQueue()
  readonly #runs = new Map<number, ExternalRun>()
  /** The certificates of all runs, by certificate order: issuing one takes as long as a run. */
  readonly #issued = new Map<string, IssuedCertificate>()
  readonly #first: Gateway
  #count = 0

  /** @throws TypeError if a setting is not allowed. */
  constructor(settings: ExplorationSettings, gateways: RunGateways) {
    this.#settings = settings
    this.#gateways = gateways
    this.options = readSettings(settings)
    this.jobs = settings.jobs ?? 1
    this.#first = this.#createGateway(undefined, manualClock(START))
    void this.#explore()
  }

  get collections(): readonly ViewedCollection[] {
    return this.#first.transport.collections
  }

  async open(): Promise<void> {}

  async run(plan: Plan, masks: Masks): Promise<ExternalRun> {
    const surroundings = new ExternalSurroundings(manualClock(START))
    if (plan.elsewhere) surroundings.clock.advance(ELSEWHERE_MS)
    const gateway = this.#createGateway(plan.elsewhere, surroundings.clock)
    const number = ++this.#count
    const names = COPY_NAMES.slice(0, this.options.copies)
    const places = names.map((name) => this.#gateways.add(this.#asCopy(gateway, name, surroundings, number)))
    const { silence = 2, timeout = 60, setup = false } = this.#settings
    const run = new ExternalRun(surroundings, this.options, masks, gateway, plan, {
      number,
      silence: silence * 1000,
      timeout: timeout * 1000,
      hasSetup: setup,
      urls: new Map(names.map((name, place) => [name, places[place]?.url ?? ''])),
      send: (step) => this.#steps.push(step),
      close: () => {
        this.#runs.delete(number)
        for (const { name } of places) this.#gateways.remove(name)
      },
    })
    this.#runs.set(number, run)
    await run.run()
    return run
  }

  async close(): Promise<void> {
    for (const run of this.#runs.values()) await run.end()
  }

  /** Returns the next step, as soon as there is one. */
  next(signal: AbortSignal | undefined): Promise<ExplorationStep> {
    return this.#steps.next(signal)
  }

  ended({ run, copy, life, error }: RunEnd): void {
    this.#runs.get(run)?.ended(copy, life, error)
  }

  async #explore(): Promise<void> {
    const { name = 'The code', replayCall = 'REPLAY' } = this.#settings
    const formatReplay = (replay: string) => replayCall.replace('REPLAY', () => JSON.stringify(replay))
    const end = await searchWith(this, { name, formatReplay }, () => undefined).then(
      ({ summary }) => ({ survives: true, report: summary }),
      (error: Error) => ({
        survives: false,
        report: error.message,
        ...(error instanceof SurvivalError && { replay: error.replay }),
      }),
    )
    void this.#steps.push({ do: 'finish', ...end })
  }

  #createGateway(elsewhere: Plan['elsewhere'], clock: ManualClock): Gateway<ManualClock> {
    const gateway = this.#gateways.create({ seed: elsewhere ? 'survives elsewhere' : 'survives', clock })
    requireUsable(gateway, clock)
    gateway.transport.hooks.issue = (order, issue) => {
      const key = JSON.stringify(order)
      const certificate = this.#issued.get(key) ?? issue(order)
      this.#issued.set(key, certificate)
      return certificate
    }
    return gateway
  }

  /** Returns the gateway as seen by one copy: its requests count as that copy's. */
  #asCopy(gateway: Gateway, name: string, surroundings: ExternalSurroundings, run: number): Gateway {
    const { transport } = gateway
    const exchange: Transport['exchange'] = (request) => {
      surroundings.copy = this.#runs.get(run)?.copies.find((copy) => copy.name === name)
      try {
        return transport.exchange(request)
      } finally {
        surroundings.copy = undefined
      }
    }
    return withTransport(gateway, { exchange })
  }
}

/** Reads the settings that it shares with JavaScript's `survives`. */
function readSettings(settings: ExplorationSettings): ParsedSurvivalOptions {
  const { copies = 1, faults = copies > 1 ? 0 : 1, max, allow, also = [] } = settings
  const { name, replayCall, setup, silence, timeout, jobs, max: _max, allow: _allow, ...shared } = settings
  for (const [key, value] of Object.entries({ silence, timeout, jobs }))
    if (value !== undefined && !(value > 0)) throw new TypeError(`${key} is ${value}. Allowed: a number above 0.`)
  const impossible = also.find((kind) => kind === 'clock' || kind === 'effect')
  if (impossible)
    throw new TypeError(`also has "${impossible}". Allowed: late, slow. The others need a function in JavaScript.`)
  const pattern = allow === undefined ? undefined : readPattern(allow)
  // The reader checks each value.
  return readSurvivalOptions({
    ...shared,
    faults,
    ...(max !== undefined && { budget: max }),
    ...(pattern && { allow: ({ error }) => pattern.test(error?.message ?? '') }),
  } as SurvivesOptions)
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch (cause) {
    throw new TypeError(`allow is ${quote(text)}. Allowed: a regular expression.`, { cause })
  }
}
