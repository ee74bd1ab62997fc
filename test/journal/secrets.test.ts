import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createGateway, type HttpRequest, type JournalEntry, ngrok, standard } from '../../src/index.ts'
import { thrownBy } from '../support/client.ts'
import { open } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HOOK = `${ROUTE}/webhook_verification`
const KEY = pem('key-p256')
/** The lines of a key between its BEGIN and its END. */
const [INNER = '', FURTHER = ''] = KEY.split('\n').slice(1)
const SECRET = 'whsec-planted-here'

/** The headers that the journal shows of a request over `fetch`. */
async function headersShown(headers: HeadersInit, gateway = open(), url = '/tunnels') {
  await gateway.fetch(`${gateway.url}${url}`, { headers })
  return (gateway.requests.last() as JournalEntry).requestHeaders
}

type Asked = Partial<HttpRequest> & { headers?: Readonly<Record<string, string>> }

/** What the journal shows of one request. */
function entryOf(
  { method = 'POST', url = '/reserved_addrs', body = '', headers = {} }: Asked,
  gateway = open(),
): JournalEntry {
  const sent: Record<string, string> = {
    authorization: 'Bearer key',
    [gateway.dialect.versionHeader.toLowerCase()]: '2',
    'content-type': 'application/json',
    ...headers,
  }
  gateway.exchange({ method, url, body, header: (name) => sent[name] ?? null })
  return gateway.requests.last() as JournalEntry
}

