import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkAsync, limitCases } from '../support/property.ts'
import { createVisited } from './visits.ts'

/** Texts of policies that visitors decide. */
const value = fc.constantFrom(
  '${req.url.path}',
  '${req.url.query}',
  "${req.headers['x-a'][0]}",
  "${getReqCookie('a').value}",
  "${getQueryParam('a')[0]}",
  'https://x.internal${req.url.path}',
  "${json.decode(req.headers['x-a'][0])}",
  '${req.headers}',
  'a ${req.user_agent} $1',
)
/** Expressions whose values visitors decide, for fields that are expressions as a whole. */
const expression = fc.constantFrom('req.url.path', "req.headers['x-a'][0]", "getReqCookie('a').value", 'req.user_agent')
const headers = fc.record({ 'x-b': value }).map((all) => ({ headers: all }))
const replacements = fc.record({ from: value, to: value }).map((each) => ({ replacements: [each] }))
const target = fc.record({ url: value, on_error: fc.constantFrom('halt', 'continue') })

const anyAction = fc.oneof(
  headers.map((config) => ({ type: 'add-headers', config })),
  fc.record({ body: value, content_type: value }).map((config) => ({ type: 'custom-response', config })),
)
const onRequest = fc.oneof(
  anyAction,
  fc.record({ to: value, from: fc.option(value, { nil: undefined }) }).map((config) => ({ type: 'redirect', config })),
  fc
    .record({ to: value, from: fc.option(value, { nil: undefined }) })
    .map((config) => ({ type: 'url-rewrite', config })),
  target.map((config) => ({ type: 'forward-internal', config })),
  target.map((config) => ({ type: 'http-request', config })),
  value.map((v) => ({ type: 'set-vars', config: { vars: [{ v }] } })),
  value.map((v) => ({ type: 'log', config: { metadata: { v } } })),
  value.map((v) => ({ type: 'restrict-ips', config: { allow: [v], enforce: false } })),
  value.map((v) => ({ type: 'basic-auth', config: { credentials: [`user:${v}`], enforce: false } })),
  expression.map((v) => ({
    type: 'rate-limit',
    config: { name: 'n', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: [v], enforce: false },
  })),
  replacements.map((config) => ({ type: 'request-body-find-replace', config })),
)
const onResponse = fc.oneof(
  anyAction,
  replacements.map((config) => ({ type: 'response-body-find-replace', config })),
  fc.constant({ type: 'compress-response', config: {} }),
)
const onMessage = replacements.map((config) => ({ type: 'sse-find-replace', config }))
const phase = (action: fc.Arbitrary<object>) =>
  fc.array(
    action.map((each) => ({ actions: [each] })),
    { minLength: 1, maxLength: 2 },
  )
const policy = fc.record(
  { on_http_request: phase(onRequest), on_http_response: phase(onResponse), on_event_stream_message: phase(onMessage) },
  { requiredKeys: [] },
)

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 8 }),
  fc.constantFrom(
    'a\r\nx-evil: 1',
    '日本',
    '${req.method}',
    '[',
    '(',
    '$1$&',
    'https://x.internal',
    '{"a":null}',
    '://',
    '\0',
    '__proto__',
  ),
)
const bytes = (of: string) =>
  Buffer.from(of)
    .toString('latin1')
    .replace(/\p{Cc}/gu, '?')
    .trim()
const visitor = fc.record({ path: text, query: text, header: text, body: fc.option(text) })

const body = fc.constantFrom('data: 1\n\n', '', 'secret', gzipSync('data: secret\n\n'), Uint8Array.of(0xff, 0))
const upstream = fc.record({
  status: fc.constantFrom(0, 99, 101, 200, 204, 206, 304, 404, 600, 999),
  body: fc.option(body),
  breaks: fc.boolean(),
  headers: fc.dictionary(
    fc.constantFrom(
      'content-type',
      'content-encoding',
      'content-length',
      'etag',
      'location',
      'vary',
      'content-range',
      'x'.repeat(300),
    ),
    fc.constantFrom('text/event-stream', 'gzip', 'br, gzip', 'nonsense', '-1', '99999999999', '"1"', '*', ''),
  ),
})

test('Whatever a visitor and an upstream send, a policy with their values answers, or ends the connection (rules: traffic#header-values)', async () => {
  await checkAsync(
    fc.asyncProperty(policy, visitor, upstream, async (rules, sent, answer) => {
      const { gateway, visit } = createVisited(JSON.stringify(rules))
      const parts = {
        length: undefined,
        watch: () => {},
        destroy: () => {},
        async *[Symbol.asyncIterator]() {
          if (answer.body !== null) yield Buffer.from(answer.body)
          if (answer.breaks) throw new Error('reset')
        },
      }
      for (const url of ['https://app.example.com', 'https://x.internal'])
        gateway.transport.serveUpstream(url, async () => ({
          status: answer.status,
          headers: Object.entries(answer.headers),
          body: answer.body === null ? null : parts,
        }))
      gateway.declare.tunnelSession({ endpoints: [{ url: 'https://x.internal', binding: 'internal' }] })
      const response = await visit(`/${encodeURIComponent(sent.path)}?a=${encodeURIComponent(sent.query)}`, {
        method: sent.body === null ? 'GET' : 'POST',
        ...(sent.body !== null && { body: sent.body }),
        headers: { 'x-a': bytes(sent.header), cookie: `a=${bytes(sent.header)}`, 'accept-encoding': 'gzip' },
      })
      expect(response.status).toBeGreaterThanOrEqual(200)
      expect(response.headers.has('x-evil')).toBe(false)
      // A body may break off, and the journal shows the request.
      await response.arrayBuffer().catch(() => undefined)
      expect(gateway.traffic.last()?.status).not.toBe(null)
    }),
    { numRuns: limitCases(120) },
  )
})
