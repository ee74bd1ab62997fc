import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkAsync, limitCases } from '../support/property.ts'
import { createVisited } from './visits.ts'

const action = fc.oneof(
  fc.record({
    type: fc.constant('add-headers'),
    config: fc.record({
      headers: fc.constantFrom({ 'x-a': '${req.method}' }, { 'x-b': '${conn.client_ip}', 'x-a': '1' }),
    }),
  }),
  fc.record({
    type: fc.constant('remove-headers'),
    config: fc.record({ headers: fc.constantFrom(['x-a'], ['accept', 'x-b']) }),
  }),
  fc.record({
    type: fc.constant('url-rewrite'),
    config: fc.constantFrom({ from: '/a', to: '/b' }, { from: '/(.)', to: '/$1$1' }),
  }),
  fc.record({
    type: fc.constant('set-vars'),
    config: fc.record({ vars: fc.constantFrom([{ v: '${size(req.url.path)}' }], [{ v: 1 }, { w: 'x' }]) }),
  }),
  fc.record({
    type: fc.constant('restrict-ips'),
    config: fc.record({
      allow: fc.constantFrom(['203.0.113.0/24'], ['198.51.100.0/24', '0.0.0.0/0']),
      enforce: fc.boolean(),
    }),
  }),
  fc.record({
    type: fc.constant('basic-auth'),
    config: fc.record({ credentials: fc.constant(['user:password']), enforce: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('redirect'),
    config: fc.constantFrom({ from: '/a', to: '/b' }, { to: 'https://other.example.com' }),
  }),
  fc.record({ type: fc.constant('log'), config: fc.constant({ metadata: { path: '${req.url.path}' } }) }),
)
const end = fc.constantFrom(
  { type: 'deny', config: { status_code: 404 } },
  { type: 'custom-response', config: { status_code: 200, body: 'own ${req.url.path}' } },
)
const expression = fc.constantFrom(
  "req.method == 'GET'",
  "req.url.path.startsWith('/a')",
  "getReqHeader('x-a').exists(v, v == '1')",
  'size(req.url.path) > 3',
  "inCidrRange(conn.client_ip, '203.0.113.0/24')",
  "req.headers['x-none'][0] == '1'",
)
const rule = fc.record({
  expressions: fc.array(expression, { maxLength: 2 }),
  actions: fc
    .tuple(fc.array(action, { minLength: 1, maxLength: 3 }), fc.option(end))
    .map(([all, last]) => (last ? [...all, last] : all)),
})
const policy = fc.array(rule, { minLength: 1, maxLength: 5 })
const request = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path: fc.constantFrom('/', '/a', '/abc/d', '/x?y=1'),
  headers: fc.constantFrom({}, { 'x-a': '1' }, { authorization: `Basic ${btoa('user:password')}` }),
  ip: fc.constantFrom('203.0.113.7', '198.51.100.7', '2001:db8::1'),
})

type Sent = { method: string; path: string; headers: Record<string, string>; ip: string }

async function visitWith(rules: readonly object[], { method, path, headers, ip }: Sent) {
  const { gateway, visit } = createVisited(JSON.stringify({ on_http_request: rules }))
  const response = await visit(path, { method, headers, from: { ip } })
  const { trace = [] } = gateway.traffic.last() ?? {}
  return { result: [response.status, [...response.headers], await response.text()], trace }
}

// traffic.md: no throw, no hang, the same result twice, and the trace explains the result.
test('a policy gives the same result twice, and so do the rules of the trace alone', async () => {
  await checkAsync(
    fc.asyncProperty(policy, request, async (rules, sent) => {
      const { result, trace } = await visitWith(rules, sent)
      expect((await visitWith(rules, sent)).result).toEqual(result)
      const applied = trace.flatMap((each) => {
        if (!('actions' in each) || !each.matched) return []
        const actions = rules[each.index]?.actions.slice(0, each.actions.length) ?? []
        return [{ actions }]
      })
      expect(
        (
          await visitWith(
            applied.length > 0 ? applied : [{ actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }],
            sent,
          )
        ).result,
      ).toEqual(result)
    }),
    { numRuns: limitCases(300) },
  )
})
