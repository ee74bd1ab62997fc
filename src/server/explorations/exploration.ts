import { SETTINGS } from '../../control/explorations.ts'
import { nameSettings } from '../../control/languages.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import { type Transport, type ViewedCollection, withTransport } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { ExplorationSettings, ExplorationStep, RunEnd } from '../../generated/controls.ts'
import { START } from '../../testing/fixture.ts'
import type { Copy } from '../../testing/survives/copy.ts'
import { Explorer } from '../../testing/survives/explore.ts'
import { ELSEWHERE_MS, GatewaySource } from '../../testing/survives/gateway-source.ts'
import type { Masks } from '../../testing/survives/masks.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from '../../testing/survives/options.ts'
import type { Plan } from '../../testing/survives/record.ts'
import type { Runner } from '../../testing/survives/runner.ts'
import { searchWith } from '../../testing/survives/search.ts'
import { SurvivalError } from '../../testing/survives/survival-error.ts'
import { ExternalRun, ExternalSurroundings, type RunDetails } from './external-run.ts'
import { StepQueue } from './step-queue.ts'

/** The gateways of a server, for the runs of explorations. */
export interface RunGateways {
  /** The gateway whose families and options all runs use. */
  readonly parent: Gateway
  /** Puts a gateway at its own URL. */
  add(gateway: Gateway): { readonly name: string; readonly url: string }
  remove(name: string): void
}

/**
 * Explores which failures break a program in another process. The program asks for the next step, and reports when the step is done.
 */
export class Exploration implements Runner {
  readonly options: ParsedSurvivalOptions
  readonly jobs: number
  readonly isRepeatable = false
  readonly hints = {
    noRequests:
      'The code must call the URL that it receives. A command finds it in FAUXGATE_URL, NGROK_API_URL, and NGROK_API_BASE_URL.',
    noFailures: '',
    unequal:
      'State that the code stores outlives a run. Remove it in the setup, or store it in the folder in FAUXGATE_FOLDER, which is new for each run.',
  }
  readonly #settings: ExplorationSettings
  readonly #gateways: RunGateways
  readonly #steps = new StepQueue()
  readonly #runs = new Map<number, ExternalRun>()
  readonly #source: GatewaySource
  /** Aborted at the end, so that no run starts afterward. */
  readonly #closed = new AbortController()
  #count = 0

  /** @throws TypeError if a setting is not allowed. */
  constructor(settings: ExplorationSettings, gateways: RunGateways) {
    this.#settings = settings
    this.#gateways = gateways
    this.options = readSettings(settings, this.#closed.signal)
    this.jobs = settings.jobs ?? 1
    this.#source = new GatewaySource((options) => gateways.parent.transport.sibling(options))
    void this.#explore(new Explorer(this, true))
  }

  get collections(): readonly ViewedCollection[] {
    return this.#gateways.parent.transport.collections
  }

  async run(plan: Plan, masks: Masks): Promise<ExternalRun> {
    const surroundings = new ExternalSurroundings(manualClock(START))
    if (plan.elsewhere) surroundings.clock.advance(ELSEWHERE_MS)
    const gateway = this.#source.create(surroundings.clock, plan.elsewhere !== undefined)
    const number = ++this.#count
    const { silence = 2, timeout = 60, setup = false } = this.#settings
    const details: RunDetails = {
      number,
      silence: silence * 1000,
      timeout: timeout * 1000,
      hasSetup: setup,
      send: (step) => this.#steps.push({ ...step, run: number }),
      close: () => {
        this.#runs.delete(number)
        for (const { name } of places) this.#gateways.remove(name)
      },
    }
    const run = new ExternalRun(details, surroundings, this.options, masks, gateway, plan)
    const places = run.copies.map((copy) => this.#gateways.add(asCopy(copy, gateway, surroundings)))
    this.#runs.set(number, run)
    await run.run(places.map(({ url }) => url))
    return run
  }

  async close(): Promise<void> {
    this.#closed.abort()
    for (const run of this.#runs.values()) await run.end()
  }

  /** Returns the next step, as soon as there is one. */
  next(signal: AbortSignal | undefined): Promise<ExplorationStep> {
    return this.#steps.next(signal)
  }

  ended({ run, copy, life, error }: RunEnd): void {
    this.#runs.get(run)?.ended(copy, life, error)
  }

  async #explore(explorer: Explorer): Promise<void> {
    const { name = 'The code', replayCall = 'REPLAY', for: language = 'javascript' } = this.#settings
    const nameOptions = (text: string) => nameSettings(text, SETTINGS, language)
    const formatReplay = (replay: string) => replayCall.replace('REPLAY', () => JSON.stringify(replay))
    const end = await searchWith(explorer, { name, formatReplay, nameOptions }, () => undefined).then(
      ({ summary }) => ({ survives: true, report: summary }),
      (error: Error) => ({
        survives: false,
        report: error instanceof SurvivalError ? error.message : nameOptions(error.message),
        ...(error instanceof SurvivalError && { replay: error.replay }),
      }),
    )
    void this.#steps.push({ do: 'finish', ...end })
  }
}

/** Returns the gateway as seen by one copy: its requests count as that copy's. */
function asCopy(copy: Copy, gateway: Gateway, surroundings: ExternalSurroundings): Gateway {
  const { transport } = gateway
  const exchange: Transport['exchange'] = (request) => {
    surroundings.copy = copy
    try {
      return transport.exchange(request)
    } finally {
      surroundings.copy = undefined
    }
  }
  return withTransport(gateway, { exchange })
}

/** Reads the settings that JavaScript's `survives` shares, under other names and with other defaults. */
function readSettings(settings: ExplorationSettings, signal: AbortSignal): ParsedSurvivalOptions {
  const { name, replayCall, for: _language, setup, silence, timeout, jobs, max, allow, ...shared } = settings
  const pattern = allow === undefined ? undefined : new RegExp(allow)
  return readSurvivalOptions({
    faults: (shared.copies ?? 1) > 1 ? 0 : 1,
    ...shared,
    signal,
    ...(max !== undefined && { budget: max }),
    ...(pattern && { allow: ({ error }) => pattern.test(error?.message ?? '') }),
  })
}
