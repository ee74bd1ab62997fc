import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkAsync } from '../support/property.ts'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

const replace = (from = '[0-9]+', field = 'data') =>
  policyOf('sse-find-replace', { replacements: [{ from, to: '#', field }] }, 'on_event_stream_message')

type Part = string | Uint8Array

/** Makes a stream of parts. After the last part it never ends if it is open. */
function streamOf(parts: readonly Part[], isOpen = false): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[next++]
      if (part !== undefined) controller.enqueue(typeof part === 'string' ? Buffer.from(part) : part)
      else if (isOpen) return new Promise<void>(() => {})
      else controller.close()
      return undefined
    },
  })
}

async function receive(parts: readonly Part[], policy = replace(), headers: Record<string, string> = {}) {
  const { visit, gateway } = createVisited(policy)
  const sent = { 'content-type': 'text/event-stream', ...headers }
  gateway.traffic.upstream(URL_OF_APP, () => new Response(streamOf(parts), { headers: sent }))
  return { response: await visit(), gateway }
}

const textOf = async (...sent: Parameters<typeof receive>) => (await receive(...sent)).response.text()

describe('Rules for messages of event streams (rules: traffic#bodies)', () => {
  const MESSAGES = 'data: 12\n\ndata: 3\n\n'

  test.each([
    ['gzip', gzipSync, gunzipSync],
    ['br', brotliCompressSync, brotliDecompressSync],
  ])('read a stream with %s, which keeps its coding', async (coding, compress, decompress) => {
    const body = compress(MESSAGES)
    const headers = { 'content-encoding': coding, 'content-length': String(body.length), etag: '"1"' }
    const { response } = await receive([body.subarray(0, 5), body.subarray(5)], replace(), headers)
    expect(decompress(Buffer.from(await response.arrayBuffer())).toString()).toBe('data: #\n\ndata: #\n\n')
    const kept = { 'content-encoding': coding, 'content-type': 'text/event-stream', etag: 'W/"1"' }
    expect(Object.fromEntries(response.headers)).toEqual(kept)
  })

  test('send a stream with two codings without them', async () => {
    const headers = { 'content-encoding': 'gzip, br' }
    const { response } = await receive([brotliCompressSync(gzipSync(MESSAGES))], replace(), headers)
    expect(await response.text()).toBe('data: #\n\ndata: #\n\n')
    expect(response.headers.get('content-encoding')).toBe(null)
  })

  test('a coding that is not known is 502 with 3904, and the stream is ended', async () => {
    let isEnded = false
    const cancel = () => {
      isEnded = true
    }
    const { visit, gateway } = createVisited(replace())
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' }
    gateway.traffic.upstream(URL_OF_APP, () => new Response(new ReadableStream({ cancel }), { headers }))
    const response = await visit()
    expect([response.status, response.headers.get('ngrok-error-code'), isEnded]).toEqual([502, 'ERR_NGROK_3904', true])
  })

  test('find the end of a message wherever the parts of the stream begin, and leave the others as they came', async () => {
    const line = fc.constantFrom('data: 12', 'data:é', ': ping 1', 'id: 7', 'data', 'event: 日', 'retry: 5')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const message = fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), end)
    await checkAsync(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), async (messages, size) => {
        const text = messages.map(([lines, by]) => [...lines, '', ''].join(by)).join('')
        const bytes = Buffer.from(text)
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        const expected = messages.map(([lines, by]) =>
          lines.includes('data: 12') ? writeChanged(lines) : [...lines, '', ''].join(by),
        )
        // Between two messages, a line feed may belong to the end of the first.
        expect((await textOf(parts)).replace(/\r\n|\r/g, '\n')).toBe(expected.join('').replace(/\r\n|\r/g, '\n'))
      }),
      { numRuns: 40 },
    )
  })

  /** Writes a message whose data have changed: the lines of a field are together. */
  function writeChanged(lines: readonly string[]): string {
    const fields = new Map<string, string[]>()
    for (const line of lines) {
      const [name = '', ...rest] = line.split(':')
      const value = rest.join(':').replace(/^ /, '')
      fields.set(name, [...(fields.get(name) ?? []), name === 'data' ? value.replace(/[0-9]+/g, '#') : value])
    }
    const written = [...fields].flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
    return `${written.join('\n')}\n\n`
  }

  test('work on a message that the end of the stream cuts off, and do not complete it', async () => {
    expect(await textOf(['data: 1\n\ndata: 2'])).toBe('data: #\n\ndata: #')
    expect(await textOf(['data: 1\n\ndata: 2\n'])).toBe('data: #\n\ndata: #')
    expect(await textOf(['data: x\n\n: end'])).toBe('data: x\n\n: end')
  })

  test('pass a message before the next one comes', async () => {
    const { visit, gateway } = createVisited(replace())
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    gateway.traffic.upstream(URL_OF_APP, () => new Response(streamOf(['data: 1\n\nda'], true), { headers }))
    const reader = (await visit()).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: #\n\n')
    await reader?.cancel()
  })

  test('take time by the length of a message, and not by its parts', async () => {
    // Looking at a message anew for each part would take minutes.
    const parts = ['data: ', ...Array.from({ length: 20_000 }, () => 'x'.repeat(1200)), ' 12\n\n']
    const text = await textOf(parts, replace('12'))
    expect([text.length, text.slice(-5)]).toEqual(['data: '.length + 24_000_000 + 4, 'x #\n\n'])
  })

  test('end the stream at a message of more than 32 MB', async () => {
    const parts = ['data: 1\n\n', ...Array.from({ length: 34 }, () => 'x'.repeat(1024 * 1024))]
    const { response } = await receive(parts)
    await expect(response.text()).rejects.toThrow('A message in the stream is longer than 33554432 characters.')
  })

  test('end the stream if a rule fails, because the message may have what it should hide', async () => {
    const { response } = await receive(['data: 1\n\n'], replace("${req.headers['x-none'][0]}"))
    await expect(response.text()).rejects.toThrow("A rule for the stream's messages failed.")
  })

  test('are in the trace for the first 100 messages', async () => {
    const { response, gateway } = await receive([...Array.from({ length: 150 }, (_, at) => `data: ${at}\n\n`)])
    expect((await response.text()).split('#').length).toBe(151)
    const phases = gateway.traffic.last()?.trace.filter((each) => 'phase' in each)
    expect(phases).toHaveLength(100)
  })

  test('are in the trace until they have 65,536 characters together', async () => {
    const message = `data: ${'x'.repeat(10_000)}\n\n`
    const { response, gateway } = await receive(Array.from({ length: 20 }, () => message))
    expect((await response.text()).length).toBe(20 * message.length)
    expect(gateway.traffic.last()?.trace.filter((each) => 'phase' in each)).toHaveLength(6)
  })

  test('name the replacement of each match', async () => {
    const replacements = [
      { from: 'a', to: '' },
      { from: 'b', to: '' },
    ]
    const rule = {
      actions: [
        { type: 'sse-find-replace', config: { replacements } },
        { type: 'log', config: { metadata: { found: '${actions.ngrok.sse_find_replace.replacements}' } } },
      ],
    }
    const { response, gateway } = await receive(
      ['data: b\n\n'],
      JSON.stringify({ on_event_stream_message: [{ ...rule, actions: rule.actions.slice(0, 1) }] }),
    )
    expect(await response.text()).toBe('data: \n\n')
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('replaced 1 matches')
  })

  test('read the results of the actions on the request', async () => {
    const log = { actions: [{ type: 'log', config: { metadata: { key: 'a' } } }] }
    const onMessages = (key: string) => ({
      expressions: [`actions.ngrok.log.metadata.key == '${key}'`],
      actions: [{ type: 'sse-find-replace', config: { replacements: [{ from: '1', to: key }] } }],
    })
    const rules = { on_http_request: [log], on_event_stream_message: [onMessages('b'), onMessages('a')] }
    expect(await textOf(['data: 1\n\n'], JSON.stringify(rules))).toBe('data: a\n\n')
  })

  test('do not run for another type, or for a response without a body', async () => {
    expect(await textOf(['data: 1\n\n'], replace(), { 'content-type': 'text/event-streams' })).toBe('data: 1\n\n')
    const { visit, gateway } = createVisited(replace())
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' }
    gateway.traffic.upstream(URL_OF_APP, () => new Response(null, { status: 204, headers }))
    expect((await visit()).status).toBe(204)
  })
})

