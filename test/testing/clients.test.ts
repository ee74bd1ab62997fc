import { readFileSync } from 'node:fs'
import nodeHttp from 'node:http'
import axios from 'axios'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { handlers } from '../../src/testing/msw.ts'
import { testWithGateway } from '../../src/testing/testing.ts'
import { got, undiciRequest } from '../../tools/http-clients.ts'
import { CLOCK_START } from '../support/clock.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2' }

/** A response as every client shows it. */
interface Received {
  readonly status: number
  readonly retryAfter: unknown
  readonly body: string
}

type Call = (url: string, signal: AbortSignal, passedFetch?: typeof fetch) => Promise<Received>

/** The clients, in the order of the columns. Where requests do not leave the process by `node:http`, axios uses its adapter for fetch. */
const CLIENTS: Readonly<Record<string, Call>> = {
  '`fetch`': async (url, signal, send = fetch) => {
    const response = await send(url, { headers, signal })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() }
  },
  axios: async (url, signal, passedFetch) => {
    const usual = { headers, signal, validateStatus: null, transformResponse: [], proxy: false as const }
    const byFetch = passedFetch && { adapter: 'fetch' as const, env: { fetch: passedFetch } }
    const response = await axios.get(url, { ...usual, ...byFetch })
    return { status: response.status, retryAfter: response.headers['retry-after'], body: response.data }
  },
  got: async (url, signal) => {
    const {
      statusCode,
      headers: received,
      body,
    } = await got(url, {
      ...{ headers, signal, throwHttpErrors: false },
      retry: { limit: 0 },
    })
    return { status: statusCode, retryAfter: received['retry-after'], body }
  },
  '`node:http`': (url, signal) =>
    new Promise((resolve, reject) => {
      const request = nodeHttp.get(url, { headers, signal, agent: false }, (response) => {
        const finish = async () => {
          const body = Buffer.concat(await response.toArray()).toString()
          resolve({ status: Number(response.statusCode), retryAfter: response.headers['retry-after'], body })
        }
        finish().catch(reject)
      })
      request.on('error', reject)
    }),
  undici: async (url, signal) => {
    const { statusCode, headers: received, body } = await undiciRequest(url, { headers, signal })
    return { status: statusCode, retryAfter: received['retry-after'], body: await body.text() }
  },
}

interface EntryPoint {
  readonly clients: readonly string[]
  readonly passedFetch?: typeof fetch
  end(): unknown
}

const OF_FETCH = ['`fetch`', 'axios']

/** The ways to connect, each with the clients that can use it. */
const ENTRY_POINTS: Readonly<Record<string, (gateway: Gateway) => EntryPoint | Promise<EntryPoint>>> = {
  '`gateway.fetch`': (gateway) => ({ clients: OF_FETCH, passedFetch: gateway.fetch, end: () => undefined }),
  '`install()`': (gateway) => {
    const { uninstall } = gateway.install({ others: 'refuse' })
    return { clients: OF_FETCH, passedFetch: (...call) => fetch(...call), end: uninstall }
  },
  '`fauxgate/msw`': (gateway) => {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledRequest: 'error' })
    return { clients: ['`fetch`', 'axios', 'got', '`node:http`'], end: () => server.close() }
  },
  '`serve`': async (gateway) => {
    const server = await serve(gateway, { port: 0 })
    return { clients: Object.keys(CLIENTS), end: server.close }
  },
}

type FaultOfClients = Parameters<Gateway['faults']['add']>[0]

/** The faults, in the order of the rows, by name on the page. */
const FAULTS: Readonly<Record<string, FaultOfClients>> = {
  '`status`, `retryAfter`': { status: 503, retryAfter: '2s' },
  '`error`': { error: 'too_many_requests' },
  '`body`': { status: 502, body: '<h1>Bad gateway</h1>' },
  '`latency`': { latency: '1s' },
  '`truncate`': { truncate: 9 },
  '`drop`': { drop: true },
  "`drop`, `phase: 'after'`": { drop: true, phase: 'after' },
  "`truncate`, `ending: 'break'`": { truncate: 9, ending: 'break' },
  "`truncate`, `ending: 'stall'`": { truncate: 9, ending: 'stall' },
}

const WHOLE = '{"reserved_addrs":[],'

/** Describes a response, as the page does. */
function describeResponse({ status, retryAfter, body }: Received): string {
  if (body.includes('serve the gateway')) return `${status} (the message names \`serve\`)`
  if (status === 200) return body.startsWith(WHOLE) ? 'the usual response' : 'the beginning'
  return retryAfter ? `${status}, Retry-After: ${retryAfter}` : String(status)
}

/** Returns the code of an error, or of its cause. */
function codeOf(error: unknown): string {
  const { code, cause } = Object(error)
  return `\`${typeof code === 'string' ? code : Object(cause).code}\``
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const end of ends.splice(0)) await end()
})

/** Returns what a client sees of the fault. */
async function observe(call: Call, gateway: Gateway<ManualClock>, passedFetch?: typeof fetch): Promise<string> {
  const leaving = new AbortController()
  let isSettled = false
  const seen = call(`${gateway.url}/reserved_addrs`, leaving.signal, passedFetch)
    .then(describeResponse, codeOf)
    .finally(() => {
      isSettled = true
    })
  await vi.waitUntil(() => isSettled || gateway.requests.count() > 0, { interval: 1, timeout: 30_000 })
  const [fault] = gateway.faults.all()
  if (fault?.latency) {
    expect(isSettled).toBe(false)
    gateway.clock.advance('1s')
    return `${await seen}, later`
  }
  if (fault?.ending !== 'stall') return seen
  for (let turn = 0; turn < 100 && !isSettled; turn++) await new Promise(setImmediate)
  const isWaiting = !isSettled
  leaving.abort()
  const text = await seen
  return isWaiting && !text.includes('serve') ? 'waits' : text
}

