import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

const MIB = 1024 * 1024

// The types of `fetch` lack the bytes of Node.
const bytesOf = (bytes: Buffer) => new Uint8Array(bytes)
const gzipSync = (bytes: string | Buffer | Uint8Array) => bytesOf(zlib.gzipSync(bytes))
const deflateSync = (bytes: string) => bytesOf(zlib.deflateSync(bytes))
const brotliCompressSync = (bytes: string | Uint8Array) => bytesOf(zlib.brotliCompressSync(bytes))

/** Makes a body that says how many of its parts were read, and whether it was ended. */
function createBody(parts: readonly (string | Uint8Array)[], { breaks = false, isEndless = false } = {}) {
  const seen = { read: 0, isEnded: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = parts[isEndless ? 0 : seen.read]
        seen.read++
        if (part !== undefined) controller.enqueue(typeof part === 'string' ? Buffer.from(part) : part)
        else if (breaks) controller.error(new Error('reset'))
        else controller.close()
      },
      cancel() {
        seen.isEnded = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  ({ method: 'POST', body, headers, duplex: 'half' }) as RequestInit // The types of Node lack `duplex`.

const codeOf = (response: Response) => [response.status, response.headers.get('ngrok-error-code')]

const jwt = (...tokens: object[]) =>
  policyOf('jwt-validation', {
    issuer: { allow_list: [{ value: 'https://issuer.example.com/' }] },
    http: { tokens },
    jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: ['https://issuer.example.com/jwks'] } } },
  })
const inHeader = { type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }
const inBody = { type: 'jwt', method: 'body', name: 'token' }
const json = { 'content-type': 'application/json' }

describe('A body is not read where the head decides (rules: traffic#bodies)', () => {
  test.each([
    ['a token that is missing', jwt(inHeader), {}, [401, 'ERR_NGROK_3408']],
    ['a token that is none', jwt(inHeader), { authorization: 'Bearer x' }, [401, 'ERR_NGROK_3416']],
    ['a missing token in a header after one in the body', jwt(inBody, inHeader), json, [401, 'ERR_NGROK_3408']],
    ['a body of another type', jwt(inBody), { 'content-type': 'text/plain' }, [401, 'ERR_NGROK_3414']],
    [
      'a webhook without a signature',
      policyOf('verify-webhook', { provider: 'github', secret: 's' }),
      json,
      [403, 'ERR_NGROK_3204'],
    ],
    [
      'a webhook that is too old',
      policyOf('verify-webhook', { provider: 'slack', secret: 's' }),
      { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '1' },
      [403, 'ERR_NGROK_3204'],
    ],
    [
      'a webhook with a token',
      policyOf('verify-webhook', { provider: 'gitlab', secret: 's' }),
      { 'x-gitlab-token': 'other' },
      [403, 'ERR_NGROK_3204'],
    ],
    [
      'an intent without a signature',
      policyOf('verify-webhook', { provider: 'xero', secret: 's' }),
      json,
      [403, 'ERR_NGROK_3204'],
    ],
    [
      'a validation without a signature',
      policyOf('verify-webhook', { provider: 'zoom', secret: 's' }),
      json,
      [403, 'ERR_NGROK_3204'],
    ],
    ['a rule that denies', policyOf('deny'), {}, [403, null]],
  ] as const)('%s', async (_, policy, headers, expected) => {
    const { stream, seen } = createBody(['{}'])
    expect(codeOf(await createVisited(policy).visit('/', post(stream, headers)))).toEqual(expected)
    expect(seen.read).toBe(0)
  })

  test('a body that a check lets pass streams to the upstream', async () => {
    const policy = policyOf('verify-webhook', { provider: 'github', secret: 's', enforce: false })
    const { stream, seen } = createBody(['a', 'b'])
    const { visit, gateway } = createVisited(policy)
    gateway.traffic.upstream(URL_OF_APP, async (request) => {
      const readBefore = seen.read
      return new Response(`${readBefore} ${await request.text()}`)
    })
    expect(await (await visit('/', post(stream))).text()).toBe('0 ab')
  })
})

