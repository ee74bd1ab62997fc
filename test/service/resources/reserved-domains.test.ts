import { describe, expect, test } from 'vitest'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { DOMAIN_FIELDS, HEAD_FIELDS } from '../../support/fields.ts'
import { open } from '../../support/gateway.ts'

const PATH = '/reserved_domains'
const DOMAIN = 'app.example.com'
const KEYS = [...HEAD_FIELDS, ...DOMAIN_FIELDS]

describe('Creating a reserved domain (rules: reserved-domains#resource)', () => {
  test('returns 201 with every field in the order of the table, nullable fields as null', async () => {
    const { status, body } = await client(open())('POST', PATH, { json: { domain: DOMAIN } })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(KEYS)
    expect(body).toEqual({
      id: expect.stringMatching(/^rd_[0-9A-Za-z]{27}$/),
      uri: `https://api.gateway.test/reserved_domains/${body.id}`,
      created_at: '2025-09-04T10:11:14Z',
      domain: DOMAIN,
      region: null,
      cname_target: expect.stringMatching(/\.cname\.gateway\.test$/),
      certificate: null,
      certificate_management_policy: null,
      certificate_management_status: null,
      acme_challenge_cname_target: null,
      http_endpoint_configuration: null,
      https_endpoint_configuration: null,
    })
  })

  test.each(['au', 'eu', 'ap', 'us', 'jp', 'in', 'sa'])('takes the region %s and shows it', async (region) => {
    const { body } = await client(open())('POST', PATH, { json: { domain: DOMAIN, region } })
    expect(body.region).toBe(region)
  })

  test.each(['EU', 'global', 7, ['eu']])('rejects the region %j (rules: limits#regions)', async (region) => {
    const response = await client(open())('POST', PATH, { json: { domain: DOMAIN, region } })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_400')
  })

  test('has no endpoint configuration fields: those are for the update (rules: reserved-domains#resource)', async () => {
    const json = { domain: DOMAIN, http_endpoint_configuration_id: 'ec_1' }
    expect(outcome(await client(open())('POST', PATH, { json }))).toBe('400 ERR_GATEWAY_214')
  })

  test('finds all problems of a body in one pass: msg has the first, details all (rules: errors#all-problems)', async () => {
    const json = { colour: 'red', domain: 'a_b.example.com', region: 'mars', metadata: 7, certificate_id: 'rd_1' }
    const response = await client(open())('POST', PATH, { json })
    const { operation_id: _, ...details } = withoutFacts(response.body.details)
    expect(outcome(response)).toBe('400 ERR_GATEWAY_214')
    expect(response.body.msg).toContain('colour')
    expect(Object.keys(details).sort()).toEqual([
      'field:certificate_id',
      'field:colour',
      'field:domain',
      'field:metadata',
      'field:region',
    ])
    expect(details['field:colour']).toBe(response.body.msg)
    expect(details['field:region']).toContain('mars')
  })
})

describe('Changing a reserved domain (rules: reserved-domains#update, reserved-domains#resource)', () => {
  test('links an endpoint configuration for HTTP and another for HTTPS, and keeps each', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH, { json: { domain: DOMAIN } })).body
    const http = { id: 'ec_1', uri: 'https://api.gateway.test/endpoint_configurations/ec_1' }
    const https = { id: 'ec_2', uri: 'https://api.gateway.test/endpoint_configurations/ec_2' }
    const first = await api('PATCH', `${PATH}/${id}`, { json: { http_endpoint_configuration_id: 'ec_1' } })
    expect(first.body).toMatchObject({ http_endpoint_configuration: http, https_endpoint_configuration: null })
    const json = { https_endpoint_configuration_id: 'ec_2', http_endpoint_configuration_id: '' }
    const second = await api('PATCH', `${PATH}/${id}`, { json })
    expect(second.body).toMatchObject({ http_endpoint_configuration: http, https_endpoint_configuration: https })
  })

  test('keeps both links when another field changes, and each one when the other changes', () => {
    const { reservedDomains } = open()
    const { id } = reservedDomains.create({ domain: DOMAIN })
    const updateLinks = (body: Parameters<typeof reservedDomains.update>[1]) => {
      const domain = reservedDomains.update(id, body)
      return [domain.http_endpoint_configuration?.id, domain.https_endpoint_configuration?.id]
    }
    expect(updateLinks({ https_endpoint_configuration_id: 'ec_2' })).toEqual([undefined, 'ec_2'])
    expect(updateLinks({ metadata: 'm' })).toEqual([undefined, 'ec_2'])
    expect(updateLinks({ http_endpoint_configuration_id: 'ec_1' })).toEqual(['ec_1', 'ec_2'])
    expect(updateLinks({ description: 'd' })).toEqual(['ec_1', 'ec_2'])
    expect(updateLinks({ https_endpoint_configuration_id: 'ec_3' })).toEqual(['ec_1', 'ec_3'])
    expect(updateLinks({ certificate_management_policy: { authority: 'letsencrypt' } })).toEqual(['ec_1', 'ec_3'])
    expect(updateLinks({ http_endpoint_configuration_id: 'ec_4' })).toEqual(['ec_4', 'ec_3'])
  })

  test.each(['http_endpoint_configuration_id', 'https_endpoint_configuration_id'])(
    'rejects an id of another type and, with references "declared", an unknown one as %s (rules: references#declared)',
    (field) => {
      const gateway = open({ references: 'declared' })
      gateway.declare.endpointConfiguration('ec_1')
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
      const link = (value: string) => refusalKey(() => gateway.reservedDomains.update(id, { [field]: value }))
      expect(link('rd_1')).toBe('id_wrong_prefix')
      expect(link('nonsense')).toBe('id_unparsable')
      const unknown = expectError(() => gateway.reservedDomains.update(id, { [field]: 'ec_2' }))
      expect(unknown.key).toBe('endpoint_configuration_not_found')
      expect(withoutFacts(unknown.details)).toEqual({
        [`field:${field}`]: expect.stringMatching(new RegExp(`^${field} is "ec_2"`)),
      })
      expect(link('ec_1')).toBe('ok')
    },
  )
})
