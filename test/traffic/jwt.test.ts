import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DECISIONS } from '../../src/service/policy/decisions.ts'
import { CLOCK_START } from '../support/clock.ts'
import { createVisited, policyOf } from './visits.ts'

// The tokens are made by node:crypto (RFC 7515, RFC 7519).
const NOW = Math.floor(CLOCK_START / 1000)
const JWKS = 'https://idp.example.com/.well-known/jwks.json'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const KEYS = { RS256: rsa, ES256: ec, EdDSA: ed }

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function makeToken(claims: object, alg: keyof typeof KEYS = 'RS256', kid: string = alg): string {
  const content = `${encode({ alg, kid, typ: 'JWT' })}.${encode(claims)}`
  const key = { key: KEYS[alg].privateKey, dsaEncoding: 'ieee-p1363' as const }
  const signature = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(content), key)
  return `${content}.${signature.toString('base64url')}`
}

const jwks = JSON.stringify({
  keys: Object.entries(KEYS).map(([alg, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: alg,
    alg,
    use: 'sig',
  })),
})

function createGuarded(token: object = { type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }) {
  const config = {
    issuer: { allow_list: [{ value: 'https://idp.example.com' }] },
    audience: { allow_list: [{ value: 'shop' }] },
    http: { tokens: [token] },
    jws: { allowed_algorithms: ['RS256', 'ES256', 'EdDSA'], keys: { sources: { additional_jkus: [JWKS] } } },
  }
  const visited = createVisited(policyOf('jwt-validation', config))
  visited.gateway.traffic.upstream(JWKS, () => new Response(jwks))
  return visited
}

const CLAIMS = { iss: 'https://idp.example.com', aud: 'shop', exp: NOW + 60 }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const outcomeOf = (response: Response) => [response.status, response.headers.get('ngrok-error-code')]

// rules: json-web-tokens#claims
describe('jwt-validation', () => {
  test.each(['RS256', 'ES256', 'EdDSA'] as const)('accepts a token signed with %s', async (alg) => {
    expect((await createGuarded().visit('/', bearer(makeToken(CLAIMS, alg)))).status).toBe(200)
  })

  test.each([
    ['ended a second ago', { exp: NOW - 1 }, DECISIONS.claims],
    ['begins in a second', { nbf: NOW + 1 }, DECISIONS.claims],
    ['has no audience', { aud: undefined }, DECISIONS.claims],
    ['ended an hour ago', { exp: NOW - 3600 }, undefined],
    ['is for another audience', { aud: 'bank' }, undefined],
  ])(
    'names a decision where the pages leave open whether a token is valid: one that %s',
    async (_, claims, decision) => {
      const { gateway, visit } = createGuarded()
      await visit('/', bearer(makeToken({ ...CLAIMS, ...claims })))
      const actions = gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : []))
      expect(actions?.map((each) => each.decision)).toEqual([decision])
    },
  )

  test.each([
    ['that has ended', { ...CLAIMS, exp: NOW - 1 }],
    ['that is not valid yet', { ...CLAIMS, nbf: NOW + 60 }],
    ['of another issuer', { ...CLAIMS, iss: 'https://other.example.com' }],
    ['for another audience', { ...CLAIMS, aud: 'bank' }],
  ])('rejects a token %s with 3401', async (_, claims) => {
    expect(outcomeOf(await createGuarded().visit('/', bearer(makeToken(claims))))).toEqual([401, 'ERR_NGROK_3401'])
  })

  test('ends a token on the clock of the gateway', async () => {
    const { gateway, visit } = createGuarded()
    gateway.clock.advance('2m')
    expect((await visit('/', bearer(makeToken(CLAIMS)))).status).toBe(401)
  })

  test('rejects a changed token, an algorithm that is not allowed, and none', async () => {
    const [head, , signature] = makeToken(CLAIMS).split('.')
    const changed = `${head}.${encode({ ...CLAIMS, sub: 'root' })}.${signature}`
    const shared = `${encode({ alg: 'HS256', kid: 'RS256' })}.${encode(CLAIMS)}`
    const confused = `${shared}.${createHmac('sha256', rsa.publicKey.export({ type: 'spki', format: 'pem' }))
      .update(shared)
      .digest('base64url')}`
    const none = `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`
    for (const token of [changed, confused, none])
      expect((await createGuarded().visit('/', bearer(token))).status).toBe(401)
  })

  test.each([
    [{}, 3408],
    [{ headers: { authorization: 'Basic abc' } }, 3413],
    [{ headers: { authorization: 'Bearer not-a-token' } }, 3416],
  ])('with %j is error %i', async (init, number) => {
    expect(outcomeOf(await createGuarded().visit('/', init))).toEqual([401, `ERR_NGROK_${number}`])
  })

  const inBody = { type: 'jwt', method: 'body', name: 'token' }
  const post = (type: string, body: string) => ({ method: 'POST', body, headers: { 'content-type': type } })

  test('finds tokens in bodies, as JSON and as forms', async () => {
    const token = makeToken(CLAIMS)
    const { visit } = createGuarded(inBody)
    expect((await visit('/', post('application/json', JSON.stringify({ token })))).status).toBe(200)
    expect((await visit('/', post('application/x-www-form-urlencoded', `token=${token}`))).status).toBe(200)
  })

  test.each([
    [post('application/json', '{'), 3411],
    [post('application/json', '{}'), 3406],
    [post('text/plain', 'token=x'), 3414],
    [{ method: 'GET' }, 3415],
  ])('with the body of %j is error %i', async (init, number) => {
    expect(outcomeOf(await createGuarded(inBody).visit('/', init))).toEqual([401, `ERR_NGROK_${number}`])
  })

  test('keys that cannot be read are error 3422, and the trace says where to serve them', async () => {
    const { gateway, visit } = createGuarded()
    gateway.traffic.upstream(JWKS, () => new Response('no keys'))
    expect(outcomeOf(await visit('/', bearer(makeToken(CLAIMS))))).toEqual([401, 'ERR_NGROK_3422'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(JWKS)
  })

  test('the journal has no token', async () => {
    const { gateway, visit } = createGuarded()
    const token = makeToken({ ...CLAIMS, exp: 1 })
    await visit('/', bearer(token))
    expect(JSON.stringify(gateway.traffic.all())).not.toContain(token.split('.')[2])
  })
})
