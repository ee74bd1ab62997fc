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
  ['deny', {}, {}, 'ran'],
])('the trace names the outcome of %s with %j for %j', async (type, config, init, outcome) => {
  const { gateway, visit } = createVisited(policyOf(type, config))
  await visit('/', init)
  const actions = gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : []))
  expect(actions?.map((each) => each.outcome)).toEqual([outcome])
})
