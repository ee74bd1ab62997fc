import { describe, expect, it } from 'vitest'
import { createGateway, type HttpRequest, type JournalEntry, ngrok, standard } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'
import { exchange } from '../../support/exchange.ts'
import { open } from '../../support/gateway.ts'
import { pem, upload } from '../../support/pem.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HOOK = `${ROUTE}/webhook_verification`
const KEY = pem('key-p256')
const SECRET = 'whsec-planted-here'

const json = (value: unknown) => JSON.stringify(value)

/** Returns the journal's entry of one request. */
function entryOf(request: Parameters<typeof exchange>[1], gateway = open()): JournalEntry {
  exchange(gateway, request)
  return gateway.requests.last() as JournalEntry
}

describe('Secret fields in the journal (rules: secrets#journal)', () => {
  it('are hidden in request, response and commit of their own operation', () => {
    const put = entryOf({ method: 'PUT', url: HOOK, body: json({ provider: 'github', secret: SECRET }) })
    expect(put.request).toEqual({ provider: 'github', secret: '[redacted]' })
    expect(put.response).toEqual({ enabled: true, provider: 'github', secret: '[redacted]' })
    expect(put.commit?.changes[0]?.after).toMatchObject({ module: { provider: 'github', secret: '[redacted]' } })
    const created = entryOf({ url: '/tls_certificates', body: json(upload('p256')) })
    expect(created.request).toEqual({ ...upload('p256'), private_key_pem: '[redacted]' })
  })

  it('are hidden in the records before and after each later request, in fields without a schema too', () => {
    const gateway = open()
    const url = `${ROUTE}/policy`
    const config = { client_secret: SECRET, note: `not ${SECRET} here` }
    const policy = { inbound: [{ name: 'n', actions: [{ type: 'terminate-tls', config }] }] }
    exchange(gateway, { method: 'PUT', url, body: json(policy) })
    exchange(gateway, { method: 'PUT', url, body: json({ enabled: false }) })
    exchange(gateway, { method: 'PUT', url, body: json(policy) })
    exchange(gateway, { method: 'DELETE', url })
    const entries = gateway.requests.all()
    expect(entries.map(({ commit }) => commit?.changes.length)).toEqual([1, 1, 1, 1])
    expect(json(entries)).toContain('[redacted]')
    expect(json(entries)).not.toContain(SECRET)
  })

  it.each([
    ['an escaped name', `{"secr\\u0065t":"${SECRET}"}`],
    ['another way to write it', json({ 'Secret ': SECRET, 'my private-key pem': SECRET, privateKeyPem: SECRET })],
    ['the name password, which no schema marks', json({ password: SECRET })],
    ['such a name further down', json({ x: [{ userPassword: SECRET }] })],
    ['a name that ends with it', json({ clientSecret: SECRET, webhook_secret: SECRET })],
    ['a list and an object in it', json({ secret: [{ provider: SECRET }] })],
    ['the same value elsewhere', json({ secret: SECRET, description: `see ${SECRET}!`, [SECRET]: true })],
    ['the name twice', `{"secret":"${SECRET}","secret":"x"}`],
  ])('are hidden with %s', (_what, body) => {
    for (const url of ['/reserved_addrs', HOOK, '/tunnels']) {
      const text = json(entryOf({ method: 'PUT', url, body }))
      expect(text).toContain('[redacted]')
      expect(text).not.toContain(SECRET)
    }
  })

  it('are hidden below 5,000 levels, and wherever else the same value occurs', () => {
    const body = `{"description":"${SECRET}","x":${'['.repeat(5000)}{"secret":"${SECRET}"}${']'.repeat(5000)}}`
    const entry = entryOf({ body })
    expect(entry.request).toMatchObject({ description: '[redacted]' })
    expect(json(entry)).not.toContain(SECRET)
  })

  it('are hidden under an alias of the dialect, and in its envelope', () => {
    const fieldAliases = { webhook_verification: { hmac: 'secret', provider_name: 'provider' } }
    const aliased = createGateway({ dialect: { ...standard, fieldAliases } })
    const body = json({ provider_name: 'github', hmac: SECRET })
    const entry = entryOf({ method: 'PUT', url: HOOK, body }, aliased)
    expect([entry.status, entry.request]).toEqual([200, { provider_name: 'github', hmac: '[redacted]' }])
    expect(json(entry)).not.toContain(SECRET)
    const wrapped = json({ module: { provider: 'github', secret: SECRET } })
    const other = entryOf({ method: 'PUT', url: HOOK, body: wrapped }, createGateway({ dialect: ngrok }))
    expect([other.status, other.request]).toEqual([200, { module: { provider: 'github', secret: '[redacted]' } }])
  })

  it('leave the rest unchanged: other names, empty and absent ones, and short values elsewhere', () => {
    const requestOf = (body: object) => entryOf({ body: json(body) }).request
    const body = { private_key_type: 'rsa', secretary: 'Ann', secret: '', provider: 'x', list: [1, null, true] }
    expect(requestOf(body)).toEqual(body)
    expect(requestOf({ secret: null })).toEqual({ secret: null })
    for (const [value, expected] of [
      ['seven77', 'seven77'],
      ['eight888', '[redacted]'],
    ]) {
      expect(requestOf({ secret: value, metadata: value })).toEqual({ secret: '[redacted]', metadata: expected })
    }
    const odd = '{"__proto__":{"x":1},"constructor":"y"}'
    expect(json(entryOf({ body: odd }).request)).toBe(odd)
  })
})

