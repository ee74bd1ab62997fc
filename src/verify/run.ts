import { dialectFamilies } from '../gateway/dialect-families.ts'
import { type DialectName, dialects } from '../service/resources/dialects.ts'
import { deleteLeftovers, deleteResource } from './clean-up.ts'
import type { Sender, VerifyHost } from './client.ts'
import { type ComparisonContext, differencesOf } from './differ.ts'
import { type ApiRequest, type ApiResponse, type Exchange, textAt } from './exchange.ts'
import { IdMap, isId } from './ids.ts'
import { incomparableReason, isUncertain, planLimits } from './incomparable.ts'
import { type ItemsById, readList } from './lists.ts'
import { createReferenceGateway, type ReferenceGateway } from './reference.ts'
import { excerptOf, type StepOutcome } from './report.ts'
import { markOf, type RunLog } from './run-log.ts'
import { requireOwn } from './safety.ts'
import { SavedValues } from './saved-values.ts'
import type { Scenario, Step } from './step.ts'

/** The run options that a caller of `verify` sets. */
export interface CallerOptions {
  /** The base URL of the server, without a trailing slash. */
  readonly url: string
  readonly dialect: DialectName
  /** The ID of the run: lowercase letters and digits. All names that the run assigns contain it. */
  readonly run: string
  readonly domain?: string | undefined
  readonly host: VerifyHost
  /** Ends the run after the current request. The run's resources are still deleted. */
  readonly signal: AbortSignal
  /** Called with the outcome of each step of a scenario. */
  readonly onOutcome?: ((outcome: StepOutcome) => void) | undefined
  /** Called with each request in a scenario and its response. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

interface RunOptions extends CallerOptions {
  readonly client: Sender
  readonly log: RunLog
  /** Called before each request, with a description of the current work. */
  readonly onStep: (now: string) => void
}

/** The run stops after this many requests in a row receive no response. */
const MAX_FAILURES = 3

/** Runs scenarios against a server and a fresh gateway, and compares their responses. */
export class VerifyRun {
  readonly outcomes: StepOutcome[] = []
  /** The reason that the run does not send further requests, or undefined while it does. */
  stopped: string | undefined
  /** The lists before the first creation, by path. */
  readonly listsBefore = new Map<string, ItemsById>()
  readonly #options: RunOptions
  readonly #reference: ReferenceGateway
  /** The error codes with which a plan limits an account. */
  readonly #planLimits: ReadonlySet<string>
  readonly #mark: string
  /** Passes each exchange to the caller. */
  readonly #client: Sender
  /** The reasons why families receive no more requests, by list path. */
  readonly #closedFamilies = new Map<string, string>()
  readonly #deleted = new Set<string>()
  #failures = 0
  #ids = new IdMap()
  /** The times in this scenario's requests, truncated to whole seconds, in ms. */
  readonly #sentTimes = new Set<number>()
  /** The values that steps of this scenario refer to. */
  #values = new SavedValues()
  /** The reason that this scenario's resources on the server are unknown, or undefined if they are known. */
  #uncertain: string | undefined

