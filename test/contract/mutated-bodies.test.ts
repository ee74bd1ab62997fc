import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gateway, GatewayError, type HttpResponse } from '../../src/index.ts'
import { open, stateOf } from '../support/gateway.ts'
import { upload } from '../support/pem.ts'
import { check } from '../support/property.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const IDS = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** What each operation with a body takes, every field used. `id` is the domain or address that exists already. */
const TEMPLATES: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/reserved_addrs', { description: 'd', metadata: 'm', region: 'eu' }],
  ['PATCH', '/reserved_addrs/{address}', { description: 'd', metadata: 'm', endpoint_configuration_id: 'ec_1' }],
  [
    'POST',
    '/reserved_domains',
    {
      domain: 'new.example.com',
      region: 'us',
      description: 'd',
      metadata: 'm',
      certificate_id: '',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    },
  ],
  [
    'PATCH',
    '/reserved_domains/{domain}',
    {
      description: 'd',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'rsa' },
      http_endpoint_configuration_id: 'ec_1',
      https_endpoint_configuration_id: 'ec_2',
    },
  ],
  ['POST', '/backends/weighted', { description: 'd', metadata: 'm', backends: { bkdhr_1: 1, bkdhr_2: 10_000 } }],
  ['POST', '/tls_certificates', { description: 'd', metadata: 'm', ...upload('ed25519') }],
  ['PUT', `${ROUTE}/compression`, { enabled: false, ...IDS }],
  ['PUT', `${ROUTE}/webhook_verification`, { enabled: true, provider: 'github', secret: 's' }],
  [
    'PUT',
    `${ROUTE}/circuit_breaker`,
    {
      enabled: true,
      tripped_duration: 1,
      rolling_window: 2,
      num_buckets: 3,
      volume_threshold: 4,
      error_threshold_percentage: 0.5,
    },
  ],
  [
    'PUT',
    `${ROUTE}/policy`,
    {
      enabled: true,
      inbound: [
        { name: 'r', expressions: ['true'], actions: [{ type: 'log', config: { metadata: { a: [1] } } }] },
        {
          actions: [
            { type: 'url-rewrite', config: { from: 'a', to: 'b' } },
            { type: 'deny', config: {} },
          ],
        },
      ],
      outbound: [{ actions: [{ type: 'custom-response', config: { status_code: 200, content: 'x' } }] }],
    },
  ],
]

type Path = readonly (string | number)[]

/** The path of every value inside a body. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** A body with another value at one path. */
function replaced(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const inner = (copy as Record<string, unknown>)[key]
  Object.defineProperty(copy, key, { value: replaced(inner, rest, other), enumerable: true })
  return copy
}

const others = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, 0, -1, 2 ** 53, 0.1, '', 'x', [], {}, [[]], [null], [{}], {
    a: null,
  }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** A template with one or two of its values replaced. */
const mutated = fc.constantFrom(...TEMPLATES).chain(([method, path, body]) =>
  fc.array(fc.tuple(fc.constantFrom(...pathsOf(body)), others), { minLength: 1, maxLength: 2 }).map((changes) => ({
    method,
    path,
    body: changes.reduce<unknown>((changed, [at, other]) => replaced(changed, at, other), body),
  })),
)

/** A gateway with what the templates name. */
function inhabited(): { gateway: Gateway; at: (path: string) => string } {
  const gateway = open({ seed: 'mutated' })
  const domain = gateway.reservedDomains.create({ domain: 'app.example.com' }).id
  const address = gateway.reservedAddrs.create().id
  return { gateway, at: (path) => path.replace('{domain}', domain).replace('{address}', address) }
}

const HEADERS: Readonly<Record<string, string>> = {
  authorization: 'Bearer key',
  'service-version': '2',
  'content-type': 'application/json',
}

function send(gateway: Gateway, method: string, url: string, body: unknown): HttpResponse {
  return gateway.exchange({ method, url, header: (name) => HEADERS[name] ?? null, body: JSON.stringify(body) })
}

describe('Bodies with one or two values replaced (rules: requests#fields, errors#catalogue)', () => {
  test.each(TEMPLATES)('are all accepted before: %s %s', (method, path, body) => {
    const { gateway, at } = inhabited()
    expect(send(gateway, method, at(path), body).status).toBeLessThan(300)
  })

  test('are accepted, or refused by an error that changes nothing', () => {
    const seen = { accepted: 0, refused: 0 }
    check(
      fc.property(mutated, ({ method, path, body }) => {
        const { gateway, at } = inhabited()
        const before = stateOf(gateway)
        const answer = send(gateway, method, at(path), body)
        expect(answer.status).toBeLessThan(500)
        if (answer.status < 300) {
          seen.accepted++
          return
        }
        seen.refused++
        const { details, msg } = JSON.parse(answer.body as string)
        expect(Object.values(details).filter((detail) => typeof detail !== 'string')).toEqual([])
        expect(msg).not.toMatch(/undefined|\[object|NaN/)
        expect(stateOf(gateway)).toBe(before)
      }),
      { numRuns: 1200 },
    )
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(50)
  })

  test('give the direct API a GatewayError or a result, also with values that JSON does not have', () => {
    const strange = fc.constantFrom<unknown>(1n, Symbol('s'), () => 1, new Date(0), new Map(), Number.NaN, /x/)
    const policies = TEMPLATES.at(-1)?.[2] as object
    check(
      fc.property(fc.constantFrom(...pathsOf(policies)), strange, (path, other) => {
        const gateway = open()
        const before = stateOf(gateway)
        try {
          gateway.trafficPolicy.replace(IDS, replaced(policies, path, other) as never)
          expect(JSON.parse(JSON.stringify(gateway.trafficPolicy.get(IDS)))).toEqual(gateway.trafficPolicy.get(IDS))
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          expect(stateOf(gateway)).toBe(before)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('that contain themselves are refused by the direct API', () => {
    const loop: Record<string, unknown> = { again: null }
    loop.again = loop
    const inbound = [{ actions: [{ type: 'oauth', config: loop }] }]
    expect(() => open().trafficPolicy.replace(IDS, { inbound })).toThrow(GatewayError)
  })
})
