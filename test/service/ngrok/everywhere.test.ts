import { test as base, describe, expect } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { readArguments } from '../../../src/server/commands/command.ts'
import { gatewayOptionsOf } from '../../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../../src/server/options/parsed-options.ts'
import { optionTable } from '../../../src/server/options/table.ts'
import { testWithGateway } from '../../../src/testing/testing.ts'
import { testUsing } from '../../../src/testing/vitest.ts'
import { client } from '../../support/client.ts'

describe('The families of ngrok are everywhere that built-in families are', () => {
  const test = testUsing(createNgrok)

  test('over HTTP and in the direct API', async ({ gateway }) => {
    const { status, body } = await client(gateway)('POST', '/ip_policies', { json: { description: 'the office' } })
    expect(status).toBe(201)
    expect(gateway.ipPolicies.get(body.id)).toEqual(body)
  })

  test('in lists, the journal, faults, leftovers and snapshots', async ({ gateway }) => {
    const { id } = gateway.ipPolicies.create()
    gateway.faults.add({ operation: 'ip_policies.get', status: 500 })
    expect((await client(gateway)('GET', `/ip_policies/${id}`)).status).toBe(500)
    expect(gateway.requests.last({ operation: 'ip_policies.get' })?.status).toBe(500)
    expect(gateway.leftovers()).toEqual([{ family: 'ip_policies', id }])
    const other = createNgrok()
    other.restore(gateway.snapshot())
    expect(other.ipPolicies.list().ip_policies.map((each) => each.id)).toEqual([id])
  })

  test('and a gateway without the families takes a snapshot only if it has none of their records', ({ gateway }) => {
    const takeSnapshot = () => JSON.parse(JSON.stringify(gateway.snapshot()))
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const plain = createGateway({ dialect: ngrok })
    plain.restore(takeSnapshot())
    expect(plain.reservedDomains.list().reserved_domains).toHaveLength(1)
    gateway.ipPolicies.create()
    expect(() => plain.restore(takeSnapshot())).toThrow('records.ip_policies is not a field')
    expect(plain.reservedDomains.list().reserved_domains).toHaveLength(1)
  })

  test('in the OpenAPI document', () => {
    const { paths, tags } = openApi(ngrok, { families: ngrokFamilies })
    expect(Object.keys(paths)).toContain('/ip_policies/{id}')
    expect(tags.map(({ name }) => name)).toContain('ip_policies')
    expect(Object.keys(openApi(ngrok).paths)).not.toContain('/ip_policies')
  })
})

const parseFlags = (...flags: string[]) =>
  gatewayOptionsOf(parseOptions(readArguments(flags, optionTable, 'serve'), {}, undefined))

base('serve --dialect ngrok has the families, and the standard dialect has not', async () => {
  expect(Object.keys((await parseFlags('--dialect', 'ngrok')).families ?? {})).toEqual(Object.keys(ngrokFamilies))
  expect((await parseFlags('--dialect', 'standard')).families).toBeUndefined()
})

const otherTest = testWithGateway(base, { create: createNgrok })

otherTest('The test of another runner takes the function that creates its gateways', ({ gateway }) => {
  expect(gateway.ipPolicies.create({ metadata: 'm' }).metadata).toBe('m')
  gateway.clock.advance('1s')
})

base.each(['dialect', 'families'])('createNgrok rejects %s, which it sets itself', (name) => {
  expect(() => createNgrok(JSON.parse(`{ "${name}": {} }`))).toThrow(`"${name}" is not an option of createNgrok`)
})
