import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { Ngrok } from '@ngrok/ngrok-api'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { OperationName } from '../../src/index.ts'
import { createGateway, type GatewayOptions, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { matchers } from '../../src/testing/matchers.ts'
import { testWithGateway } from '../../src/testing/test-with-gateway.ts'
import { listBlocksOf } from './blocks.ts'

expect.extend(matchers)

const policy = { authority: 'letsencrypt' } as const
const json = { 'content-type': 'application/json' }
const createClock = () => manualClock('2026-01-01T00:00:00Z')
const readMessage = async (answer: Response): Promise<string> => ((await answer.json()) as { msg: string }).msg

async function startServer(options: GatewayOptions = {}) {
  const gateway = createGateway(options)
  const server = await serve(gateway, { port: 0 })
  onTestFinished(() => server.close())
  return { gateway, server }
}

/** Runs work, and returns the text of its error. */
async function catchError(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return String(error)
  }
  throw new Error('It went well.')
}

function listDomains(options: GatewayOptions, path: string, header: string): Promise<Response> {
  const gateway = createGateway(options)
  return gateway.fetch(`https://gateway.example${path}`, { headers: { authorization: 'Bearer k', [header]: '2' } })
}

function createWithDomain(options: GatewayOptions = {}) {
  const gateway = createGateway({ clock: createClock(), ...options })
  gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
  return gateway
}

async function advanceClock(options: GatewayOptions): Promise<Response> {
  const { server } = await startServer(options)
  return fetch(`${server.url}/_fauxgate/clock`, { method: 'POST', headers: json, body: '{"advance":"30s"}' })
}

/** Reads the clock of a server under another host name. */
async function readClockByName(options: GatewayOptions, headers: Readonly<Record<string, string>> = {}) {
  const { server } = await startServer(options)
  const request = get(`${server.url}/_fauxgate/clock`, { headers: { host: 'gateway:4747', ...headers } })
  const [answer] = await once(request, 'response')
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

async function deleteWithClient(options: GatewayOptions): Promise<number> {
  const { gateway, server } = await startServer({ dialect: ngrok, ...options })
  const client = new Ngrok({ apiToken: 'k', baseUrl: server.url })
  const { id } = await client.reservedAddrs.create({ region: 'eu' })
  await client.reservedAddrs.delete(id)
  return gateway.reservedAddrs.list().reserved_addrs.length
}

/** Starts the command on a port, and returns its first output. */
async function startCommand(port: number): Promise<string> {
  const child = spawn(process.execPath, [inject('command'), 'serve', '--port', String(port)])
  onTestFinished(() => void child.kill())
  const first = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])
  return String(first[0])
}

/** Runs a test that adds a fault for an operation, and creates a domain. */
function runWithFault(operation: OperationName, strict: boolean): unknown {
  const runner = (_name: string, work: () => unknown) => work()
  const body = async ({ gateway }: { gateway: ReturnType<typeof createGateway> }) => {
    gateway.faults.add({ operation, times: 1 })
    const headers = { authorization: 'Bearer k', 'service-version': '2', ...json }
    await gateway.fetch(`${gateway.url}/reserved_domains`, {
      method: 'POST',
      headers,
      body: '{"domain":"a.example.com"}',
    })
  }
  return testWithGateway(runner, { strict })('reserves', body)
}

interface Trouble {
  /** The message that a user sees. */
  readonly error: () => Promise<string>
  /** The fix of the page. It throws if the fix does not help. */
  readonly fix: () => Promise<unknown>
}

