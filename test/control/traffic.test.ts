import { expect, test, vi } from 'vitest'
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

test('a missing fact, a wrong URL and a wrong upstream are rejected in words', async () => {
  const { call } = createControlled(policyOf('deny', {}, 'on_http_request', ["conn.geo.city == 'Berlin'"]))
  expect((await call('POST', '/traffic', { url: URL_OF_APP })).body.error_code).toBe('ERR_NGROK_90450')
  for (const url of ['nowhere', ''])
    expect((await call('POST', '/traffic', { url })).body.msg).toContain(`url is "${url}". Allowed: a URL such as`)
  expect((await call('PUT', '/traffic/upstreams', { url: 'nowhere' })).body.msg).toContain('the ID of a backend')
})

test('a visitor that is null is named', async () => {
  const { gateway } = createControlled()
  const sent = Reflect.apply(gateway.traffic.fetch, undefined, [URL_OF_APP, { from: null }])
  await expect(sent).rejects.toThrow(new TypeError('from is null. Allowed: an object.'))
})

test.each<[object, string]>([
  [
    { method: 'GET', body: 'secret-words' },
    'body is a string of 12 characters. Allowed: none for GET and HEAD requests.',
  ],
  [{ body: '' }, 'body is a string of 0 characters. Allowed: none for GET and HEAD requests.'],
  [{ method: 'TRACE' }, 'method is "TRACE". Allowed: a method that fetch can send'],
  [{ method: 'a b' }, 'method is "a b". Allowed: a method that fetch can send'],
  [
    { headers: { 'x-a': 'secret\nwords' } },
    'headers.x-a is a string of 12 characters. Allowed: an HTTP header name and value.',
  ],
  [{ headers: { 'a b': 'c' } }, 'headers.a b is a string of 1 character. Allowed: an HTTP header name and value.'],
  [{ url: 'https://user:secret-words@app.ngrok-free.app' }, 'without credentials.'],
  [{ url: 'mailto:a@example.com' }, 'Allowed: a URL such as "https://app.example.com/"'],
  [{ url: 'javascript:alert(1)' }, 'Allowed: a URL such as "https://app.example.com/"'],
  [
    { url: `https://${'a.'.repeat(3000)}com` },
    'Allowed: a URL whose host has at most 253 characters, with at most 63 between dots.',
  ],
  [{ url: 'no URL' }, 'url is "no URL". Allowed: a URL such as'],
])('what no fetch can send is rejected, without its value: %j', async (sent, message) => {
  const { call } = createControlled()
  const { status, body } = await call('POST', '/traffic', { url: URL_OF_APP, ...sent })
  expect([status, body.msg]).toEqual([400, expect.stringContaining(message)])
  expect(JSON.stringify(body)).not.toMatch(/secret.words/)
})

test('an id that no backend can have is a backend that is missing', async () => {
  const { call } = createControlled()
  expect((await call('POST', '/traffic', { url: URL_OF_APP, backend: 'x y' })).body).toMatchObject({ status: 502 })
})

test('reset removes upstreams and clears the traffic journal', async () => {
  const { gateway, call } = createControlled()
  await call('POST', '/traffic', { url: URL_OF_APP })
  gateway.reset()
  expect([gateway.traffic.count(), (await call('POST', '/traffic', { url: URL_OF_APP })).body.status]).toEqual([0, 404])
})

// rules: control-api#visits
test('all values of a repeated header are in the response and in the journal, in the same form', async () => {
  const { gateway, call } = createControlled()
  const headers = ['a=1', 'b=2'].map((cookie): [string, string] => ['set-cookie', cookie])
  gateway.traffic.upstream(URL_OF_APP, () => new Response('', { headers: [...headers, ['x-a', '1']] }))
  const { body } = await call('POST', '/traffic', { url: URL_OF_APP })
  expect(body.headers).toMatchObject({ 'set-cookie': 'a=1, b=2', 'x-a': '1' })
  const [entry] = (await call('GET', '/traffic')).body
  // The journal does not show cookies.
  expect(entry.responseHeaders).toMatchObject({ 'set-cookie': '[redacted], [redacted]', 'x-a': '1' })
})

// rules: control-api#visits
test('a body that breaks off has its beginning, and the reason', async () => {
  const { gateway, call } = createControlled()
  gateway.traffic.upstream(URL_OF_APP, () => {
    const parts = [new TextEncoder().encode('half \u2603').slice(0, 7)]
    return new Response(
      new ReadableStream({
        pull(stream) {
          const part = parts.shift()
          if (part) stream.enqueue(part)
          else stream.error(new Error('aborted'))
        },
      }),
    )
  })
  expect(await call('POST', '/traffic', { url: URL_OF_APP })).toMatchObject({
    status: 200,
    body: { status: 200, body: 'half \ufffd', incomplete: 'The body ended early: aborted.' },
  })
})

test('a body without an end has its first 16 MiB', async () => {
  const { gateway, call } = createControlled()
  let isCancelled = false
  const body = {
    pull: (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(1_000_000)),
    cancel() {
      isCancelled = true
    },
  }
  gateway.traffic.upstream(URL_OF_APP, () => new Response(new ReadableStream(body)))
  const { incomplete, body: text } = (await call('POST', '/traffic', { url: URL_OF_APP })).body
  expect([incomplete, text.length]).toEqual(['The body ended early: it has more than 16777216 bytes.', 16_000_000])
  expect(isCancelled).toBe(true)
})

test('requests at the same time have their own number and trace each', async () => {
  const { call } = createControlled()
  const sent = ['/1', '/2', '/3'].map((path) => call('POST', '/traffic', { url: URL_OF_APP + path }))
  const received = (await Promise.all(sent)).map(({ body }) => body)
  const listed = (await call('GET', '/traffic')).body
  for (const [index, { number, trace }] of received.entries()) {
    const entry = listed.find((each: { number: number }) => each.number === number)
    expect([entry.url, entry.trace]).toEqual([`${URL_OF_APP}/${index + 1}`, trace])
  }
})

test('a request whose client leaves ends at the upstream, and prints nothing', async () => {
  const { gateway } = createControlled()
  const print = vi.spyOn(console, 'error')
  const client = new AbortController()
  const left = new Promise<void>((resolve) => {
    gateway.traffic.upstream(URL_OF_APP, ({ signal }) => {
      signal.addEventListener('abort', () => resolve())
      client.abort()
      return new Promise(() => undefined)
    })
  })
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ url: URL_OF_APP }), signal: client.signal }
  await expect(gateway.fetch('http://localhost/_fauxgate/traffic', init)).rejects.toThrow('aborted')
  await left
  expect(print).not.toHaveBeenCalled()
})
