import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gateway, GatewayError, type HttpResponse } from '../../../src/index.ts'
import { IDS, TEMPLATES } from '../../support/bodies.ts'
import { listPaths, replaceAt } from '../../support/damage.ts'
import { exchange } from '../../support/exchange.ts'
import { open, stateOf } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'

const values = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, 0, -1, 2 ** 53, 0.1, '', 'x', [], {}, [[]], [null], [{}], {
    a: null,
  }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** A template with one or two of its values replaced. */
const mutants = fc.constantFrom(...TEMPLATES).chain(([method, path, body]) =>
  fc.array(fc.tuple(fc.constantFrom(...listPaths(body)), values), { minLength: 1, maxLength: 2 }).map((changes) => ({
    method,
    path,
    body: changes.reduce<unknown>((mutant, [at, value]) => replaceAt(mutant, at, value), body),
  })),
)

/** Creates a gateway with the resources of the templates, and a function that fills their ids into a path. */
function openWithResources(): { gateway: Gateway; fillPath: (path: string) => string } {
  const gateway = open({ seed: 'mutated' })
  const domain = gateway.reservedDomains.create({ domain: 'app.example.com' }).id
  const address = gateway.reservedAddrs.create().id
  return { gateway, fillPath: (path) => path.replace('{domain}', domain).replace('{address}', address) }
}

function send(gateway: Gateway, method: string, url: string, body: unknown): HttpResponse {
  return exchange(gateway, { method, url, body: JSON.stringify(body) })
}

describe('Bodies with one or two values replaced (rules: requests#fields, errors#catalogue)', () => {
  test.each(TEMPLATES)('are accepted before values are replaced: %s %s', (method, path, body) => {
    const { gateway, fillPath } = openWithResources()
    expect(send(gateway, method, fillPath(path), body).status).toBeLessThan(300)
  })

  test('are accepted, or rejected by an error that changes nothing', () => {
    const counts = { accepted: 0, refused: 0 }
    check(
      fc.property(mutants, ({ method, path, body }) => {
        const { gateway, fillPath } = openWithResources()
        const before = stateOf(gateway)
        const response = send(gateway, method, fillPath(path), body)
        expect(response.status).toBeLessThan(500)
        if (response.status < 300) {
          counts.accepted++
          return
        }
        counts.refused++
        const { details, msg } = JSON.parse(response.body as string)
        expect(Object.values(details).filter((detail) => typeof detail !== 'string')).toEqual([])
        expect(msg).not.toMatch(/undefined|\[object|NaN/)
        expect(stateOf(gateway)).toBe(before)
      }),
      { numRuns: 400 },
    )
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(8)
  })

  test('make the direct API return a result or throw a GatewayError, also with values that JSON does not have', () => {
    const notJson = fc.constantFrom<unknown>(1n, Symbol('s'), () => 1, new Date(0), new Map(), Number.NaN, /x/)
    const policies = TEMPLATES.at(-1)?.[2] as object
    check(
      fc.property(fc.constantFrom(...listPaths(policies)), notJson, (path, value) => {
        const gateway = open()
        const before = stateOf(gateway)
        try {
          gateway.trafficPolicy.replace(IDS, replaceAt(policies, path, value) as never)
          expect(JSON.parse(JSON.stringify(gateway.trafficPolicy.get(IDS)))).toEqual(gateway.trafficPolicy.get(IDS))
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          expect(stateOf(gateway)).toBe(before)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('name a symbol of the caller, and an array instead of an object, by their kinds', () => {
    const { trafficPolicy } = open()
    const action = { type: Symbol('is a text'), config: [1, 2] } as never
    expect(() => trafficPolicy.replace(IDS, { inbound: [{ actions: [action] }] })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          'field:inbound.0.actions.0.type': expect.stringContaining('type is a symbol.'),
          'field:inbound.0.actions.0.config': expect.stringContaining('config is an array of 2 items.'),
        }),
      }),
    )
  })

  test('that contain themselves are rejected by the direct API', () => {
    const loop: Record<string, unknown> = { again: null }
    loop.again = loop
    const inbound = [{ actions: [{ type: 'oauth', config: loop }] }]
    expect(() => open().trafficPolicy.replace(IDS, { inbound })).toThrow(GatewayError)
  })
})
