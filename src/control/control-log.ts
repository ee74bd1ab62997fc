import { Queue } from '../core/engine/queue.ts'
import { wasMade } from '../core/schema/ids.ts'
import { redact, type SecretNames } from '../core/schema/secret-fields.ts'
import { NO_REDACTION } from '../core/schema/secret-texts.ts'
import { timestamp } from '../core/schema/time.ts'
import { isObject } from '../core/schema/values.ts'
import type { UsedControl, UsedControls } from '../generated/controls.ts'
import { CONTROL_PATH } from './address.ts'
import type { JournaledExchange } from './journal/exchange.ts'
import type { Journal } from './journal/journal.ts'

/** The paths of controls whose bodies and queries contain neither secrets nor snapshots. */
const PUBLIC_CONTROLS =
  /^\/(agent|agent\/restart|clock|dns|faults|provisioning\/\w+|reset|undo|snapshots|snapshots\/restore)$/

/** The control whose body contains resource fields, whose names determine what is secret. */
const DECLARING = '/declare'

/** The controls whose results later controls refer to: the ID of a fault or session, or the name of a snapshot. */
const NAMED_RESULTS = /^\/(faults|snapshots|declare)$/

const MAX_BODY_LENGTH = 4096

/** The control that loads a snapshot, and the maximum numbers of records and characters of a state to show. */
const LOADING = '/state'
const MAX_RECORDS = 100
const MAX_STATE_LENGTH = 32_768

/** Methods that change nothing: OPTIONS is a browser's preflight. */
const READING_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** The calls that don't change anything in this gateway. */
const READING_CALLS = ['/certificates', '/gateways', '/policy/check']
/**
 * The calls that are not added. After the first two, earlier controls don't matter. A fix makes other calls, and those are added instead.
 */
const UNLISTED_CALLS = ['POST /reset', 'DELETE /requests', 'POST /troubles/fix']

/** A call to a control: its path under `/_fauxgate`, its query, and its unread body. */
export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
}

/** A control that was used: its path under `/_fauxgate`, and where HTTP requests send its input. */
export interface CalledControl extends Pick<ControlRequest, 'method' | 'path'> {
  readonly from: 'body' | 'query' | 'nothing'
}

/** Returns whether a control may change something. */
export function isChange({ method, path }: Pick<ControlRequest, 'method' | 'path'>): boolean {
  return !READING_METHODS.includes(method) && !READING_CALLS.includes(path)
}

/** Returns why a control's body and query are omitted, or undefined if they aren't omitted or don't exist. */
function findHidden({ path, query, body }: ControlRequest): UsedControl['hidden'] {
  if (body === '' && query === '') return undefined
  if (!PUBLIC_CONTROLS.test(path)) return 'secrets'
  if (typeof body !== 'string') return 'function'
  return body.length > MAX_BODY_LENGTH ? 'length' : undefined
}

/** Returns the public part of a control: its path with the query, and its body, if both are public. */
export function describeControl(request: ControlRequest) {
  const { path, query, body } = request
  const hidden = findHidden(request)
  if (hidden) return { path, hidden }
  return {
    path: query === '' ? path : `${path}?${query}`,
    // The call has accepted the body, so the body is an object.
    ...(typeof body === 'string' && body !== '' && { body: JSON.parse(body) as Record<string, unknown> }),
  }
}

/**
 * Returns an input's JSON, truncated if it is too long. Returns undefined for an input with a function, which only calls in the same
 * process can pass.
 */
function toJson(input: unknown): string | undefined {
  if (Object.values(Object(input)).some((value) => typeof value === 'function')) return undefined
  return JSON.stringify(input).slice(0, MAX_BODY_LENGTH + 1)
}

function toQuery(input: Readonly<Record<string, unknown>>): string {
  const sent = Object.entries(input).filter(([, value]) => value !== undefined)
  return String(new URLSearchParams(sent.map(([name, value]) => [name, String(value)])))
}

interface ControlLogOptions extends Pick<UsedControls, 'options' | 'own'> {
  readonly journal: Journal
  /** The maximum number of controls in the log. */
  readonly size: number
  readonly secretNames: SecretNames
  /**
   * Saves the current state, and returns a function that creates its snapshot, without secrets. Returns undefined if there are too many
   * records.
   */
  captureState(most: number): (() => Record<string, unknown>) | undefined
}

/** The state at the start of a list of controls. */
interface Beginning {
  /** The sequence number of the next ID. */
  readonly sequence: number
  /** The `initial` option, if it created the state, and the seed of its IDs, if known. */
  readonly initial?: object | undefined
  readonly seed?: string | null
}

/** The most recently used controls, and the inspector's writes, which the journal omits. */
export class ControlLog {
  readonly #options: ControlLogOptions
  readonly #all = new Queue<() => UsedControl>()
  #dropped = 0
  #others = 0
  #agent = 0
  /** True if there was already a state before the first control. */
  #isLater = false
  #initial: { readonly initial: object; readonly seed?: string } | undefined
  #sequence = 0
  /** Creates the state after the most recent snapshot was loaded. Everything earlier is gone. */
  #loaded: (() => Record<string, unknown>) | undefined