describe('Private keys in the journal', () => {
  it('leave the text around them, and hide no certificate, no public key and no words about keys', () => {
    const requestOf = (body: object) => entryOf({ body: json(body) }).request
    const certificate_pem = pem('leaf-p256')
    expect(requestOf({ certificate_pem: `${certificate_pem}${KEY}and ${KEY}more` })).toEqual({
      certificate_pem: `${certificate_pem}[redacted]\nand [redacted]\nmore`,
    })
    const body = { chain: pem('chain-mixed'), words: 'The BEGIN of a PRIVATE KEY; -----BEGIN PUBLIC KEY-----' }
    expect(requestOf(body)).toEqual(body)
  })
})

describe('API keys in the journal', () => {
  const OWN = 'ak_live_0123456789'

  it('are hidden in any text: those of the gateway in all requests, another in the request that it came with', () => {
    for (const gateway of [open({ keys: [OWN] }), open()]) {
      const headers = { authorization: `Bearer ${OWN}` }
      const body = json({ description: `with ${OWN}.`, [OWN]: [OWN] })
      const entry = entryOf({ method: 'PATCH', url: `/reserved_addrs/${OWN}?filter=${OWN}`, body, headers }, gateway)
      expect(entry).toMatchObject({ path: '/reserved_addrs/[redacted]', request: { description: 'with [redacted].' } })
      entryOf({ method: 'GET', url: `/${OWN}`, headers: { authorization: OWN } }, gateway)
      expect(json(gateway.requests.all())).not.toContain(OWN)
    }
    const encoded = 'ak/live+0123456789=='
    const headers = { authorization: `Bearer ${encoded}` }
    const url = `/${encodeURIComponent(encoded)}?x=${encodeURIComponent(encoded).toLowerCase()}`
    const entry = entryOf({ method: 'GET', url, headers })
    expect(entry).toMatchObject({ path: '/[redacted]', query: 'x=[redacted]' })
    expect(json(entry)).not.toContain('live')
    const own = open({ keys: [OWN], control: { key: `control-${OWN}` } })
    const { path, requestHeaders } = entryOf({ url: `/${OWN}`, headers: { 'x-note': `by control-${OWN}` } }, own)
    expect([path, requestHeaders['x-note']]).toEqual(['/[redacted]', 'by [redacted]'])
  })

  it('are hidden under the name of a secret; other parameters show what a replay needs', () => {
    const query = (url: string, gateway = open()) => entryOf({ method: 'GET', url }, gateway).query
    expect(query(`/reserved_addrs?api_key=${OWN}&limit=5&x=`)).toBe('api_key=[redacted]&limit=5&x=')
    expect(query('/reserved_addrs/ra_1?limit=5&clientSecret=abc')).toBe('limit=5&clientSecret=[redacted]')
    expect(query(`/reserved_addrs?limit=${OWN}`, open({ keys: [OWN] }))).toBe('limit=[redacted]')
    expect(query(`/tunnels?token=${OWN}==`)).toBe('token=[redacted]')
    const filter = 'before_id=ra_1&filter=a%3D%3D%22b+c%22&&='
    expect(query(`/reserved_addrs?${filter}1`)).toBe(`${filter}1`)
    expect(query('/reserved_addrs?beforeId=ra_1')).toBe('beforeId=ra_1')
    const entry = entryOf({ method: 'GET', url: `/${SECRET}?Secret=${SECRET}` })
    expect(entry).toMatchObject({ path: '/[redacted]', query: 'Secret=[redacted]' })
  })

  it('are hidden as a whole if one begins with another one, and shown if they have fewer than 8 characters', () => {
    const gateway = open({ keys: ['ak_012345', 'ak_0123456789', 'ak_0123456', 'created'] })
    const { path } = entryOf({ url: '/ak_0123456789/ak_0123456/ak_012345/created' }, gateway)
    expect(path).toBe('/[redacted]/[redacted]/[redacted]/created')
  })
})

