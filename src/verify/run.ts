import { dialectFamilies } from '../gateway/dialect-families.ts'
import { type DialectName, dialects } from '../resources/dialects.ts'
import { isObject } from '../schema/values.ts'
import type { Asking } from './asker.ts'
import { cleaned, removalProblem } from './cleaning.ts'
import { differencesOf, type Sides } from './differ.ts'
import { type Answer, type AskedRequest, type Exchange, errorOf } from './exchange.ts'
import { IdMap } from './ids.ts'
import { type Listed, listed, refusalOf } from './inventory.ts'
import { MARK, type MadeEntries } from './made.ts'
import type { Host } from './pace.ts'
import { type Reference, referenceFor } from './reference.ts'
import { excerptOf, type Outcome } from './report.ts'
import { planLimits, requireOwn } from './safety.ts'
import { filled, missingIn, type Scenario, type Step } from './step.ts'

/** The options of a run that a caller of `verify` sets. */
export interface CallerOptions {
  /** The base URL of the server, without a trailing slash. */
  readonly url: string
  readonly dialect: DialectName
  /** The id of the run, a part of all names that it gives: lower-case letters and digits. */
  readonly run: string
  readonly domain?: string | undefined
  readonly host: Host
  /** Ends the run after the present request. The resources of the run are still deleted. */
  readonly signal: AbortSignal
  /** Called with each request of a scenario and its answer. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

interface RunOptions extends CallerOptions {
  readonly asker: Asking
  readonly entries: MadeEntries
  /** Called before each request, with the present work as text for people. */
  readonly onStep: (now: string) => void
}

/** The number of requests without an answer, one after the other, after which no more are sent. */
const MOST_FAILURES = 3

/** Returns true for a status that is about the key, the plan, the rate or a server problem, and not about the operation. */
const isNoAnswer = (status: number) => [401, 402, 403, 408, 429].includes(status) || status >= 500

/** Runs scenarios against a server and a fresh gateway, and compares their responses. */
export class Run {
  readonly outcomes: Outcome[] = []
  /** The reason why the run sends no more requests; undefined while it does. */
  stopped: string | undefined
  /** True once something was created. */
  hasChanged = false
  readonly #options: RunOptions
  readonly #reference: Reference
  readonly #limits: ReadonlySet<string>
  #ids = new IdMap()
  /** The values that steps of this scenario name: from the server, and from the fresh gateway. */
  #values = new Map<string, string>()
  #ownValues = new Map<string, string>()
  /** The reasons why the server has no values for some names. */
  #unsaved = new Map<string, string>()
  /** The reason why the server's resources of this scenario are unknown; undefined if they are known. */
  #uncertain: string | undefined
  /** Notes each request that was answered. */
  readonly #asker: Asking
  readonly #mark: string
  /** Ids that each list had before. */
  readonly #foreign = new Map<string, ReadonlySet<string>>()
  /** The reasons why families get no more requests, by the paths of their lists. */
  readonly #closed = new Map<string, string>()
  readonly #deleted = new Set<string>()
  #failures = 0

