// https://ngrok.com/docs/traffic-policy/actions/jwt-validation, and the errors 3401, 3406, 3408, 3411 to 3416 and 3422.
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import jwt from '@tsndr/cloudflare-worker-jwt'
import { describe, expect, it } from 'vitest'
import { type KeyCache, type TokenRequest, validateJwt } from '../../../src/traffic/jwt/index.ts'

const ISSUER = 'https://issuer.example.com/'
const AUDIENCE = 'urn:example:api'
const JWKS = 'https://issuer.example.com/.well-known/jwks.json'
const NOW = Date.parse('2026-01-01T00:00:00Z')
const EXPIRES = NOW / 1000 + 60
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'a user', exp: EXPIRES }

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const ed25519 = generateKeyPairSync('ed25519')
const shared = Buffer.from('a shared secret of 64 bytes, which HS512 needs at the very least!!')
const oct = { kty: 'oct', k: shared.toString('base64url') }

const jwk = ({ publicKey }: Pair, more: object = {}) => ({ ...publicKey.export({ format: 'jwk' }), ...more })
const pem = ({ privateKey }: Pair) => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** Signs by node:crypto along RFC 7515, 5.1, for algorithms that the library lacks. */
function signByNode(alg: string, key: KeyObject, claims: object = CLAIMS, more: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg, ...more })}.${encode(claims)}`
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  const signature =
    alg === 'EdDSA'
      ? signBytes(null, Buffer.from(text), key)
      : signBytes(`sha${alg.slice(2)}`, Buffer.from(text), { key, ...pss })
  return `${text}.${signature.toString('base64url')}`
}

const rs256 = (claims: object = CLAIMS, header: object = {}) =>
  jwt.sign(claims, pem(rsa), { algorithm: 'RS256', header })

interface Setting {
  readonly audience?: string
  readonly tokens?: readonly object[]
  readonly algorithms?: readonly string[]
  readonly urls?: readonly string[]
}

function configure({ audience, tokens, algorithms = ['RS256'], urls = [JWKS] }: Setting = {}) {
  return {
    issuer: { allow_list: [{ value: 'https://other.example.com' }, { value: ISSUER }] },
    ...(audience && { audience: { allow_list: [{ value: 'urn:example:other' }, { value: audience }] } }),
    http: {
      tokens: tokens ?? [{ type: 'access_token', method: 'header', name: 'Authorization', prefix: 'Bearer ' }],
    },
    jws: { allowed_algorithms: algorithms, keys: { sources: { additional_jkus: urls } } },
  }
}

const serve = (...keys: readonly object[]) => ({
  now: NOW,
  readUrl: async (url: string) => {
    if (url === JWKS) return JSON.stringify({ keys })
    throw new Error('nothing is there')
  },
})

const bearer = (token: string): TokenRequest => ({
  method: 'GET',
  headers: new Headers({ authorization: `Bearer ${token}` }),
})

const withBody = (body: string, type: string | undefined = 'application/json', method = 'POST'): TokenRequest => ({
  method,
  headers: new Headers(type === '' ? {} : { 'content-type': type }),
  readBody: async () => new TextEncoder().encode(body),
})

const refused = (number: number, reason: RegExp = /./) => ({ ok: false, number, reason: expect.stringMatching(reason) })

// (rules: json-web-tokens#claims)
describe('a token', () => {
  it('is accepted if a key of the issuer has signed it, with its parts for expressions', async () => {
    const token = await rs256(CLAIMS, { kid: 'one' })
    const result = await validateJwt(bearer(token), configure({ audience: AUDIENCE }), serve(jwk(rsa, { kid: 'one' })))
    expect(result).toEqual({
      ok: true,
      tokens: [
        {
          header: { alg: 'RS256', kid: 'one' },
          payload: expect.objectContaining(CLAIMS),
          signature: token.split('.')[2],
          location: 'header',
          location_property: 'Authorization',
          verified: true,
        },
      ],
    })
  })

  it.each([
    ['RS256', rsa],
    ['RS384', rsa],
    ['RS512', rsa],
    ['ES256', p256],
    ['ES384', p384],
    ['ES512', p521],
  ] as const)('may be signed by %s', async (algorithm, pair) => {
    const token = await jwt.sign(CLAIMS, pem(pair), { algorithm })
    const keys = serve(oct, ...[p256, p384, p521, rsa].map((key) => jwk(key)))
    expect(await validateJwt(bearer(token), configure({ algorithms: [algorithm] }), keys)).toMatchObject({ ok: true })
    expect(await validateJwt(bearer(token), configure({ algorithms: ['PS256'] }), keys)).toEqual({
      ...refused(3401, /an algorithm other than PS256/),
      tokens: [expect.objectContaining({ verified: false })],
    })
  })

  it.each(['HS256', 'HS384', 'HS512'] as const)('may be signed by %s', async (algorithm) => {
    const token = await jwt.sign(CLAIMS, shared.toString(), { algorithm })
    const config = configure({ algorithms: [algorithm] })
    expect(await validateJwt(bearer(token), config, serve(oct))).toMatchObject({ ok: true })
    const another = { kty: 'oct', k: shared.toString('base64url').replace('a', 'b') }
    expect(await validateJwt(bearer(token), config, serve(another))).toMatchObject(refused(3401, /None of the keys/))
  })

  it.each([
    ['PS256', rsa],
    ['PS384', rsa],
    ['PS512', rsa],
    ['EdDSA', ed25519],
  ] as const)('may be signed by %s', async (algorithm, pair) => {
    const token = signByNode(algorithm, pair.privateKey)
    const config = configure({ algorithms: [algorithm] })
    expect(await validateJwt(bearer(token), config, serve(jwk(rsa), jwk(ed25519)))).toMatchObject({ ok: true })
    expect(await validateJwt(bearer(token), config, serve(jwk(otherRsa)))).toMatchObject(refused(3401))
  })

  it('is rejected by a key that Web Crypto does not take', async () => {
    const token = await jwt.sign(CLAIMS, shared.toString(), { algorithm: 'HS256' })
    const config = configure({ algorithms: ['HS256', 'RS256'] })
    expect(await validateJwt(bearer(token), config, serve({ kty: 'oct', k: '' }))).toMatchObject(refused(3401))
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const weak = await jwt.sign(CLAIMS, pem(short), { algorithm: 'RS256' })
    expect(await validateJwt(bearer(weak), config, serve(jwk(short)))).toMatchObject(refused(3401))
  })

  it('is rejected if a bit of it differs', async () => {
    const token = await rs256()
    const [header, payload, signature = ''] = token.split('.')
    const other = (await rs256({ ...CLAIMS, sub: 'an administrator' })).split('.')[1]
    const wrong = [
      `${header}.${other}.${signature}`,
      `${header}.${payload}.${signature.replace(/^./, (it) => (it === 'A' ? 'B' : 'A'))}`,
    ]
    for (const text of wrong)
      expect(await validateJwt(bearer(text), configure(), serve(jwk(rsa)))).toMatchObject(
        refused(3401, /None of the keys signed/),
      )
  })

  it('is rejected without a signature, and if it is signed by the public key as a secret', async () => {
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await rs256()).split('.')[1]}.`
    expect(await validateJwt(bearer(none), configure(), serve(jwk(rsa)))).toMatchObject(refused(3401))
    const publicPem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const [, payload] = (await rs256()).split('.')
    const text = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${payload}`
    const forged = `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`
    const config = configure({ algorithms: ['RS256', 'HS256'] })
    expect(await validateJwt(bearer(forged), config, serve(jwk(rsa)))).toMatchObject(refused(3401))
  })

  it.each([
    ['of another issuer', { iss: ISSUER.slice(0, -1) }, /iss/],
    ['without an issuer', { iss: undefined }, /no claim iss/],
    ['for another audience', { aud: ['urn:a', 'urn:b'] }, /aud/],
    ['for no audience', { aud: undefined }, /aud/],
    ['that expires now', { exp: NOW / 1000 }, /expired.*exp/],
    ['that is not valid yet', { nbf: NOW / 1000 + 1 }, /not yet valid.*nbf/],
    ['with a malformed time', { exp: 'tomorrow' }, /exp is malformed/],
  ])('%s is rejected, for a reason that repeats none of it', async (_, change, reason) => {
    const claims = { ...CLAIMS, ...change }
    const token = signByNode('PS256', rsa.privateKey, claims)
    const config = configure({ audience: AUDIENCE, algorithms: ['PS256'] })
    const result = await validateJwt(bearer(token), config, serve(jwk(rsa)))
    expect(result).toMatchObject(refused(3401, reason))
    expect('reason' in result && result.reason).not.toMatch(/a user|urn:|issuer\.example|eyJ/)
  })

  it('may have several audiences, one of them allowed, and any if none are required', async () => {
    const several = await rs256({ ...CLAIMS, aud: ['urn:a', AUDIENCE] })
    const anyone = await rs256({ ...CLAIMS, aud: 'urn:a' })
    expect(await validateJwt(bearer(several), configure({ audience: AUDIENCE }), serve(jwk(rsa)))).toMatchObject({
      ok: true,
    })
    expect(await validateJwt(bearer(anyone), configure(), serve(jwk(rsa)))).toMatchObject({ ok: true })
  })

  it('follows the clock of the gateway to the second', async () => {
    const token = await rs256()
    const at = (now: number) => validateJwt(bearer(token), configure(), { ...serve(jwk(rsa)), now })
    expect(await at(EXPIRES * 1000 - 1)).toMatchObject({ ok: true })
    expect(await at(EXPIRES * 1000)).toMatchObject(refused(3401, /expired/))
  })
})

// (rules: json-web-tokens#places)
describe('the place of a token', () => {
  const inHeader = { type: 'jwt', method: 'header', name: 'X-Token' }
  const inBody = { type: 'jwt', method: 'body', name: 'id_token', prefix: 'JWT ' }

  it('may be a field of JSON or of a form, in letters of either case', async () => {
    const token = await rs256()
    for (const [body, type] of [
      [JSON.stringify({ ID_TOKEN: `JWT ${token}` }), 'application/json; charset=utf-8'],
      [`a=1&Id_Token=JWT+${token}`, 'application/x-www-form-urlencoded'],
    ] as const)
      for (const method of ['POST', 'PUT', 'PATCH'])
        expect(
          await validateJwt(withBody(body, type, method), configure({ tokens: [inBody] }), serve(jwk(rsa))),
        ).toMatchObject({
          ok: true,
          tokens: [{ location: 'body', location_property: 'id_token' }],
        })
  })

  it.each([
    ['no header', inHeader, withBody('{}'), 3408, /header X-Token/],
    ['a name that no header has', { ...inHeader, name: 'X Token' }, withBody('{}'), 3408, /header X Token/],
    ['no prefix', inBody, withBody('{"id_token":"x.y.z"}'), 3413, /prefix "JWT "/],
    ['nothing after the prefix', inBody, withBody('{"id_token":"JWT "}'), 3406, /id_token/],
    ['no field', inBody, withBody('{"other":1}'), 3406, /id_token/],
    ['a field that is no text', inBody, withBody('{"id_token":1}'), 3406, /id_token/],
    ['malformed JSON', inBody, withBody('{"id_token"'), 3411, /JSON/],
    ['JSON that is no object', inBody, withBody('[]'), 3411, /JSON object/],
    ['a malformed form', inBody, withBody('id_token=%zz', 'application/x-www-form-urlencoded'), 3412, /form/],
    ['no content type', inBody, withBody('{}', ''), 3414, /application\/json/],
    ['another content type', inBody, withBody('{}', 'text/plain'), 3414, /application\/json/],
    ['a method without a body', inBody, withBody('{}', 'application/json', 'DELETE'), 3415, /DELETE/],
    ['no token', inBody, withBody('{"id_token":"JWT hello"}'), 3416, /not a signed JSON Web Token/],
    ['an encrypted token', inBody, withBody('{"id_token":"JWT a.b.c.d.e"}'), 3416, /not a signed JSON Web Token/],
  ])('without a token has its own error: %s', async (_, source, request, number, reason) => {
    const result = await validateJwt(request, configure({ tokens: [source] }), serve(jwk(rsa)))
    expect(result).toEqual({ ...refused(number, reason), tokens: [] })
  })

  it('is one of several, which must all have a valid token', async () => {
    const token = await rs256()
    const config = configure({ tokens: [inHeader, inBody] })
    const request = withBody(JSON.stringify({ id_token: `JWT ${token}` }))
    const both = { ...request, headers: new Headers({ ...Object.fromEntries(request.headers), 'x-token': token }) }
    expect(await validateJwt(both, config, serve(jwk(rsa)))).toMatchObject({ ok: true, tokens: [{}, {}] })
    expect(await validateJwt(request, config, serve(jwk(rsa)))).toMatchObject(refused(3408))
    const first = withBody('{}')
    first.headers.set('x-token', token)
    expect(await validateJwt(first, config, serve(jwk(rsa)))).toMatchObject({
      ...refused(3406),
      tokens: [{ verified: true, location_property: 'X-Token' }],
    })
  })
})

// (rules: json-web-tokens#keys)
describe('the keys', () => {
  it('are the one that the token names, or all of the type if it names none', async () => {
    const keys = serve(jwk(otherRsa, { kid: 'a' }), jwk(rsa, { kid: 'b' }))
    const check = async (header: object) => validateJwt(bearer(await rs256(CLAIMS, header)), configure(), keys)
    expect(await check({})).toMatchObject({ ok: true })
    expect(await check({ kid: 'b' })).toMatchObject({ ok: true })
    expect(await check({ kid: 'a' })).toMatchObject(refused(3401, /None of the keys/))
    expect(await check({ kid: 'c' })).toMatchObject(refused(3401, /None of the keys/))
  })

  it('are not those for encryption, for another algorithm, or malformed', async () => {
    const token = await rs256()
    for (const more of [{ use: 'enc' }, { alg: 'RS512' }, { n: '!' }, { kty: 'EC' }])
      expect(await validateJwt(bearer(token), configure(), serve(jwk(rsa, more)))).toMatchObject(
        refused(3401, /None of the keys/),
      )
    expect(await validateJwt(bearer(token), configure(), serve(jwk(rsa, { n: '!' }), jwk(rsa)))).toMatchObject({
      ok: true,
    })
  })

  it('come from several URLs in their order, and one that cannot be read matters only if no other has the key', async () => {
    const broken = 'https://broken.example.com/jwks'
    const config = configure({ urls: [broken, JWKS] })
    expect(await validateJwt(bearer(await rs256()), config, serve(jwk(rsa)))).toMatchObject({ ok: true })
    expect(await validateJwt(bearer(await rs256()), config, serve(jwk(otherRsa)))).toMatchObject(
      refused(3422, /broken\.example\.com\/jwks cannot be read: nothing is there/),
    )
    const expired = await rs256({ ...CLAIMS, exp: EXPIRES - 61 })
    expect(await validateJwt(bearer(expired), config, serve(jwk(rsa)))).toMatchObject(refused(3401, /it has expired/))
  })

  it('are read of lists too, as the reference of the config has them', async () => {
    const config = configure()
    const keys = [{ sources: [{ additional_jkus: [] }] }, { sources: [{ additional_jkus: [JWKS] }] }]
    const listed = { ...config, jws: { ...config.jws, keys } }
    expect(await validateJwt(bearer(await rs256()), listed, serve(jwk(rsa)))).toMatchObject({ ok: true })
  })

  it.each(['', 'no JSON', '[]', '{"keys":1}'])('cannot be read of the document %j', async (text) => {
    const result = await validateJwt(bearer(await rs256()), configure(), { now: NOW, readUrl: async () => text })
    expect(result).toMatchObject(refused(3422, /jwks\.json is not a JSON Web Key Set/))
  })

  it('are kept for 15 minutes of the gateway, and read anew if its clock goes back', async () => {
    const cache: KeyCache = new Map()
    const reads: number[] = []
    const check = async (now: number) => {
      const { readUrl } = serve(jwk(rsa))
      const counted = (url: string) => {
        reads.push(now)
        return readUrl(url)
      }
      return validateJwt(bearer(await rs256({ ...CLAIMS, exp: undefined })), configure(), {
        now,
        readUrl: counted,
        cache,
      })
    }
    const minutes = [0, 14, 15, 29, 5]
    for (const minute of minutes) expect(await check(NOW + minute * 60_000)).toMatchObject({ ok: true })
    expect(reads.map((at) => (at - NOW) / 60_000)).toEqual([0, 15, 5])
  })
})

// RFC 7515, appendices A.1 to A.3.
describe('the examples of the standard', () => {
  const payload = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
  it.each([
    [
      'HS256',
      `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${payload}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
      {
        kty: 'oct',
        k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
      },
    ],
    [
      'RS256',
      `eyJhbGciOiJSUzI1NiJ9.${payload}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
      {
        kty: 'RSA',
        n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
        e: 'AQAB',
      },
    ],
    [
      'ES256',
      `eyJhbGciOiJFUzI1NiJ9.${payload}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
      {
        kty: 'EC',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      },
    ],
  ])('are valid before their expiry in 2011, and not after it: %s', async (algorithm, token, key) => {
    const config = { ...configure({ algorithms: [algorithm] }), issuer: { allow_list: [{ value: 'joe' }] } }
    const at = (now: number) => validateJwt(bearer(token), config, { ...serve(key), now })
    expect(await at(1300819379_000)).toMatchObject({ ok: true, tokens: [{ payload: { iss: 'joe' } }] })
    expect(await at(1300819380_000)).toMatchObject(refused(3401, /expired/))
  })
})