describe('A body that an action reads has at most 32 MB (rules: traffic#bodies)', () => {
  const replace = policyOf('request-body-find-replace', { replacements: [{ from: 'a', to: 'b' }] })

  test('one with a longer length is 413 with 3903, and is not read', async () => {
    const { stream, seen } = createBody(['x'])
    const response = await createVisited(replace).visit('/', post(stream, { 'content-length': String(32 * MIB + 1) }))
    expect([...codeOf(response), seen.read]).toEqual([413, 'ERR_NGROK_3903', 0])
  })

  test('one without a length is read as far, and ended', async () => {
    const { stream, seen } = createBody([new Uint8Array(MIB)], { isEndless: true })
    expect(codeOf(await createVisited(replace).visit('/', post(stream)))).toEqual([413, 'ERR_NGROK_3903'])
    expect(seen).toEqual({ read: 33, isEnded: true })
  })

  test('one of exactly 32 MB passes', async () => {
    const { visit, received } = createVisited(replace)
    await visit('/', post(new Uint8Array(32 * MIB)))
    expect(received).toHaveLength(1)
  })

  test('one that breaks off is 400 with 3903, and the trace says why', async () => {
    const { stream } = createBody(['a'], { breaks: true })
    const { visit, gateway } = createVisited(replace)
    expect(codeOf(await visit('/', post(stream)))).toEqual([400, 'ERR_NGROK_3903'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('failed: the body ended early: reset')
  })

  test('a webhook that is signed, and whose body is too long', async () => {
    const policy = policyOf('verify-webhook', { provider: 'github', secret: 's' })
    const headers = { 'x-hub-signature-256': 'sha256=00', 'content-length': String(33 * MIB) }
    const response = await createVisited(policy).visit('/', post(createBody(['x']).stream, headers))
    expect(codeOf(response)).toEqual([413, 'ERR_NGROK_3903'])
  })
})

const replaceInResponse = (from = 'secret', to: string | undefined = 'hidden') =>
  policyOf('response-body-find-replace', { replacements: [{ from, to }] }, 'on_http_response')

/** Visits an endpoint whose upstream has a response. */
async function receive(
  policy: string,
  body: BodyInit | null,
  headers: Record<string, string> = {},
  init: ResponseInit = {},
) {
  const { visit, gateway } = createVisited(policy)
  gateway.traffic.upstream(URL_OF_APP, () => new Response(body, { headers, ...init }))
  return visit('/', { headers: { 'accept-encoding': 'gzip' } })
}

describe('An action reads a body without its codings, and sends a changed one without (rules: traffic#bodies)', () => {
  test.each([
    ['gzip', gzipSync('a secret')],
    ['X-GZIP', gzipSync('a secret')],
    ['deflate', deflateSync('a secret')],
    ['br', brotliCompressSync('a secret')],
    ['identity', bytesOf(Buffer.from('a secret'))],
    ['gzip, br', brotliCompressSync(gzipSync('a secret'))],
  ])('%s', async (coding, body) => {
    const headers = { 'content-encoding': coding, 'content-length': String(body.length) }
    const response = await receive(replaceInResponse(), body, headers)
    expect(await response.text()).toBe('a hidden')
    expect([response.headers.get('content-encoding'), response.headers.get('content-length')]).toEqual([null, '8'])
  })

  test('the headers that depend on its bytes change with them', async () => {
    const headers = {
      etag: '"1"',
      digest: 'sha-256=x',
      'content-md5': 'x',
      'repr-digest': 'sha-256=:x:',
      'content-digest': 'sha-256=:x:',
      'accept-ranges': 'bytes',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    }
    const changed = await receive(replaceInResponse(), 'a secret', headers)
    expect(Object.fromEntries(changed.headers)).toEqual({
      'content-length': '8',
      'content-type': 'text/plain;charset=UTF-8',
      etag: 'W/"1"',
      'last-modified': headers['last-modified'],
    })
  })

  test('a body without a match stays unchanged, with its headers', async () => {
    const body = gzipSync('nothing')
    const headers = { etag: '"1"', 'content-encoding': 'gzip', 'content-md5': 'x' }
    const response = await receive(replaceInResponse(), body, headers)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(body))
    expect(Object.fromEntries(response.headers)).toEqual(headers)
  })

  test('an empty body and none have no coding', async () => {
    for (const body of ['', null]) {
      const response = await receive(replaceInResponse(), body, { 'content-encoding': 'gzip' })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })

  test.each([
    [
      'a coding that is not known',
      bytesOf(Buffer.from('x')),
      'zstd',
      'ERR_NGROK_3904',
      'the body uses the content coding zstd',
    ],
    [
      'a body that is not as its coding says',
      bytesOf(Buffer.from('a secret')),
      'gzip',
      'ERR_NGROK_3903',
      'the body ended early',
    ],
    ['a body that ends early', gzipSync('a secret').subarray(0, 20), 'gzip', 'ERR_NGROK_3903', 'the body ended early'],
    [
      'a body that ends early',
      brotliCompressSync('a secret').subarray(0, 5),
      'br',
      'ERR_NGROK_3903',
      'the body ended early',
    ],
    ['a bomb', gzipSync(Buffer.alloc(40 * MIB)), 'gzip', 'ERR_NGROK_3903', 'the body is larger than 33554432 bytes'],
  ])('%s is 502', async (_, body, coding, code, why) => {
    const { visit, gateway } = createVisited(replaceInResponse())
    gateway.traffic.upstream(URL_OF_APP, () => new Response(body, { headers: { 'content-encoding': coding } }))
    expect(codeOf(await visit())).toEqual([502, code])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`failed: ${why}`)
  })

  test('the body of a request too, and one with a coding that is not known is 415', async () => {
    const policy = policyOf('request-body-find-replace', { replacements: [{ from: 'secret' }] })
    const { visit, received } = createVisited(policy)
    await visit('/', post(gzipSync('a secret'), { 'content-encoding': 'gzip' }))
    expect([await received[0]?.text(), received[0]?.headers.get('content-encoding')]).toEqual(['a ', null])
    expect(codeOf(await visit('/', post('x', { 'content-encoding': 'x' })))).toEqual([415, 'ERR_NGROK_3904'])
  })

  test('the bytes of a body that is no text stay, but for its matches, and so does a byte order mark', async () => {
    const bytes = (body: string) => bytesOf(Buffer.from(body, 'latin1'))
    const binary = await receive(replaceInResponse(), bytes('\x80\xff secret \x00\xe9'))
    expect(new Uint8Array(await binary.arrayBuffer())).toEqual(bytes('\x80\xff hidden \x00\xe9'))
    expect(Buffer.from(await (await receive(replaceInResponse(), '\ufeffsecret')).arrayBuffer()).toString()).toBe(
      '\ufeffhidden',
    )
  })

  test('a message without a body gets none', async () => {
    const policy = JSON.stringify({
      ...JSON.parse(policyOf('request-body-find-replace', { replacements: [{ from: '^', to: 'x' }] })),
      ...JSON.parse(replaceInResponse('^', 'x')),
    })
    const { visit, gateway } = createVisited(policy)
    gateway.traffic.upstream(
      URL_OF_APP,
      (request) => new Response(null, { headers: { 'x-body': String(request.body), 'content-length': '7' } }),
    )
    const response = await visit('/', { method: 'HEAD' })
    expect([response.headers.get('x-body'), response.headers.get('content-length')]).toEqual(['null', '7'])
    gateway.transport.serveUpstream(URL_OF_APP, async () => ({ status: 101, headers: [], body: null }))
    expect((await visit()).headers.get('content-length')).toBe(null)
  })

  test('a response that a policy replaces ends the connection that has switched protocols', async () => {
    const { visit, gateway } = createVisited(policyOf('custom-response', {}, 'on_http_response'))
    let isEnded = false
    const end = () => {
      isEnded = true
    }
    gateway.transport.serveUpstream(URL_OF_APP, async () => ({
      status: 101,
      headers: [],
      body: null,
      switched: { end },
    }))
    expect([(await visit()).status, isEnded]).toEqual([200, true])
    expect(gateway.traffic.last()?.status).toBe(200)
  })

  test('a part of a response with a match is 502 with 3904, because its headers say which bytes it has', async () => {
    const part = { status: 206, headers: { 'content-range': 'bytes 0-7/100' } }
    expect(codeOf(await receive(replaceInResponse(), 'a secret', {}, part))).toEqual([502, 'ERR_NGROK_3904'])
    expect(codeOf(await receive(replaceInResponse(), 'nothing', {}, part))).toEqual([206, null])
  })

  test('a text that replacements make far longer is 3904', async () => {
    for (const [from, to] of [
      ['a', 'a'.repeat(8000)],
      ['(a+)', '$1'.repeat(100)],
    ] as const) {
      const response = await receive(replaceInResponse(from, to), 'a'.repeat(MIB))
      expect(codeOf(response)).toEqual([502, 'ERR_NGROK_3904'])
    }
  })

  test('a replacement has the groups of its match, and no other part of the text', async () => {
    const textOf = async (from: string, to: string) => (await receive(replaceInResponse(from, to), '-ab-')).text()
    expect(await textOf('(a)(b)', '$2$1')).toBe('-ba-')
    expect(await textOf('(a)(b)', '$12')).toBe('--')
    expect(await textOf('(a)(b)(c)?', '$3$4')).toBe('--')
    expect(await textOf('ab', "$$ $& $` $' $0 $1")).toBe("-$ $& $` $' ab -")
    expect(await textOf('x*', '.')).toBe('.-.a.b.-.')
    expect(await textOf('(.)(.)(.)(.)|(e)(f)(g)(h)(i)(j)', '$10$4')).toBe('-')
  })

  test('all matches are replaced and counted, and the first one is listed', async () => {
    const policy = JSON.stringify({
      on_http_response: [
        {
          actions: [
            { type: 'response-body-find-replace', config: { replacements: [{ from: '(a)', to: '$1$1' }] } },
            {
              type: 'add-headers',
              config: { headers: { 'x-size': '${size(actions.ngrok.response_body_find_replace.replacements)}' } },
            },
          ],
        },
      ],
    })
    const response = await receive(policy, 'a'.repeat(2500))
    expect([response.headers.get('x-size'), (await response.text()).length]).toEqual(['1', 5000])
  })
})

describe('http-request reads a response of at most 256 KB', () => {
  const config = { url: 'https://x.internal', on_error: 'halt' }
  const bodyOfResponse = {
    on_http_request: [
      {
        actions: [
          { type: 'http-request', config },
          { type: 'custom-response', config: { body: '${actions.ngrok.http_request.res.body}' } },
        ],
      },
    ],
  }

  function open(upstream: () => Response | Promise<Response>) {
    const visited = createVisited(JSON.stringify(bodyOfResponse))
    visited.gateway.declare.tunnelSession({ endpoints: [{ url: config.url, binding: 'internal' }] })
    visited.gateway.traffic.upstream(config.url, upstream)
    return visited
  }

  test('after its codings are removed', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const small = open(() => new Response(gzipSync('hello'), { headers }))
    expect(await (await small.visit()).text()).toBe('hello')
    const bomb = open(() => new Response(gzipSync(Buffer.alloc(MIB)), { headers }))
    expect(codeOf(await bomb.visit())).toEqual([502, 'ERR_NGROK_3601'])
  })

  test('and ends a longer one', async () => {
    const { stream, seen } = createBody([new Uint8Array(64 * 1024)], { isEndless: true })
    expect(codeOf(await open(() => new Response(stream)).visit())).toEqual([502, 'ERR_NGROK_3601'])
    expect(seen).toEqual({ read: 5, isEnded: true })
  })

  test('and fails for one that breaks off', async () => {
    const { stream } = createBody(['x'], { breaks: true })
    const response = await open(() => new Response(stream)).visit()
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('the body ended early')])
  })

  test('until its time-out, also for a body that stalls', async () => {
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const pull = () => {
      start()
      return new Promise<void>(() => {})
    }
    const { visit, gateway } = open(() => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })))
    const visiting = visit()
    await started
    gateway.clock.advance('3s')
    expect(codeOf(await visiting)).toEqual([502, 'ERR_NGROK_3602'])
  })
})
