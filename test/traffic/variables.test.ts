import { describe, expect, test } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

const EXACT_START = new Date(CLOCK_START).toISOString()
/** A time as a text of CEL has it: without the milliseconds if they are 0. */
const START_IN_CEL = EXACT_START.replace('.000Z', 'Z')

/** A request that has a value for each variable. */
const REQUEST = {
  method: 'POST',
  headers: {
    'content-type': 'Text/Plain; Charset="utf-8"; a=b',
    'content-encoding': 'gzip, br',
    cookie: 'a=1; b=2; a=3',
    location: '/there',
    'user-agent': 'curl/8.0',
  },
  body: 'four',
  from: { ip: '198.51.100.7' },
}
const PATH = '/a%20b?x=1&y=2&x=3'

// rules: traffic-policy#expressions
describe('An expression reads of a request', () => {
  test.each([
    ['time.now', EXACT_START],
    ['endpoint.url', URL_OF_APP],
    ['endpoint.addr', 'app.example.com:443'],
    ['endpoint.host', 'app.example.com'],
    ['endpoint.port', '443'],
    ['endpoint.protocol', 'https'],
    ['conn.client_ip', '198.51.100.7'],
    ['conn.server_port', '443'],
    ['conn.server_region', 'us'],
    ['conn.ts.start', START_IN_CEL],
    ['conn.tls.sni', 'app.example.com'],
    ['req.method', 'POST'],
    ['req.version', 'HTTP/1.1'],
    ['req.host', 'app.example.com'],
    ['req.ts.header_received', START_IN_CEL],
    ['req.ts.body_received', START_IN_CEL],
    ['req.user_agent', 'curl/8.0'],
    ['req.content_length', '4'],
    ['req.content_encoding', '[gzip, br]'],
    ['req.content_type', 'text/plain'],
    ['req.content_type.raw', 'Text/Plain; Charset="utf-8"; a=b'],
    ['req.content_type.parameters', '{a: b, charset: utf-8}'],
    ["req.headers['user-agent']", '[curl/8.0]'],
    ['req.location', '/there'],
    ['req.trailers', '{}'],
    ["req.cookies['a'].map(each, each.value)", '[1, 3]'],
    ["req.cookies['b'][0].domain", ''],
    ['req.url', `${URL_OF_APP}${PATH}`],
    ['req.url.authority', 'app.example.com'],
    ['req.url.host', 'app.example.com'],
    ['req.url.path', '/a b'],
    ['req.url.raw_path', '/a%20b'],
    ['req.url.port', '0'],
    ['req.url.query', 'x=1&y=2&x=3'],
    ['req.url.query_params', '{x: [1, 3], y: [2]}'],
    ['req.url.raw', `${URL_OF_APP}${PATH}`],
    ['req.url.scheme', 'https'],
    ['req.url.uri', PATH],
    ['req.url.user_password', ''],
  ])('%s', async (variable, expected) => {
    const { visit } = createVisited(policyOf('custom-response', { body: `\${${variable}}` }))
    expect(await (await visit(PATH, REQUEST)).text()).toBe(expected)
  })

  test('a length, a type and cookies that it does not have as 0 and empty', async () => {
    const body = '${req.content_length}|${req.content_type}|${req.content_encoding}|${req.cookies}|${req.user_agent}'
    const { visit } = createVisited(policyOf('custom-response', { body }))
    expect(await (await visit()).text()).toBe('0||[]|{}|')
  })
})

describe('An expression reads of a response', () => {
  test.each([
    ['res.status_code', '201'],
    ['res.content_length', '5'],
    ['res.content_encoding', '[]'],
    ['res.content_type', 'text/html'],
    ['res.content_type.parameters', '{charset: utf-8}'],
    ["res.headers['x-a']", '[b]'],
    ['res.location', '/made'],
    ["res.cookies['a'][0].value", '1=2'],
    ["res.cookies['a'][0].domain", 'example.com'],
    ["res.cookies['a'][0].path", '/p'],
    ["res.cookies['a'][0].same_site", 'Lax'],
    ["res.cookies['a'].map(each, [each.secure, each.http_only])", '[[true, true]]'],
    ["res.cookies['b'].map(each, [each.secure, each.http_only])", '[[false, false]]'],
  ])('%s', async (variable, expected) => {
    const { gateway, visit } = createVisited(
      policyOf('add-headers', { headers: { 'x-read': `\${${variable}}` } }, 'on_http_response'),
    )
    gateway.traffic.upstream(URL_OF_APP, () => {
      const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'x-a': 'b', location: '/made' })
      headers.set('content-length', '5')
      headers.append('set-cookie', 'a=1=2; Domain=example.com; Path=/p; SameSite=Lax; Secure; HttpOnly')
      headers.append('set-cookie', 'b=')
      return new Response('hello', { status: 201, headers })
    })
    expect((await visit()).headers.get('x-read')).toBe(expected)
  })
})

