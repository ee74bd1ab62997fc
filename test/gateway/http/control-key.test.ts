import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../src/server/node.ts'
import { expectError, outcome, readResponse } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { openManual } from '../../support/provisioning.ts'

const KEY = 'a-control-key_of.7~signs!'
const openWithKey = () => openManual({ control: { key: KEY } })

/** Requests the clock of a gateway with a control key. */
function requestClock(headers: Record<string, string>, peer?: string, url = '/_fauxgate/clock') {
  const answer = openWithKey().transport.exchange({
    method: 'GET',
    url,
    header: (name) => headers[name] ?? null,
    body: '',
    ...(peer !== undefined && { peer }),
  })
  return { ...answer, json: JSON.parse(answer.body ?? 'null') }
}

const clock = { now: SHOWN_START, ms: CLOCK_START, manual: true }

describe('With a control key, the control API answers everyone who has it (rules: control-api#callers)', () => {
  test.each([
    ['in this process', { host: 'localhost' }, undefined],
    ['without a host', {}, undefined],
    ['on this machine', { host: 'localhost' }, '127.0.0.1'],
    ['on another machine', { host: 'localhost' }, '172.18.0.3'],
    ['on another machine, by a name', { host: 'fauxgate:4747' }, '172.18.0.3'],
    ['on a page of another site', { host: 'localhost', origin: 'https://ci.example' }, '127.0.0.1'],
    ['on a page of no site', { host: 'localhost', origin: 'null' }, '127.0.0.1'],
    ['across sites', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, '127.0.0.1'],
  ])('%s, and nobody else', (_where, headers, peer) => {
    const { status, json } = requestClock({ ...headers, 'fauxgate-control-key': KEY } as never, peer)
    expect([status, json]).toEqual([200, clock])
    const { status: without, json: error } = requestClock(headers as never, peer)
    expect([without, error.error_code]).toEqual([401, 'ERR_GATEWAY_90401'])
    expect(error.msg).toBe('The control API requires a key here. Send it in the Fauxgate-Control-Key header.')
  })

  const others = [KEY.slice(1), KEY.slice(0, -1), `${KEY}!`, KEY + KEY, KEY.toUpperCase(), ` ${KEY}`, `${KEY}, ${KEY}`]
  test.each([...others, `Bearer ${KEY}`, 'another'])('and not those who have another: %s', (key) => {
    const { status, json } = requestClock({ host: 'localhost', 'fauxgate-control-key': key })
    expect([status, json.error_code]).toEqual([401, 'ERR_GATEWAY_90402'])
    expect(json.msg).toContain('Fauxgate-Control-Key')
    expect(JSON.stringify(json)).not.toContain(KEY)
    expect(JSON.stringify(json)).not.toContain(key)
  })

  test('and not those who send it empty, as an API key, or in the URL', () => {
    expect(requestClock({ host: 'localhost', 'fauxgate-control-key': '' }).json.error_code).toBe('ERR_GATEWAY_90401')
    expect(requestClock({ host: 'localhost', authorization: `Bearer ${KEY}` }).status).toBe(401)
    expect(
      requestClock({ host: 'localhost' }, undefined, `/_fauxgate/clock?key=${encodeURIComponent(KEY)}`).status,
    ).toBe(401)
  })

  test('and tells the others nothing of its paths', () => {
    const { status } = requestClock({ host: 'localhost' }, undefined, '/_fauxgate/nonsense')
    expect(status).toBe(401)
    const withKey = requestClock({ host: 'localhost', 'fauxgate-control-key': KEY }, undefined, '/_fauxgate/nonsense')
    expect(withKey.status).toBe(404)
  })

  test('and lets a browser ask first without the key, whose page then needs it', async () => {
    const url = 'http://localhost/_fauxgate/clock'
    const origin = 'https://ci.example'
    const gateway = openWithKey()
    const preflight = await gateway.fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,fauxgate-control-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type,fauxgate-control-key')
    const move = { method: 'POST', body: '{"advance":"1s"}' }
    const headers = { origin, 'content-type': 'application/json' }
    expect(outcome(await readResponse(await gateway.fetch(url, { ...move, headers })))).toBe('401 ERR_GATEWAY_90401')
    const plain = await gateway.fetch(url, { method: 'OPTIONS', headers })
    expect(plain.status).toBe(401)
    const before = gateway.clock.now
    const moved = await gateway.fetch(url, { ...move, headers: { ...headers, 'fauxgate-control-key': KEY } })
    expect([moved.status, gateway.clock.now]).toEqual([200, before + 1000])
    expect(moved.headers.get('access-control-allow-origin')).toBe(origin)
  })

  test('and asks it of a fetch in the same process and of a served port alike', async () => {
    const gateway = openWithKey()
    const headers = { 'fauxgate-control-key': KEY }
    await using server = await serve(gateway)
    for (const [ask, base] of [
      [gateway.fetch, 'http://localhost'],
      [gateway.fetch, gateway.url],
      [fetch, server.url],
    ] as const) {
      expect((await ask(`${base}/_fauxgate/clock`)).status).toBe(401)
      expect((await ask(`${base}/_fauxgate/clock`, { headers })).status).toBe(200)
    }
  })

  test('which no property, journal entry or snapshot of the gateway contains', async () => {
    const gateway = openWithKey()
    const headers = { 'fauxgate-control-key': KEY, authorization: 'Bearer k', 'service-version': '2' }
    await gateway.fetch(`${gateway.url}/reserved_addrs`, { headers })
    await gateway.fetch('http://localhost/_fauxgate/reset', { headers })
    const contents = [gateway, gateway.requests.all(), gateway.snapshot({ privateKeys: true })]
    expect(inspect(contents, { depth: 20, showHidden: true, maxStringLength: null })).not.toContain(KEY)
  })

  test.each([
    ['', 'a string of 0 characters'],
    ['two words', 'a string of 9 characters'],
    ['k\n', 'a string of 2 characters'],
    ['schlüssel', 'a string of 9 characters'],
    [7, 'a number'],
    [null, 'null'],
  ])('which %j cannot be, and no message repeats it', (key, received) => {
    const create = () => openManual({ control: { key: key as never } })
    const { message } = expectError(create)
    expect(message).toBe(`control.key is ${received}. Allowed: visible ASCII characters without spaces.`)
    if (typeof key === 'string' && key !== '') expect(message).not.toContain(key)
  })

  test('which must be inside of an object: a plain text is rejected, and not repeated', () => {
    const { message } = expectError(() => openManual({ control: KEY as never }))
    expect(message).toMatch(new RegExp(`^control is a string of ${KEY.length} characters\\. Allowed: "loopback"`))
    const { message: ofKeys } = expectError(() => openManual({ keys: KEY as never }))
    expect(ofKeys).toMatch(new RegExp(`^keys is a string of ${KEY.length} characters\\.`))
    for (const each of [message, ofKeys]) expect(each).not.toContain(KEY)
  })
})