const json = (value: unknown) => JSON.stringify(value)
/** Each character as an escape of JSON. */
const escaped = (text: string) =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const percent = (text: string) =>
  [...text].map((each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

describe('Secret fields in the journal (rules: secrets#journal)', () => {
  it('are hidden in body and answer of their own operation', () => {
    const gateway = open()
    const put = entryOf({ method: 'PUT', url: HOOK, body: json({ provider: 'github', secret: SECRET }) }, gateway)
    expect(put.request).toEqual({ provider: 'github', secret: '[redacted]' })
    expect(put.response).toEqual({ enabled: true, provider: 'github', secret: '[redacted]' })
    expect(put.commit?.changes[0]?.after).toMatchObject({ module: { provider: 'github', secret: '[redacted]' } })
    const created = entryOf({ url: '/tls_certificates', body: json(upload('p256')) })
    expect(created.request).toEqual({ ...upload('p256'), private_key_pem: '[redacted]' })
  })

  it.each([
    ['an escaped name', `{"secr\\u0065t":"${SECRET}"}`],
    ['a name of escapes only', `{"${escaped('secret')}":"${SECRET}"}`],
    ['a name that is escaped twice', `{"secr\\\\u0065t":"${SECRET}"}`],
    ['a name in percent', `{"${percent('secret')}":"${SECRET}"}`],
    ['another case', json({ SECRET })],
    ['another way to write it', json({ 'Secret ': SECRET })],
    ['another secret name', json({ private_key_pem: SECRET })],
    ['another secret name, in other words', json({ 'my private-key pem': SECRET })],
    ['another secret name, in one word', json({ privateKeyPem: SECRET })],
    ['one of its lines elsewhere', json({ secret: `first line\r\n${SECRET}\nlast line`, metadata: SECRET })],
    ['a name that ends with it', json({ clientSecret: SECRET, webhook_secret: SECRET })],
    ['an object around it', json({ a: [{ b: { secret: SECRET } }] })],
    ['a list in it', json({ secret: [SECRET] })],
    ['an object in it', json({ secret: { provider: SECRET } })],
    ['the same value elsewhere', json({ secret: SECRET, description: `see ${SECRET}!` })],
    ['the same value as a name', json({ secret: SECRET, [SECRET]: true })],
    [
      'the same value in JSON, with its quotes escaped',
      json({ secret: `"${SECRET}"`, description: json(`"${SECRET}"`) }),
    ],
    [
      'the same value in percent, with other letters',
      json({ secret: `ü€${SECRET}`, description: encodeURIComponent(`ü€${SECRET}`) }),
    ],
    ['the same value, escaped, elsewhere', json({ secret: SECRET, description: escaped(SECRET) })],
    ['the name twice', `{"secret":"${SECRET}","secret":"x"}`],
  ])('are hidden with %s', (_what, body) => {
    for (const url of ['/reserved_addrs', HOOK, '/tunnels']) {
      const shown = json(entryOf({ method: 'PUT', url, body }))
      expect(shown).toContain('[redacted]')
      expect(shown).not.toContain(SECRET)
    }
  })

  it('are hidden in what was asked where only the answer names them, the one of a fault too', () => {
    const gateway = open()
    gateway.webhookVerification.replace(
      { edge_id: 'edghts_1', id: 'edghtsrt_1' },
      { provider: 'github', secret: SECRET },
    )
    const ask = () => {
      const rawHeaders = ['authorization', 'Bearer key', 'service-version', '2', 'x-note', `of ${SECRET}`]
      const header = (name: string) => rawHeaders[rawHeaders.indexOf(name) + 1] ?? null
      gateway.exchange({ method: 'GET', url: HOOK, body: '', header, rawHeaders })
      const { status, requestHeaders } = gateway.requests.last() as JournalEntry
      return [status, requestHeaders['x-note']]
    }
    expect(ask()).toEqual([200, 'of [redacted]'])
    gateway.faults.add({ operation: 'webhook_verification.get', status: 503, body: json({ secret: SECRET }) })
    expect(ask()).toEqual([503, 'of [redacted]'])
  })

  it('are hidden where a long body is cut inside one of them', () => {
    const secret = SECRET.padEnd(300, 'q')
    const cutAfter = (length: number) => {
      const start = json({ secret, text: '' }).slice(0, -2)
      const text = ' '.repeat(65_536 - start.length - length) + secret
      return entryOf({ body: json({ secret, text }) }).request as string
    }
    for (const length of [8, 20, 127, 128, 129, 299]) expect(cutAfter(length)).toMatch(/" +\[redacted\](…)?"\} \[cut: /)
    expect(cutAfter(7)).toContain('whsec-p…"}')
  })

  it('do not hide what only begins like them', () => {
    const secret = SECRET.padEnd(300, 'q')
    const text = `${secret.slice(0, 8)} and ${secret.slice(0, 127)}!`
    expect(entryOf({ body: json({ secret, text }) }).request).toEqual({ secret: '[redacted]', text })
    const cut = `${secret.slice(0, 9)}; ${secret.slice(0, 20)}…; ${secret.slice(0, 30)}…`
    expect(entryOf({ body: json({ secret, cut }) }).request).toEqual({
      secret: '[redacted]',
      cut: `${secret.slice(0, 9)}; [redacted]…; [redacted]…`,
    })
  })

  it('are hidden below 5,000 levels, and where they stand elsewhere too', () => {
    const body = `{"description":"${SECRET}","x":${'['.repeat(5000)}{"secret":"${SECRET}"}${']'.repeat(5000)}}`
    const shown = entryOf({ body })
    expect(shown.request).toMatchObject({ description: '[redacted]' })
    expect(json(shown)).not.toContain(SECRET)
  })

  it('are what a schema says: an alias of the dialect is one too', () => {
    const dialect = {
      ...standard,
      fieldAliases: { webhook_verification: { hmac: 'secret', provider_name: 'provider' } },
    }
    const gateway = createGateway({ dialect })
    const entry = entryOf({ method: 'PUT', url: HOOK, body: json({ provider_name: 'github', hmac: SECRET }) }, gateway)
    expect(entry.status).toBe(200)
    expect(entry.request).toEqual({ provider_name: 'github', hmac: '[redacted]' })
    expect(json(entry)).not.toContain(SECRET)
  })

  it('are hidden in the envelope of a dialect', () => {
    const body = json({ module: { provider: 'github', secret: SECRET } })
    const entry = entryOf({ method: 'PUT', url: HOOK, body }, createGateway({ dialect: ngrok }))
    expect(entry.status).toBe(200)
    expect(entry.request).toEqual({ module: { provider: 'github', secret: '[redacted]' } })
  })

  it('leave what is not secret as it came: other names, empty and absent ones, and short values elsewhere', () => {
    const body = { private_key_type: 'rsa', secretary: 'Ann', secret: '', provider: 'x', list: [1, null, true] }
    expect(entryOf({ body: json(body) }).request).toEqual(body)
    expect(entryOf({ body: json({ secret: null }) }).request).toEqual({ secret: null })
    expect(entryOf({ body: json({ secret: 'seven77', metadata: 'seven77' }) }).request).toEqual({
      secret: '[redacted]',
      metadata: 'seven77',
    })
    expect(entryOf({ body: json({ secret: 'eight888', metadata: 'eight888' }) }).request).toEqual({
      secret: '[redacted]',
      metadata: '[redacted]',
    })
    const odd = '{"__proto__":{"x":1},"constructor":"y"}'
    expect(json(entryOf({ body: odd }).request)).toBe(odd)
  })
})

describe('Private keys in the journal', () => {
  const kinds = {
    'PKCS#8 (EC)': KEY,
    'PKCS#8 (RSA)': pem('key-rsa2048'),
    'PKCS#1': pem('key-rsa2048-pkcs1'),
    'PKCS#8 (Ed25519)': pem('key-ed25519'),
    SEC1: String(createPrivateKey(KEY).export({ format: 'pem', type: 'sec1' })),
    'SEC1 (P-521)': String(createPrivateKey(pem('key-p521')).export({ format: 'pem', type: 'sec1' })),
    'PKCS#8 (RSA 512)': String(
      generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ),
    encrypted: pem('key-rsa2048-encrypted'),
  }
  const forms: Record<string, (key: string) => string> = {
    'as it is': (key) => json({ description: key }),
    'behind other text': (key) => json({ description: `my key: ${key}` }),
    'in a field of another name': (key) => json({ privateKey: key }),
    'in a list, line by line': (key) => json({ lines: key.split('\n') }),
    'as a name': (key) => json({ [key]: 1 }),
    'with every character escaped': (key) => `{"description":"${escaped(key)}"}`,
    'escaped twice': (key) => json({ description: escaped(key) }),
    'as JSON in JSON': (key) => json({ description: json({ pem: key }) }),
    'in percent': (key) => json({ description: encodeURIComponent(key) }),
    'in lower case at its markers': (key) =>
      json({ description: key.replaceAll(/-----.*-----/g, (line) => line.toLowerCase()) }),
    'with lone carriage returns': (key) => json({ description: key.replaceAll('\n', '\r') }),
    'with CRLF': (key) => json({ description: key.replaceAll('\n', '\r\n') }),
    'without line breaks': (key) => json({ description: key.replaceAll('\n', '') }),
    'with spaces for line breaks': (key) => json({ description: key.replaceAll('\n', ' ') }),
    indented: (key) => json({ description: key.replaceAll('\n', '\n    ') }),
    'glued to what stands before': (key) => json({ description: `-----END CERTIFICATE-----${key}` }),
    'without its end': (key) => json({ description: key.slice(0, -40) }),
    'in base64': (key) => json({ description: Buffer.from(key).toString('base64') }),
  }
  const places = Object.entries(kinds).flatMap(([kind, key]) =>
    Object.keys(forms).map((form) => [kind, form, key] as const),
  )

  it.each(places)('are hidden: %s, %s', (_kind, form, key) => {
    const body = (forms[form] as (key: string) => string)(key)
    const shown = json(entryOf({ body }))
    expect(shown).toContain('[redacted]')
    for (const line of key.split('\n').filter((each) => each.length > 12 && !each.includes('-----'))) {
      expect(shown).not.toContain(line)
    }
    expect(shown).not.toContain(Buffer.from(key).toString('base64').slice(40, 80))
  })

  it.each([
    'PKCS#8 (EC)',
    'PKCS#8 (RSA)',
    'PKCS#1',
    'PKCS#8 (Ed25519)',
    'SEC1',
    'SEC1 (P-521)',
    'PKCS#8 (RSA 512)',
  ] as const)('are hidden without their markers: %s', (kind) => {
    const lines = kinds[kind].split('\n').filter((line) => !line.includes('-----'))
    const shown = entryOf({ body: json({ description: `der ${lines.join('')}`, metadata: lines.join('\n') }) })
    expect(shown.request).toEqual({ description: 'der [redacted]', metadata: '[redacted]' })
  })

  it('are hidden where only their end is there', () => {
    expect(entryOf({ body: json({ description: KEY.slice(60) }) }).request).toEqual({ description: '[redacted]' })
    const both = `${KEY.slice(60)}${KEY}`
    expect(entryOf({ body: json({ description: both }) }).request).toEqual({ description: '[redacted]' })
  })

  it('end their text, and leave what stands before', () => {
    const bundle = `${pem('leaf-p256')}${KEY}and more`
    expect(entryOf({ body: json({ certificate_pem: bundle }) }).request).toEqual({
      certificate_pem: `${pem('leaf-p256')}[redacted]`,
    })
  })

  /** What the journal shows of a text in a body. */
  const shownOf = (text: string) => (entryOf({ body: json({ text }) }).request as { text: string }).text

  it.each([
    ['-BEGIN PRIVATE KEY', '[redacted]'],
    ['-begin private key', '[redacted]'],
    ['x -----BEGIN PRIVATE KEY-----', 'x [redacted]'],
    ['x ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----', 'x [redacted]'],
    ['x -  BEGIN RSA PRIVATE KEY', 'x [redacted]'],
    ['x -----BEGIN PRIVATEKEY-----', 'x [redacted]'],
    ['x -----BEGIN PRIVATE - KEY-----', 'x [redacted]'],
    [`x -BEGIN${'y'.repeat(60)}PRIVATE KEY`, 'x [redacted]'],
    ['x -END PRIVATE KEY', '[redacted]'],
    ['x -----END PRIVATE KEY-----', '[redacted]'],
    ['x -end  rsa  private key-', '[redacted]'],
    ['x - END PRIVATEKEY and more', '[redacted]'],
    [`x -END${'y'.repeat(60)}PRIVATE - KEY`, '[redacted]'],
    ['x -----BEGIN PRIVATE KEY then -----END PRIVATE KEY', 'x [redacted]'],
    ['x MHcCAQEEI1234567890', 'x [redacted]'],
    ['x MIGHAgEAMBMGByqGSM49', 'x [redacted]'],
    ['x MIIEpAIBAAKCAQEA1234567', 'x [redacted]'],
    ['x LS0tLS1CRUdJTiBSU0EgUFJJVkFU', 'x [redacted]'],
    [percent('-----BEGIN PRIVATE KEY'), '[redacted]'],
    [`%ff%fe${percent('-----BEGIN PRIVATE KEY')}`, '%ff%fe[redacted]'],
    [escaped('x -----BEGIN PRIVATE KEY'), 'x [redacted]'],
    [escaped('x -----BEGIN PRIVATE KEY').toUpperCase(), 'x [redacted]'],
    [json(json(json(json('-----BEGIN PRIVATE KEY')))), '\\\\\\\\\\\\\\"[redacted]'],
  ])('are known by %j', (text, shown) => {
    expect(shownOf(text)).toMatch(/\[redacted\]$/)
    if (!text.startsWith('"')) expect(shownOf(text)).toBe(shown)
  })

  it.each([
    'BEGIN PRIVATE KEY, without a dash',
    '-   BEGIN PRIVATE KEY, with three spaces',
    `-BEGIN${'y'.repeat(61)}PRIVATE KEY`,
    '-----BEGIN PRIVATE CERTIFICATE KEY-----',
    '-----BEGIN PRIVATE 123 KEY-----',
    '-----BEGIN-PRIVATE KEY-----',
    '-----END PRIVATE 123 KEY-----',
    `-END${'y'.repeat(61)}PRIVATE KEY`,
    '-   END PRIVATE KEY, with three spaces',
    '-----BEGIN PUBLIC KEY-----',
    'MHcCAQEEI123456789',
    'MZcCAQEEI12345678901234567890',
    'MHcCAQIEI12345678901234567890',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
    percent(percent(percent(percent(percent('-----BEGIN PRIVATE KEY'))))),
    '100 %, a\\b and %zz',
  ])('are not seen in %j', (text) => {
    expect(shownOf(text)).toBe(text)
  })

  it('are seen through four layers of escapes', () => {
    expect(shownOf(percent(percent(percent(percent('x -----BEGIN PRIVATE KEY')))))).toBe('x [redacted]')
    expect(shownOf(`${percent(KEY)} ${percent(percent(KEY))}`)).toBe('[redacted]')
  })

  it('hide no certificates, no chains, no words about keys, and no signatures', () => {
    const body = {
      chain: pem('chain-mixed'),
      base64: Buffer.from(pem('leaf-rsa2048')).toString('base64'),
      words: 'The BEGIN of a PRIVATE KEY; -----BEGIN PUBLIC KEY-----, and 100% of a \\ path',
      leaves: ['leaf-p256', 'leaf-p384', 'leaf-p521', 'leaf-rsa2048', 'leaf-ed25519'].map(pem),
    }
    expect(entryOf({ body: json(body) }).request).toEqual(body)
  })

  it('are hidden in a path, a query, a method and where several are', () => {
    const entry = entryOf({
      method: `GET${KEY}`,
      url: `/x/${encodeURIComponent(KEY)}?filter=${encodeURIComponent(KEY).replaceAll('%20', '+')}`,
    })
    expect(entry).toMatchObject({ method: 'GET[redacted]', path: '/x/[redacted]', query: 'filter=[redacted]' })
    expect(json(entry)).not.toContain(INNER.slice(0, 20))
    expect(json(entry)).not.toContain(FURTHER.slice(0, 20))
  })
})

describe('API keys in the journal', () => {
  const OWN = 'ak_live_0123456789'

  it('are hidden wherever they stand: those of the gateway, and those that requests came with', () => {
    for (const gateway of [open({ keys: [OWN] }), open()]) {
      const headers = { authorization: `Bearer ${OWN}` }
      const url = `/reserved_addrs/${OWN}?filter=${percent(OWN)}`
      const body = json({ description: `with ${OWN}.`, [OWN]: [OWN] })
      const shown = entryOf({ method: 'PATCH', url, body, headers }, gateway)
      expect(shown).toMatchObject({ path: '/reserved_addrs/[redacted]', request: { description: 'with [redacted].' } })
      entryOf({ method: 'GET', url: `/${OWN}`, headers: { authorization: OWN } }, gateway)
      entryOf({ method: 'GET', url: `/${percent(OWN)}/tunnels`, headers: { authorization: '' } }, gateway)
      expect(gateway.requests.last()?.path).toBe('/[redacted]/tunnels')
      expect(json(gateway.requests.all())).not.toContain(OWN)
    }
  })

  it('are hidden as the value of any parameter that the operation does not have', () => {
    const query = (url: string, gateway = open()) => entryOf({ method: 'GET', url }, gateway).query
    expect(query(`/reserved_addrs?api_key=${OWN}&limit=5&x=`)).toBe('api_key=[redacted]&limit=5&x=')
    expect(query(`/reserved_addrs/ra_1?limit=${OWN}`)).toBe('limit=[redacted]')
    expect(query(`/tunnels?token=${OWN}==`)).toBe('token=[redacted]')
    expect(query('/reserved_addrs?before_id=ra_1&filter=a%3D%3D%22b+c%22&&=1')).toBe(
      'before_id=ra_1&filter=a%3D%3D%22b+c%22&&=[redacted]',
    )
    expect(query('/reserved_addrs?beforeId=ra_1')).toBe('beforeId=[redacted]')
    expect(query('/reserved_addrs?beforeId=ra_1&%6cimit=1', createGateway({ dialect: ngrok }))).toBe(
      'beforeId=ra_1&%6cimit=1',
    )
  })

  it('are hidden elsewhere in a request that has them under the name of a secret field in its query', () => {
    const entry = entryOf({ method: 'GET', url: `/${SECRET}?Secret=${percent(SECRET)}` })
    expect(entry).toMatchObject({ path: '/[redacted]', query: 'Secret=[redacted]' })
  })

  it('are hidden whole where one begins with the other', () => {
    const gateway = open({ keys: ['ak_012345', 'ak_0123456789', 'ak_0123456'] })
    expect(entryOf({ url: '/ak_0123456789/ak_0123456/ak_012345' }, gateway).path).toBe(
      '/[redacted]/[redacted]/[redacted]',
    )
  })

  it('are looked for in all entries if one of the last 16 different headers had them', () => {
    const gateway = open()
    const keyOf = (i: number) => `ak_of_request_${String(i).padStart(2, '0')}`
    entryOf({ url: `/${keyOf(1)}/${keyOf(2)}`, headers: { authorization: '' } }, gateway)
    for (let i = 1; i <= 16; i++) entryOf({ headers: { authorization: `Bearer ${keyOf(i)}` } }, gateway)
    const pathOfFirst = () => gateway.requests.all()[0]?.path
    expect(pathOfFirst()).toBe('/[redacted]/[redacted]')
    entryOf({ headers: { authorization: `Bearer ${keyOf(17)}` } }, gateway)
    expect(pathOfFirst()).toBe(`/${keyOf(1)}/[redacted]`)
  })

  it('that are shorter than 8 characters are words like any other', () => {
    const headers = { authorization: 'Bearer created' }
    expect(entryOf({ url: '/created', headers }).path).toBe('/created')
  })
})

describe('Bodies that are not JSON', () => {
  it.each([
    ['malformed JSON', `{"secret": "${SECRET}"`, '[a text of 31 characters that is not JSON]'],
    ['text', SECRET, '[a text of 18 characters that is not JSON]'],
    ['white space', '  ', '[a text of 2 characters that is not JSON]'],
    ['a body that is too large', { unread: 'body_too_large' }, '[a body of more than 1048576 bytes]'],
    ['a body that broke off', { unread: 'body_unreadable' }, '[a body that could not be read to its end]'],
    ['other bytes', { unread: 'not UTF-8' }, '[a body that is not UTF-8]'],
    ['no body', '', null],
    ['JSON that is no object', '[1,"x"]', [1, 'x']],
  ] as [string, HttpRequest['body'], unknown][])('are described: %s', (_what, body, shown) => {
    expect(entryOf({ body }).request).toEqual(shown)
  })

  it('are described in answers too', () => {
    const gateway = open()
    gateway.webhookVerification.replace(
      { edge_id: 'edghts_1', id: 'edghtsrt_1' },
      { provider: 'github', secret: SECRET },
    )
    gateway.faults.add({ truncate: 60 })
    expect(entryOf({ method: 'GET', url: HOOK }, gateway).response).toBe('[a text of 60 characters that is not JSON]')
    gateway.faults.clear()
    gateway.faults.add({ status: 500, body: { secret: SECRET, why: `the ${SECRET}` } })
    expect(entryOf({ method: 'GET', url: HOOK }, gateway).response).toEqual({
      secret: '[redacted]',
      why: 'the [redacted]',
    })
  })
})

describe('Messages about a secret field (rules: secrets#messages)', () => {
  it.each([
    [12_345_678, 'a number'],
    [true, 'true'],
    [['hush-hush-hush'], 'an array of 1'],
    [{ a: 1 }, 'an object'],
  ])('describe what was sent instead of a text: %j', (secret, described) => {
    const { request, response } = entryOf({ method: 'PUT', url: HOOK, body: json({ provider: 'github', secret }) })
    const msg = `secret is ${described}. Allowed: a string.`
    expect(response).toMatchObject({ msg, details: { 'field:secret': msg } })
    expect(request).toEqual({ provider: 'github', secret: '[redacted]' })
  })

  it('describe by the schema, not by the name', () => {
    const config = { actions: [{ type: 'deny', config: { status_code: 'a-wrong-value' } }] }
    const { response } = entryOf({ method: 'PUT', url: `${ROUTE}/policy`, body: json({ inbound: [config] }) })
    expect(response).toMatchObject({ msg: expect.stringContaining('"a-wrong-value"') })
    expect(thrownBy(() => open().reservedDomains.create({ domain: 5 as never })).message).toContain('domain is 5.')
  })

  it.each(['"secret"', '"secr\\u0065t"', '"secr%65t"', '"x":{"webhook_secret"'])(
    'hide what the request has under %s, wherever else it stands',
    (name) => {
      const body = `{"provider":"${SECRET}",${name}:"${SECRET}"${name.includes('{') ? '}' : ''}}`
      const headers: Record<string, string> = {
        authorization: 'Bearer key',
        'service-version': '2',
        'content-type': 'application/json',
      }
      const url = `/edges/https/${SECRET}/routes/edghtsrt_1/webhook_verification`
      const answers = [HOOK, url, `/${SECRET}`].map((each) =>
        open().exchange({ method: 'PUT', url: each, body, header: (header) => headers[header] ?? null }),
      )
      for (const answer of answers) {
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.body).not.toContain(SECRET)
      }
      expect(answers[2]?.body).toContain('[redacted]')
    },
  )

  it('hide what the call has in a secret place, where they cut a text too', () => {
    const secret = `${SECRET}${'z'.repeat(200)}`
    const provider = `${'p'.repeat(60)}${secret}`
    const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    const { message } = thrownBy(() => open().webhookVerification.replace(route, { provider, secret }))
    expect(message).toMatch(/^provider is "p{60}\[redacted\]…/)
  })
})

describe('Headers in the journal (rules: secrets#journal)', () => {
  it('are shown by their names in lower case, whichever way they were passed in', async () => {
    const expected = { 'x-note': 'seen', 'user-agent': 'me' }
    const ways = [{ 'X-Note': 'seen', 'User-Agent': 'me' }, new Headers(expected), Object.entries(expected)]
    for (const way of ways) expect(await headersShown(way)).toEqual(expected)
    const gateway = open()
    await gateway.fetch(new Request(`${gateway.url}/tunnels`, { headers: { 'x-note': 'seen' } }))
    expect(gateway.requests.last()?.requestHeaders).toEqual({ 'x-note': 'seen' })
    const rawHeaders = ['X-Note', 'one', 'x-note', 'two', '__proto__', 'three']
    gateway.exchange({ method: 'GET', url: '/tunnels', body: '', header: () => null, rawHeaders })
    const shown = gateway.requests.last()?.requestHeaders
    expect(Object.entries(shown ?? {})).toEqual([
      ['x-note', 'one, two'],
      ['__proto__', 'three'],
    ])
  })

  it.each([
    ['Authorization', `Bearer ${SECRET}`],
    ['Proxy-Authorization', `Basic ${SECRET}`],
    ['Fauxgate-Control-Key', SECRET],
    ['Cookie', `theme=dark; session=${SECRET}`],
    ['X-Api-Key', SECRET],
    ['x-auth-token', SECRET],
    ['X-Amz-Signature', SECRET],
    ['webhook-secret', SECRET],
    ['private_key_pem', SECRET],
  ])('are hidden where they carry secrets, and what they carry is hidden everywhere: %s', async (name, value) => {
    const gateway = open()
    expect(await headersShown({ [name]: value, 'x-note': `${SECRET}!` }, gateway, `/tunnels?limit=${SECRET}`)).toEqual({
      [name.toLowerCase()]: '[redacted]',
      'x-note': '[redacted]!',
    })
    expect(json(gateway.requests.all())).not.toContain(SECRET)
  })

  it('are hidden where a text in them is a key of the gateway or a private key, as a name too', async () => {
    const gateway = createGateway({ keys: [SECRET], control: { key: `control-${SECRET}` } })
    const shown = await headersShown({ 'x-note': `by ${SECRET}`, [SECRET]: 'x', 'x-key-lines': INNER }, gateway)
    expect(shown).toEqual({ 'x-note': 'by [redacted]', '[redacted]': 'x', 'x-key-lines': '[redacted]' })
    expect(await headersShown({ 'x-note': KEY.replaceAll('\n', ' ') })).toEqual({
      'x-note': expect.stringContaining('[redacted]'),
    })
  })

  it('are shown as they are where they only name others', async () => {
    const headers = { 'access-control-request-headers': 'authorization', origin: 'http://app.example.com' }
    const gateway = open()
    expect(await headersShown(headers, gateway)).toEqual(headers)
    expect(gateway.requests.last()?.responseHeaders).toMatchObject({
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': 'http://app.example.com',
    })
  })

  it('are kept as they were when the request came', async () => {
    const gateway = open()
    const headers = { 'x-note': 'first' }
    const sent = gateway.fetch(`${gateway.url}/tunnels`, { headers })
    headers['x-note'] = 'changed afterwards'
    await sent
    expect(gateway.requests.last()?.requestHeaders).toEqual({ 'x-note': 'first' })
  })
})
