import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { createGateway, type FaultSpec, manualClock, type OperationName } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

const page = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')

/** Returns the names in code style in the sentence that a pattern finds. */
const namesIn = (pattern: RegExp) => [...(pattern.exec(page)?.[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)

const FIELDS = {
  operation: 'reserved_addrs.create',
  method: 'POST',
  path: '/reserved_addrs',
  resource: 'ra_1',
  when: () => true,
  after: 1,
  times: 1,
  phase: 'after',
  status: 500,
  error: 'too_many_requests',
  message: 'm',
  retryAfter: '1s',
  body: 'b',
  latency: '1s',
  drop: true,
  truncate: 1,
} as const satisfies FaultSpec

const isAllowed = (spec: FaultSpec<OperationName>) => {
  try {
    createGateway().faults.add(spec)
    return true
  } catch {
    return false
  }
}

test.each([
  ['traffic', 'https://app.internal', []],
  ['agent', '/api/tunnels', ['method']],
])('docs/faults.md lists the fields that a fault with %s can have', (name, value, more) => {
  const allowed = Object.entries(FIELDS).filter(([field, each]) => isAllowed({ [name]: value, [field]: each }))
  const listed = namesIn(/With `traffic` or `agent`, you can also set .*?\./).slice(2)
  expect(listed.filter((each) => each !== 'ending').toSorted()).toEqual(
    allowed
      .map(([field]) => field)
      .filter((field) => !more.includes(field))
      .toSorted(),
  )
})

test('docs/faults.md says which fields of the response cannot be combined', () => {
  const names = ['status', 'message', 'error', 'body', 'retryAfter', 'drop', 'truncate', 'latency'] as const
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const))
  const refused = pairs.filter(([one, other]) => !isAllowed({ [one]: FIELDS[one], [other]: FIELDS[other] }))
  const ofDrop = names.filter((name) => name !== 'drop' && name !== 'latency')
  expect(refused.map((pair) => pair.toSorted().join()).toSorted()).toEqual(
    ['body,message', ...ofDrop.map((name) => ['drop', name].toSorted().join())].toSorted(),
  )
  expect(page).toContain('except `body` with `message`, and `drop` with fields other than `latency`.')
})

const HEADERS = { Authorization: 'Bearer key', 'Ngrok-Version': '2', 'Content-Type': 'application/json' }

test.each<[string, number, RequestInit & { readonly path?: string; readonly options?: NgrokOptions }]>([
  ['without a valid key', 403, { headers: { ...HEADERS, Authorization: 'Bearer other' } }],
  ['without a valid key or version header', 400, { headers: { Authorization: 'Bearer key' } }],
  ['to an unknown path', 404, { path: '/nope' }],
  ["a body that isn't JSON", 400, { body: '{' }],
  ["a body that isn't JSON", 415, { headers: { ...HEADERS, 'Content-Type': 'text/plain' } }],
  ["isn't JSON or is too large", 413, { body: `"${'x'.repeat(2 ** 20)}"` }],
  ['or in a [suspended account]', 403, { options: { account: { state: 'suspended' } } }],
  ['or over the [rate limit]', 429, { options: { rateLimit: { requests: 1, window: '10s' } } }],
])('docs/faults.md says that a fault applies to no request %s (%i)', async (words, status, request) => {
  const { path = '/reserved_addrs', options, ...init } = request
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), keys: ['key'], ...options })
  const send = (more: RequestInit) =>
    gateway.fetch(`${gateway.url}${path}`, { method: 'POST', headers: HEADERS, body: '{}', ...more })
  if (status === 429) await send({})
  const { id } = gateway.faults.add({})
  expect((await send(init)).status).toBe(status)
  expect(gateway.faults.all()).toMatchObject([{ id, hits: 0 }])
  expect(page).toContain(words)
})
