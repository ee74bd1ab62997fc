import { describe, expect, test } from 'vitest'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { client } from '../../support/client.ts'

describe('In the dialect ngrok a filter names the fields that the service documents (rules: filters#declared-fields)', () => {
  const gateway = createGateway({ dialect: ngrok })
  const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', description: 'd', metadata: 'm' })
  const countMatches = (filter: string) => gateway.reservedDomains.list({ filter }).reserved_domains.length

  test.each([
    `obj.id == "${id}"`,
    'obj.created_at > timestamp("2020-01-01T00:00:00Z")',
    'obj.description == "d"',
    'obj.metadata == "m"',
    'obj.domain.startsWith("app.")',
    'obj.region == ""',
    'obj.cname_target.contains("ngrok")',
    'obj.certificate.id == null',
    'obj.acme_challenge_cname_target == null',
  ])('such as %s', (filter) => {
    expect(countMatches(filter)).toBe(1)
  })

  test.each([
    'obj.certificate_management_policy.authority == "letsencrypt"',
    'obj.uri == "x"',
    'obj.certificate.uri == "x"',
    'obj.nope == "x"',
  ])('%s is rejected, and the message lists those fields', (filter) => {
    expect(() => countMatches(filter)).toThrow(
      /: obj.*, a field that filters cannot use; expected obj\.id, obj\.created_at, .*, obj\.certificate\.id,/,
    )
  })

  test.each(['startsWith', 'contains', 'endsWith'])('.%s() of an id is rejected', (call) => {
    expect(() => countMatches(`obj.id.${call}("rd_")`)).toThrow('part of an ID; expected obj.id == "…"')
  })

  test('A list without such fields accepts no filter, and its OpenAPI document has none', async () => {
    const send = client(gateway)
    const { status, body } = await send('GET', '/backends/weighted?filter=obj.id%20%3D%3D%20%22x%22')
    expect([status, body.error_code]).toEqual([400, 'ERR_NGROK_231'])
    expect(body.msg).toContain('Supported: limit, before_id.')
    expect(JSON.stringify(openApi(ngrok).paths['/backends/weighted']?.get?.parameters)).not.toContain('filter')
    expect(JSON.stringify(openApi(ngrok).paths['/reserved_domains']?.get?.parameters)).toContain('filter')
  })

  test('The standard dialect accepts any field', () => {
    const other = createGateway()
    other.reservedDomains.create({ domain: 'app.example.com' })
    expect(other.reservedDomains.list({ filter: 'obj.uri.endsWith("/")' }).reserved_domains).toEqual([])
    expect(other.weightedBackends.list({ filter: 'obj.id == "x"' }).backends).toEqual([])
  })
})
