import type { FaultSpec, JournalEntry, UsedControl, UsedControls } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { formatCounted } from '../shared/format.ts'
import { findReplayProblem } from './client-code.ts'

export const RUNNERS = ['vitest', 'Jest', 'node:test'] as const

export type Runner = (typeof RUNNERS)[number]

type Step = JournalEntry | UsedControl

/** Returns a test file that repeats what the server knows: requests of clients, writes of the inspector, and controls. */
export async function generateTest(runner: Runner): Promise<string> {
  const used = await page.control<UsedControls>('GET', '/controls')
  return new TestFile(runner, used, await page.control('GET', '/requests')).text()
}

/** Matches the ids that a gateway makes. */
const ID = /\b[a-z][a-z0-9]*_[0-9A-Za-z]{27}\b/g

/** The fields of responses whose values later requests use. */
const USED_FIELD = /^(id|\w+_id|cname_target|addr)$/

class TestFile {
  readonly #runner: Runner
  readonly #used: UsedControls
  readonly #steps: readonly Step[]
  readonly #lines: string[] = []
  /** The expression for each value that a response contained, such as an id. The test will get other values. */
  readonly #known = new Map<string, string>()
  /** The faults that the test adds, by their ids. */
  readonly #faults = new Map<string, FaultSpec>()
  /** The variables with the states that an undo returns to, by the steps before which they are remembered. */
  readonly #remembered = new Map<Step, string>()
  #undo = ''
  #time = ''
  #count = 0
  /** True if the state of the test may be another one. Its errors are then not those of the journal. */
  #isPartial: boolean

