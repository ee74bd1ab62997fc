import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { FaultSpec, JournalEntry, UsedControl } from '../../generated/controls.ts'
import { toDirectCall } from './controls.ts'
import { findChanges } from './facts.ts'
import { writeTestFile } from './head.ts'
import { describeHidden, findHeaderProblem, findReplayProblem, type History, listMissing } from './history.ts'
import {
  Call,
  type Checks,
  checksOf,
  createSend,
  escapeInvisible,
  INDENT,
  type Runner,
  SourceWriter,
  toPlace,
  WIDTH,
} from './source.ts'
import { findUndos, type Step, type Undos } from './undos.ts'
import { TestValues } from './values.ts'

/** Returns a test file that repeats everything that the server recorded: client requests, inspector writes, and controls. */
export function writeTest(runner: Runner, history: History): string {
  return new TestFile(runner, history).text()
}

/** Controls for visitors and the agent's behavior, which do not change resources. */
const OF_VISITORS = /^\/_fauxgate\/(traffic(\/upstreams)?|agent)$/

/** The reasons why a control is listed without its body. */
const HIDDEN = {
  secrets: 'its body may contain secrets',
  function: 'it contains a function',
  length: 'it is too long',
}

/** Controls that move the clock. */
const MOVES = /^\/_fauxgate\/(clock|provisioning\/(renew|expire)|snapshots\/restore|undo)$/

class TestFile {
  readonly #runner: Runner
  readonly #checks: Checks
  readonly #history: History
  readonly #steps: readonly Step[]
  readonly #source = new SourceWriter()
  readonly #missing: string[]
  readonly #undos: Undos
  /** The lines of each step. */
  #blocks: string[][] = []
  #lines: string[] = []
  readonly #values: TestValues
  /** The faults that the test adds, by ID. A fault that only delays responses has no effects. */
  readonly #faults = new Map<string, FaultSpec | undefined>()
  /** The names of the snapshots that the test takes. */
  readonly #snapshots = new Set<unknown>()
  /** For each resource, by ID, the newest response that shows only that resource. */
  readonly #seen = new Map<string, object>()
  #isAfterControl = false
  /** The variables of {@link Undos.remembered} that the test has so far. */
  readonly #states = new Set<string>()
  #start = ''
  #time = ''
  #responses = 0
  #leftOut = 0
  /** True if the test's state may differ from the server's. The test's errors then differ from those in the journal. */
  #isPartial: boolean

