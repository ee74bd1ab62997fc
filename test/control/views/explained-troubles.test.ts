import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import type { Trouble } from '../../../src/generated/controls.ts'
import { type Gateway, manualClock } from '../../../src/index.ts'
import { certificatePair } from '../../../src/testing/testing.ts'
import { client, controlClient, uncheckedClient } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { ECDSA, timeAfter } from '../../support/provisioning.ts'
import { listen } from '../../support/serve.ts'

const open = (options: Omit<NgrokOptions, 'clock'> = {}) =>
  createNgrok({ seed: 'troubles', clock: manualClock(SHOWN_START), ...options })

async function listTroubles(gateway: Gateway): Promise<Trouble[]> {
  return (await controlClient(gateway)('GET', '/troubles')).body as Trouble[]
}

const listCauses = async (gateway: Gateway) => (await listTroubles(gateway)).map(({ kind, cause }) => [kind, cause])

describe('The cause of a trouble (rules: control-api#calls)', () => {
  test('is not fixed by the success of another endpoint of a pool', async () => {
    const gateway = open()
    const url = 'https://pool.example.org'
    for (const port of [1, 2]) {
      const endpoint = { url, pooling_enabled: true, forwards_to: `http://localhost:${port}` }
      gateway.declare.tunnelSession({ endpoints: [endpoint] })
    }
    gateway.traffic.upstream('http://localhost:1', () => new Response('hello'))
    const statuses: number[] = []
    while (statuses.at(-1) !== 200 || !statuses.includes(502)) statuses.push((await gateway.traffic.fetch(url)).status)
    const only = expect.stringMatching(/ Only ep_\w+ is affected: another endpoint handled the same request later\.$/)
    expect(await listCauses(gateway)).toEqual([['rejected', only]])
    gateway.traffic.upstream('http://localhost:2', () => new Response('hello'))
    const failed = gateway.traffic.last({ status: 502 })?.endpoint
    while (gateway.traffic.last()?.endpoint !== failed || gateway.traffic.last()?.status !== 200)
      await gateway.traffic.fetch(url)
    expect((await listCauses(gateway)).map(([kind]) => kind)).toEqual(['fixed'])
  })

  test('says that the responses of an upstream are used up', async () => {
    const gateway = open()
    const url = 'https://once.example.org'
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    gateway.traffic.upstream(url, () => new Response('hello'), { times: 1 })
    for (let at = 0; at < 2; at++) await gateway.traffic.fetch(url)
    const [[, cause] = []] = await listCauses(gateway)
    expect(cause).toMatch(
      /ERR_NGROK_8012: the upstream for https:\/\/once\.example\.org has no responses left after 1 request\./,
    )
    expect(cause).not.toContain('Did you mean')
  })

  test.each(['https://offline.example.org', 'http://localhost:1/app'])(
    'is fixed when an upstream is set at %s, even before the next visit',
    async (key) => {
      const gateway = open()
      const url = 'https://offline.example.org'
      gateway.declare.tunnelSession({ endpoints: [{ url, forwards_to: 'http://localhost:1/app' }] })
      await gateway.traffic.fetch(url)
      const set = () => gateway.traffic.upstream(key, () => new Response('hello'), { times: 1 })
      set()
      const isFixed = ['fixed', expect.stringMatching(/ has no upstream\..* It has an upstream now\.$/)]
      expect(await listCauses(gateway)).toEqual([isFixed])
      for (let at = 0; at < 2; at++) await gateway.traffic.fetch(url)
      expect(await listCauses(gateway)).toEqual([['rejected', expect.stringContaining('has no responses left')]])
      set()
      expect((await listCauses(gateway)).map(([kind]) => kind)).toEqual(['fixed'])
    },
  )

  test.each([
    ['http://app.example.org/', 'https://app.example.org is'],
    ['https://a.internal/', 'https://a.internal is, with the binding internal'],
  ])('names the endpoint that visitors of %s do not reach', async (url, other) => {
    const gateway = open()
    const endpoints = [{ url: 'https://app.example.org' }, { url: 'https://a.internal', binding: 'internal' as const }]
    gateway.declare.tunnelSession({ endpoints })
    await gateway.traffic.fetch(url)
    const { origin } = new URL(url)
    expect(await listCauses(gateway)).toEqual([
      ['rejected', `Visitors got 404 ERR_NGROK_3200: no public endpoint is online at ${origin}, but ${other}.`],
    ])
  })

  test('says how far to advance a still clock for the rate limit of a policy', async () => {
    const gateway = open()
    const limit = { name: 'few', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['conn.client_ip'] }
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions: [{ type: 'rate-limit', config: limit }] }] })
    const url = 'https://app.example.org'
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
    gateway.traffic.upstream(url, () => new Response('hello'))
    for (let at = 0; at < 2; at++) await gateway.traffic.fetch(url)
    const [trouble] = await listTroubles(gateway)
    expect(trouble?.cause).toMatch(/ The clock does not move: advance it by 60 s\.$/)
    expect((await controlClient(gateway)('POST', '/troubles/fix', { id: trouble?.id })).status).toBe(204)
    expect(await listCauses(gateway)).toEqual([['fixed', expect.stringMatching(/ The 60 seconds have passed\.$/)]])
  })

  test('of a fault for an upstream names the upstream of the last visitor', async () => {
    const gateway = open()
    const waits = 'A fault is waiting for a request.'
    gateway.faults.add({ traffic: 'https://misspelt.example.org', times: 1, status: 503 })
    expect(await listCauses(gateway)).toEqual([['unused', `${waits} There are none in the traffic journal.`]])
    const url = 'https://app.example.org'
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    gateway.traffic.upstream(url, () => new Response('hello'))
    await gateway.traffic.fetch(url)
    const went = `The last visitor request, GET ${url}/: its upstream is ${url}, not https://misspelt.example.org.`
    expect(await listCauses(gateway)).toEqual([['unused', `${waits} ${went}`]])
    expect(() => gateway.faults.assertNoPendingFaults()).toThrow(
      'It is waiting for requests that the gateway forwards.',
    )
  })

  test('of a partly used fault says that the journal has no request, not that there was none', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 2 })
    await client(gateway)('GET', '/reserved_addrs')
    gateway.requests.clear()
    const cause = 'A fault has applied to 1 of 2 requests, and is waiting for 1 more. There are none in the journal.'
    expect(await listCauses(gateway)).toEqual([['unused', cause]])
  })

  test('of a fault that came too late says so, also where the operation had rejected the request', async () => {
    const gateway = open()
    await client(gateway)('POST', '/reserved_addrs', { json: { color: 'red' } })
    gateway.faults.add({ operation: 'reserved_addrs.create', times: 1 })
    const cause = (await listCauses(gateway)).find(([kind]) => kind === 'unused')?.[1]
    expect(cause).toMatch(/: matched, but came before the fault was added\.$/)
  })

  test('of a pending fault counts the requests that passed, or says that the key was rejected', async () => {
    const gateway = open({ keys: ['key'] })
    gateway.faults.add({ operation: 'reserved_addrs.list', after: 5, times: 1 })
    const send = (key: string) =>
      uncheckedClient(gateway)('GET', '/reserved_addrs', { headers: { authorization: `Bearer ${key}` } })
    const last = async () => (await listCauses(gateway)).find(([kind]) => kind === 'unused')?.[1]
    await send('wrong')
    expect(await last()).toMatch(/: matched, but was rejected with 403 before faults apply\.$/)
    await send('key')
    expect(await last()).toMatch(/: matched, but came too early: 1 of the first 5 have passed\.$/)
  })

  test('of a pending fault names the request that came closest, or an ID that nothing has', async () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create({})
    gateway.faults.add({ resource: id, method: 'GET', after: 5, times: 1 })
    gateway.faults.add({ resource: `${id.slice(0, -1)}~`.replace('~', id.endsWith('a') ? 'b' : 'a'), times: 1 })
    for (const method of ['GET', 'DELETE'] as const) await client(gateway)(method, `/reserved_addrs/${id}`)
    const [first, second] = await listCauses(gateway)
    expect([first?.[1], second?.[1]].sort()).toEqual([
      expect.stringMatching(/^A fault is waiting for a request\. Nothing has the ID ra_\w+\.$/),
      `A fault is waiting for a request. The nearest one, GET /reserved_addrs/${id}: matched, but came too early: 1 of the first 5 have passed.`,
    ])
  })

  test('of a rejected key says that it was deleted', async () => {
    const gateway = open({ keys: ['key'] })
    const { id, token = '' } = gateway.apiKeys.create({})
    gateway.apiKeys.delete(id)
    const authorization = `Bearer ${token}`
    await uncheckedClient(gateway)('GET', '/reserved_addrs', { headers: { authorization } })
    expect(await listCauses(gateway)).toEqual([
      [
        'rejected',
        `The API key ${id} no longer exists. Send the token of another one, for example from POST /api_keys.`,
      ],
    ])
  })

  test('of a visitor whose backend was deleted says so', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const edge = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] }).id
    const { id } = gateway.httpResponseBackends.create({ body: 'hello' })
    gateway.httpsEdgeRoutes.create(edge, { match: '/', match_type: 'path_prefix', backend: { backend_id: id } })
    gateway.httpResponseBackends.delete(id)
    await gateway.traffic.fetch('https://app.ngrok.app/')
    expect((await listCauses(gateway)).at(-1)?.[1]).toMatch(
      new RegExp(` No backend has the ID ${id} now: send the route one that exists\\.$`),
    )
  })

  test('of a visitor whom an IP policy without rules denies names the policy', async () => {
    const gateway = open()
    const { id } = gateway.ipPolicies.create({ description: 'empty' })
    const actions = [{ type: 'restrict-ips', config: { ip_policies: [id] } }]
    const url = 'https://app.example.org'
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions }] })
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
    await gateway.traffic.fetch(url)
    const why = `it is in no allowed range of the policy or of ${id}.`
    expect((await listCauses(gateway)).at(-1)?.[1]).toContain(why)
  })

  test('of a scripted outcome says why no attempt takes it, or when the next attempt is', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'issued.example.com', certificate_management_policy: ECDSA })
    gateway.clock.advance('30s')
    const pair = certificatePair({ names: ['upload.example.com'], notBefore: SHOWN_START, notAfter: timeAfter('90d') })
    const { id } = gateway.tlsCertificates.create(pair)
    gateway.reservedDomains.create({ domain: 'upload.example.com', certificate_id: id })
    for (const name of ['misspelt', 'upload', 'issued'])
      gateway.provisioning.script(['DNS_ERROR'], { domain: `${name}.example.com` })
    const waits = '1 outcome is waiting for an attempt.'
    const found = await listTroubles(gateway)
    expect(found.map(({ cause }) => cause).sort()).toEqual([
      `${waits} No domain is named misspelt.example.com.`,
      `${waits} The next attempt is the renewal.`,
      `${waits} upload.example.com has no automatic certificate, so it has no attempts.`,
    ])
    expect(found.flatMap(({ due = [] }) => due)).toEqual([timeAfter('30s', '60d')])
  })

  test('of a 404 says that a request deleted the resource, or that something else removed it', async () => {
    const gateway = open()
    const create = async (): Promise<string> => (await client(gateway)('POST', '/reserved_addrs')).body.id
    const deleted = await create()
    const whole = gateway.snapshot()
    for (let at = 0; at < 2; at++) await client(gateway)('DELETE', `/reserved_addrs/${deleted}`)
    const before = gateway.snapshot()
    const undone = await create()
    gateway.restore(before)
    await client(gateway)('GET', `/reserved_addrs/${undone}`)
    const why = 'POST /reserved_addrs created it. A restore, an undo, or another call has removed it since.'
    expect(await listCauses(gateway)).toEqual([
      ['rejected', `There is no reserved address ${undone}. ${why}`],
      ['rejected', `There is no reserved address ${deleted}. An earlier request deleted it.`],
    ])
    gateway.restore(whole)
    expect(await listCauses(gateway)).toContainEqual([
      'fixed',
      `There is no reserved address ${deleted}. It exists now.`,
    ])
  })

  test('of an agent session that a command ended says when, what went with it, and how to continue', async () => {
    const gateway = open()
    const send = client(gateway)
    const url = 'https://app.ngrok.app'
    const causes: string[] = []
    for (const command of ['stop', 'restart']) {
      const { id } = gateway.declare.tunnelSession({ endpoints: [{ url }] })
      await send('POST', `/tunnel_sessions/${id}/${command}`, { json: {} })
      gateway.clock.advance('1m')
      await send('GET', `/tunnel_sessions/${id}`)
      causes.push(((await listTroubles(gateway))[0]?.cause ?? '').replaceAll(id, 'ts_1'))
    }
    const [stopped, restarted] = causes
    expect(stopped).toBe(
      `There is no tunnel session ts_1. POST /tunnel_sessions/ts_1/stop ended it at ${SHOWN_START}, and its tunnels and endpoints with it. Restart the agent: its new session will have a new ID.`,
    )
    expect(restarted).toContain(
      `POST /tunnel_sessions/ts_1/restart ended it at ${timeAfter('1m')}. The agent is in a new session with the same tunnels: list the sessions to find the ID.`,
    )
  })

  test('of a visitor who rejects the certificate names the gateway and the domain', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions: [{ type: 'deny' }] }] })
    gateway.endpoints.create({ url: 'https://app.example.com', type: 'cloud', traffic_policy })
    await gateway.traffic.fetch('https://app.example.com/').catch(() => undefined)
    expect((await listTroubles(gateway)).find(({ kind }) => kind === 'rejected')?.cause).toMatch(
      /^Visitors got no response: the gateway presented its default certificate for \S+: app\.example\.com has no certificate yet/,
    )
  })

  test('of a visitor whose endpoint has gone offline names the endpoint and when it was there', async () => {
    const gateway = open()
    gateway.traffic.upstream('http://localhost:80', () => new Response('here'))
    const url = 'https://app.ngrok.app'
    const { id } = gateway.declare.tunnelSession({ endpoints: [{ url }] })
    await gateway.traffic.fetch(`${url}/`)
    const endpoint = gateway.traffic.last()?.endpoint
    const online = gateway.snapshot()
    await client(gateway)('POST', `/tunnel_sessions/${id}/stop`, { json: {} })
    gateway.clock.advance('1m')
    await gateway.traffic.fetch(`${url}/`)
    expect((await listTroubles(gateway)).at(-1)?.cause).toBe(
      `Visitors got 404 ERR_NGROK_3200: no public endpoint is online at ${url}. ${endpoint} took a request there at ${SHOWN_START}, and has gone offline since: POST /tunnel_sessions/${id}/stop removed it at ${SHOWN_START}. Start an agent for this URL, or create an endpoint.`,
    )
    const stopped = gateway.snapshot()
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    expect((await listCauses(gateway)).at(-1)).toEqual([
      'fixed',
      expect.stringMatching(/ at https:\/\/app\.ngrok\.app\. ep_\w+ is online there now\.$/),
    ])
    gateway.restore(stopped)
    gateway.restore(online)
    expect(await listCauses(gateway)).toEqual([
      [
        'fixed',
        `Visitors got 404 ERR_NGROK_3200: no public endpoint is online at ${url}. ${endpoint} is online there now.`,
      ],
    ])
  })

  test('of an endpoint whose domain was deleted does not advise to reserve a domain that is reserved again', async () => {
    const gateway = open()
    const reserve = () => gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const { id } = reserve()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok.app' }] })
    gateway.reservedDomains.delete(id)
    expect((await listCauses(gateway)).map(([, cause]) => cause)).toEqual([
      "The endpoint's domain was deleted. Reserve app.ngrok.app again, and restart the agent.",
    ])
    reserve()
    expect((await listCauses(gateway)).map(([, cause]) => cause)).toEqual([
      "The endpoint's domain was deleted and then reserved again. Restart the agent.",
    ])
    await gateway.agent.restart()
    expect(await listCauses(gateway)).toEqual([])
  })

  test('of an endpoint whose domain was deleted stays when the agent restarts before the domain is reserved again', async () => {
    const gateway = open()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com' }] })
    gateway.reservedDomains.delete(id)
    const listed = await listCauses(gateway)
    expect(listed).toHaveLength(1)
    await gateway.agent.restart()
    expect(await listCauses(gateway)).toEqual(listed)
  })

  test('of requests to unknown paths is named for each path, not only for the last one', async () => {
    const gateway = open()
    const send = client(gateway)
    await send('GET', '/v2/reserved_domains')
    await send('PUT', '/reserved_domains')
    await send('GET', '/reserved_domain')
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    for (let at = 0; at < 2; at++) await send('GET', `/reserved_domain/${id}`)
    const found = (await listTroubles(gateway)).filter(({ kind }) => kind === 'rejected')
    expect(
      found.map(({ count, cause, search }) => [count, cause.replace(/^.*does not support it\. /, ''), search]),
    ).toEqual([
      [
        3,
        'The segment "reserved_domain" is unknown. Did you mean reserved_domains?',
        'op:none method:GET path:/reserved_domain status:404',
      ],
      [
        1,
        'PUT is not allowed on /reserved_domains. Allowed: POST, GET, HEAD.',
        'op:none method:PUT path:/reserved_domains status:404',
      ],
      [
        1,
        '"/reserved_domains" is a path of this API. Remove "/v2" in front of it.',
        'op:none method:GET path:/v2/reserved_domains status:404',
      ],
    ])
  })

  test('is not a still clock if a client repeats an unknown path', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
    await client(gateway)('GET', '/reserved_domains')
    gateway.clock.advance('1s')
    for (let at = 0; at < 4; at++) await client(gateway)('GET', '/nope')
    expect((await listCauses(gateway)).map(([kind]) => kind)).toEqual(['rejected'])
  })

  test('of a visitor of an edge without a route, or of weights of 0, is what an agent does not fix', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'app.ngrok.app' })
    const edge = gateway.httpsEdges.create({ hostports: ['app.ngrok.app:443'] }).id
    const visit = () => gateway.traffic.fetch('https://app.ngrok.app/')
    const last = async () => (await listCauses(gateway)).find(([kind]) => kind === 'rejected')?.[1]
    await visit()
    expect(await last()).toBe(
      `Visitors got 404 ERR_NGROK_3200: no route of the edge ${edge} matches /. Add one that does with POST /edges/https/${edge}/routes.`,
    )
    const child = gateway.httpResponseBackends.create({ body: 'hello' }).id
    const zero = gateway.weightedBackends.create({ backends: { [child]: 0 } }).id
    const { id } = gateway.failoverBackends.create({ backends: [zero] })
    const backend = { backend_id: id }
    gateway.httpsEdgeRoutes.create(edge, { match: '/', match_type: 'path_prefix', backend })
    await visit()
    expect(await last()).toBe(
      `Visitors got 404 ERR_NGROK_3200: no child of the backend ${id} has a weight above 0. Give one a weight above 0.`,
    )
    gateway.weightedBackends.update(zero, { backends: { [child]: 1 } })
    expect((await visit()).status).toBe(200)
  })

  test('is told for an event destination that rejects events, until it takes them', async () => {
    let status = 500
    const server = createServer((_, response) => void response.writeHead(status).end())
    const url = await listen(server)
    const gateway = open({ destinations: { datadog: url } })
    const empty = gateway.snapshot()
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [id] })
    gateway.vaults.create({ name: 'app' })
    await gateway.sentEvents.idle()
    expect(await listTroubles(gateway)).toMatchObject([
      {
        kind: 'broken',
        cause: `1 event is waiting for the next attempt. The last attempt, to ${url} (option destinations.datadog): the destination responded with 500. The next attempts follow the gateway's clock. Advance it if it is a manual clock.`,
        about: [{ collection: 'event_destinations', key: id }],
      },
    ])
    gateway.clock.advance('24h')
    await gateway.sentEvents.idle()
    expect((await controlClient(gateway)('GET', '/overview')).body).toMatchObject({ next: null })
    gateway.vaults.create({ name: 'other' })
    status = 200
    gateway.clock.advance('5m')
    await gateway.sentEvents.idle()
    expect(await listCauses(gateway)).toEqual([
      [
        'broken',
        `1 event failed after 24 hours. The last attempt, to ${url} (option destinations.datadog): the destination responded with 500. Failed events are not sent again.`,
      ],
    ])
    gateway.restore(empty)
    expect(await listTroubles(gateway)).toEqual([])
  })

  test('of a backend says what is missing, and of a certificate when it is due', async () => {
    const gateway = open()
    gateway.reservedDomains.create({ domain: 'edge.example.com', certificate_management_policy: ECDSA })
    const edge = gateway.httpsEdges.create({ hostports: ['edge.example.com:443'] }).id
    const visit = async (insecure: boolean) => {
      await gateway.traffic.fetch('https://edge.example.com/', { from: { insecure } }).catch(() => undefined)
      return (await listCauses(gateway)).find(([kind]) => kind === 'rejected')?.[1]
    }
    expect(await visit(false)).toMatch(/no certificate yet\. The next attempt is due at \S+Z\.$/)
    gateway.traffic.clear()
    const labels = { app: 'shop' }
    const group = gateway.tunnelGroupBackends.create({ labels }).id
    const route = gateway.httpsEdgeRoutes.create(edge, {
      match: '/',
      match_type: 'path_prefix',
      backend: { backend_id: group },
    })
    expect(await visit(true)).toMatch(
      /no tunnel of the backend \w+ is online\. Its labels are app=shop\. Start a tunnel with these labels\.$/,
    )
    const set = (backend: { backend_id: string; enabled?: boolean }) =>
      gateway.httpsEdgeRoutes.update({ edge_id: edge, id: route.id }, { backend })
    set({ backend_id: gateway.failoverBackends.create({ backends: [] }).id })
    expect(await visit(true)).toMatch(/: the backend bkdfo_\w+ has no children\. Add one\. Before that: no tunnel of /)
    set({ backend_id: group, enabled: false })
    expect(await visit(true)).toMatch(/: the route has no enabled backend\. Set or enable its backend\. Before that: /)
  })

  test('is told for an expression that fails, and for an internal endpoint that is missing', async () => {
    const gateway = open()
    const url = 'https://app.example.org'
    const traffic_policy = JSON.stringify({
      on_http_request: [
        { name: 'adults', expressions: ["int(getReqHeader('age')[0]) < 18"], actions: [{ type: 'deny' }] },
        { actions: [{ type: 'forward-internal', config: { url: 'https://none.internal' } }] },
      ],
    })
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
    for (let at = 0; at < 2; at++) await gateway.traffic.fetch(url)
    const [risk, rejected] = await listTroubles(gateway)
    const why = /^The rule adults of ep_\w+ did not apply, because int\(getReqHeader\('age'\)\[0\]\) < 18 failed: .+\.$/
    expect(risk).toMatchObject({ kind: 'risk', count: 2, cause: expect.stringMatching(why) })
    expect(rejected?.cause).toMatch(
      / Start an agent for https:\/\/none\.internal, or create an endpoint with the binding internal\.$/,
    )
  })

  test('names the request that removed an endpoint which no visitor had reached before', async () => {
    const gateway = open()
    const { id } = gateway.credentials.create()
    gateway.declare.tunnelSession({ credential: id, endpoints: [{ url: 'https://app.example.org' }] })
    await client(gateway)('DELETE', `/credentials/${id}`)
    await gateway.traffic.fetch('https://app.example.org')
    const [[, cause] = []] = await listCauses(gateway)
    expect(cause).toMatch(/app\.example\.org\. DELETE \/credentials\/cr_\w+ removed ep_\w+ at \S+Z\. Start an agent/)
  })

  test('is told for each tunnel whose definition the agent could not read', async () => {
    const gateway = open()
    for (const body of ['{"name":"web","proto":"http"}', '{"name":"ftp","addr":"1","proto":"ftp"}', '{'])
      await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels', { method: 'POST', body })
    const all = await listTroubles(gateway)
    expect(all.map(({ about }) => about[0]?.name)).toEqual(['tunnel web', 'tunnel ftp', 'tunnel command_line'])
    expect(all[0]?.cause).toBe('The agent could not start a tunnel. addr is missing. It is required.')
  })

  test('of a fault that dropped the connection has no status', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'vaults.list', drop: true, times: 1 })
    await client(gateway)('GET', '/vaults').catch(() => undefined)
    const cause = 'A fault closed the connection without a response, and is used up: vaults.list times 1, drop true.'
    expect(await listCauses(gateway)).toEqual([['injected', cause]])
  })

  test('names the ACME challenge whose record is missing', async () => {
    const gateway = open({ dns: 'simulated' })
    const domain = '*.wild.example.com'
    const { cname_target } = gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    gateway.dns.cname(domain, cname_target)
    expect((await listCauses(gateway))[0]?.[1]).toMatch(
      /^No CNAME record for _acme-challenge\.wild\.example\.com leads to /,
    )
  })

  test.each([
    ['a wrong key', { keys: ['right'] }, 'code:ERR_NGROK_202'],
    ['a suspended account', { account: { state: 'suspended' } }, 'code:ERR_NGROK_205'],
    ['a rate limit', { rateLimit: { requests: 1, window: '60s' } }, 'code:ERR_NGROK_226'],
  ] as const)('of %s is one row for all operations', async (_, options, search) => {
    const gateway = open(options)
    for (const path of ['/api_keys', '/api_keys', '/vaults', '/reserved_domains'])
      await uncheckedClient(gateway)('GET', path, { headers: { authorization: 'Bearer wrong' } })
    const [row, ...others] = await listTroubles(gateway)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      count: search.endsWith('226') ? 3 : 4,
      search,
      about: [{ name: 'GET /reserved_domains' }],
    })
    expect(row?.fix?.length ?? 1).toBe(1)
  })

  test('of a store that fails is one broken row for all operations, until one of its requests succeeds', async () => {
    const store = memoryStore()
    const gateway = open({ store })
    store.failure = new Error('gateway.db cannot be written: the disk is full.')
    for (const path of ['/ip_policies', '/reserved_addrs']) await client(gateway)('POST', path, { json: {} })
    const cause =
      "The store could not save this call's changes, so nothing has changed. Cause: gateway.db cannot be written: the disk is full."
    expect(await listTroubles(gateway)).toMatchObject([{ kind: 'broken', count: 2, cause }])
    store.failure = undefined
    await client(gateway)('POST', '/reserved_addrs', { json: {} })
    expect((await listCauses(gateway)).map(([kind]) => kind)).toEqual(['fixed'])
  })

  test('keeps quoted values whole, and names an earlier cause once', async () => {
    const gateway = open()
    const create = (json: object) => uncheckedClient(gateway)('POST', '/edges/https', { json })
    for (const end of ['1', `2. ${'x'.repeat(90)}`]) await create({ mutual_tls: `Say "hi". ${end}. Two` })
    await create({ tls_termination: 'One. Two' })
    const long = `"Say \\"hi\\". 2. ${'x'.repeat(65)}…"`
    const cause = `tls_termination is "One. Two". Allowed: an object. Before that: mutual_tls is ${long}.`
    expect(await listCauses(gateway)).toEqual([['rejected', cause]])
  })

  test('of a right record that propagates is only time, and of a wrong one also the value', async () => {
    const gateway = open({ dns: 'simulated' })
    const domain = 'slow.example.com'
    const { cname_target } = gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    const cause = `No CNAME record leads to ${cname_target}. Found no record for ${domain} yet: the record was set, but won't propagate until ${timeAfter('2h')}.`
    gateway.dns.cname(domain, cname_target, { after: '2h' })
    const [waiting] = await listTroubles(gateway)
    expect(waiting).toMatchObject({ kind: 'waiting', cause: `${cause} Wait another 7,200 seconds.` })
    expect(waiting?.fix).toBeUndefined()
    gateway.dns.cname(domain, 'old.example.net', { after: '2h' })
    const after = 'After that: a CNAME record to old.example.net, which has no record.'
    expect(await listTroubles(gateway)).toMatchObject([
      { kind: 'broken', cause: `${cause} ${after}`, fix: [{ path: '/dns', body: { value: cname_target } }] },
    ])
    gateway.dns.cname(domain, 'alias.example.net')
    gateway.dns.cname('alias.example.net', cname_target, { after: '2h' })
    const [chain] = await listTroubles(gateway)
    expect(chain).toMatchObject({ kind: 'waiting', cause: expect.stringContaining('which has no record for alias.') })
  })
})