// https://ngrok.com/docs/traffic-policy/actions/compress-response, and RFC 9110, sections 7.7, 8.8 and 12.5.
describe('compress-response', () => {
  const policy = policyOf('compress-response', {}, 'on_http_response')
  const accept = { 'accept-encoding': 'gzip' }

  async function compress(
    headers: Record<string, string>,
    init: { status?: number; method?: string; sent?: Record<string, string>; body?: BodyInit | null } = {},
  ) {
    const { status = 200, method = 'GET', sent = {}, body = 'text' } = init
    const { visit, gateway } = createVisited(policy)
    gateway.traffic.upstream(URL_OF_APP, () => new Response(body, { status, headers }))
    return visit('/', { method, headers: { ...accept, ...sent } })
  }

  test.each([
    ['a part of a response', {}, { status: 206 }],
    ['a response with no-transform', { 'cache-control': 'max-age=1, No-Transform' }, {}],
    ['a request with no-transform', {}, { sent: { 'cache-control': 'no-transform' } }],
    ['a response with a coding', { 'content-encoding': 'identity' }, {}],
    ['a response to HEAD without a body', { 'content-length': '0' }, { method: 'HEAD', body: null }],
    ['a response without a body', {}, { status: 204, body: null }],
  ])('leaves %s unchanged', async (_, headers, init) => {
    const response = await compress({ etag: '"1"', 'content-length': '4', ...headers }, init)
    const [coding, tag, vary] = ['content-encoding', 'etag', 'vary'].map((name) => response.headers.get(name))
    expect([coding, tag, vary]).toEqual([new Headers(headers).get('content-encoding'), '"1"', null])
  })

  test.each([
    ['HEAD', { method: 'HEAD' }],
    ['304', { status: 304, body: null }],
  ])('gives %s the headers of GET (RFC 9110, sections 9.3.2 and 15.4.5)', async (_, init) => {
    const response = await compress({ etag: '"1"', 'content-length': '4' }, init)
    const names = ['content-encoding', 'etag', 'vary', 'content-length']
    expect(names.map((name) => response.headers.get(name))).toEqual(['gzip', 'W/"1"', 'Accept-Encoding', null])
    expect(response.body).toBeNull()
  })

  test('makes a strong tag weak, and drops what depends on the bytes', async () => {
    const response = await compress({
      etag: '"1"',
      'content-md5': 'x',
      'accept-ranges': 'bytes',
      'content-length': '4',
    })
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-encoding': 'gzip',
      'content-type': 'text/plain;charset=UTF-8',
      etag: 'W/"1"',
      vary: 'Accept-Encoding',
    })
    expect((await compress({ etag: 'W/"1"' })).headers.get('etag')).toBe('W/"1"')
  })

  test('names Accept-Encoding once in Vary', async () => {
    const varyOf = async (vary: string) => (await compress({ vary })).headers.get('vary')
    expect(await varyOf('Origin')).toBe('Origin, Accept-Encoding')
    expect(await varyOf('accept-encoding, Origin')).toBe('accept-encoding, Origin')
    expect(await varyOf('*')).toBe('*')
  })

  test('names Accept-Encoding in Vary, too, if this client accepts no coding', async () => {
    const response = await compress({ etag: '"1"' }, { sent: { 'accept-encoding': 'gzip;q=0' } })
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(response.headers.get('etag')).toBe('"1"')
    expect(await response.text()).toBe('text')
  })

  test.each([
    ['gzip', gunzipSync, constants.Z_SYNC_FLUSH],
    ['deflate', inflateSync, constants.Z_SYNC_FLUSH],
    ['br', brotliDecompressSync, constants.BROTLI_OPERATION_FLUSH],
  ] as const)(
    'with %s passes what has come before the rest comes (streaming compression)',
    async (coding, inflate, finishFlush) => {
      const decompress = (part: Buffer) => (part.length === 0 ? '' : inflate(part, { finishFlush }).toString())
      const { visit, gateway } = createVisited(policy)
      gateway.traffic.upstream(URL_OF_APP, () => new Response(streamOf(['data: 1\n\n'], true)))
      const reader = (await visit('/', { headers: { 'accept-encoding': coding } })).body?.getReader()
      let received = Buffer.alloc(0)
      // Without the end of a block for each part, the message would come with the end of the stream, which never comes.
      while (!decompress(received).includes('data: 1'))
        received = Buffer.concat([received, (await reader?.read())?.value ?? new Uint8Array()])
      await reader?.cancel()
    },
  )

  test('compresses what rules for messages have changed', async () => {
    const rules = JSON.stringify({ ...JSON.parse(policy), ...JSON.parse(replace()) })
    const { visit, gateway } = createVisited(rules)
    const headers = { 'content-type': 'text/event-stream' }
    gateway.traffic.upstream(URL_OF_APP, () => new Response('data: 1\n\n', { headers }))
    const response = await visit('/', { headers: accept })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe('data: #\n\n')
  })

  test('a body that breaks off breaks off for the visitor', async () => {
    const { visit, gateway } = createVisited(policy)
    const pull = (controller: ReadableStreamDefaultController) => controller.error(new Error('reset'))
    gateway.traffic.upstream(URL_OF_APP, () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })))
    await expect((await visit('/', { headers: accept })).text()).rejects.toThrow()
  })
})