const troubles: Readonly<Record<string, Trouble>> = {
  'The version header is missing': {
    error: async () => readMessage(await listDomains({}, '/reserved_domains', 'ngrok-version')),
    fix: async () =>
      expect((await listDomains({ dialect: ngrok }, '/reserved_domains', 'ngrok-version')).status).toBe(200),
  },
  'Not part of this API': {
    error: async () => readMessage(await listDomains({}, '/v2/reserved_domains', 'service-version')),
    fix: async () => {
      const options = { baseUrl: 'https://gateway.example/v2' }
      expect((await listDomains(options, '/v2/reserved_domains', 'service-version')).status).toBe(200)
    },
  },
  'The certificate does not arrive': {
    error: () => catchError(() => expect(createWithDomain()).toHaveCertificate('app.example.com')),
    fix: async () => {
      const gateway = createGateway({ clock: createClock() })
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
      gateway.clock.advance('30s')
      expect(gateway).toHaveCertificate('app.example.com')
      expect(createWithDomain({ provisioningDelay: 0 })).toHaveCertificate('app.example.com')
    },
  },
  "The clock can't be advanced": {
    error: async () => readMessage(await advanceClock({})),
    fix: async () => expect((await advanceClock({ clock: createClock() })).status).toBe(200),
  },
  'A fault is still waiting': {
    error: () => catchError(() => runWithFault('reserved_domains.delete', true)),
    fix: async () => {
      await runWithFault('reserved_domains.create', true)
      await runWithFault('reserved_domains.delete', false)
    },
  },
  'A name is already reserved': {
    error: () => {
      const gateway = createWithDomain()
      return catchError(() => gateway.reservedDomains.create({ domain: 'app.example.com' }))
    },
    fix: async () => {
      const gateway = createWithDomain()
      gateway.reset()
      gateway.reservedDomains.create({ domain: 'app.example.com' })
    },
  },
  'Other requests are rejected': {
    error: () => {
      const { uninstall } = createGateway().install({ others: 'refuse' })
      onTestFinished(uninstall)
      return catchError(() => fetch('https://api.ngrok.com/reserved_domains'))
    },
    fix: async () => {
      const { uninstall } = createGateway({ baseUrl: 'https://api.ngrok.com' }).install({ others: 'refuse' })
      onTestFinished(uninstall)
      expect((await fetch('https://api.ngrok.com/reserved_domains')).status).toBe(401)
    },
  },
  'The port is in use': {
    error: async () => {
      const { port } = (await startServer()).server
      return (await startCommand(port)).replaceAll(String(port), '4747')
    },
    fix: async () => expect(await startCommand(0)).toContain('listens on http://127.0.0.1:'),
  },
  'The certificate is for another name': {
    error: async () => {
      const gateway = createNgrok({ clock: createClock() })
      gateway.reservedDomains.create({ domain: 'app.example.com' })
      gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com' }] })
      const error: Error = await gateway.traffic.fetch('https://app.example.com').catch((reason) => reason)
      return `${error} ${inspect(error.cause)}`
    },
    fix: async () => {
      for (const [provisioningDelay, from] of [
        [0, {}],
        ['30s', { insecure: true }],
      ] as const) {
        const gateway = createNgrok({ clock: createClock(), provisioningDelay })
        gateway.reservedDomains.create({ domain: 'app.example.com' })
        gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com' }] })
        gateway.traffic.upstream('https://app.example.com', () => new Response())
        expect((await gateway.traffic.fetch('https://app.example.com', { from })).status).toBe(200)
      }
    },
  },
  'The connection was reset': {
    error: async () => {
      const { gateway, server } = await startServer()
      gateway.faults.add({ drop: true, times: 1 })
      const headers = { authorization: 'Bearer k', 'service-version': '2' }
      const error: Error = await fetch(`${server.url}/reserved_addrs`, { headers }).then(
        () => expect.unreachable(),
        (reason) => reason,
      )
      return `${error} ${inspect(error.cause)}`
    },
    fix: async () => {
      const gateway = createGateway()
      const first = await serve(gateway)
      const requestTwice = (url: string) => Promise.all([1, 2].map(() => fetch(`${url}/reserved_addrs`)))
      await requestTwice(first.url)
      await first.close()
      const second = await serve(gateway, { port: first.port })
      onTestFinished(() => second.close())
      expect((await requestTwice(second.url)).map(({ status }) => status)).toEqual([401, 401])
    },
  },
  'The server rejects a host, a page, or an address': {
    error: async () => (await readClockByName({})).body.msg,
    fix: async () => {
      const key = 'a-key-for-tests'
      const { status } = await readClockByName({ control: { key } }, { 'fauxgate-control-key': key })
      expect(status).toBe(200)
      expect((await readClockByName({ control: { allowHosts: ['gateway'] } })).status).toBe(200)
    },
  },
  "ngrok's TypeScript client throws on delete": {
    error: () => catchError(() => deleteWithClient({})),
    fix: async () => expect(await deleteWithClient({ emptyJsonOnDelete: true })).toBe(0),
  },
}

/** The errors that the page shows, by heading, as patterns in which "…" matches any text. */
const shownErrors = new Map(
  listBlocksOf('docs/troubleshooting.md').map(({ heading, code }) => [
    heading,
    code
      .trim()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*'),
  ]),
)

test('The page has twelve errors, and this file has a test for each', () => {
  expect(Object.keys(troubles).sort()).toEqual([...shownErrors.keys()].sort())
  expect(shownErrors.size).toBe(12)
})

describe.each(Object.entries(troubles))('%s', (heading, { error, fix }) => {
  test('occurs with the message of the page', async () => {
    expect(await error()).toMatch(new RegExp(shownErrors.get(heading) ?? '^$'))
  })

  test('does not occur after the fix of the page', async () => {
    await fix()
  })
})
