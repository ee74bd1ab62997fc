import type { ArmedFault, JournalEntry } from '../../core/generated/controls.ts'
import { type Action, page } from '../page.ts'
import { findReplayProblem } from './client-code.ts'

export const RUNNERS = ['vitest', 'Jest', 'node:test'] as const

export type Runner = (typeof RUNNERS)[number]

type Step = { readonly entry: JournalEntry } | { readonly action: Action }

/** Returns a test file that repeats what happened: requests of clients, calls of this page, and controls. */
export async function generateTest(runner: Runner): Promise<string> {
  const faults = await page.control<ArmedFault[]>('GET', '/faults')
  return new TestFile(runner, faults).text()
}

class TestFile {
  readonly #runner: Runner
  readonly #faults: readonly ArmedFault[]
  readonly #lines: string[] = []
  /** The expression for each value that a response contained, such as an id. The test will get other values. */
  readonly #known = new Map<string, string>()
  #time = ''
  #count = 0
  #isLenient = (page.overview?.outcomes ?? 0) + (page.overview?.faults ?? 0) > 0

  constructor(runner: Runner, faults: readonly ArmedFault[]) {
    this.#runner = runner
    this.#faults = faults
  }

  text(): string {
    const steps = this.#listSteps()
    const start = steps.map(getTime).find(Boolean) ?? new Date(page.now).toISOString()
    this.#time = start
    for (const step of steps) {
      if ('entry' in step) this.#addRequest(step.entry)
      else this.#addAction(step.action)
    }
    return [...this.#createHead(start), ...this.#lines.map((line) => `  ${line}`), '})', ''].join('\n')
  }

  /** The journal, oldest first, with the actions in their places. */
  #listSteps(): Step[] {
    const { journal, actions } = page
    const ids = new Set(journal.map(({ operationId }) => operationId))
    const of = (after: string) => actions.filter((action) => action.after === after).map((action) => ({ action }))
    const first = actions.filter(({ after }) => !ids.has(after)).map((action) => ({ action }))
    return [...first, ...journal.toReversed().flatMap((entry): Step[] => [{ entry }, ...of(entry.operationId)])]
  }

