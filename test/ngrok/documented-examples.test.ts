import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseHar } from '../../src/verify/har-reader.ts'
import { replay } from '../../src/verify/replay.ts'
import { openGateway } from './support.ts'

// evidence/examples.har has the examples of ngrok's API reference. Each was recorded from a real account.

const FILE = 'evidence/examples.har'
const recording = parseHar(readFileSync(FILE, 'utf8'), FILE)

/** The places where fauxgate differs, with the reasons. */
const KNOWN = [
  { request: '*', at: 'header ngrok-operation-id', reason: 'the pages show no headers' },
  { request: '* /vault_secrets*', at: 'body.*vault_name', reason: 'the field is newer than the recording' },
  { request: '* /reserved_domains*', at: 'body.*is_dev', reason: 'the field is newer than the recording' },
]

test('The published examples get the recorded answers', async () => {
  const { compared, differing, unused, skipped } = await replay(recording, {
    now: Date.parse('2025-09-05'),
    known: KNOWN,
  })
  expect([differing, unused]).toEqual([[], []])
  // Only an agent makes tunnels and sessions. The next tests declare one.
  expect(skipped.map(({ request }) => request.replace(/_2\w+/, '_'))).toEqual([
    'GET /tunnel_sessions/ts_',
    'GET /tunnels/tn_',
    'POST /tunnel_sessions/ts_/update',
    'POST /tunnel_sessions/ts_/restart',
    'POST /tunnel_sessions/ts_/stop',
  ])
  expect(compared).toBe(recording.exchanges.length - skipped.length)
})

type Setup = ReturnType<typeof openGateway>

const agent = ({ gateway }: Setup) => gateway.declare.tunnelSession({ endpoints: [{}], update: '3.40.0' })
const labelled = ({ gateway }: Setup) => gateway.declare.tunnelSession({ labelled: [{ labels: { foo: 'bar' } }] })
const edge = ({ gateway }: Setup) => {
  const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
  gateway.declare.edgeEndpoint({ edge: 'edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz', url: 'tls://app.example.com', domain: id })
}

/** Examples of resources of an agent or an edge: the declaration, and the place in the recorded list. */
const DECLARED: readonly (readonly [call: string, declare: (setup: Setup) => unknown, place: number | undefined])[] = [
  ['GET /tunnel_sessions', agent, 0],
  ['GET /tunnel_sessions/ts_', agent, undefined],
  ['GET /tunnels', agent, 0],
  ['GET /tunnels', labelled, 1],
  ['GET /tunnels/tn_', agent, undefined],
  ['GET /endpoints', agent, 1],
  ['GET /endpoints', edge, 2],
  ['POST /tunnel_sessions/ts_/update', agent, undefined],
  ['POST /tunnel_sessions/ts_/restart', agent, undefined],
  ['POST /tunnel_sessions/ts_/stop', agent, undefined],
]

/** Fields whose keys are data. */
const MAPS = ['labels']

/** Returns the names of all fields of an object, including those of inner objects. */
function fieldsOf(value: object): string[] {
  const names = Object.entries(value).flatMap(([name, each]) => {
    const isObject = typeof each === 'object' && each !== null && !Array.isArray(each) && !MAPS.includes(name)
    return [name, ...(isObject ? fieldsOf(each).map((field) => `${name}.${field}`) : [])]
  })
  return names.sort()
}

const itemAt = (list: object, place: number): object => Object.values(list).find(Array.isArray)?.[place] ?? {}

describe('A declared resource has the recorded fields', () => {
  test.each(DECLARED)('%s', async (call, declare, place) => {
    const world = openGateway()
    const { gateway, send } = world
    declare(world)
    const recorded = recording.exchanges.find(
      ({ request }) => `${request.method} ${request.path.replace(/_2\w+/, '_')}` === call,
    )
    const [method = '', path = ''] = call.split(' ')
    const session = gateway.tunnelSessions.list().tunnel_sessions[0]?.id ?? ''
    const tunnel = gateway.tunnels.list().tunnels[0]?.id ?? ''
    const own = path.replace('ts_', session).replace('tn_', tunnel)
    const { status, body } = await send(method, own, method === 'POST' ? { json: {} } : {})
    expect(status).toBe(recorded?.response.status)
    const theirs = (recorded?.response.body ?? {}) as object // An answer is an object, or there is none.
    const [ours, expected] = place === undefined ? [body ?? {}, theirs] : [itemAt(body, 0), itemAt(theirs, place)]
    expect(fieldsOf(ours)).toEqual(fieldsOf(expected))
  })
})

test('The guide says how many examples there are', () => {
  const guide = readFileSync('docs/differences.md', 'utf8')
  expect(guide.replaceAll('\n', ' ')).toContain(`${recording.exchanges.length} documented examples`)
})
