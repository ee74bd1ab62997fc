import { expect, test } from 'vitest'
import { createVisited, policyOf } from './visits.ts'

const LIMIT = { name: 'a', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['conn.client_ip'] }
const XERO = { headers: { 'x-xero-signature': 'a' }, method: 'POST', body: '{"events":[]}' }

test.each<readonly [type: string, config: object, init: object, outcome: string | undefined]>([
  ['rate-limit', LIMIT, {}, 'allowed'],
  ['rate-limit', { ...LIMIT, enforce: false }, {}, 'allowed'],
  ['restrict-ips', { allow: ['203.0.113.0/24'] }, { from: { ip: '198.51.100.1' } }, 'denied'],
  ['restrict-ips', { allow: ['203.0.113.0/24'], enforce: false }, { from: { ip: '198.51.100.1' } }, 'not enforced'],
  ['basic-auth', { credentials: ['ada:correct horse'] }, {}, 'refused'],
  ['basic-auth', { credentials: ['ada:correct horse'], enforce: false }, {}, 'not enforced'],
  ['verify-webhook', { provider: 'github', secret: 'a' }, {}, 'failed'],
  ['verify-webhook', { provider: 'github', secret: 'a', enforce: false }, {}, 'not enforced'],
  ['verify-webhook', { provider: 'xero', secret: 'a' }, XERO, undefined],
  ['oauth', { provider: 'google' }, {}, 'sent to sign in'],
  ['oauth', { provider: 'google' }, { from: { identity: { email: 'ada@example.com' } } }, 'signed in'],
  [
    'owasp-crs-request',
    { on_error: 'halt' },
    { from: { actions: { 'owasp-crs-request': { decision: 'deny' } } } },
    'denied',
  ],
  ['redirect', { from: '/none', to: '/b' }, {}, undefined],
  ['redirect', { from: '/$', to: '/b' }, {}, 'ran'],
  ['url-rewrite', { from: '/none', to: '/b' }, {}, undefined],
  ['remove-headers', { headers: ['x-none'] }, {}, undefined],
  ['request-body-find-replace', { replacements: [{ from: 'a', to: 'b' }] }, { method: 'POST', body: 'c' }, undefined],
  ['request-body-find-replace', { replacements: [{ from: 'a', to: 'b' }] }, { method: 'POST', body: 'a' }, 'ran'],
  ['custom-response', { status_code: 204, body: 'a' }, {}, undefined],
  ['add-headers', { headers: { 'x-a': "${req.headers['x-none'][0]}" } }, {}, undefined],
  ['forward-internal', { url: 'https://none.internal' }, {}, undefined],
  ['forward-internal', { url: 'https://none.internal', on_error: 'continue' }, {}, 'failed'],
  ['forward-internal', { url: 'https://internal.internal', on_error: 'continue' }, {}, 'ran'],
  ['deny', {}, {}, 'ran'],
])('the trace names the outcome of %s with %j for %j', async (type, config, init, outcome) => {
  const { gateway, visit } = createVisited(policyOf(type, config))
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://internal.internal' }] })
  gateway.traffic.upstream('https://internal.internal', () => new Response(null))
  await visit('/', init)
  const actions = gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : []))
  expect(actions?.map((each) => each.outcome)).toEqual([outcome])
})

const RANGE = { allow: ['203.0.113.0/24'] }
const CREDENTIALS = { credentials: ['ada:correct horse'] }
const SIGNED = { provider: 'github', secret: 'a' }

// rules: traffic#supplied-results
test.each<
  readonly [type: string, config: object, stated: Record<string, unknown>, status: number, error: string | null]
>([
  ['rate-limit', LIMIT, { limited: true }, 429, null],
  ['rate-limit', LIMIT, { limited: false }, 200, null],
  ['rate-limit', { ...LIMIT, enforce: false }, { limited: true }, 200, null],
  ['restrict-ips', RANGE, { action: 'deny' }, 403, 'ERR_NGROK_3205'],
  ['restrict-ips', { ...RANGE, enforce: false }, { action: 'deny' }, 200, null],
  ['restrict-ips', RANGE, { action: 'allow' }, 200, null],
  ['basic-auth', CREDENTIALS, { credentials: { authorized: false } }, 401, null],
  ['basic-auth', CREDENTIALS, { credentials: { authorized: true } }, 200, null],
  ['verify-webhook', SIGNED, { verified: false }, 403, 'ERR_NGROK_3204'],
  ['verify-webhook', SIGNED, { verified: true }, 200, null],
  ['ai-gateway', {}, { status: 'error' }, 502, 'ERR_NGROK_3800'],
  ['ai-gateway', {}, { status: 'error', error: { code: 'ERR_NGROK_3807' } }, 503, 'ERR_NGROK_3807'],
  ['owasp-crs-request', { on_error: 'continue' }, { decision: 'deny' }, 200, null],
])('%s with %j whose result the caller states as %j gets %i', async (type, config, stated, status, error) => {
  const { visit } = createVisited(policyOf(type, config))
  const response = await visit('/', { from: { ip: '203.0.113.9', actions: { [type]: stated } } })
  expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([status, error])
})

test('A connection that the caller states as denied ends', async () => {
  const { visit } = createVisited(policyOf('restrict-ips', RANGE, 'on_tcp_connect'))
  await expect(visit('/', { from: { actions: { 'restrict-ips': { action: 'deny' } } } })).rejects.toThrow(TypeError)
})