  #createHead(start: string): string[] {
    const { overview, gateway, service } = page
    const isNgrok = gateway?.dialect === 'ngrok'
    const dns = overview?.dns === 'simulated' ? ", dns: 'simulated'" : ''
    const options = `{ clock: manualClock('${start}')${dns} }`
    const load = (names: string, from: string) =>
      this.#runner === 'Jest' ? `const { ${names} } = require('${from}')` : `import { ${names} } from '${from}'`
    const create = isNgrok ? 'createNgrok' : 'createGateway'
    const strict = this.#isLenient ? ', strict: false' : ''
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
        ? `const testOf = testUsing(${create})\ntestOf.override('gatewayOptions', ${options})${this.#isLenient ? "\ntestOf.override('strict', false)" : ''}`
        : `const testOf = testWithGateway(test, { create: ${create}, gatewayOptions: () => (${options})${strict} })`,
    ]
    const headers = { authorization: 'Bearer key', ...service?.versionHeader, 'content-type': 'application/json' }
    return [
      `// What the inspector of ${gateway?.url} saw since ${start}.`,
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
      "    const isJson = response.headers.get('content-type') === 'application/json'",
      '    return { status: response.status, body: isJson && text ? JSON.parse(text) : text }',
      '  }',
      '',
    ]
  }

  #addRequest(entry: JournalEntry): void {
    const { method, path, query, request, status, response, fault, operation } = entry
    const spec = this.#faults.find(({ id }) => id === fault)
    const why =
      findReplayProblem(entry) ??
      findHeaderProblem(entry) ??
      (spec?.latency === undefined ? undefined : 'a fault delays its response')
    this.#addAdvance(entry.at)
    if (why) return void this.#lines.push(`// Left out, because ${why}: ${method} ${path}`)
    if (operation === null) this.#isLenient = true
    const args = [`'${method}'`, this.#toSource(`${path}${query && `?${query}`}`)]
    if (request !== null) args.push(this.#toSource(request))
    const call = `send(${args.join(', ')})`
    if (spec?.drop) return void this.#lines.push(this.#createRejection(call))
    const name = `response${++this.#count}`
    this.#lines.push(`const ${name} = await ${call}`, this.#createCheck(`${name}.status`, String(status)))
    if (spec?.truncate !== undefined) return
    if (status >= 400) {
      const { error_code } = Object(response)
      if (error_code) this.#lines.push(this.#createCheck(`${name}.body.error_code`, JSON.stringify(error_code)))
    } else this.#rememberTexts(response, `${name}.body`)
  }

  #addAction({ method, path, body, at, response: answer }: Action): void {
    this.#addAdvance(at)
    const source = body === undefined ? '' : this.#toSource(body)
    if (answer !== undefined) {
      const name = `response${++this.#count}`
      this.#lines.push(`const ${name} = await send('${method}', ${this.#toSource(path)}${source && `, ${source}`})`)
      this.#rememberTexts(answer, `${name}.body`)
      return
    }
    const [clock] = path === '/clock' ? Object.entries(Object(body)) : []
    if (clock) {
      const [how, value] = clock
      const call = { advance: 'advance', to: 'advanceTo', next: 'advanceToNext' }[how] ?? how
      this.#lines.push(`await gateway.clock.${call}Async(${how === 'next' ? '' : JSON.stringify(value)})`)
      // The time of the next step is the new time.
      this.#time = ''
    } else if (`${method} ${path}` === 'POST /faults') this.#lines.push(`gateway.faults.add(${source})`)
    else if (`${method} ${path}` === 'POST /reset') this.#lines.push('gateway.reset()')
    else if (body === undefined && takesBody(method, path))
      this.#lines.push(`// Left out, because its body is not known: ${method} /_fauxgate${path}`)
    else this.#lines.push(`await send('${method}', ${this.#toSource(`/_fauxgate${path}`)}${source && `, ${source}`})`)
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

  /** Remembers the texts of a response that the gateway generated. */
  #rememberTexts(value: unknown, source: string): void {
    if (typeof value === 'string' && /[\w.]{12,}/.test(value) && !this.#known.has(value)) this.#known.set(value, source)
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (/^(id|cname_target|addr|certificate|domain)$/.test(name)) this.#rememberTexts(inner, `${source}.${name}`)
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
    const found = [...this.#known].filter(
      ([text, source]) => value.includes(text) && /\.(id|cname_target|addr)$/.test(source),
    )
    if (found.length === 0) return JSON.stringify(value)
    let text = value.replace(/[\\`$]/g, '\\$&')
    for (const [each, source] of found) text = text.replaceAll(each, `\${${source}}`)
    return `\`${text}\``
  }
}

/** Returns the reason why the headers of the test would change the response to a request; undefined if they would not. */
function findHeaderProblem({ status, requestHeaders, fault }: JournalEntry): string | undefined {
  if (status < 400 || fault !== null) return undefined
  if (status === 401) return 'the journal does not have its API key'
  const all = Object.entries({ authorization: '[redacted]', ...page.service?.versionHeader })
  const [wrong] = all.find(([name, text]) => requestHeaders[name.toLowerCase()] !== text) ?? []
  return wrong && `its header ${wrong} is missing or has another value`
}

/** Returns whether a control takes a body. The server tells the bodies of few controls: others may have secrets. */
function takesBody(method: string, path: string): boolean {
  const all = page.controls?.operations ?? []
  return all.some((each) => each.method === method && each.path === `/_fauxgate${path}` && each.body)
}

function toKeySource(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
}

function getTime(step: Step): string {
  return 'entry' in step ? step.entry.at : step.action.at
}
