import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { parseHar } from '../../../src/verify/har-reader.ts'
import { replay } from '../../../src/verify/replay.ts'
import { openGateway } from './support.ts'

// tools/evidence/examples.har has the examples of ngrok's API reference. Each was recorded from a real account.

const FILE = 'tools/evidence/examples.har'
const recording = parseHar(readFileSync(FILE, 'utf8'), FILE)

/** The places where fauxgate differs, with the reasons. */
const KNOWN = [
  { request: '*', at: 'header ngrok-operation-id', reason: 'the pages show no headers' },
  { request: '* /vault_secrets*', at: 'body.*vault_name', reason: 'the field is newer than the recording' },
  { request: '* /reserved_domains*', at: 'body.*is_dev', reason: 'the field is newer than the recording' },
  { request: '* /agent_ingresses*', at: 'body.*ns_targets', reason: 'the recorder had name servers of its own' },
  { request: '*/saml', at: 'body.entity_id', reason: 'the recorder had its own host' },
  { request: '*/saml', at: 'body.*_url', reason: 'the recorder had its own host' },
  { request: '*/saml', at: 'body.request_signing_certificate_pem', reason: 'each service has its own key' },
  { request: 'GET /self', at: 'body.*', reason: 'the account and the key are others' },
  {
    request: 'POST /reserved_domains',
    at: 'body.certificate_management_policy',
    reason: 'the exchange that reserves the domain of an edge was made from an example with a certificate',
  },
  { request: 'POST /reserved_domains', at: 'body.cname_target', reason: 'the recorder had its own host' },
]

test('The published examples get the recorded responses', async () => {
  const { compared, differing, unused, skipped } = await replay(recording, {
    now: Date.parse('2025-09-04T10:11:37Z'),
    known: KNOWN,
  })
  expect([differing, unused]).toEqual([[], []])
  // Only an agent creates tunnels and sessions. The next tests declare an agent.
  expect(skipped.map(({ request }) => request.replace(/_2\w+/, '_'))).toEqual([
    'GET /tunnel_sessions/ts_',
    'GET /tunnels/tn_',
    'POST /tunnel_sessions/ts_/update',
    'POST /tunnel_sessions/ts_/restart',
    'POST /tunnel_sessions/ts_/stop',
  ])
  expect(compared).toBe(recording.exchanges.length - skipped.length)
})

test('Every operation with a page in the API reference is there', () => {
  const documented = readFileSync('tools/evidence/operations.txt', 'utf8').trim().split('\n')
  const served = Object.entries(openApi(ngrok, { families: ngrokFamilies }).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const withoutNames = (operation: string) => operation.replaceAll(/\{\w+\}/g, '{}')
  const there = new Set(served.map(withoutNames))
  expect(documented).toHaveLength(291)
  expect(documented.filter((operation) => !there.has(withoutNames(operation)))).toEqual([])
})

type Setup = ReturnType<typeof openGateway>

const declareAgent = ({ gateway }: Setup) => gateway.declare.tunnelSession({ endpoints: [{}], update: '3.40.0' })
const declareLabelled = ({ gateway }: Setup) =>
  gateway.declare.tunnelSession({ labelled: [{ labels: { foo: 'bar' } }] })
const declareEdge = ({ gateway }: Setup) => {
  const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
  gateway.declare.edgeEndpoint({ edge: 'edgtls_2AbCdEfGhIjKlMnOpQrStUvWxYz', url: 'tls://app.example.com', domain: id })
}

/** Examples of resources of an agent or an edge: the declaration, and the place in the recorded list. */
const DECLARED: readonly (readonly [call: string, declare: (setup: Setup) => unknown, place: number | undefined])[] = [
  ['GET /tunnel_sessions', declareAgent, 0],
  ['GET /tunnel_sessions/ts_', declareAgent, undefined],
  ['GET /tunnels', declareAgent, 0],
  ['GET /tunnels', declareLabelled, 1],
  ['GET /tunnels/tn_', declareAgent, undefined],
  ['GET /endpoints', declareAgent, 1],
  ['GET /endpoints', declareEdge, 2],
  ['POST /tunnel_sessions/ts_/update', declareAgent, undefined],
  ['POST /tunnel_sessions/ts_/restart', declareAgent, undefined],
  ['POST /tunnel_sessions/ts_/stop', declareAgent, undefined],
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
    const setup = openGateway()
    const { gateway, send } = setup
    declare(setup)
    const exchange = recording.exchanges.find(
      ({ request }) => `${request.method} ${request.path.replace(/_2\w+/, '_')}` === call,
    )
    const [method = '', path = ''] = call.split(' ')
    const session = gateway.tunnelSessions.list().tunnel_sessions[0]?.id ?? ''
    const tunnel = gateway.tunnels.list().tunnels[0]?.id ?? ''
    const itemPath = path.replace('ts_', session).replace('tn_', tunnel)
    const { status, body } = await send(method, itemPath, method === 'POST' ? { json: {} } : {})
    expect(status).toBe(exchange?.response.status)
    const recorded = (exchange?.response.body ?? {}) as object // A body is an object or absent.
    const [actual, expected] = place === undefined ? [body ?? {}, recorded] : [itemAt(body, 0), itemAt(recorded, place)]
    expect(fieldsOf(actual)).toEqual(fieldsOf(expected))
  })
})

test('The guide says how many examples there are', () => {
  const guide = readFileSync('docs/differences.md', 'utf8')
  // The other exchanges make what the examples refer to.
  const others = readFileSync(FILE, 'utf8').match(/^\{"comment":"Not an example/gm) ?? []
  const examples = recording.exchanges.length - others.length
  expect(guide.replace(/\s+/g, ' ')).toContain(`${examples} documented examples`)
})
