import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../src/gateway/table.ts'
import { GatewayError, standard } from '../../../src/index.ts'
import { client, expectError } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open, stateOf } from '../../support/gateway.ts'
import { cases, prepare } from './errors/cases.ts'
import { catalogue } from './errors/catalogue.ts'
import type { ErrorCase } from './errors/error-case.ts'

/** Keys of faults and of the rate limit, which other tests provoke. */
const ELSEWHERE = ['auth_is_authtoken', 'injected_fault', 'too_many_requests']

const directCases = cases.filter((each) => each.direct)

function listTexts({ texts }: ErrorCase, id: string): readonly string[] {
  return typeof texts === 'function' ? texts(id) : texts
}

/** Returns the code of the error of a case. */
function codeOf({ key, options }: ErrorCase): string {
  return `${options?.dialect?.errorPrefix ?? 'ERR_GATEWAY_'}${catalogue[key]?.number}`
}

describe('The error catalogue (rules: errors#catalogue)', () => {
  test('has a case here for every key, except those of faults and of the rate limit', () => {
    expect([...cases.map(({ key }) => key), ...ELSEWHERE].sort()).toEqual(Object.keys(catalogue).sort())
  })

  test('has a row on the page of decisions for every number that is sent and not documented (rules: errors#own-numbers)', () => {
    const page = readFileSync(new URL('../../../docs/decisions/errors.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| (\d{5}) \| (\d{3}) \| `(\w+)` \| \S/gm)].map(([, ...cells]) => cells.join(' '))
    const own = [...tableOf(standard).catalogue.values()].filter(({ number, code }) => number >= 90_000 && !code)
    const sorted = own.sort((a, b) => a.number - b.number)
    const rule = '`npm run generate` writes the rows of docs/decisions/errors.md'
    expect(rows, rule).toEqual(sorted.map(({ number, status, key }) => `${number} ${status} ${key}`))
  })
})

describe('Over HTTP, an error (rules: errors#catalogue, errors#body, errors#details)', () => {
  test.each(cases)('$key has the form of the API, names the cause, hides secrets and changes nothing', async (each) => {
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
    for (const part of listTexts(each, id)) expect(body.msg).toContain(part)
    for (const secret of each.secrets ?? []) expect(text).not.toContain(secret)
    const { operation_id, ...details } = body.details
    expect(operation_id).toMatch(/^op_[0-9A-Za-z]{27}$/)
    expect(operation_id).toBe(headers.get('service-operation-id'))
    const fields = [each.field ?? []].flat().map((field) => [`field:${field}`, body.msg])
    expect(withoutFacts(details)).toEqual({ ...each.details, ...Object.fromEntries(fields) })
  })
})

describe('A resource that does not exist (rules: errors#not-found)', () => {
  test.each([
    ['reservedAddrs', 'ra_gone', 'reserved address'],
    ['reservedDomains', 'rd_gone', 'reserved domain'],
    ['weightedBackends', 'bkdwd_gone', 'weighted backend'],
    ['tlsCertificates', 'cert_gone', 'TLS certificate'],
  ] as const)('is named by its type in the error of every operation of %s', (family, id, what) => {
    const { get, delete: remove, update } = open()[family]
    for (const call of [() => get(id), () => remove(id), () => update(id, { metadata: 'm' })]) {
      const { key, message, details } = expectError(call)
      expect([key, message, details]).toEqual(['not_found', `There is no ${what} ${id}.`, { id }])
    }
  })

  test('is a route that was not declared for its edge, with references "declared"', () => {
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
      expect(message).toBe(`There is no route of the edge ${edge_id} with the ID ${id}.`)
    }
  })
})

describe('Through the direct API, an error (rules: errors#body)', () => {
  test.each(directCases)('$key is thrown with the details of the HTTP response, and changes nothing', async (each) => {
    const { gateway, id } = prepare(each)
    const { msg, details: httpDetails } = (await client(gateway)(...each.send(id))).body
    const { operation_id: _, ...details } = httpDetails
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
  })
})