  constructor(options: RunOptions) {
    const { client, dialect, host, url, onExchange } = options
    this.#options = options
    this.#mark = markOf(options.run)
    this.#client = {
      url,
      async send(request) {
        const response = await client.send(request)
        if (!('failed' in response)) onExchange?.({ request, response })
        return response
      },
    }
    this.#reference = createReferenceGateway(dialect, url, () => host.now())
    this.#planLimits = planLimits(Object.values(dialectFamilies[dialect] ?? {}), dialects[dialect])
  }

  /** Reads all lists before the first creation. Ends the run if none of them can be read, for example because the key lacks permissions. */
  async readLists(paths: readonly string[]): Promise<void> {
    const problems: string[] = []
    for (const path of paths) {
      this.#noteSignal()
      if (this.stopped !== undefined) return
      this.#options.onStep(`reading ${path}`)
      const list = await readList(this.#options.client, path)
      if ('items' in list) {
        this.#failures = 0
        this.listsBefore.set(path, list.items)
        continue
      }
      problems.push(list.problem)
      this.#closedFamilies.set(path, `its list could not be read: ${list.problem}`)
      // A server that does not respond to the first request receives no others.
      if (list.status === undefined) this.#noteFailure(list.problem, path === paths[0])
    }
    if (problems.length === paths.length && problems[0]) this.stopped ??= `no list could be read: ${problems[0]}`
  }

  #noteFailure(reason: string, isLast = false): void {
    this.#failures = isLast ? MAX_FAILURES : this.#failures + 1
    if (this.#failures >= MAX_FAILURES) this.stopped ??= reason
  }

  #noteSignal(): void {
    if (this.#options.signal.aborted) this.stopped ??= 'stopped by a signal'
  }

  /** Sends the requests of a scenario in order. */
  async runScenario(scenario: Scenario): Promise<void> {
    const { dialect, domain = 'example.com', log } = this.#options
    const mark = this.#mark
    this.#reference.reset()
    this.#ids = new IdMap()
    this.#uncertain = undefined
    this.#values = new SavedValues([
      ['mark', mark],
      ['capital_mark', mark.replace(/^./, (letter) => letter.toUpperCase())],
      ['domain', domain],
      ['version', dialects[dialect].versionHeader],
    ])
    for (const step of scenario.steps) {
      this.#noteSignal()
      const result = await this.#runStep(scenario, step)
      const { operation, what, method, path, saves = {} } = step
      this.#values.noteMissing(Object.keys(saves), unsavedReason(step, result))
      const outcome = { family: scenario.family, operation, what, method, path, ...result }
      this.outcomes.push(outcome)
      this.#options.onOutcome?.(outcome)
    }
    // The next scenario needs a server without this scenario's resources.
    if (this.#uncertain === undefined || this.stopped !== undefined) return
    const remaining = await deleteLeftovers(this.#client, log, mark)
    if (remaining.length > 0) this.stopped = this.#uncertain
  }

  async #runStep(scenario: Scenario, step: Step): Promise<Result> {
    const isWholeList = step.operation === `${scenario.family}.list` && step.path === scenario.path && !step.headers
    const reason =
      this.stopped ?? this.#uncertain ?? (isWholeList ? undefined : this.#closedFamilies.get(scenario.path))
    if (reason !== undefined) return failure(reason)
    const unsaved = this.#values.reasonAgainst(step)
    if (unsaved !== undefined) return notSent(unsaved)
    const request = this.#values.requestTo('server', step)
    requireOwn(request, this.#mark, (id) => this.#options.log.hasCreated(id))
    this.#options.onStep(`${step.operation} ${step.what}`)
    for (const [time] of request.body?.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g) ?? [])
      this.#sentTimes.add(Math.floor(Date.parse(time) / 1000) * 1000)
    return this.#sendAndCompare(scenario, step, request)
  }

  async #sendAndCompare(scenario: Scenario, step: Step, request: ApiRequest): Promise<Result> {
    // Deleting one of the run's resources also deletes what was created below it.
    const isCreation = step.method === 'POST' && !step.path.includes('{')
    const number = isCreation ? this.#options.log.addCreation(step.operation, step.path) : 0
    const received = await this.#client.send(request)
    if ('failed' in received) {
      this.#noteFailure(received.failed)
      this.#noteUncertain(step, received.failed)
      return failure(received.failed)
    }
    const createdId = isCreation ? this.#noteCreation(number, received) : undefined
    const reason = incomparableReason(step, received, this.#planLimits)
    if (reason !== undefined) {
      this.#noteRefusal(scenario, step, received, reason)
      return failure(reason)
    }
    if (received.body === undefined && received.text !== '')
      this.#noteFailure('the server no longer responds with JSON')
    else this.#failures = 0
    this.#noteDeletion(request, received)
    const expected = await this.#reference.send(this.#values.requestTo('gateway', step))
    if (isCreation) await this.#alignCreations(step, createdId, createdIdIn(expected))
    const differences = differencesOf(expected, received, this.#contextOf(scenario))
    if (differences.length > 0)
      return {
        verdict: 'differs',
        differences,
        ...(request.body !== undefined && { body: request.body }),
        expected: excerptOf(expected),
        received: excerptOf(received),
      }
    this.#savePages(step, received, expected)
    return { verdict: 'same' }
  }

  #contextOf({ path }: Scenario): ComparisonContext {
    const { url, dialect } = this.#options
    const earlier = this.listsBefore.get(path)
    return {
      ids: this.#ids,
      base: url,
      operationIdHeader: dialects[dialect].operationIdHeader.toLowerCase(),
      isIgnored: (id) => earlier?.has(id) ?? false,
      isSentTime: (time) => this.#sentTimes.has(Date.parse(time)),
      hasIgnored: earlier !== undefined && earlier.size > 0,
    }
  }

  #noteRefusal(scenario: Scenario, step: Step, { status }: ApiResponse, reason: string): void {
    const isRefusedKey = status === 401 || status === 403
    if (isRefusedKey && step.path === scenario.path && step.method === 'GET')
      this.#closedFamilies.set(scenario.path, reason)
    if (status === 401 || status >= 500 || status === 429) this.#noteFailure(reason)
    if (isUncertain(status)) this.#noteUncertain(step, reason)
  }

  #noteUncertain({ method, operation, what }: Step, reason: string): void {
    if (method !== 'GET') this.#uncertain = `the result of "${operation} ${what}" is unknown: ${reason}`
  }

  /** Records the result of a creation, and returns the ID of the new resource. */
  #noteCreation(number: number, received: ApiResponse): string | undefined {
    const { log } = this.#options
    const id = createdIdIn(received)
    if (id !== undefined) log.add({ entry: 'created', number, id })
    else if (received.status >= 300 && !isUncertain(received.status)) log.add({ entry: 'refused', number })
    return id
  }

  #noteDeletion({ method, path }: ApiRequest, { status }: ApiResponse): void {
    const { log } = this.#options
    const id = path.split(/[/?]/).at(-1) ?? ''
    if (!log.hasCreated(id)) return
    if (method === 'DELETE') this.#deleted.add(id)
    if (method !== 'GET' || status !== 404 || !this.#deleted.has(id)) return
    if (log.leftovers.created.some((each) => each.id === id)) log.add({ entry: 'deleted', id })
  }

  /** Keeps both sides equal by immediately deleting any resource that only one side created or that no later step needs. */
  async #alignCreations(step: Step, received: string | undefined, expected: string | undefined): Promise<void> {
    const { saves = {}, path } = step
    const [name] = Object.entries(saves).find(([, field]) => field === 'id') ?? []
    if (name !== undefined && received !== undefined && expected !== undefined) {
      this.#ids.link(expected, received)
      this.#values.save(name, received, expected)
      return
    }
    if (expected !== undefined) await this.#reference.send({ method: 'DELETE', path: `${path}/${expected}` })
    if (received === undefined) return
    const problem = await deleteResource(this.#client, this.#options.log, { id: received, path })
    if (problem?.failed !== undefined) this.#noteUncertain(step, problem.failed)
  }

  /** Saves the next-page paths that later steps need. */
  #savePages({ saves = {} }: Step, received: ApiResponse, expected: ApiResponse): void {
    for (const [name, field] of Object.entries(saves)) {
      const [theirs, ours] = [received, expected].map((response) => this.#pathOf(textAt(response, field)))
      if (field === 'id' || theirs === undefined || ours === undefined) continue
      this.#values.save(name, theirs, ours)
    }
  }

  /** Returns the path of a service URL, or undefined for any other URL. Other URLs receive no requests. */
  #pathOf(url: string | undefined): string | undefined {
    const base = this.#options.url
    return url?.startsWith(`${base}/`) ? url.slice(base.length) : undefined
  }
}

type Result = Pick<StepOutcome, 'verdict' | 'reason' | 'isFailure' | 'body' | 'differences' | 'expected' | 'received'>

function notSent(reason: string): Result {
  return { verdict: 'not called', reason }
}

function failure(reason: string): Result {
  return { ...notSent(reason), isFailure: true }
}

function unsavedReason({ operation, what }: Step, { verdict, reason }: Result): string {
  if (verdict === 'not called') return `"${operation} ${what}" was not called: ${reason ?? ''}`
  return `"${operation} ${what}" did not get the expected response`
}

/** Returns the ID of the created resource from the response. Requests cannot refer to strings of any other form. */
function createdIdIn(response: ApiResponse): string | undefined {
  const id = response.status >= 200 && response.status < 300 ? textAt(response, 'id') : undefined
  return id !== undefined && isId(id) ? id : undefined
}
