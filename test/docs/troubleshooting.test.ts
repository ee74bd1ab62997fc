import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ngrok } from '@ngrok/ngrok-api'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { OperationName } from '../../src/index.ts'
import { createGateway, type GatewayOptions, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { matchers } from '../../src/testing/matchers.ts'
import { testWithGateway } from '../../src/testing/test-with-gateway.ts'
import { listBlocksOf } from './blocks.ts'

expect.extend(matchers)

const policy = { authority: 'letsencrypt' } as const
const json = { 'content-type': 'application/json' }
const clock = () => manualClock('2026-01-01T00:00:00Z')
const messageOf = async (answer: Response): Promise<string> => ((await answer.json()) as { msg: string }).msg

async function served(options: GatewayOptions = {}) {
  const gateway = createGateway(options)
  const server = await serve(gateway, { port: 0 })
  onTestFinished(() => server.close())
  return { gateway, server }
}

/** Returns the error that some work ends with. */
async function errorOf(work: () => unknown): Promise<string> {
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

function reservedUnderClock(options: GatewayOptions = {}) {
  const gateway = createGateway({ clock: clock(), ...options })
  gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
  return gateway
}

async function advanced(options: GatewayOptions): Promise<Response> {
  const { server } = await served(options)
  return fetch(`${server.url}/_fauxgate/clock`, { method: 'POST', headers: json, body: '{"advance":"30s"}' })
}

/** Asks a server for its clock by another name. */
async function clockByName(options: GatewayOptions, headers: Readonly<Record<string, string>> = {}) {
  const { server } = await served(options)
  const request = get(`${server.url}/_fauxgate/clock`, { headers: { host: 'gateway:4747', ...headers } })
  const [answer] = await once(request, 'response')
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

async function deletedByClient(options: GatewayOptions): Promise<number> {
  const { gateway, server } = await served({ dialect: ngrok, ...options })
  const client = new Ngrok({ apiToken: 'k', baseUrl: server.url })
  const { id } = await client.reservedAddrs.create({ region: 'eu' })
  await client.reservedAddrs.delete(id)
  return gateway.reservedAddrs.list().reserved_addrs.length
}

/** Returns the first words of the command, on a port that is taken or on any. */
async function startedOn(port: number): Promise<string> {
  const child = spawn(process.execPath, [inject('command'), 'serve', '--port', String(port)])
  onTestFinished(() => void child.kill())
  const first = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])
  return String(first[0])
}

/** A test that arms a fault for an operation, and creates a domain. */
function withFault(operation: OperationName, strict: boolean): unknown {
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
  /** The cure of the page: fails where it does not help. */
  readonly cure: () => Promise<unknown>
}

const troubles: Readonly<Record<string, Trouble>> = {
  'The version header is missing': {
    error: async () => messageOf(await listDomains({}, '/reserved_domains', 'ngrok-version')),
    cure: async () =>
      expect((await listDomains({ dialect: ngrok }, '/reserved_domains', 'ngrok-version')).status).toBe(200),
  },
  'Not a path of this API': {
    error: async () => messageOf(await listDomains({}, '/v2/reserved_domains', 'service-version')),
    cure: async () => {
      const options = { baseUrl: 'https://gateway.example/v2' }
      expect((await listDomains(options, '/v2/reserved_domains', 'service-version')).status).toBe(200)
    },
  },
  'The certificate never comes': {
    error: () => errorOf(() => expect(reservedUnderClock()).toHaveCertificate('app.example.com')),
    cure: async () => {
      const gateway = createGateway({ clock: clock() })
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
      gateway.clock.advance('30s')
      expect(gateway).toHaveCertificate('app.example.com')
      expect(reservedUnderClock({ provisioningDelay: 0 })).toHaveCertificate('app.example.com')
    },
  },
  'The clock cannot be moved': {
    error: async () => messageOf(await advanced({})),
    cure: async () => expect((await advanced({ clock: clock() })).status).toBe(200),
  },
  'A fault still waits': {
    error: () => errorOf(() => withFault('reserved_domains.delete', true)),
    cure: async () => {
      await withFault('reserved_domains.create', true)
      await withFault('reserved_domains.delete', false)
    },
  },
  'Reserved already': {
    error: () => {
      const gateway = reservedUnderClock()
      return errorOf(() => gateway.reservedDomains.create({ domain: 'app.example.com' }))
    },
    cure: async () => {
      const gateway = reservedUnderClock()
      gateway.reset()
      gateway.reservedDomains.create({ domain: 'app.example.com' })
    },
  },
  'Other requests are refused': {
    error: () => {
      const { uninstall } = createGateway().install({ others: 'refuse' })
      onTestFinished(uninstall)
      return errorOf(() => fetch('https://api.ngrok.com/reserved_domains'))
    },
    cure: async () => {
      const { uninstall } = createGateway({ baseUrl: 'https://api.ngrok.com' }).install({ others: 'refuse' })
      onTestFinished(uninstall)
      expect((await fetch('https://api.ngrok.com/reserved_domains')).status).toBe(401)
    },
  },
  'The port is taken': {
    error: async () => {
      const { port } = (await served()).server
      return (await startedOn(port)).replaceAll(String(port), '4747')
    },
    cure: async () => expect(await startedOn(0)).toContain('listens on http://127.0.0.1:'),
  },
  'The controls are closed': {
    error: async () => (await clockByName({})).body.msg,
    cure: async () => {
      const key = 'a-key-for-tests'
      const { status } = await clockByName({ control: { key } }, { 'fauxgate-control-key': key })
      expect(status).toBe(200)
      expect((await clockByName({ control: { allowHosts: ['gateway'] } })).status).toBe(200)
    },
  },
  "ngrok's TypeScript client throws on delete": {
    error: () => errorOf(() => deletedByClient({})),
    cure: async () => expect(await deletedByClient({ emptyJsonOnDelete: true })).toBe(0),
  },
}

/** The errors that the page shows, by their headings: a text in which "…" stands for any. */
const shown = new Map(
  listBlocksOf('docs/troubleshooting.md').map(({ heading, code }) => [
    heading,
    code
      .trim()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*'),
  ]),
)

test('The page has ten errors, and this file has a test for each', () => {
  expect(Object.keys(troubles).sort()).toEqual([...shown.keys()].sort())
  expect(shown.size).toBe(10)
})

describe.each(Object.entries(troubles))('%s', (heading, { error, cure }) => {
  test('occurs with the message of the page', async () => {
    expect(await error()).toMatch(new RegExp(shown.get(heading) ?? '^$'))
  })

  test('does not occur after the fix of the page', async () => {
    await cure()
  })
})
