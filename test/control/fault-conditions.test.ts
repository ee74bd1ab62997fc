import { describe, expect, it, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { FaultRequest, FaultSpec, OperationName } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { exchange } from '../support/exchange.ts'
import { open } from '../support/gateway.ts'

const LIST = { method: 'GET', headers: { host: 'localhost' } }
const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const OTHER_ROUTE = 'GET /edges/https/edghts_1/routes/edghtsrt_2/compression'
const GET_1 = 'GET /reserved_addrs/ra_1'
const GET_2 = 'GET /reserved_addrs/ra_2'
const DELETE_1 = 'DELETE /reserved_addrs/ra_1'

/** Sends requests such as "GET /reserved_addrs". Returns their statuses. */
async function sendRequests(gateway: ReturnType<typeof open>, ...requests: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const { status } = await client(gateway)(method, path, method === 'POST' ? { json: {} } : {})
    statuses.push(status)
  }
  return statuses
}

function describeFailure(call: () => unknown): string {
  try {
    call()
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('A fault with several conditions (rules: control-api#faults)', () => {
  it.each<[FaultSpec<OperationName>, string, string[]]>([
    [{ method: 'GET' }, 'GET /reserved_addrs', ['HEAD /reserved_addrs', 'POST /reserved_addrs']],
    [{ method: 'HEAD' }, 'HEAD /reserved_addrs', ['GET /reserved_addrs']],
    [{ operation: 'reserved_addrs.list', method: 'HEAD' }, 'HEAD /reserved_addrs', ['GET /reserved_addrs']],
    [{ operation: 'reserved_addrs.get', path: '/reserved_addrs/ra_1' }, GET_1, [GET_2, DELETE_1]],
    [{ operation: 'reserved_addrs.get', resource: 'ra_1' }, GET_1, [GET_2, DELETE_1]],
    [{ method: 'DELETE', path: '/reserved_addrs/ra_1' }, DELETE_1, ['DELETE /reserved_addrs/ra_2', GET_1]],
    [{ method: 'DELETE', resource: 'ra_1' }, DELETE_1, ['DELETE /reserved_addrs/ra_2', GET_1]],
    [{ resource: 'edghtsrt_1' }, `GET ${ROUTE}/compression`, [OTHER_ROUTE]],
    [{ path: `${ROUTE}/policy`, resource: 'edghts_1' }, `GET ${ROUTE}/policy`, [`GET ${ROUTE}/compression`]],
    [
      { operation: 'compression.get', resource: 'edghts_1', when: ({ ids }) => ids.id === 'edghtsrt_1' },
      `GET ${ROUTE}/compression`,
      [OTHER_ROUTE, `DELETE ${ROUTE}/compression`],
    ],
  ])('applies only if all of its conditions match: %j', async (spec, match, others) => {
    const gateway = open()
    gateway.faults.add({ ...spec, status: 599 })
    expect(await sendRequests(gateway, ...others)).not.toContain(599)
    expect(await sendRequests(gateway, match)).toEqual([599])
    expect(gateway.faults.all()).toMatchObject([{ hits: 1 }])
    expect(gateway.requests.all({ status: 599 })).toHaveLength(1)
  })

  it.each([
    ['api_keys.create', 'api_keys.create exists in createNgrok from fauxgate/ngrok'],
    ['secrets.create', 'vault_secrets.create exists in createNgrok from fauxgate/ngrok'],
    ['secrets', /Allowed: reserved_addrs.create, reserved_addrs.get, reserved_addrs.list, and \d+ others\.$/],
    ['reserved_domain.create', /Allowed: reserved_domains.create, and \d+ others\.$/],
  ])('says where an operation exists that this gateway lacks: %s', (operation, message) => {
    // The types reject the name, which JavaScript does not check.
    const spec = { operation } as unknown as FaultSpec<OperationName>
    expect(() => open().faults.add(spec)).toThrow(message)
    expect(describeFailure(() => createNgrok().faults.add(spec))).not.toContain('exists in createNgrok')
  })

  it.each([
    ['reserved_domains.creat', /Allowed: (reserved_domains\.\w+, ){6}and \d+ others\.$/],
    [`reserved_domains.${'z'.repeat(40)}`, /Allowed: (reserved_domains\.\w+, ){5,}and \d+ others\.$/],
    ['create_domain', /Allowed: (\w+\.\w+, ){3}and \d+ others\.$/],
  ])('lists, of hundreds of operations, the similar ones: %s', (operation, message) => {
    expect(() => createNgrok().faults.add({ operation } as never)).toThrow(message)
  })

  it('leaves its predicate unchanged and unfrozen, so that a mock can be changed later', () => {
    const when = vi.fn(() => false)
    open().faults.add({ operation: 'reserved_addrs.list', when })
    expect(Object.isFrozen(when)).toBe(false)
  })

  it('calls its predicate only with requests that meet all other conditions', async () => {
    const gateway = open()
    const requests: string[] = []
    const when = ({ method, path }: FaultRequest) => requests.push(`${method} ${path}`) < 0
    gateway.faults.add({ operation: 'reserved_addrs.get', resource: 'ra_1', when })
    gateway.faults.add({ path: '/reserved_addrs', method: 'POST', when })
    await sendRequests(gateway, 'GET /reserved_addrs/ra_2', 'GET /reserved_addrs', 'POST /reserved_domains')
    expect(requests).toEqual([])
    await sendRequests(gateway, 'GET /reserved_addrs/ra_1', 'POST /reserved_addrs')
    expect(requests).toEqual(['GET /reserved_addrs/ra_1', 'POST /reserved_addrs'])
  })

  it('says over HTTP which of the last requests it missed, and why, until it is used up', async () => {
    const gateway = open()
    const { id } = gateway.faults.add({ operation: 'reserved_addrs.get', resource: 'ra_1', times: 1, status: 599 })
    gateway.faults.add({ method: 'DELETE', when: () => false })
    await sendRequests(gateway, GET_2, 'GET /nowhere', DELETE_1)
    const listFaults = async () => await (await gateway.fetch('http://localhost/_fauxgate/faults')).json()
    const [first, last] = await listFaults()
    const ids = gateway.requests.all().map(({ operationId }) => operationId)
    const notGet = 'its operation is reserved_addrs.delete, not reserved_addrs.get'
    expect(first.missed).toEqual([
      { operationId: ids[0], request: GET_2, reason: 'ra_1 is not in its path' },
      { operationId: ids[1], request: 'GET /nowhere', reason: 'is not an operation of the API' },
      { operationId: ids[2], request: DELETE_1, reason: notGet },
    ])
    expect(last.missed.map(({ reason }: { reason: string }) => reason)).toEqual([
      'its method is GET, not DELETE',
      'is not an operation of the API',
      'its predicate returned false',
    ])
    await sendRequests(gateway, 'GET /reserved_addrs/ra_1')
    expect((await listFaults()).map(({ missed }: { missed?: [] }) => missed?.length)).toEqual([undefined, 4])
    expect(gateway.faults.all()[0]).toEqual({
      ...{ id, operation: 'reserved_addrs.get', resource: 'ra_1', times: 1, status: 599 },
      ...{ hits: 1, passed: 0 },
    })
  })

  it.each<[FaultSpec<OperationName>, string]>([
    [{ operation: 'compression.get', when: ({ ids }) => ids.edge_id === 'edghts_1' }, `GET ${ROUTE}/compression`],
    [{ operation: 'reserved_addrs.get', when: ({ ids }) => ids.id === 'ra_1 ' }, 'GET /reserved_addrs/ra_1%20'],
    [
      { operation: 'reserved_addrs.list', when: ({ input }) => (input as { limit?: string }).limit === '7' },
      'GET /reserved_addrs?limit=7',
    ],
    [
      { operation: 'reserved_addrs.delete', when: ({ input }) => JSON.stringify(input) === '{}' },
      'DELETE /reserved_addrs/ra_1',
    ],
  ])('reports a request with the ids and the input that its predicate received: %j', async (spec, request) => {
    const gateway = open()
    gateway.faults.add({ ...spec, after: 1 })
    await sendRequests(gateway, request)
    expect(gateway.faults.all()).toMatchObject([{ passed: 1 }])
    expect(() => gateway.faults.assertNoPendingFaults()).toThrow(/: matched, but came too early/)
  })

  it("hides the gateway's own keys in the error of a predicate that a list of faults calls again (rules: secrets)", async () => {
    const control = { key: 'ck_0123456789' }
    const gateway = open({ control })
    let calls = 0
    const when = () => {
      if (calls++ > 0) throw new Error(`no ${control.key}`)
      return false
    }
    gateway.faults.add({ method: 'GET', when })
    await sendRequests(gateway, 'GET /reserved_addrs')
    const headers = { 'fauxgate-control-key': control.key }
    const answer = await gateway.fetch('http://localhost/_fauxgate/faults', { headers })
    const [fault] = await answer.json()
    expect(fault.missed[0].reason).toBe('its predicate threw "Error: no [redacted]"')
  })

  it('neither applies to requests of the inspector nor counts them', () => {
    const gateway = open()
    gateway.faults.add({ after: 1, status: 599 })
    const statuses = [true, true, false, true, false].map(
      (isInspector) => exchange(gateway, { ...LIST, isInspector }).status,
    )
    expect(statuses).toEqual([200, 200, 200, 200, 599])
  })

  it('applies no more often than `times`, even if its predicate sends a request', () => {
    const gateway = open()
    const innerStatuses: number[] = []
    let isInner = false
    const when = () => {
      if (isInner) return true
      isInner = true
      innerStatuses.push(exchange(gateway, LIST).status)
      return true
    }
    gateway.faults.add({ method: 'GET', times: 1, status: 599, when })
    const { status } = exchange(gateway, LIST)
    expect([innerStatuses, status]).toEqual([[599], 200])
    expect(gateway.faults.all()).toMatchObject([{ times: 1, hits: 1 }])
  })
})