  constructor(options: RunOptions) {
    this.#options = options
    this.#mark = MARK + options.run
    const { dialect, host, url } = options
    this.#asker = {
      async ask(request) {
        const response = await options.asker.ask(request)
        if (!('failed' in response)) options.onExchange?.({ request, response })
        return response
      },
    }
    this.#reference = referenceFor(dialect, url, () => host.now())
    this.#limits = planLimits(Object.values(dialectFamilies[dialect] ?? {}), dialects[dialect])
  }

  /**
   * Reads all lists before the first creation. Ends the run if it can read none, for example because the key has no
   * permissions.
   */
  async inventory(paths: readonly string[]): Promise<ReadonlyMap<string, Listed>> {
    const lists = new Map<string, Listed>()
    for (const path of paths) {
      if (this.stopped !== undefined) break
      this.#options.onStep(`reading ${path}`)
      const list = await listed(this.#options.asker, path, this.#options.url)
      lists.set(path, list)
      if ('problem' in list) {
        this.#closed.set(path, `its list could not be read: ${list.problem}`)
        if (list.status === undefined) this.#failed(list.problem, lists.size === 1)
      } else {
        this.#failures = 0
        this.#foreign.set(path, new Set(list.items.keys()))
      }
    }
    const [first] = lists.values()
    if (this.#foreign.size === 0 && first && 'problem' in first)
      this.stopped ??= `no list could be read: ${first.problem}`
    return lists
  }

  #failed(reason: string, isLast = false): void {
    this.#failures = isLast ? MOST_FAILURES : this.#failures + 1
    if (this.#failures >= MOST_FAILURES) this.stopped ??= reason
  }

  /** Asks the steps of a scenario, in order. */
  async scenario(scenario: Scenario): Promise<void> {
    const { run, dialect, domain = 'example.com' } = this.#options
    const common = [
      ['mark', MARK + run],
      ['capital_mark', `F${MARK.slice(1)}${run}`],
      ['domain', domain],
      ['version', dialects[dialect].versionHeader],
    ] as const
    this.#reference.reset()
    this.#ids = new IdMap()
    this.#uncertain = undefined
    this.#values = new Map(common)
    this.#ownValues = new Map(common)
    this.#unsaved = new Map()
    for (const step of scenario.steps) {
      if (this.#options.signal.aborted) this.stopped ??= 'stopped by a signal'
      const outcome = await this.#step(scenario, step)
      const { operation, what, method, path } = step
      this.outcomes.push({ family: scenario.family, operation, what, method, path, ...outcome })
    }
    const { entries, url } = this.#options
    // The next scenario needs a server without resources of this one.
    if (this.#uncertain === undefined || this.stopped !== undefined) return
    const remaining = await cleaned(this.#asker, entries, this.#mark, url)
    if (remaining.length > 0) this.stopped = this.#uncertain
  }

  async #step(scenario: Scenario, step: Step): Promise<Result> {
    const isWholeList = step.operation === `${scenario.family}.list` && step.path === scenario.path && !step.headers
    const reason = this.stopped ?? this.#uncertain
    if (reason !== undefined) return failure(reason)
    const closed = this.#closed.get(scenario.path)
    if (closed !== undefined && !isWholeList) return failure(closed)
    const name = missingIn(step, this.#values)
    if (name !== undefined) return notAsked(this.#unsaved.get(name) ?? 'what it needs was not made')
    const request = filled(step, this.#values)
    requireOwn(request, this.#mark, (id) => this.#options.entries.hasMade(id))
    this.#options.onStep(`${step.operation} ${step.what}`)
    const result = await this.#compared(scenario, step, request)
    for (const saved of Object.keys(step.saves ?? {})) {
      if (!this.#values.has(saved)) this.#unsaved.set(saved, unsavedReason(step, result))
    }
    return result
  }

  async #compared(scenario: Scenario, step: Step, request: AskedRequest): Promise<Result> {
    const { entries } = this.#options
    const isCreation = step.method === 'POST'
    const n = isCreation ? entries.asking(step.operation, step.path) : 0
    if (isCreation) this.hasChanged = true
    const received = await this.#asker.ask(request)
    if ('failed' in received) {
      this.#failed(received.failed)
      this.#noteUncertain(step, received.failed)
      return failure(received.failed)
    }
    const made = isCreation ? this.#noteCreation(n, received) : undefined
    const reason = this.#noAnswer(step, received)
    if (reason !== undefined) {
      this.#noteFailure(scenario, step, received, reason)
      return failure(reason)
    }
    if (received.body === undefined && received.text !== '') this.#failed('the server no longer answers with JSON')
    else this.#failures = 0
    this.#noteDeletion(request, received)
    const expected = await this.#reference.ask(filled(step, this.#ownValues))
    if (isCreation) await this.#alignCreations(step, made, idIn(expected))
    const differences = differencesOf(expected, received, this.#sides(scenario))
    if (differences.length === 0 || step.saves?.next === undefined) this.#saveOthers(step, received, expected)
    if (differences.length === 0) return { verdict: 'same' }
    return { verdict: 'differs', differences, expected: excerptOf(expected), received: excerptOf(received) }
  }

  #sides({ path }: Scenario): Sides {
    const { url, dialect } = this.#options
    const foreign = this.#foreign.get(path) ?? new Set()
    return {
      ids: this.#ids,
      base: url,
      operationIdHeader: dialects[dialect].operationIdHeader.toLowerCase(),
      isForeign: (id) => foreign.has(id),
      hasForeign: foreign.size > 0,
    }
  }

  /** Returns the reason why an answer cannot be compared; undefined if it can. */
  #noAnswer({ headers }: Step, received: Answer): string | undefined {
    const { status } = received
    // Without a key, such a status is an answer like any other.
    const isOfKey = headers?.authorization === null && (status === 401 || status === 403)
    if (isNoAnswer(status) && !isOfKey) return refusalOf(received)
    const { error_code } = errorOf(received)
    if (status >= 400 && typeof error_code === 'string' && this.#limits.has(error_code))
      return `the plan of the account: ${refusalOf(received)}`
    return undefined
  }

  #noteFailure(scenario: Scenario, step: Step, { status }: Answer, reason: string): void {
    const isRefusedKey = status === 401 || status === 403
    if (isRefusedKey && step.path === scenario.path && step.method === 'GET') this.#closed.set(scenario.path, reason)
    if (status === 401 || status >= 500 || status === 429) this.#failed(reason)
    if (status >= 500 || status === 408) this.#noteUncertain(step, reason)
  }

  #noteUncertain({ method, operation, what }: Step, reason: string): void {
    if (method !== 'GET') this.#uncertain = `what came of "${operation} ${what}" is unknown: ${reason}`
  }

  /** Notes the result of a creation, and returns the id of the new resource. */
  #noteCreation(n: number, received: Answer): string | undefined {
    const { entries } = this.#options
    const id = idIn(received)
    if (id !== undefined) entries.add({ entry: 'made', n, id })
    // After an error of the server the resource may exist.
    else if (received.status >= 300 && received.status < 500) entries.add({ entry: 'refused', n })
    return id
  }

  #noteDeletion({ method, path }: AskedRequest, { status }: Answer): void {
    const id = path.split(/[/?]/).at(-1) ?? ''
    if (!this.#options.entries.hasMade(id)) return
    if (method === 'DELETE') this.#deleted.add(id)
    if (method === 'GET' && status === 404 && this.#deleted.has(id)) this.#options.entries.add({ entry: 'gone', id })
  }

  /** Keeps both sides equal: deletes at once a resource that only one side made, or that no later step needs. */
  async #alignCreations(
    { saves = {}, path }: Step,
    made: string | undefined,
    expected: string | undefined,
  ): Promise<void> {
    const [name] = Object.entries(saves).find(([, field]) => field === 'id') ?? []
    if (name !== undefined && made !== undefined && expected !== undefined) {
      this.#ids.link(expected, made)
      this.#values.set(name, made)
      this.#ownValues.set(name, expected)
      return
    }
    if (expected !== undefined) await this.#reference.ask({ method: 'DELETE', path: `${path}/${expected}` })
    if (made !== undefined) await removalProblem(this.#asker, this.#options.entries, { id: made, path })
  }

  /** Saves the fields of an answer that later steps need. */
  #saveOthers({ saves = {} }: Step, received: Answer, expected: Answer): void {
    for (const [name, field] of Object.entries(saves)) {
      const [theirs, ours] = [textAt(received, field), textAt(expected, field)].map((text) => this.#belowBase(text))
      if (field === 'id' || theirs === undefined || ours === undefined) continue
      this.#values.set(name, theirs)
      this.#ownValues.set(name, ours)
    }
  }

  /** Returns the path of a URL of the service; undefined for any other URL, which gets no requests. */
  #belowBase(url: string | undefined): string | undefined {
    const base = this.#options.url
    return url?.startsWith(`${base}/`) ? url.slice(base.length) : undefined
  }
}

type Result = Pick<Outcome, 'verdict' | 'reason' | 'isFailure' | 'differences' | 'expected' | 'received'>

function notAsked(reason: string): Result {
  return { verdict: 'not asked', reason }
}

function failure(reason: string): Result {
  return { ...notAsked(reason), isFailure: true }
}

function unsavedReason({ operation, what }: Step, { verdict, reason }: Result): string {
  if (verdict === 'not asked') return `"${operation} ${what}" was not asked: ${reason ?? ''}`
  return `"${operation} ${what}" was not answered as expected`
}

function textAt({ body }: Answer, field: string): string | undefined {
  const value = isObject(body) ? body[field] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns the id of the resource that was made, by its answer. */
function idIn(answer: Answer): string | undefined {
  return answer.status >= 200 && answer.status < 300 ? textAt(answer, 'id') : undefined
}
