import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CallCommand } from '../../src/control/control.ts'
import { controlCallsWith } from '../../src/control/controls.ts'
import { dialectFamilies } from '../../src/gateway/dialect-families.ts'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { clientCommands } from '../../src/server/client/commands.ts'
import { runCommand } from '../../src/server/commands/run.ts'
import { serve } from '../../src/server/node.ts'
import { APP, createTarget, type Sent, type Target, VALID_CALLS } from '../support/hostile.ts'
import { MANUAL_CLOCK, useSandboxes } from './support/sandboxes.ts'

const sandboxes = useSandboxes()
// Only a server has additional gateways, and explorations, which need them.
const ofServers = /^\/(gateways|explorations)/
const calls = controlCallsWith(dialectFamilies.ngrok ?? {}).filter(({ path }) => !ofServers.test(path))
const KEY = 'control-key-of-the-served-gateway'

/** Inputs that the calls reject later than at once, beside those that are wrong for every call. */
const WRONG_INPUTS: Readonly<Record<string, readonly Sent[]>> = {
  'POST /policy/check': [{ policy: '{"on_http_request":[{"actions":[{"type":"no-such-action"}]}]}' }, { policy: '{' }],
  'POST /traffic': [{ url: 'https://nowhere.example.com' }, { url: 'no URL' }],
  'POST /agent/tunnels': [{ addr: 'no address', proto: 'no protocol' }],
}

interface Side {
  readonly url: string
  readonly key: string
}

/** Starts a served gateway and a sandbox that have the same options and the same state. */
async function startBoth(name: string): Promise<{ target: Target; sides: readonly [served: Side, sandbox: Side] }> {
  const target = createTarget()
  const options = { seed: 'hostile', dns: 'simulated', authorityKeys: 'test' } as const
  const snapshot = target.gateway.snapshot({ privateKeys: true })
  const gateway = createNgrok({
    ...options,
    clock: manualClock(MANUAL_CLOCK.start),
    keys: ['api'],
    control: { key: KEY },
  })
  gateway.restore(snapshot)
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  const { created } = await sandboxes.create(name, { dialect: 'ngrok', ...MANUAL_CLOCK, ...options, snapshot })
  return {
    target,
    sides: [
      { url: server.url, key: KEY },
      { url: created.url, key: created.control_key },
    ],
  }
}

/** Returns a text without what belongs to one server: its URL, its name, and the ids of its requests. */
function toComparable(text: string, { url }: Side): string {
  return text
    .replaceAll(url, 'URL')
    .replaceAll(new URL(url).host, 'HOST')
    .replace(/op_[0-9A-Za-z]{27}/g, 'OPERATION')
}

async function send(side: Side, method: string, path: string, from: string, sent: Sent) {
  const fields = Object.entries(sent).filter(([, value]) => value !== undefined)
  const isQuery = from !== 'body'
  const query = isQuery ? String(new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))) : ''
  const response = await fetch(`${side.url}/_fauxgate${path}${query && `?${query}`}`, {
    method,
    headers: { 'fauxgate-control-key': side.key, 'content-type': 'application/json' },
    ...(!isQuery && { body: JSON.stringify(sent) }),
  })
  const type = response.headers.get('content-type')?.replace(/; charset=utf-8$/i, '')
  return { status: response.status, type, text: toComparable(await response.text(), side) }
}

describe('A served gateway and a sandbox send the same response', () => {
  it('to each call of each control, to valid inputs and to wrong ones', async () => {
    const { target, sides } = await startBoth('calls')
    const [served, sandbox] = sides
    for (const side of sides) await send(side, 'PUT', '/traffic/upstreams', 'body', { url: APP, body: 'hello' })
    const statuses = new Map<string, number[]>()
    const differences: object[] = []
    for (const { method, path, from } of calls) {
      const call = `${method} ${path}`
      const valid = VALID_CALLS[call]?.(target) ?? []
      expect(valid, `${call} has no input in VALID_CALLS`).not.toEqual([])
      for (const input of [...valid, ...(WRONG_INPUTS[call] ?? []), { unknown: 1 }]) {
        const expected = await send(served, method, path, from, input)
        const actual = await send(sandbox, method, path, from, input)
        if (!isDeepStrictEqual(actual, expected)) differences.push({ call, input, expected, actual })
        statuses.set(call, [...(statuses.get(call) ?? []), expected.status])
      }
    }
    expect(differences).toEqual([])
    // Most calls have something to do.
    const successes = [...statuses.values()].filter((all) => all.some((status) => status < 300))
    expect(successes.length).toBeGreaterThan(0.8 * calls.length)
  })

  it('to each command', async () => {
    const { target, sides } = await startBoth('commands')
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-commands-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'state.json')
    writeFileSync(file, JSON.stringify(target.gateway.snapshot()))
    const words = new Map([...listCallCommands(target), ...otherCommands(file)])
    expect([...words.keys()].sort()).toEqual(clientCommands.map(({ name }) => name).sort())
    let successes = 0
    const differences: object[] = []
    for (const [name, rest] of words) {
      const [expected, actual] = [await run(sides[0], name, rest), await run(sides[1], name, rest)]
      if (!isDeepStrictEqual(actual, expected)) differences.push({ name, rest, expected, actual })
      if (expected.code === 0) successes++
    }
    expect(differences).toEqual([])
    expect(successes).toBeGreaterThan(words.size / 2)
  })
})