test('The policy of a route reads the same values in the older spelling', async () => {
  const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'edges' })
  const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
  const names = ['Version', 'Method', 'Host', 'URL', 'ContentLength', 'ContentType', 'Params']
  const body = [...names.map((name) => `\${req.${name}}`), "${req.Headers['User-Agent']}", '${conn.ClientIP}'].join('|')
  gateway.trafficPolicy.replace(ids, { inbound: [{ actions: [{ type: 'custom-response', config: { body } }] }] })
  const visitor = { edge: ids.edge_id, route: ids.id, backend: 'bkdhr_1' }
  const response = await gateway.traffic.fetch('https://shop.example.com/?a=1', { ...visitor, ...REQUEST })
  expect((await response.text()).split('|')).toEqual([
    ...['HTTP/1.1', 'POST', 'shop.example.com', 'https://shop.example.com/?a=1', '4', 'text/plain', '{a: [1]}'],
    ...['[curl/8.0]', '198.51.100.7'],
  ])
})

// rules: traffic#bodies
describe('The length of a body that no header tells', () => {
  const policy = JSON.stringify({
    on_http_request: [
      { expressions: ['req.content_length > 3'], actions: [{ type: 'deny', config: { status_code: 413 } }] },
    ],
    on_http_response: [
      { actions: [{ type: 'add-headers', config: { headers: { 'x-length': '${res.content_length}' } } }] },
    ],
  })

  test('is that of the text of a Request', async () => {
    const { gateway } = createVisited(policy)
    const send = (body: BodyInit, more: object = {}) =>
      gateway.traffic.fetch(new Request(URL_OF_APP, { method: 'POST', body, ...more }))
    expect((await send('four')).status).toBe(413)
    expect((await send(new URLSearchParams('a=1&b=2'))).status).toBe(413)
    expect(await (await send('two')).text()).toBe('upstream got two')
  })

  test('is that of the text of a Request at an internal endpoint too', async () => {
    const { gateway } = createVisited(policyOf('forward-internal', { url: 'https://a.internal' }))
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://a.internal', traffic_policy: policy }] })
    gateway.traffic.upstream('https://a.internal', () => new Response())
    const send = (body: string) => gateway.traffic.fetch(new Request(URL_OF_APP, { method: 'POST', body }))
    expect([(await send('four')).status, (await send('two')).status]).toEqual([413, 200])
  })

  test('is a header for the text of a Request, as clients send it, and not for a stream', async () => {
    const { gateway } = createVisited(
      policyOf('custom-response', {
        body: "${hasReqHeader('content-length') ? getReqHeader('content-length')[0] : 'none'}",
      }),
    )
    const send = async (body: BodyInit) => {
      const request = new Request(URL_OF_APP, { method: 'POST', body })
      return (await gateway.traffic.fetch(request)).text()
    }
    const streamed = await gateway.traffic.fetch(URL_OF_APP, {
      ...{ method: 'POST', duplex: 'half' },
      body: new Blob(['four']).stream(),
    })
    expect([await send('four'), await streamed.text()]).toEqual(['4', 'none'])
  })

  test('is 0 for a request that streams', async () => {
    const { visit } = createVisited(policy)
    const init = { method: 'POST', body: new Blob(['four']).stream(), duplex: 'half' }
    expect(await (await visit('/', init)).text()).toBe('upstream got four')
  })

  test('is that of the response', async () => {
    const { visit } = createVisited(policy)
    const response = await visit()
    expect(response.headers.get('x-length')).toBe('13')
    expect(await response.text()).toBe('upstream got ')
  })

  test('is 0 for an event stream, which may never end', async () => {
    const { visit, gateway } = createVisited(policy)
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    })
    gateway.traffic.upstream(
      URL_OF_APP,
      () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
    )
    const response = await visit()
    expect(response.headers.get('x-length')).toBe('0')
    await response.body?.cancel()
  })
})

describe('A variable of an action', () => {
  test.each([
    ['oauth.identity.email', ''],
    ['http_request.res.status_code', '0'],
    ['http_request.res.header', '{}'],
    ['basic_auth.credentials.authorized', 'false'],
    ['jwt_validation.tokens', '[]'],
  ])('that did not run is empty: %s', async (name, expected) => {
    const { visit } = createVisited(policyOf('custom-response', { body: `<\${actions.ngrok.${name}}>` }))
    expect(await (await visit()).text()).toBe(`<${expected}>`)
  })

  test('has an integer for a whole number, unless JavaScript has rounded it, as JSON has', async () => {
    const json = `json.decode('{"a":2,"b":1e20,"c":1.5}')`
    const body = ['actions.ngrok.ai_gateway.client', json].map((of) => `\${['a', 'b', 'c'].map(key, type(${of}[key]))}`)
    const actions = [{ type: 'ai-gateway' }, { type: 'custom-response', config: { body: body.join(' ') } }]
    const { visit } = createVisited(JSON.stringify({ on_http_request: [{ actions }] }))
    const response = await visit('/', { from: { actions: { 'ai-gateway': { client: { a: 2, b: 1e20, c: 1.5 } } } } })
    expect(await response.text()).toBe('[int, double, double] [int, double, double]')
  })

  test('is empty if the caller gives none of its parts', async () => {
    const error = {}
    const body = '<${actions.ngrok.owasp_crs_request.error.code}>'
    const actions = [
      { type: 'owasp-crs-request', config: { on_error: 'halt' } },
      { type: 'custom-response', config: { body } },
    ]
    const { visit } = createVisited(JSON.stringify({ on_http_request: [{ actions }] }))
    const response = await visit('/', { from: { actions: { 'owasp-crs-request': { decision: 'allow', error } } } })
    expect(await response.text()).toBe('<>')
  })
})