/** Returns the cells of a fault: for each client what it sees, and the ways to connect if they differ. */
async function observeAll(fault: FaultOfClients): Promise<Record<string, string>> {
  const ways = new Map<string, Map<string, string[]>>()
  for (const [name, connect] of Object.entries(ENTRY_POINTS)) {
    const clock = manualClock(CLOCK_START)
    const gateway = createGateway(name === '`serve`' ? { clock } : { clock, baseUrl: 'http://gateway.test' })
    const entryPoint = await connect(gateway)
    ends.push(entryPoint.end)
    for (const client of entryPoint.clients) {
      gateway.faults.clear()
      gateway.requests.clear()
      gateway.faults.add(fault)
      const text = await observe(CLIENTS[client] as Call, gateway, entryPoint.passedFetch)
      const ofClient = ways.get(client) ?? new Map<string, string[]>()
      ways.set(client, ofClient.set(text, [...(ofClient.get(text) ?? []), name]))
    }
    await ends.pop()?.()
  }
  const cell = (ofClient: Map<string, string[]>) =>
    [...ofClient].map(([text, names]) => (ofClient.size === 1 ? text : `${text} by ${names.join(', ')}`)).join('; ')
  return Object.fromEntries([...ways].map(([client, ofClient]) => [client, cell(ofClient)]))
}

const page = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8')
const HEAD = `| fault | ${Object.keys(CLIENTS).join(' | ')} |`
const table = page.slice(page.indexOf(HEAD)).split('\n\n', 1).join('').split('\n')

describe('A client sees of a fault what the table in docs/faults.md says, through each entry point', () => {
  it.each(Object.entries(FAULTS))('%s', async (name, fault) => {
    vi.spyOn(console, 'error').mockReturnValue(undefined) // MSW prints the error that rejects a fault.
    const cells = await observeAll(fault)
    const row = [name, ...Object.keys(CLIENTS).map((client) => cells[client])].join(' | ')
    expect(table.filter((line) => line.startsWith(`| ${name} |`))).toEqual([`| ${row} |`])
  })

  it('and the table has the entry points of each client', async () => {
    const names = Object.keys(CLIENTS)
    const gateway = createGateway()
    const used = new Map<string, string[]>(names.map((client) => [client, []]))
    for (const [name, connect] of Object.entries(ENTRY_POINTS)) {
      const { clients, end } = await connect(gateway)
      for (const client of clients) used.get(client)?.push(name)
      await end()
    }
    expect(table[0]).toBe(HEAD)
    expect(table[2]).toBe(`| connects by | ${[...used.values()].map((each) => each.join(', ')).join(' | ')} |`)
    expect(table).toHaveLength(3 + Object.keys(FAULTS).length)
  })
})

describe('An asynchronous move of the clock waits for several requests in a row to a server, by', () => {
  it.each(Object.entries(CLIENTS))('%s', async (_name, call) => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    const server = await serve(gateway, { port: 0 })
    ends.push(server.close)
    const { setTimeout } = timersOn(gateway.clock)
    const receivedAfter: number[] = []
    const requests = new Promise<void>((resolve) => setTimeout(resolve, 500)).then(async () => {
      for (let count = 0; count < 5; count++) {
        await call(`${server.url}/reserved_addrs`, new AbortController().signal)
        receivedAfter.push(gateway.clock.now - CLOCK_START)
      }
    })
    await gateway.clock.advanceAsync('30s')
    await requests
    expect(receivedAfter).toEqual([500, 500, 500, 500, 500])
  })
})

describe('The timeout of a client does not follow the clock with the globals option, while AbortSignal.timeout does:', () => {
  /** Runs a test with a request that a fault holds back. Returns the error of the request, and after how many ms it came. */
  async function observeTimeout(call: (url: string, signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const runs: (() => Promise<unknown>)[] = []
    let observed: unknown
    const base = (_: string, run: () => Promise<unknown>) => runs.push(run)
    testWithGateway(base, { globals: true })('of an application', async ({ gateway }) => {
      const { url } = await serve(gateway, { port: 0 })
      gateway.faults.add({ latency: '1h' })
      const start = gateway.clock.now
      const ended = call(`${url}/reserved_addrs`, AbortSignal.timeout(30_000)).catch(({ name }: Error) => [
        name,
        gateway.clock.now - start,
      ])
      await gateway.clock.advanceAsync('1m')
      observed = await ended
    })
    await runs[0]?.()
    return observed
  }

  it('the `timeout` of `node:http`', async () => {
    const call = (url: string, signal: AbortSignal) =>
      new Promise((resolve, reject) => {
        const request = nodeHttp.get(url, { headers, signal, timeout: 10_000 }, resolve)
        request.on('timeout', () => reject(new Error('The timeout fired.'))).on('error', reject)
      })
    expect(await observeTimeout(call)).toEqual(['AbortError', 30_000])
  })

  it('and undici’s `headersTimeout` after a first test, as the page says', async () => {
    const call = (url: string, signal: AbortSignal) => undiciRequest(url, { headers, signal, headersTimeout: 10_000 })
    await observeTimeout(call)
    expect(await observeTimeout(call)).toEqual(['TimeoutError', 30_000])
    const runners = readFileSync(new URL('../../docs/runners.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')
    expect(runners).toContain(
      "The `timeout` of `node:http` and, after a file's first test, undici's `headersTimeout` don't follow the clock.",
    )
  })
})
