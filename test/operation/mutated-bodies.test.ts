import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gateway, GatewayError, type HttpResponse } from '../../src/index.ts'
import { IDS, TEMPLATES } from '../support/bodies.ts'
import { listPaths, replaceAt } from '../support/damage.ts'
import { exchange } from '../support/exchange.ts'
import { open, stateOf } from '../support/gateway.ts'
import { check } from '../support/property.ts'

const others = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, 0, -1, 2 ** 53, 0.1, '', 'x', [], {}, [[]], [null], [{}], {
    a: null,
  }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** A template with one or two of its values replaced. */
const mutated = fc.constantFrom(...TEMPLATES).chain(([method, path, body]) =>
  fc.array(fc.tuple(fc.constantFrom(...listPaths(body)), others), { minLength: 1, maxLength: 2 }).map((changes) => ({
    method,
    path,
    body: changes.reduce<unknown>((mutant, [at, other]) => replaceAt(mutant, at, other), body),
  })),
)

/** A gateway with what the templates name. */
function openWithResources(): { gateway: Gateway; at: (path: string) => string } {
  const gateway = open({ seed: 'mutated' })
  const domain = gateway.reservedDomains.create({ domain: 'app.example.com' }).id
  const address = gateway.reservedAddrs.create().id
  return { gateway, at: (path) => path.replace('{domain}', domain).replace('{address}', address) }
}

function send(gateway: Gateway, method: string, url: string, body: unknown): HttpResponse {
  return exchange(gateway, { method, url, body: JSON.stringify(body) })
}

describe('Bodies with one or two values replaced (rules: requests#fields, errors#catalogue)', () => {
  test.each(TEMPLATES)('are all accepted before: %s %s', (method, path, body) => {
    const { gateway, at } = openWithResources()
    expect(send(gateway, method, at(path), body).status).toBeLessThan(300)
  })

  test('are accepted, or refused by an error that changes nothing', () => {
    const seen = { accepted: 0, refused: 0 }
    check(
      fc.property(mutated, ({ method, path, body }) => {
        const { gateway, at } = openWithResources()
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
      { numRuns: 400 },
    )
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(8)
  })

  test('give the direct API a GatewayError or a result, also with values that JSON does not have', () => {
    const strange = fc.constantFrom<unknown>(1n, Symbol('s'), () => 1, new Date(0), new Map(), Number.NaN, /x/)
    const policies = TEMPLATES.at(-1)?.[2] as object
    check(
      fc.property(fc.constantFrom(...listPaths(policies)), strange, (path, other) => {
        const gateway = open()
        const before = stateOf(gateway)
        try {
          gateway.trafficPolicy.replace(IDS, replaceAt(policies, path, other) as never)
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
