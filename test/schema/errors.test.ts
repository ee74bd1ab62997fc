import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GatewayError, standard } from '../../src/index.ts'
import { tableOf } from '../../src/table.ts'
import { client, expectError } from '../support/client.ts'
import { open, stateOf } from '../support/gateway.ts'
import { cases, prepare } from './errors/cases.ts'
import { catalogue } from './errors/catalogue.ts'
import type { ErrorCase } from './errors/error-case.ts'

/** Not provoked here: they belong to faults and to the rate limit. */
const ELSEWHERE = ['auth_is_authtoken', 'injected_fault', 'too_many_requests']

const direct = cases.filter((each) => each.direct)

function expectedTexts({ says }: ErrorCase, id: string): readonly string[] {
  return typeof says === 'function' ? says(id) : says
}

/** In the ngrok dialect only for what other dialects do not have. */
function codeOf({ key, options }: ErrorCase): string {
  return `${options?.dialect?.errorPrefix ?? 'ERR_GATEWAY_'}${catalogue[key]?.number}`
}

describe('The error catalogue (rules: errors#catalogue)', () => {
  test('has a case here for every key but those of faults and of the rate limit', () => {
    expect([...cases.map(({ key }) => key), ...ELSEWHERE].sort()).toEqual(Object.keys(catalogue).sort())
  })

  test('has a row on the page of decisions for every number that is not documented (rules: errors#own-numbers)', () => {
    const page = readFileSync(new URL('../../docs/decisions/errors.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| (\d{5}) \| (\d{3}) \| `(\w+)` \| \S/gm)].map(([, ...cells]) => cells.join(' '))
    const own = [...tableOf(standard).catalogue.values()].filter(({ number }) => number >= 90_000)
    const sorted = own.sort((a, b) => a.number - b.number)
    const rule = '`npm run generate` writes the rows of docs/decisions/errors.md'
    expect(rows, rule).toEqual(sorted.map(({ number, status, key }) => `${number} ${status} ${key}`))
  })
})

describe('Over HTTP, an error (rules: errors#catalogue, errors#body, errors#details)', () => {
  test.each(cases)(
    '$key is answered in the wire shape, names the cause, hides secrets and changes nothing',
    async (each) => {
      const { gateway, id } = prepare(each)
      const before = stateOf(gateway)
      const { status, headers, body, text } = await client(gateway)(...each.send(id))
      expect(stateOf(gateway)).toBe(before)
      expect(status).toBe(catalogue[each.key]?.status)
      expect(headers.get('content-type')).toBe('application/json')
      for (const [name, value] of Object.entries(each.headers ?? {})) expect(headers.get(name)).toBe(value)
      expect(Object.keys(body)).toEqual(['error_code', 'status_code', 'msg', 'details'])
      expect([body.error_code, body.status_code]).toEqual([codeOf(each), status])
      expect(body.msg).toMatch(/\S+ \S+ \S+/)
      for (const piece of expectedTexts(each, id)) expect(body.msg).toContain(piece)
      for (const secret of each.hides ?? []) expect(text).not.toContain(secret)
      const { operation_id, ...details } = body.details
      expect(operation_id).toMatch(/^op_[0-9A-Za-z]{27}$/)
      expect(operation_id).toBe(headers.get('service-operation-id'))
      const fields = [each.field ?? []].flat().map((field) => [`field:${field}`, body.msg])
      expect(details).toEqual({ ...each.facts, ...Object.fromEntries(fields) })
    },
  )
})

describe('A resource that does not exist (rules: errors#not-found)', () => {
  test.each([
    ['reservedAddrs', 'ra_gone', 'reserved address'],
    ['reservedDomains', 'rd_gone', 'reserved domain'],
    ['weightedBackends', 'bkdwd_gone', 'weighted backend'],
    ['tlsCertificates', 'cert_gone', 'TLS certificate'],
  ] as const)('is called what it is by every operation of %s', (family, id, what) => {
    const { get, delete: remove, update } = open()[family]
    for (const call of [() => get(id), () => remove(id), () => update(id, { metadata: 'm' })]) {
      const { key, message, details } = expectError(call)
      expect([key, message, details]).toEqual(['not_found', `There is no ${what} ${id}.`, { id }])
    }
  })

  test('is a route that was not declared, or was for another edge, with references "declared"', () => {
    const gateway = open({ references: 'declared' })
    gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
    gateway.declare.edge('edghts_2')
    gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
    for (const [edge_id, id] of [
      ['edghts_1', 'edghtsrt_2'],
      ['edghts_2', 'edghtsrt_1'],
    ] as const) {
      const { key, message, details } = expectError(() => gateway.compression.get({ edge_id, id }))
      expect([key, details]).toEqual(['not_found', { id }])
      expect(message).toBe(`There is no route of the edge ${edge_id} with the id ${id}.`)
    }
  })
})

describe('Through the direct API, an error (rules: errors#body)', () => {
  test.each(direct)(
    '$key is thrown with the facts of the HTTP answer, and leaves the state as it was',
    async (each) => {
      const { gateway, id } = prepare(each)
      const { msg, details: answered } = (await client(gateway)(...each.send(id))).body
      const { operation_id: _, ...details } = answered
      const before = stateOf(gateway)
      const error = expectError(() => each.direct?.(gateway, id))
      expect(error).toBeInstanceOf(GatewayError)
      expect(error).toBeInstanceOf(Error)
      expect({ key: error.key, code: error.code, status: error.status, message: error.message }).toEqual({
        key: each.key,
        code: codeOf(each),
        status: catalogue[each.key]?.status,
        message: msg,
      })
      expect(error.details).toEqual(details)
      expect(stateOf(gateway)).toBe(before)
    },
  )
})