/** Paths below the URL of a gateway, as clients write them. */
const PATHS = [
  '/',
  '//reserved_domains',
  '/reserved_domains',
  '/reserved_domains/',
  '/reserved_domains?limit=1',
  '/reserved_domains?',
  '/%72eserved_domains',
  '/reserved_domains/rd_1',
  '/reserved_domains%2Frd_1',
  '/_fauxgate/clock',
  '/_fauxgate//clock',
  '/_fauxgate/nothing',
]

it('A gateway below /g/ of a server and a sandbox send the same response to each path, with their own URLs', async () => {
  const server = await serve(createNgrok({ clock: manualClock(MANUAL_CLOCK.start), control: { key: KEY } }))
  onTestFinished(() => server.close())
  const options = { ...MANUAL_CLOCK, dialect: 'ngrok', seed: 'paths' } as const
  const { status, text } = await send({ url: server.url, key: KEY }, 'POST', '/gateways', 'body', options)
  expect(status).toBe(200)
  const { created } = await sandboxes.create('paths', options)
  const served = { url: JSON.parse(text).url.replace('URL', server.url), key: KEY, apiKey: 'any key' }
  const sandbox = { url: created.url, key: created.control_key, apiKey: created.api_key }
  const read = async ({ apiKey, ...side }: typeof served, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${side.url}${path}`, {
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'ngrok-version': '2',
        'content-type': 'application/json',
        'fauxgate-control-key': side.key,
      },
      ...init,
    })
    const location = response.headers.get('location')
    return { path, status: response.status, location, text: toComparable(await response.text(), side) }
  }
  const create = (side: typeof served) =>
    read(side, '/reserved_domains', { method: 'POST', body: JSON.stringify({ domain: 'app.example.com' }) })
  const [expected, actual] = await Promise.all(
    [served, sandbox].map(async (side) => {
      const all = [await create(side)]
      for (const path of PATHS) all.push(await read(side, path))
      return all
    }),
  )
  expect(expected?.[0]).toMatchObject({ status: 201, text: expect.stringContaining('"uri":"URL/reserved_domains/rd_') })
  expect(actual).toEqual(expected)
})

/** Returns the commands of the table of controls, with words that their calls accept. */
function listCallCommands(target: Target): [name: string, words: string[]][] {
  return calls.flatMap(({ method, path, commands = [] }) => {
    const inputs = VALID_CALLS[`${method} ${path}`]?.(target) ?? []
    return commands.map(({ name, words = {} }: CallCommand): [string, string[]] => {
      const fields = Object.keys(words)
      const input = inputs.find((each) => fields.every((field) => field in each)) ?? {}
      return [name, fields.flatMap((field) => [input[field] ?? []].flat().map(String))]
    })
  })
}

/** Returns the commands that are no row of a call, with their words. */
function otherCommands(file: string): [name: string, words: string[]][] {
  return [
    ['requests', ['--json']],
    ['request', [APP]],
    ['state export', []],
    ['state import', [file]],
  ]
}

async function run(side: Side, name: string, words: readonly string[]) {
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += text
      return true
    })
  }
  try {
    const code = await runCommand([...name.split(' '), ...words, '--url', side.url], { FAUXGATE_CONTROL_KEY: side.key })
    return { code, stdout: toComparable(output.stdout, side), stderr: toComparable(output.stderr, side) }
  } finally {
    vi.restoreAllMocks()
  }
}
