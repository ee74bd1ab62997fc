import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { exactTimestamp } from '../../../src/core/schema/time.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { certificatePair } from '../../../src/testing/certificates.ts'
import { CLOCK_START } from '../../support/clock.ts'

const HTTP = 'http_request_complete.v0'
const TCP = 'tcp_connection_closed.v0'
const URL = 'https://app.ngrok.app'

/** Opens a gateway that tells the events of traffic, with an agent at {@link URL}. */
function openGateway(traffic_policy?: object, types: readonly string[] = [HTTP, TCP]) {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
  const subscription = gateway.eventSubscriptions.create({
    sources: types.map((type) => ({ type })),
    destination_ids: [destination.id],
  })
  const policy = traffic_policy && { traffic_policy: JSON.stringify(traffic_policy) }
  gateway.declare.tunnelSession({ endpoints: [{ url: URL, ...policy }] })
  gateway.traffic.upstream(URL, () => new Response('hello '.repeat(100), { headers: { 'x-Trace': 'One' } }))
  const last = (type: string) => gateway.sentEvents.list({ type }).at(-1)?.object
  return { gateway, subscription, last }
}

describe('An event of traffic (rules: events#traffic)', () => {
  test('has the request and the response, without secrets, and no principal', async () => {
    const { gateway, last } = openGateway()
    await gateway.traffic.fetch(`${URL}/a?b=1&token=secret`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { authorization: 'Bearer secret', 'user-agent': 'Tests/1' },
      from: { ip: '203.0.113.9' },
    })
    const object = last(HTTP)
    expect(object).toMatchObject({
      conn: { client_ip: '203.0.113.9', server_name: 'app.ngrok.app', server_port: 443 },
      http: {
        request: {
          body_length: 7,
          method: 'post',
          headers: { 'User-Agent': ['tests/1'], Authorization: ['[redacted]'] },
          url: { host: 'app.ngrok.app', path: '/a', query: 'b=1&token=[redacted]', scheme: 'https' },
          user_agent: 'Tests/1',
        },
        response: { status_code: 200, body_length: 600, headers: { 'X-Trace': ['one'] } },
      },
    })
    expect(JSON.stringify(gateway.sentEvents.list())).not.toContain('secret"')
    expect(gateway.sentEvents.list({ type: HTTP })[0]?.principal).toBeNull()
    expect(last(TCP)).toMatchObject({ conn: { client_ip: '203.0.113.9', bytes_in: 175, bytes_out: 671 } })
  })

  test('has the data of log, as texts', async () => {
    const { gateway, last } = openGateway({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the gateway interpolates it
      on_http_request: [{ actions: [{ type: 'log', config: { metadata: { method: '${req.method}', size: 3 } } }] }],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the gateway interpolates it
      on_http_response: [{ actions: [{ type: 'log', config: { metadata: { status: '${res.status_code}' } } }] }],
    })
    await gateway.traffic.fetch(URL)
    const traffic_policy = { logs: [{ method: 'GET', size: '3' }, { status: '200' }] }
    expect([last(HTTP), last(TCP)]).toMatchObject([{ traffic_policy }, { traffic_policy }])
  })

  test.each<[action: object, field: string, allowed: object, blocked: object]>([
    [
      { type: 'restrict-ips', config: { allow: ['203.0.113.9/32'] } },
      'ip_policy',
      { from: { ip: '203.0.113.9' } },
      { from: { ip: '203.0.113.8' } },
    ],
    [
      { type: 'basic-auth', config: { credentials: ['ann:password1'] } },
      'basic_auth',
      { headers: { authorization: `Basic ${btoa('ann:password1')}` } },
      {},
    ],
    [
      { type: 'oauth', config: { provider: 'google' } },
      'oauth',
      { from: { identity: { id: '7', name: 'Ann', email: 'ann@example.com' } } },
      {},
    ],
  ])('has the decision of %o', async (action, field, allowed, blocked) => {
    const { gateway, last } = openGateway({ on_http_request: [{ actions: [action] }] })
    await gateway.traffic.fetch(URL, allowed)
    expect(last(HTTP)).toMatchObject({ [field]: { decision: 'allow' } })
    await gateway.traffic.fetch(URL, blocked)
    expect(last(HTTP)).toMatchObject({ [field]: { decision: 'block' } })
  })

  test('has the name of basic-auth, and the user of oauth', async () => {
    const basic = openGateway({
      on_http_request: [{ actions: [{ type: 'basic-auth', config: { credentials: ['ann:password1'] } }] }],
    })
    await basic.gateway.traffic.fetch(URL, { headers: { authorization: `Basic ${btoa('ann:password1')}` } })
    expect(basic.last(HTTP)).toMatchObject({ basic_auth: { username: 'ann' } })
    const oauth = openGateway({ on_http_request: [{ actions: [{ type: 'oauth', config: { provider: 'google' } }] }] })
    await oauth.gateway.traffic.fetch(URL, { from: { identity: { id: '7', name: 'Ann' } } })
    expect(oauth.last(HTTP)).toMatchObject({ oauth: { user: { id: '7', name: 'Ann' } } })
  })

  test('has how a circuit breaker decided, also while it is half open', async () => {
    const config = { error_threshold: 0.1, volume_threshold: 1, window_duration: '1m', tripped_duration: '1m' }
    const { gateway, last } = openGateway({ on_http_request: [{ actions: [{ type: 'circuit-breaker', config }] }] })
    const decision = async () => {
      await gateway.traffic.fetch(URL)
      return Reflect.get(last(HTTP)?.circuit_breaker as object, 'decision')
    }
    gateway.traffic.upstream(URL, () => new Response('', { status: 500 }))
    expect(await decision()).toBe('allow')
    expect(await decision()).toBe('block')
    gateway.clock.advance('2m')
    expect(await decision()).toBe('allow_while_open')
  })

  test('has what compression saved', async () => {
    const { gateway, last } = openGateway({ on_http_response: [{ actions: [{ type: 'compress-response' }] }] })
    const response = await gateway.traffic.fetch(URL, { headers: { 'accept-encoding': 'gzip' } })
    const { length } = new Uint8Array(await response.arrayBuffer())
    expect(last(HTTP)).toMatchObject({
      compression: { algorithm: 'gzip', bytes_saved: 600 - length },
      http: { response: { body_length: length } },
    })
  })

  test('has the facts that a visitor says of the network', async () => {
    const { gateway, last } = openGateway()
    const facts = { 'conn.server_ip': '192.0.2.1', 'conn.tls.version': 'TLSv1.3', 'conn.tls.ja4_fingerprint': 't13d' }
    await gateway.traffic.fetch(URL, { from: { facts } })
    expect(last(HTTP)).toMatchObject({
      conn: { server_ip: '192.0.2.1' },
      tls: { version: 'TLSv1.3' },
      ja4_fingerprint: 't13d',
    })
  })

  test('has all that a gateway knows of a visit, and null for the rest', async () => {
    const { gateway, last } = openGateway()
    const facts = { 'conn.tls.cipher_suite': 'TLS_AES_128_GCM_SHA256', 'conn.tls.version': 'TLSv1.3' }
    const { certificate_pem: certificate } = certificatePair({ names: ['device.example.com'] })
    gateway.traffic.upstream(URL, () => {
      gateway.clock.advance('1500ms')
      return new Response('hello')
    })
    const headers = { 'user-agent': 'Tests/1' }
    await gateway.traffic.fetch(`${URL}/a?b=1`, { headers, from: { ip: '203.0.113.9', facts, certificate } })
    const conn = {
      client_ip: '203.0.113.9',
      server_ip: null,
      server_name: 'app.ngrok.app',
      server_port: 443,
      start_ts: exactTimestamp(CLOCK_START),
    }
    expect(last(HTTP)).toEqual({
      backend: { connection_reused: null },
      basic_auth: { decision: null, username: null },
      circuit_breaker: { decision: null },
      compression: { algorithm: 'none', bytes_saved: 0 },
      conn,
      http: {
        request: {
          body_length: 0,
          headers: { Host: ['app.ngrok.app'], 'User-Agent': ['tests/1'] },
          method: 'get',
          url: { host: 'app.ngrok.app', path: '/a', query: 'b=1', raw: `${URL}/a?b=1`, scheme: 'https' },
          user_agent: 'Tests/1',
        },
        response: { body_length: 5, headers: expect.any(Object), status_code: 200 },
      },
      ip_policy: { decision: null },
      ja4_fingerprint: null,
      oauth: { app_client_id: null, decision: null, user: { id: null, name: null } },
      tls: {
        cipher_suite: 'TLS_AES_128_GCM_SHA256',
        client_cert: { serial_number: expect.any(String), subject: { cn: 'device.example.com' } },
        version: 'TLSv1.3',
      },
      traffic_policy: { logs: [] },
      webhook_verification: { decision: null },
    })
    expect(last(TCP)).toEqual({
      conn: {
        ...conn,
        bytes_in: expect.any(Number),
        bytes_out: expect.any(Number),
        end_ts: exactTimestamp(CLOCK_START + 1500),
      },
      ip_policy: { decision: null },
      ja4_fingerprint: null,
      traffic_policy: { logs: [] },
    })
  })

  test('is there for a connection that the gateway closed, and not for a URL without an endpoint', async () => {
    const { gateway } = openGateway({ on_tcp_connect: [{ actions: [{ type: 'close-connection' }] }] })
    await expect(gateway.traffic.fetch(URL)).rejects.toThrow('fetch failed')
    await gateway.traffic.fetch('https://nobody.ngrok.app')
    expect(gateway.sentEvents.list().map(({ event_type }) => event_type)).toEqual([TCP])
  })

  test('leaves the body of the response to its reader', async () => {
    const { gateway } = openGateway()
    expect(await (await gateway.traffic.fetch(URL)).text()).toBe('hello '.repeat(100))
  })

  test('is at the end of an event stream', async () => {
    const { gateway, last } = openGateway()
    const headers = { 'content-type': 'text/event-stream' }
    gateway.traffic.upstream(URL, () => new Response('data: 1\n\n', { headers }))
    const response = await gateway.traffic.fetch(URL)
    expect(last(HTTP)).toBeUndefined()
    await response.text()
    expect(last(HTTP)).toMatchObject({ http: { response: { body_length: 9 } } })
  })
})