  constructor(options: ControlLogOptions) {
    this.#options = options
  }

  /** Starts over. If a state is given, `initial` is the option that created it, if any. */
  begin({ sequence, initial, seed = null }: Beginning): void {
    const isKnown = initial !== undefined && this.#isPublic(initial)
    this.#initial = isKnown ? { initial, ...(seed !== null && { seed }) } : undefined
    this.#sequence = sequence
    this.#loaded = undefined
    this.#all.replace([])
    this.#dropped = 0
    this.#others = 0
    this.#agent = 0
    this.#isLater = sequence > 0 && !isKnown
  }

  /** Counts a change to resources by an operation called in the gateway's own process. */
  addOther(): void {
    this.#others++
  }

  /** Counts a change by a request to the agent's API. */
  addAgentRequest(): void {
    this.#agent++
  }

  /** Returns whether the resources of the `initial` option include an ID, which a gateway with the same seed generates again. */
  isInitialId(id: string): boolean {
    return this.#initial?.seed !== undefined && wasMade(id, id.replace(/_[^_]*$/, ''), this.#sequence)
  }

  /** Adds a control call that has changed something, with its unread input, its time, and its result. */
  addControl({ method, path, from }: CalledControl, input: unknown, now: number, result: unknown): void {
    if (UNLISTED_CALLS.includes(`${method} ${path}`)) return
    if (path === LOADING) return void this.#addLoading(method, now)
    const isDeclaring = path === DECLARING
    const isBody = from === 'body'
    const body = isBody ? (isDeclaring || PUBLIC_CONTROLS.test(path)) && toJson(input) : ''
    const request = { method, path, query: isBody ? '' : toQuery(Object(input)), body }
    this.#add(now, () => {
      const { path: place, ...rest } = isDeclaring ? this.#describeDeclaration(request) : describeControl(request)
      const response = NAMED_RESULTS.test(path) && isObject(result) && { response: this.#redact(result) }
      return { method, path: CONTROL_PATH + place, ...rest, ...response }
    })
  }

  /** Records that a snapshot of up to 100 MB was loaded. The most recent snapshot is shown if it is short. */
  #addLoading(method: string, now: number): void {
    const capture = this.#options.captureState(MAX_RECORDS)
    this.#loaded = capture
    this.#add(now, () => {
      const state = this.#loaded === capture ? capture?.() : undefined
      const isShort = state && JSON.stringify(state).length <= MAX_STATE_LENGTH
      return { method, path: CONTROL_PATH + LOADING, ...(isShort ? { body: state } : { hidden: 'length' as const }) }
    })
  }

  /** Adds a write to the service that the inspector made. */
  addWrite(exchange: JournaledExchange): void {
    const { method, path, request, response } = this.#options.journal.createEntry(exchange)
    const isLong = JSON.stringify([request, response]).length > 4 * MAX_BODY_LENGTH
    const content = { ...(isObject(request) && { body: request }), response: isObject(response) ? response : {} }
    this.#add(exchange.now, () => ({ method, path, ...(isLong ? { hidden: 'length' as const } : content) }))
  }

  #describeDeclaration({ path, query, body }: ControlRequest) {
    const isShort = typeof body === 'string' && body.length <= MAX_BODY_LENGTH
    return {
      path: query === '' ? path : `${path}?${query}`,
      ...(isShort ? body !== '' && { body: this.#redact(JSON.parse(body)) } : { hidden: 'length' as const }),
    }
  }

  /** Returns whether a value can be shown in full. */
  #isPublic(value: object): boolean {
    const text = JSON.stringify(value)
    return text.length <= MAX_STATE_LENGTH && JSON.stringify(this.#redact(value)) === text
  }

  #redact<T extends object>(value: T): T {
    return redact(value, { names: this.#options.secretNames, redactor: NO_REDACTION })
  }

  /** Adds a control whose description is created only when the control is listed, which is rare. */
  #add(now: number, describe: () => Omit<UsedControl, 'at' | 'after'>): void {
    const { journal, size } = this.#options
    if (size === 0) return
    const after = journal.newestId
    this.#all.add(() => ({ ...describe(), at: timestamp(now), after }))
    if (this.#all.size <= size) return
    this.#all.drop()
    this.#dropped++
  }

  /** Returns the controls, oldest first, with counts of missing entries. */
  list() {
    const { journal, options, own } = this.#options
    return {
      later: this.#isLater,
      requests: journal.dropped,
      dropped: this.#dropped,
      others: this.#others,
      agent: this.#agent,
      options: { ...options, ...this.#initial },
      own,
      controls: this.#all.all().map((describe) => describe()),
    }
  }
}