describe('Bodies that are not JSON', () => {
  it.each([
    ['malformed JSON', `{"secret": "${SECRET}"`, '[31 characters of text that is not JSON]'],
    ['a body that is too large', { unread: 'body_too_large' }, '[a body of more than 1048576 bytes]'],
    ['a body that broke off', { unread: 'body_unreadable' }, '[a body that could not be read completely]'],
    ['other bytes', { unread: 'not UTF-8' }, '[a body that is not UTF-8]'],
    ['no body', '', null],
    ['JSON that is no object', '[1,"x"]', [1, 'x']],
  ] as [string, HttpRequest['body'], unknown][])('are described: %s', (_what, body, expected) => {
    expect(entryOf({ body }).request).toEqual(expected)
  })

  it('are described in responses too; the body of a fault has its secret fields hidden', () => {
    const gateway = open()
    gateway.faults.add({ truncate: 60, times: 1 })
    expect(entryOf({ body: '{}' }, gateway).response).toBe('[60 characters of text that is not JSON]')
    gateway.faults.add({ status: 500, body: { secret: SECRET, why: 'x' } })
    expect(entryOf({ body: '{}' }, gateway).response).toEqual({ secret: '[redacted]', why: 'x' })
  })
})

describe('Messages about a secret field (rules: secrets#messages)', () => {
  it.each([12_345_678, true, ['hush-hush-hush'], { a: 1 }])('name it and not its value: %j', (secret) => {
    const { request, response } = entryOf({ method: 'PUT', url: HOOK, body: json({ provider: 'github', secret }) })
    expect(response).toMatchObject({ details: { 'field:secret': expect.stringMatching(/^secret is /) } })
    expect(json(response)).not.toMatch(/12345678|hush/)
    expect(request).toEqual({ provider: 'github', secret: '[redacted]' })
  })

  it('describe by the schema, not by the name', () => {
    const config = { actions: [{ type: 'deny', config: { status_code: 'a-wrong-value' } }] }
    const { response } = entryOf({ method: 'PUT', url: `${ROUTE}/policy`, body: json({ inbound: [config] }) })
    expect(response).toMatchObject({ msg: expect.stringContaining('"a-wrong-value"') })
  })

  it('hide the secrets of a request wherever else it has them, over HTTP and in a direct call', () => {
    const body = json({ provider: SECRET, x: { webhook_secret: SECRET } })
    const answers = [HOOK, `/edges/https/${SECRET}/routes/edghtsrt_1/webhook_verification`, `/${SECRET}`].map((url) =>
      entryOf({ method: 'PUT', url, body }),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 404])
    for (const { response } of answers) expect(json(response)).not.toContain(SECRET)
    const replace = () =>
      open().webhookVerification.replace(
        { edge_id: 'edghts_1', id: 'edghtsrt_1' },
        { provider: SECRET as never, secret: SECRET },
      )
    expect(expectError(replace).message).toMatch(/^provider is "\[redacted\]"/)
  })
})

describe('Headers in the journal (rules: secrets#journal)', () => {
  it('are shown by lower-case name, whichever way they were passed in', async () => {
    const expected = { 'x-note': 'seen', 'user-agent': 'me' }
    const gateway = open()
    const url = `${gateway.url}/tunnels`
    const ways = [{ 'X-Note': 'seen', 'User-Agent': 'me' }, new Headers(expected), Object.entries(expected)]
    for (const headers of ways) {
      await gateway.fetch(url, { headers })
      expect(gateway.requests.last()?.requestHeaders).toEqual(expected)
    }
    await gateway.fetch(new Request(url, { headers: { 'x-note': 'seen' } }))
    expect(gateway.requests.last()?.requestHeaders).toEqual({ 'x-note': 'seen' })
    const rawHeaders = ['X-Note', 'one', 'x-note', 'two', '__proto__', 'three']
    gateway.transport.exchange({ method: 'GET', url: '/tunnels', body: '', header: () => null, rawHeaders })
    expect(Object.entries(gateway.requests.last()?.requestHeaders ?? {})).toEqual([
      ['x-note', 'one, two'],
      ['__proto__', 'three'],
    ])
  })

  it.each([
    'Authorization',
    'Proxy-Authorization',
    'Fauxgate-Control-Key',
    'Cookie',
    'X-Api-Key',
    'x-auth-token',
    'webhook-secret',
  ])('are hidden if their name says that they carry a secret: %s', (name) => {
    const headers = entryOf({ headers: { [name]: `x ${SECRET}` } }).requestHeaders
    expect(headers[name.toLowerCase()]).toContain('[redacted]')
    expect(json(headers)).not.toContain(SECRET)
  })

  it('are shown unchanged if they only name other headers', () => {
    const headers = { 'access-control-request-headers': 'authorization', origin: 'http://app.example.com' }
    const { requestHeaders, responseHeaders } = entryOf({ headers })
    expect(requestHeaders).toMatchObject(headers)
    expect(responseHeaders).toMatchObject({
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': 'http://app.example.com',
    })
  })

  it('are those of the time when the request came', async () => {
    const gateway = open()
    const headers = { 'x-note': 'first' }
    const response = gateway.fetch(`${gateway.url}/tunnels`, { headers })
    headers['x-note'] = 'changed afterwards'
    await response
    expect(gateway.requests.last()?.requestHeaders).toEqual({ 'x-note': 'first' })
  })
})