describe('A filter of a source (rules: events#filters)', () => {
  test.each<[filter: string, passes: boolean]>([
    ['ev.conn.server_name.matches(".*[.]ngrok[.]app")', true],
    ['ev.conn.server_name.matches(".*[.]ngrok[.]app") && ev.conn.server_port == 80', false],
    ['ev.conn.client_ip != "203.0.113.1" && ev.conn.server_name == "app.ngrok.app"', false],
    ['ev.conn.server_port == 443', true],
    ['ev.conn.server_ip == "192.0.2.1"', false],
    // The examples of the service's page.
    [String.raw`ev.conn.server_name.matches("ngrok-docs-examples\\.ngrok\\.dev")`, false],
    [String.raw`ev.conn.server_name.matches(".*-your-org\\.ngrok\\.dev") && ev.conn.server_port == 80`, false],
    ['ev.conn.client_ip != "2601:0:8200:0:4cd7:fd52:0:7823" &&\nev.conn.server_name == "app.ngrok.app"', true],
    ['ev.conn.server_name.matches("(?i)^APP[.]")', true],
    ['!ev.conn.server_name.matches("^([a-z]+[.]?)+[A-Z]$")', true],
  ])('chooses events: %s', async (filter, passes) => {
    const { gateway, subscription } = openGateway()
    const subscription_id = subscription.id
    expect(gateway.declare.eventSource({ subscription_id, type: HTTP, filter })).toMatchObject({ type: HTTP })
    await gateway.traffic.fetch(URL)
    expect(gateway.sentEvents.list({ type: HTTP })).toHaveLength(passes ? 1 : 0)
    expect(gateway.sentEvents.list({ type: TCP })).toHaveLength(1)
  })

  test.each<[input: object, message: string | RegExp]>([
    [{ type: HTTP, filter: 'ev.http.request.method == "get"' }, 'No such key: http'],
    [{ type: HTTP, filter: 'principal == null' }, 'Unknown variable: principal'],
    [{ type: HTTP, filter: 'ev.conn.client_ip' }, 'must be a bool'],
    [{ type: HTTP, filter: 'ev.conn.' }, 'a CEL condition over ev.conn.client_ip'],
    [{ type: HTTP, filter: 'ev.conn.server_port == "a"' }, '. No such overload: int == string.'],
    [{ type: HTTP, filter: 'ev.conn.server_name.matches("(?=a)")' }, 'The pattern is not valid in RE2'],
    [{ type: HTTP, filter: 'b"a".hex() == "61"' }, '. There is no function hex.'],
    [{ type: HTTP, filter: `${'!'.repeat(252)}true` }, '. Exceeded maxDepth (250).'],
    [{ type: HTTP, filter: 'size(ev)' }, /^[^.]*\.filter is .*[.] [A-Z][^.]*[.]$/],
    [{ type: 'ip_policy_created.v0', filter: 'true' }, 'ip_policy_created.v0 has no filter'],
    [{ type: HTTP, fields: ['http.request.methods'] }, 'http.request.method'],
    [{ type: 'domain_created.v0', fields: ['id'] }, 'has no fields to select'],
    [{ type: 'nonsense' }, 'one of api_key_created.v0'],
  ])('is rejected: %o', (input, message) => {
    const { gateway, subscription } = openGateway()
    const sent = { subscription_id: subscription.id, ...(input as { readonly type: string }) }
    expect(() => gateway.declare.eventSource(sent)).toThrow(message)
    expect(gateway.eventSubscriptions.get(subscription.id)).toEqual(subscription)
  })

  test('takes time that is linear in the length of the host, whatever its pattern', async () => {
    const { gateway, subscription } = openGateway()
    const url = `https://${'a'.repeat(60)}.ngrok.app`
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    const filter = 'ev.conn.server_name.matches("^(a+)+$")'
    gateway.declare.eventSource({ subscription_id: subscription.id, type: HTTP, filter })
    await gateway.traffic.fetch(url)
    expect(gateway.sentEvents.list().map(({ event_type }) => event_type)).toEqual([TCP])
  })

  test('selects fields, and ends with its source', async () => {
    const { gateway, subscription, last } = openGateway()
    const fields = ['http.request.method', 'conn.client_ip']
    gateway.declare.eventSource({ subscription_id: subscription.id, type: HTTP, fields })
    await gateway.traffic.fetch(URL)
    expect(last(HTTP)).toEqual({ http: { request: { method: 'get' } }, conn: { client_ip: '203.0.113.1' } })
    gateway.eventSources.delete({ subscription_id: subscription.id, type: HTTP })
    gateway.eventSources.create(subscription.id, { type: HTTP })
    await gateway.traffic.fetch(URL)
    expect(last(HTTP)).toHaveProperty('http.response.status_code', 200)
  })
})