  constructor(runner: Runner, used: UsedControls, journal: readonly JournalEntry[]) {
    this.#runner = runner
    this.#used = used
    this.#isPartial = used.later || used.requests + used.dropped > 0
    const ids = new Set(journal.map(({ operationId }) => operationId))
    const of = (id: string) => used.controls.filter(({ after }) => after === id)
    this.#steps = [
      ...used.controls.filter(({ after }) => !ids.has(after)),
      ...journal.flatMap((entry): Step[] => [entry, ...of(entry.operationId)]),
    ]
    let last: Step | undefined
    for (const step of this.#steps) {
      const isUndo = step.path === '/_fauxgate/undo'
      if (isUndo && step.method === 'PUT') last = step
      else if (isUndo && last) this.#remembered.set(last, `state${this.#remembered.size + 1}`)
      else if ('body' in step && step.body?.remember) last = step
    }
  }

  text(): string {
    const start = this.#steps[0]?.at ?? new Date(page.now).toISOString()
    this.#time = start
    for (const step of this.#steps) {
      this.#addAdvance(step.at)
      if ('operationId' in step) this.#addRequest(step)
      else this.#addControl(step)
    }
    return [...this.#createHead(start), ...this.#lines.map((line) => `  ${line}`), '})', ''].join('\n')
  }

  /** Says what happened before the first step that the server knows. */
  #listMissing(): string[] {
    const { later, requests, dropped } = this.#used
    return [
      ...(later ? ['what was there before the journal began, such as resources of an earlier start'] : []),
      ...(requests > 0 ? [`${formatCounted(requests, 'earlier request')} that the journal has dropped`] : []),
      ...(dropped > 0 ? [`${formatCounted(dropped, 'earlier control')}`] : []),
    ].map((what) => `// Left out: ${what}.`)
  }

  #createHead(start: string): string[] {
    const { overview, gateway } = page
    const isNgrok = gateway?.dialect === 'ngrok'
    const dns = overview?.dns === 'simulated' ? ", dns: 'simulated'" : ''
    const options = `{ clock: manualClock('${start}')${dns} }`
    const load = (names: string, from: string) =>
      this.#runner === 'Jest' ? `const { ${names} } = require('${from}')` : `import { ${names} } from '${from}'`
    const create = isNgrok ? 'createNgrok' : 'createGateway'
    const isVitest = this.#runner === 'vitest'
    const own = [
      ...(this.#runner === 'node:test' ? [load('test', 'node:test'), "import assert from 'node:assert/strict'"] : []),
      load(isNgrok ? 'manualClock' : 'createGateway, manualClock', 'fauxgate'),
      ...(isNgrok ? [load(create, 'fauxgate/ngrok')] : []),
      ...(isVitest
        ? [load('testUsing', 'fauxgate/vitest'), load('expect', 'vitest')]
        : [load('testWithGateway', 'fauxgate/testing')]),
      '',
      isVitest
        ? `const testOf = testUsing(${create})\ntestOf.override('gatewayOptions', ${options})\ntestOf.override('strict', false)`
        : `const testOf = testWithGateway(test, { create: ${create}, gatewayOptions: () => (${options}), strict: false })`,
    ]
    const headers = { authorization: 'Bearer key', ...page.versionHeader, 'content-type': 'application/json' }
    return [
      `// What the inspector of ${gateway?.url} saw since ${start}.`,
      ...this.#listMissing(),
      ...own,
      '',
      `const headers = ${JSON.stringify(headers)}`,
      '',
      `testOf('what happened from ${start} on', async ({ gateway }) => {`,
      '  const send = async (method, path, body) => {',
      '    const json = body === undefined ? {} : { body: JSON.stringify(body) }',
      // Controls accept requests from this machine only.
      "    const base = path.startsWith('/_fauxgate/') ? 'http://localhost' : gateway.url",
      '    const response = await gateway.fetch(base + path, { method, headers, ...json })',
      '    const text = await response.text()',
      '    try {',
      '      return { status: response.status, body: JSON.parse(text) }',
      '    } catch {',
      '      return { status: response.status, body: text }',
      '    }',
      '  }',
      '',
    ]
  }

  #addRequest(entry: JournalEntry): void {
    const { method, path, query, request, status, response, fault, commit } = entry
    const why = this.#findProblem(entry)
    if (why) return void this.#leaveOut(why, `${method} ${path}`, commit !== null)
    const { drop, truncate, ending } = this.#faults.get(fault ?? '') ?? {}
    const args = [`'${method}'`, this.#toSource(`${path}${query && `?${query}`}`)]
    if (request !== null) args.push(this.#toSource(request))
    const call = `send(${args.join(', ')})`
    if (drop || ending === 'break') return void this.#lines.push(this.#createRejection(call))
    const name = `response${++this.#count}`
    this.#lines.push(`const ${name} = await ${call}`, this.#createCheck(`${name}.status`, String(status)))
    if (truncate !== undefined) return
    if (status >= 400) {
      const { error_code } = Object(response)
      if (error_code) this.#lines.push(this.#createCheck(`${name}.body.error_code`, JSON.stringify(error_code)))
    } else this.#rememberValues(response, `${name}.body`)
  }

  /** Returns the reason why the test would not get the response to a request; undefined if it would. */
  #findProblem(entry: JournalEntry): string | undefined {
    const { path, query, request, status, operation, fault } = entry
    if (fault !== null && !this.#faults.has(fault)) return `the fault ${fault} was not added over HTTP, or is left out`
    const why = findReplayProblem(entry) ?? findHeaderProblem(entry)
    if (why || status >= 400) {
      const isUncertain = this.#isPartial && operation !== null && fault === null
      return why ?? (isUncertain ? 'its error may come from what is left out' : undefined)
    }
    return this.#findUnknown([path, query, request])
  }

  #findUnknown(value: unknown): string | undefined {
    const unknown = JSON.stringify(value)
      .match(ID)
      ?.find((id) => !this.#known.has(id))
    return unknown && `${unknown} is not from this test`
  }

  #leaveOut(why: string, what: string, isChange = true): void {
    this.#lines.push(`// Left out, because ${why}: ${what}`)
    this.#isPartial ||= isChange
  }

  #addControl(step: UsedControl): void {
    const { method, path } = step
    const what = `${method} ${path}`
    const state = this.#remembered.get(step)
    const isMemory = what === 'PUT /_fauxgate/undo'
    if (state) this.#lines.push(`const ${state} = gateway.snapshot()`)
    if (isMemory || step.body?.remember) this.#undo = state ?? ''
    if (isMemory) return
    if (what === 'POST /_fauxgate/undo' && this.#undo) this.#restore(`gateway.restore(${this.#undo})`)
    else this.#repeatControl(what, step)
  }

  #repeatControl(what: string, { method, path, body: sent, hidden, response }: UsedControl): void {
    const { remember: _, ...rest } = sent ?? {}
    const body = sent && rest
    const text = JSON.stringify([path, body])
    const why =
      (hidden && 'its body may have secrets, or is too long') ||
      (text.includes('[redacted]') && 'a secret in it is hidden') ||
      (what === 'POST /_fauxgate/undo' && 'the state that it returned to is not known') ||
      this.#findUnknown([path, body])
    if (why) return void this.#leaveOut(why, what)
    const source = body === undefined ? '' : `, ${this.#toSource(body)}`
    const call = `await send('${method}', ${this.#toSource(path)}${source})`
    const [clock] = what === 'POST /_fauxgate/clock' ? Object.entries(Object(body)) : []
    if (clock) this.#addMove(...clock)
    else if (what === 'POST /_fauxgate/faults') this.#addFault(Object(body), Object(response).id)
    else if (what === 'POST /_fauxgate/snapshots/restore') this.#restore(call)
    else if (path.startsWith('/_fauxgate/')) this.#lines.push(call)
    else {
      const name = `response${++this.#count}`
      this.#lines.push(`const ${name} = ${call}`)
      this.#rememberValues(response, `${name}.body`)
    }
  }

  /** Adds a fault without its delay: no test waits. A fault that only delays responses is left out. */
  #addFault({ latency, ending, ...rest }: FaultSpec, id: string): void {
    const { operation: _, method, path, resource, times, after, phase, ...effects } = rest
    if (latency !== undefined) this.#lines.push(`// The delay of its responses is left out: ${id}`)
    // A response that stalls has no end.
    const spec = { ...rest, ...(ending && { ending: ending === 'stall' ? ('break' as const) : ending }) }
    this.#faults.set(id, spec)
    if (latency !== undefined && Object.keys(effects).length === 0) return
    const name = `fault${this.#faults.size}`
    this.#known.set(id, `${name}.id`)
    this.#lines.push(`const ${name} = gateway.faults.add(${this.#toSource(spec)})`)
  }

  #addMove(how: string, value: unknown): void {
    const call = { advance: 'advance', to: 'advanceTo', next: 'advanceToNext' }[how] ?? how
    this.#lines.push(`await gateway.clock.${call}Async(${how === 'next' ? '' : JSON.stringify(value)})`)
    // The time of the next step is the new time.
    this.#time = ''
  }

  #restore(call: string): void {
    this.#lines.push(call)
    this.#time = ''
  }

  /** Advances the clock to the time of the next step, unless an earlier step did. */
  #addAdvance(at: string): void {
    if (this.#time !== '' && at > this.#time) this.#lines.push(`await gateway.clock.advanceToAsync('${at}')`)
    if (at > this.#time) this.#time = at
  }

  #createCheck(actual: string, expected: string): string {
    return this.#runner === 'node:test' ? `assert.equal(${actual}, ${expected})` : `expect(${actual}).toBe(${expected})`
  }

  #createRejection(call: string): string {
    return this.#runner === 'node:test' ? `await assert.rejects(${call})` : `await expect(${call}).rejects.toThrow()`
  }

  /** Remembers the values of a response that later requests use, such as ids. */
  #rememberValues(value: unknown, source: string): void {
    for (const [name, inner] of Object.entries(Object(value))) {
      const place = Array.isArray(value) ? `${source}[${name}]` : `${source}.${name}`
      if (typeof inner !== 'string') this.#rememberValues(inner, place)
      else if (USED_FIELD.test(name) && inner.length >= 12) this.#known.set(inner, place)
    }
  }

  /** Returns a value as source. Values from earlier responses become expressions. */
  #toSource(value: unknown): string {
    if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value)
      const inner = Object.entries(value).map(
        ([name, each]) => `${isList ? '' : `${toKeySource(name)}: `}${this.#toSource(each)}`,
      )
      return isList ? `[${inner.join(', ')}]` : `{ ${inner.join(', ')} }`
    }
    if (typeof value !== 'string') return JSON.stringify(value)
    const found = [...this.#known].filter(([text]) => value.includes(text))
    if (found.length === 0) return JSON.stringify(value)
    let text = value.replace(/[\\`$]/g, '\\$&')
    for (const [each, source] of found) text = text.replaceAll(each, `\${${source}}`)
    return `\`${text}\``
  }
}

/** Returns the reason why the request of the test would have another response; undefined if it would not. */
function findHeaderProblem({ method, path, status, request, requestHeaders, fault }: JournalEntry): string | undefined {
  if (method === 'OPTIONS') return 'it is the preflight of a browser'
  if (new URL(path, 'http://localhost').pathname !== path) return 'fetch would change its path'
  if (status < 400 || fault !== null) return undefined
  if (status === 401) return 'the journal does not have its API key'
  if (status === 429 || status >= 500) return 'the test has neither the rate limit nor the failures of the server'
  const all = Object.entries({ authorization: '[redacted]', ...page.versionHeader })
  const [wrong] = all.find(([name, text]) => requestHeaders[name.toLowerCase()] !== text) ?? []
  const isJson = request === null || /^application\/json\b/.test(requestHeaders['content-type'] ?? '')
  const name = wrong ?? (isJson ? undefined : 'content-type')
  return name && `its header ${name} is missing or has another value`
}

function toKeySource(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
}
