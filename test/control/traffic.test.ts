import { expect, test } from 'vitest'
import { createVisited, policyOf, URL_OF_APP } from '../traffic/visits.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function createControlled(policy?: string) {
  const { gateway } = createVisited(policy)
  const call = async (method: string, path: string, body?: object) => {
    const init = body ? { body: JSON.stringify(body), headers: JSON_TYPE } : {}
    const response = await gateway.fetch(`http://localhost/_fauxgate${path}`, { method, ...init })
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
  }
  return { gateway, call }
}

// rules: control-api#calls
test('a request of a visitor over HTTP has its response and its trace', async () => {
  const { call } = createControlled(
    policyOf('deny', { status_code: 451 }, 'on_http_request', ["conn.geo.country_code == 'US'"]),
  )
  const { status, body } = await call('POST', '/traffic', { url: URL_OF_APP, from: { country: 'US' } })
  expect([status, body]).toEqual([200, expect.objectContaining({ status: 451, rule: 'on_http_request.0' })])
  expect((await call('GET', '/traffic')).body).toMatchObject([{ url: `${URL_OF_APP}/`, status: 451 }])
})

test('a connection that the gateway closes has no status', async () => {
  const { call } = createControlled(policyOf('close-connection'))
  expect((await call('POST', '/traffic', { url: URL_OF_APP })).body).toMatchObject({ status: null, body: '' })
})

test('upstreams are canned responses, and can be removed', async () => {
  const { call } = createControlled()
  await call('PUT', '/traffic/upstreams', { url: URL_OF_APP, status: 201, headers: { 'x-a': '1' }, body: 'made' })
  expect((await call('POST', '/traffic', { url: URL_OF_APP, method: 'POST', body: 'x' })).body).toMatchObject({
    status: 201,
    body: 'made',
    headers: { 'x-a': '1' },
  })
  const path = `/traffic/upstreams?url=${encodeURIComponent(URL_OF_APP)}`
  expect([(await call('DELETE', path)).status, (await call('DELETE', path)).status]).toEqual([204, 404])
  expect((await call('POST', '/traffic', { url: URL_OF_APP })).body.status).toBe(502)
})

test('a missing fact, a wrong URL and a wrong upstream are refused in words', async () => {
  const { call } = createControlled(policyOf('deny', {}, 'on_http_request', ["conn.geo.city == 'Berlin'"]))
  expect((await call('POST', '/traffic', { url: URL_OF_APP })).body.error_code).toBe('ERR_NGROK_90450')
  expect((await call('POST', '/traffic', { url: 'nowhere' })).body.msg).toContain('a URL such as')
  expect((await call('PUT', '/traffic/upstreams', { url: 'nowhere' })).body.msg).toContain('the id of a backend')
})

test.each<[object, string]>([
  [{ method: 'GET', body: 'secret-words' }, 'body is a string of 12 characters. Allowed: none with GET and HEAD.'],
  [{ body: '' }, 'body is a string of 0 characters. Allowed: none with GET and HEAD.'],
  [{ method: 'TRACE' }, 'method is "TRACE". Allowed: a method that fetch can send'],
  [{ method: 'a b' }, 'method is "a b". Allowed: a method that fetch can send'],
  [
    { headers: { 'x-a': 'secret\nwords' } },
    'headers.x-a is a string of 12 characters. Allowed: a name and a value of HTTP.',
  ],
  [{ headers: { 'a b': 'c' } }, 'headers.a b is a string of 1 character. Allowed: a name and a value of HTTP.'],
  [{ url: 'https://user:secret-words@app.ngrok-free.app' }, 'without credentials.'],
])('what no fetch can send is refused, without its value: %j', async (sent, message) => {
  const { call } = createControlled()
  const { status, body } = await call('POST', '/traffic', { url: URL_OF_APP, ...sent })
  expect([status, body.msg]).toEqual([400, expect.stringContaining(message)])
  expect(JSON.stringify(body)).not.toMatch(/secret.words/)
})

test('an id that no backend can have is a backend that is missing', async () => {
  const { call } = createControlled()
  expect((await call('POST', '/traffic', { url: URL_OF_APP, backend: 'x y' })).body).toMatchObject({ status: 502 })
})

test('reset removes upstreams and empties the journal of traffic', async () => {
  const { gateway, call } = createControlled()
  await call('POST', '/traffic', { url: URL_OF_APP })
  gateway.reset()
  expect([gateway.traffic.count(), (await call('POST', '/traffic', { url: URL_OF_APP })).body.status]).toEqual([0, 404])
})
