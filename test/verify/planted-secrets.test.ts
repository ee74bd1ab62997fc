import { describe, expect, test } from 'vitest'
import type { RecordedExchange } from '../../src/verify/har.ts'
import { formatRecording } from '../support/verify.ts'

const KEY = 'ak_live_4f8Jq2ZpXw7Lr9Vt'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ'
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'
const PEM = `-----BEGIN PRIVATE KEY-----\n${PEM_LINE}\n-----END PRIVATE KEY-----`

/** Returns a secret that contains a word for its place. */
const secretOf = (word: string) => `${word}-Zq8Wk7LmPx9Rt`

const policyOf = (config: object) =>
  JSON.stringify({ on_http_request: [{ actions: [{ type: 'basic-auth', config }] }] })

/** Bodies with a secret, each after the text that must not remain. */
const BODIES: readonly (readonly [secret: string, body: object])[] = [
  [secretOf('described'), { description: `call me with ${secretOf('described')}` }],
  [secretOf('noted'), { metadata: JSON.stringify({ password: secretOf('noted') }) }],
  [secretOf('deep'), { metadata: JSON.stringify({ deep: [{ secret: secretOf('deep') }] }) }],
  [secretOf('token'), { token: secretOf('token') }],
  ['abc', { value: 'abc' }],
  ['horse battery staple', { value: 'horse battery staple' }],
  [secretOf('webhook'), { secret: secretOf('webhook') }],
  [secretOf('client'), { client_secret: secretOf('client') }],
  [PEM_LINE, { private_key_pem: PEM }],
  [PEM_LINE, { note: `the key is ${PEM}` }],
  [secretOf('basic'), { traffic_policy: policyOf({ credentials: [`alice:${secretOf('basic')}`] }) }],
  [secretOf('oauth'), { traffic_policy: policyOf({ client_secret: secretOf('oauth') }) }],
  [secretOf('hook'), { traffic_policy: policyOf({ secret: secretOf('hook') }) }],
  [secretOf('bearer'), { traffic_policy: policyOf({ headers: { authorization: `Bearer ${secretOf('bearer')}` } }) }],
  [PEM_LINE, { traffic_policy: policyOf({ content: PEM }) }],
  [secretOf('module'), { enabled: true, value: policyOf({ password: secretOf('module') }) }],
  [secretOf('yaml'), { traffic_policy: `config:\n  credentials:\n  - bob:${secretOf('yaml')}\n` }],
  ['swordfish', { traffic_policy: 'config:\n  password: swordfish\n' }],
  [secretOf('url'), { upstream_url: `https://user:${secretOf('url')}@internal.corp.example` }],
  [secretOf('nested'), { config: { list: [{ access_token: secretOf('nested') }] } }],
  [secretOf('upper'), { AUTHTOKEN: secretOf('upper') }],
  [secretOf('camel'), { apiKey: secretOf('camel') }],
  [secretOf('phrase'), { passphrase: secretOf('phrase') }],
  [secretOf('short'), { pwd: secretOf('short') }],
  [secretOf('listed'), { credentials: [secretOf('listed')] }],
  ['Y2Fyb2w6cGFzc3dvcmQ', { auth: 'Basic Y2Fyb2w6cGFzc3dvcmQ=' }],
  [JWT, { note: `see ${JWT} there` }],
  ['AKIAIOSFODNN7EXAMPLE', { note: 'key AKIAIOSFODNN7EXAMPLE' }],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', { note: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' }],
  ['9f86d081884c7d659a2feaa0c55ad015', { note: 'at 9f86d081884c7d659a2feaa0c55ad015' }],
  ['4916-3385-0608-2832', { secretNumber: '4916-3385-0608-2832' }],
  ['2ZyXwVuTsRqPoNmLkJiHgFeDcBa', { account_id: 'ac_2ZyXwVuTsRqPoNmLkJiHgFeDcBa' }],
  ['wilhelmina@quartermaine.co.uk', { note: 'of wilhelmina@quartermaine.co.uk' }],
  ['2A01:4F8:C17:B8F::2', { ip: '2A01:4F8:C17:B8F::2' }],
  ['shop-of-wilhelmina', { domain: 'shop-of-wilhelmina.com' }],
  ['PlantedPlantedPlanted', { public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlantedPlantedPlanted wil@laptop' }],
]

/** Requests and responses with a secret outside of a JSON body. */
const OTHERS: readonly (readonly [secret: string, request: object, text: string])[] = [
  [secretOf('query'), { path: `/vaults?token=${secretOf('query')}` }, ''],
  ['wilhelminas', { path: `/vaults?filter=${encodeURIComponent('obj.name == "wilhelminas"')}` }, ''],
  ['sk_live_9Wk7LmPx2Rt8Qz', { path: '/vaults/sk_live_9Wk7LmPx2Rt8Qz' }, ''],
  [secretOf('header'), { headers: { authorization: `Bearer ${secretOf('header')}` } }, ''],
  [secretOf('cookie'), { headers: { cookie: `session=${secretOf('cookie')}` } }, ''],
  [secretOf('form'), { body: `grant=password&password=${secretOf('form')}` }, ''],
  [secretOf('broken'), { body: `{"token": "${secretOf('broken')}",` }, ''],
  [secretOf('page'), {}, `<p>Invalid password: ${secretOf('page')}</p>`],
  [btoa(KEY), {}, `echo ${btoa(KEY)}`],
  [KEY, {}, `the key ${KEY} is unknown`],
]

const createResponse = (text: string, body?: unknown): RecordedExchange['response'] => {
  const headers = {
    'content-type': 'application/json',
    'set-cookie': secretOf('set'),
    location: `/?code=${secretOf('code')}`,
  }
  return { status: 201, headers, text, body }
}

/** Returns the text of a recording, followed by the same text without escapes, for JSON inside texts. */
function formatTexts(exchanges: readonly RecordedExchange[]): string {
  const text = formatRecording(exchanges, KEY)
  return `${text}${text.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\n', '\n')}`
}

const createRequest = (each: object): RecordedExchange['request'] => ({
  method: 'POST',
  path: '/vaults',
  headers: {},
  ...each,
})

describe('A recording contains no planted secret:', () => {
  test.each(BODIES)('%s in a body, its response, and the message of an error', (secret, body) => {
    const text = JSON.stringify(body)
    const values = Object.values(body).filter((value) => typeof value === 'string')
    const error = { error_code: 'ERR_NGROK_400', status_code: 400, msg: `No: ${values.join(' ')}`, details: {} }
    const exchanges = [
      { at: 0, request: createRequest({ body: text }), response: createResponse(text, body) },
      { at: 0, request: createRequest({ body: text }), response: createResponse(JSON.stringify(error), error) },
    ]
    // Other words may contain a word of three letters. It is replaced only where it is a secret.
    const recording = secret.length > 3 ? formatTexts(exchanges) : formatTexts(exchanges.slice(0, 1))
    expect(recording).not.toContain(secret)
  })

  test.each(OTHERS)('%s elsewhere', (secret, parts, text) => {
    const recording = formatTexts([{ at: 0, request: createRequest(parts), response: createResponse(text) }])
    for (const each of [secret, secretOf('set'), secretOf('code')]) expect(recording).not.toContain(each)
  })
})

test('Values that are no secrets stay, so that a replay compares the same values', () => {
  const body = {
    error_code: 'ERR_NGROK_413',
    type: 'cloud',
    private_key_type: 'ecdsa',
    created_at: '2026-01-01T12:34:56Z',
    traffic_policy: policyOf({ enforce: true }),
    credential: { id: 'x', uri: 'https://api.ngrok.com/credentials' },
  }
  const text = formatRecording([
    { at: 0, request: createRequest({}), response: createResponse(JSON.stringify(body), body) },
  ])
  expect(JSON.parse(JSON.parse(text).log.entries[0].response.content.text)).toEqual(body)
})
