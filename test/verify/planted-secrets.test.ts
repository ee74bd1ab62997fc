import { describe, expect, test } from 'vitest'
import type { RecordedExchange } from '../../src/verify/har.ts'
import { formatRecording } from '../support/verify.ts'

const KEY = 'ak_live_4f8Jq2ZpXw7Lr9Vt'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ'
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'
const PEM = `-----BEGIN PRIVATE KEY-----\n${PEM_LINE}\n-----END PRIVATE KEY-----`

/** A secret for each place, made of a word for it. */
const secret = (word: string) => `${word}-Zq8Wk7LmPx9Rt`

const policy = (config: object) => JSON.stringify({ on_http_request: [{ actions: [{ type: 'basic-auth', config }] }] })

/** Bodies by what is planted, each with the text that must not remain. */
const BODIES: readonly (readonly [planted: string, body: object])[] = [
  [secret('described'), { description: `call me with ${secret('described')}` }],
  [secret('noted'), { metadata: JSON.stringify({ password: secret('noted') }) }],
  [secret('deep'), { metadata: JSON.stringify({ deep: [{ secret: secret('deep') }] }) }],
  [secret('token'), { token: secret('token') }],
  ['abc', { value: 'abc' }],
  ['horse battery staple', { value: 'horse battery staple' }],
  [secret('webhook'), { secret: secret('webhook') }],
  [secret('client'), { client_secret: secret('client') }],
  [PEM_LINE, { private_key_pem: PEM }],
  [PEM_LINE, { note: `the key is ${PEM}` }],
  [secret('basic'), { traffic_policy: policy({ credentials: [`alice:${secret('basic')}`] }) }],
  [secret('oauth'), { traffic_policy: policy({ client_secret: secret('oauth') }) }],
  [secret('hook'), { traffic_policy: policy({ secret: secret('hook') }) }],
  [secret('bearer'), { traffic_policy: policy({ headers: { authorization: `Bearer ${secret('bearer')}` } }) }],
  [PEM_LINE, { traffic_policy: policy({ content: PEM }) }],
  [secret('module'), { enabled: true, value: policy({ password: secret('module') }) }],
  [secret('yaml'), { traffic_policy: `config:\n  credentials:\n  - bob:${secret('yaml')}\n` }],
  ['swordfish', { traffic_policy: 'config:\n  password: swordfish\n' }],
  [secret('url'), { upstream_url: `https://user:${secret('url')}@internal.corp.example` }],
  [secret('nested'), { config: { list: [{ access_token: secret('nested') }] } }],
  [secret('upper'), { AUTHTOKEN: secret('upper') }],
  [secret('camel'), { apiKey: secret('camel') }],
  [secret('phrase'), { passphrase: secret('phrase') }],
  [secret('short'), { pwd: secret('short') }],
  [secret('listed'), { credentials: [secret('listed')] }],
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

/** Requests and responses that are no JSON, or have it elsewhere. */
const OTHERS: readonly (readonly [planted: string, request: object, text: string])[] = [
  [secret('query'), { path: `/vaults?token=${secret('query')}` }, ''],
  ['wilhelminas', { path: `/vaults?filter=${encodeURIComponent('obj.name == "wilhelminas"')}` }, ''],
  ['sk_live_9Wk7LmPx2Rt8Qz', { path: '/vaults/sk_live_9Wk7LmPx2Rt8Qz' }, ''],
  [secret('header'), { headers: { authorization: `Bearer ${secret('header')}` } }, ''],
  [secret('cookie'), { headers: { cookie: `session=${secret('cookie')}` } }, ''],
  [secret('form'), { body: `grant=password&password=${secret('form')}` }, ''],
  [secret('broken'), { body: `{"token": "${secret('broken')}",` }, ''],
  [secret('page'), {}, `<p>Invalid password: ${secret('page')}</p>`],
  [btoa(KEY), {}, `echo ${btoa(KEY)}`],
  [KEY, {}, `the key ${KEY} is unknown`],
]

const response = (text: string, body?: unknown): RecordedExchange['response'] => {
  const headers = {
    'content-type': 'application/json',
    'set-cookie': secret('set'),
    location: `/?code=${secret('code')}`,
  }
  return { status: 201, headers, text, body }
}

/** Returns the text of a recording, and once more with the texts that are JSON inside texts. */
function recordedTexts(exchanges: readonly RecordedExchange[]): string {
  const text = formatRecording(exchanges, KEY)
  return `${text}${text.replaceAll('\\\\', '\\').replaceAll('\\"', '"').replaceAll('\\n', '\n')}`
}

const request = (each: object): RecordedExchange['request'] => ({
  method: 'POST',
  path: '/vaults',
  headers: {},
  ...each,
})

describe('A recording has nothing of what is planted', () => {
  test.each(BODIES)('%s in a body, its response, and the message of an error', (planted, body) => {
    const text = JSON.stringify(body)
    const values = Object.values(body).filter((value) => typeof value === 'string')
    const error = { error_code: 'ERR_NGROK_400', status_code: 400, msg: `No: ${values.join(' ')}`, details: {} }
    const exchanges = [
      { at: 0, request: request({ body: text }), response: response(text, body) },
      { at: 0, request: request({ body: text }), response: response(JSON.stringify(error), error) },
    ]
    // Other words may contain a word of three letters. It is replaced only where it is a secret.
    const shown = planted.length > 3 ? recordedTexts(exchanges) : recordedTexts(exchanges.slice(0, 1))
    expect(shown).not.toContain(planted)
  })

  test.each(OTHERS)('%s elsewhere', (planted, parts, text) => {
    const shown = recordedTexts([{ at: 0, request: request(parts), response: response(text) }])
    for (const each of [planted, secret('set'), secret('code')]) expect(shown).not.toContain(each)
  })
})

test('What is no secret stays, so that a replay is about the same things', () => {
  const body = {
    error_code: 'ERR_NGROK_413',
    type: 'cloud',
    private_key_type: 'ecdsa',
    created_at: '2026-01-01T12:34:56Z',
    traffic_policy: policy({ enforce: true }),
    credential: { id: 'x', uri: 'https://api.ngrok.com/credentials' },
  }
  const text = formatRecording([{ at: 0, request: request({}), response: response(JSON.stringify(body), body) }])
  expect(JSON.parse(JSON.parse(text).log.entries[0].response.content.text)).toEqual(body)
})