  constructor(runner: Runner, history: History) {
    const { used, journal } = history
    this.#runner = runner
    this.#checks = checksOf(runner)
    this.#history = history
    this.#values = new TestValues(this.#source, history)
    this.#missing = listMissing(history)
    this.#isPartial = used.later || used.dropped > 0 || this.#lacksCalls
    const ids = new Set(journal.map(({ operationId }) => operationId))
    const of = (id: string) => used.controls.filter(({ after }) => after === id)
    this.#steps = [
      ...used.controls.filter(({ after }) => !ids.has(after)),
      ...journal.flatMap((entry): Step[] => [entry, ...of(entry.operationId)]),
    ]
    this.#undos = findUndos(this.#steps)
  }

  text(): string {
    for (const step of this.#steps) {
      this.#lines = []
      this.#addAdvance(step.at)
      const isRequest = 'operationId' in step
      if (isRequest) this.#addRequest(step)
      else this.#addControl(step)
      if (this.#lines.length === 0) continue
      // The controls between two requests form one block.
      if (isRequest || !this.#isAfterControl) this.#blocks.push(this.#lines)
      else this.#blocks.at(-1)?.push(...this.#lines)
      this.#isAfterControl = !isRequest
    }
    const body = this.#blocks.map((lines) => lines.map((line) => `${INDENT}${line}\n`).join('')).join('\n')
    const names = new Map<string, number>()
    for (const [name] of body.matchAll(/\b(body|fault)\d+\b/g)) names.set(name, (names.get(name) ?? 0) + 1)
    const isUsed = (name: string) => (names.get(name) ?? 0) > 1
    const used = body
      .replace(/^ {2}const (body\d+) = .*\n/gm, (line, name) => (isUsed(name) ? line : ''))
      .replace(/^ {2}const (fault\d+) = /gm, (line, name) => (isUsed(name) ? line : INDENT))
    const left = this.#leftOut > 0 ? [`${formatCount(this.#leftOut, 'step')}, marked below with the reason`] : []
    const start = this.#start || this.#history.now
    return writeTestFile(this.#runner, this.#history, { start, missing: [...this.#missing, ...left], body: used })
  }

  #addRequest(entry: JournalEntry): void {
    const { method, path, query, request, status, response, fault, commit } = entry
    const why = this.#findProblem(entry)
    if (why) return void this.#leaveOut(why, `${method} ${path}`, commit !== null)
    this.#values.rememberSent(request)
    const { drop, truncate, ending } = this.#faults.get(fault ?? '') ?? {}
    const call = createSend('send', method, `${path}${query && `?${query}`}`, request ?? undefined)
    if (drop) return void this.#lines.push(this.#checks.rejects(this.#source.write(call, WIDTH - 40, INDENT)))
    const number = ++this.#responses
    this.#addVariable(`response${number}`, call)
    this.#lines.push(this.#checks.equal(`response${number}.status`, String(status)))
    if (ending === 'break') return void this.#lines.push(this.#checks.rejects(`response${number}.text()`))
    const hasBody = typeof response === 'object' && response !== null && method !== 'HEAD'
    if (truncate === undefined && hasBody) this.#addBody(number, entry)
  }

  /** Adds a response's body, assertions about it, and its values for later requests. */
  #addBody(number: number, { status, response, fault }: Pick<JournalEntry, 'status' | 'response' | 'fault'>): void {
    const body = `body${number}`
    // `json()` returns unknown in projects without DOM types.
    this.#lines.push(`const ${body} = JSON.parse(await response${number}.text())`)
    const { error_code } = Object(response)
    if (status >= 400 && error_code)
      this.#lines.push(this.#checks.equal(`${body}.error_code`, this.#source.write(error_code)))
    if (status >= 400) return
    this.#values.rememberMade(response, body, this.#isPartial)
    if (fault === null) this.#addFacts(Object(response), body)
  }

  /** Adds assertions about the number of items on a page, and about changes to a resource since its last response. */
  #addFacts(response: Readonly<Record<string, unknown>>, body: string): void {
    const { id } = response
    const before = typeof id === 'string' && (this.#seen.get(id) ?? this.#values.findBeginning(id, response))
    if (typeof id === 'string') this.#seen.set(id, response)
    if (this.#isPartial) return
    for (const [name, value] of Object.entries(response))
      if ('next_page_uri' in response && Array.isArray(value))
        this.#lines.push(this.#checks.hasLength(toPlace(body, name), value.length))
    if (!before) return
    for (const { place, value } of findChanges(before, response, (text) => this.#values.isSent(text)))
      this.#lines.push(this.#createCheck(place.reduce(toPlace, body), value))
  }

  #createCheck(place: string, value: unknown): string {
    if (value === null) return this.#checks.isNull(place)
    if (value === undefined) return this.#checks.equal(place, 'undefined')
    if (Array.isArray(value)) return this.#checks.hasLength(place, value.length)
    return typeof value === 'object'
      ? this.#checks.isNotNull(place)
      : this.#checks.equal(place, this.#source.write(value))
  }

  #addVariable(name: string, call: Call): void {
    this.#add(`const ${name} = await `, call)
  }

  #add(before: string, value: unknown): void {
    this.#lines.push(this.#source.writeLine(before, value, INDENT))
  }

  /** Returns why the test would not receive a request's response, or undefined if it would. */
  #findProblem(entry: JournalEntry): string | undefined {
    const { path, query, request, status, operation, fault } = entry
    const { own, options } = this.#history.used
    if (operation !== null && own.includes(operation)) return 'its family is one of your own'
    if (fault !== null && !this.#faults.has(fault)) return `the fault ${fault} is left out`
    const why = findReplayProblem(entry) ?? findHeaderProblem(entry, this.#history.versionHeader)
    if (why) return why
    if (fault === null && status === 429 && !('rateLimit' in options && this.#leftOut === 0 && !this.#isPartial))
      return 'the test may not reach the rate limit'
    if (status >= 400 && this.#isPartial && operation !== null && fault === null)
      return 'something left out may have caused its error'
    if (status >= 400) return undefined
    return (
      this.#values.findUnknown([path, query, request]) ??
      (this.#isPartial ? this.#values.findMissingHost(request) : undefined)
    )
  }

  /** True if something that happened at an unknown time is missing. */
  get #lacksCalls(): boolean {
    const { requests, others, agent } = this.#history.used
    return requests + others + agent > 0
  }

  #leaveOut(why: string, what: string, isChange = true): void {
    this.#lines.push(escapeInvisible(`// Left out, because ${why}: ${what}`))
    this.#leftOut++
    this.#isPartial ||= isChange
  }

  /** Drops all steps so far, because the test can't create the state that follows them. */
  #startAgain(what: string, at: string): void {
    this.#missing.push(`what happened until ${at}, when ${what}`)
    this.#blocks = []
    this.#lines = []
    this.#isAfterControl = false
    this.#source.known.clear()
    for (const all of [this.#faults, this.#snapshots, this.#seen, this.#states]) all.clear()
    this.#start = ''
    this.#time = ''
    this.#responses = 0
    this.#leftOut = 0
    this.#isPartial = true
  }

  /** Loads a snapshot, which makes earlier steps irrelevant, or starts after a hidden snapshot. */
  #loadSnapshot(snapshot: UsedControl['body'], at: string): void {
    const seen = [...this.#seen]
    if (!snapshot || this.#blocks.length > 0) this.#startAgain('a snapshot was loaded', at)
    if (!snapshot) return
    for (const [id, response] of seen) this.#seen.set(id, response)
    this.#isPartial = this.#lacksCalls
    this.#start = at
    this.#values.rememberLoaded(snapshot)
    this.#add('', new Call('gateway.restore', [snapshot]))
    this.#time = timestamp(Number(snapshot.now))
  }

  #addControl(step: UsedControl): void {
    const { method, path, body, at } = step
    const what = `${method} ${path}`
    const state = this.#undos.remembered.get(step)
    if (what === 'PUT /_fauxgate/state') return void this.#loadSnapshot(body, at)
    if (what === 'POST /_fauxgate/snapshots/restore' && !this.#snapshots.has(body?.name))
      return void this.#startAgain('an earlier snapshot was restored', at)
    if (state) {
      this.#lines.push(`const ${state} = gateway.snapshot()`)
      this.#states.add(state)
    }
    if (what === 'PUT /_fauxgate/undo') return
    const undone = this.#undos.undone.get(step) ?? ''
    if (what !== 'POST /_fauxgate/undo') this.#repeatControl(what, step)
    else if (this.#states.has(undone)) this.#lines.push(`gateway.restore(${undone})`)
    else this.#startAgain('the page went back to an earlier state', at)
    // The time of the next step is the new time.
    if (MOVES.test(path)) this.#time = ''
  }

  #repeatControl(what: string, { method, path, body: sent, hidden, response }: UsedControl): void {
    const { remember: _, ...rest } = sent ?? {}
    const body = sent && rest
    const text = JSON.stringify([path, body])
    const why =
      (hidden && HIDDEN[hidden]) ||
      (text.includes('[redacted]') && describeHidden(text)) ||
      (this.#history.used.own.includes(String(body?.operation)) && 'its family is one of your own') ||
      this.#values.findUnknown([path, body])
    const address = path.replace('/_fauxgate', '')
    const query = new URLSearchParams(path.split('?')[1])
    if (what.startsWith('DELETE /_fauxgate/faults?') && this.#isDelay(query.get('id'))) return
    if (why) return void this.#leaveOut(why, what, !OF_VISITORS.test(path))
    this.#values.rememberSent(body)
    if (what === 'POST /_fauxgate/faults') return void this.#addFault(Object(body), Object(response).id)
    if (what === 'POST /_fauxgate/snapshots') this.#snapshots.add(Object(response).name)
    const direct = toDirectCall(what.replace('/_fauxgate', ''), body)
    if (direct) return void this.#add(direct.callee.includes('Async') ? 'await ' : '', direct)
    if (path !== address) return void this.#add('await ', createSend('control', method, address, body))
    const number = ++this.#responses
    this.#addVariable(`response${number}`, createSend('send', method, path, body))
    this.#lines.push(this.#checks.equal(`response${number}.ok`, 'true'))
    this.#addBody(number, { status: 200, response, fault: null })
  }

  #isDelay(id: string | null): boolean {
    return id !== null && this.#faults.has(id) && !this.#source.known.has(id)
  }

  /** Adds a fault without its delay, because tests don't wait. A fault that only delays responses is omitted. */
  #addFault({ latency, ending, ...rest }: FaultSpec, id: string): void {
    const { operation: _, method, path, resource, times, after, phase, ...effects } = rest
    if (latency !== undefined) this.#lines.push(`// The delay of its responses is left out: ${id}`)
    // A stalled response never ends in a test.
    const spec = { ...rest, ...(ending && { ending: ending === 'stall' ? ('break' as const) : ending }) }
    this.#faults.set(id, spec)
    if (latency !== undefined && Object.keys(effects).length === 0) return
    const name = `fault${this.#faults.size}`
    this.#add(`const ${name} = `, new Call('gateway.faults.add', [spec]))
    this.#source.known.set(id, `${name}.id`)
  }

  /** Advances the clock to the time of the next step, unless an earlier step did. */
  #addAdvance(at: string): void {
    this.#start ||= at
    if (this.#time !== '' && at > this.#time) this.#lines.push(`await gateway.clock.advanceToAsync('${at}')`)
    if (at > this.#time) this.#time = at
  }
}
