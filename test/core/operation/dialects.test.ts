import { describe, expect, test } from 'vitest'
import { type Dialect, type Gateway, ngrok, standard } from '../../../src/index.ts'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'

const POLICY = { authority: 'letsencrypt' }
const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'

/** The columns of the table in docs/decisions/dialects.md (rules: dialects#standard). */
const COLUMNS = [
  {
    dialect: standard,
    baseUrl: 'https://api.gateway.test',
    version: 'Service-Version',
    operation: 'service-operation-id',
    prefix: 'ERR_GATEWAY_',
    keyType: 'rsa',
    ownDomains: standard.serviceDomains,
    target: /^[0-9a-z]+\.[0-9a-z]+\.cname\.gateway\.test$/,
    address: /^\d+\.tcp\.gateway\.test:\d{5}$/,
    addressElsewhere: /^\d+\.tcp\.eu\.gateway\.test:\d{5}$/,
    regions: ['eu', null],
    takenStatus: 409,
    keyStatus: 401,
    policyByDefault: null,
  },
  {
    dialect: ngrok,
    baseUrl: 'https://api.ngrok.com',
    version: 'Ngrok-Version',
    operation: 'ngrok-operation-id',
    prefix: 'ERR_NGROK_',
    keyType: 'ecdsa',
    ownDomains: ngrok.serviceDomains,
    target: /^[0-9a-z]+\.[0-9a-z]+\.ngrok-cname\.com$/,
    address: /^\d+\.tcp\.ngrok\.io:\d{5}$/,
    addressElsewhere: /^\d+\.tcp\.eu\.ngrok\.io:\d{5}$/,
    regions: ['', ''],
    takenStatus: 400,
    keyStatus: 403,
    policyByDefault: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
  },
]

describe.each(COLUMNS)('The dialect $dialect.name (rules: dialects#standard)', (column) => {
  const { dialect, prefix } = column

  test('requires its own version header', async () => {
    const gateway = open({ dialect })
    const send = (headers: Record<string, string>) =>
      gateway.fetch(`${gateway.url}/reserved_addrs`, { headers: { authorization: 'Bearer key', ...headers } })
    expect((await send({ [column.version]: '2' })).status).toBe(200)
    const missing = await (await send({ 'Other-Version': '2' })).json()
    expect(missing).toMatchObject({ error_code: `${prefix}218`, msg: expect.stringContaining(column.version) })
  })

  test('has its base URL in every URI, its operation id header, and its error code prefix', async () => {
    const gateway = open({ dialect })
    const api = client(gateway)
    const { body } = await api('POST', '/reserved_addrs')
    expect([gateway.url, body.uri]).toEqual([column.baseUrl, `${column.baseUrl}/reserved_addrs/${body.id}`])
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const refused = await api('POST', '/reserved_domains', { json: { domain: 'app.example.com' } })
    expect(outcome(refused)).toBe(`${column.takenStatus} ${prefix}413`)
    expect(expectError(() => gateway.reservedDomains.create({ domain: 'app.example.com' })).code).toBe(`${prefix}413`)
    for (const { headers } of [refused, await api('GET', '/reserved_addrs'), await api('GET', '/nowhere')]) {
      expect(headers.get(column.operation)).toMatch(/^op_[0-9A-Za-z]{27}$/)
    }
  })

  test('has its own HTTP statuses in responses, their bodies and errors', async () => {
    const gateway = open({ dialect, keys: ['right'] })
    const api = client(gateway)
    const sendWith = (authorization: string | null) => api('GET', '/reserved_addrs', { headers: { authorization } })
    const responses = [await sendWith(null), await sendWith('Basic x'), await sendWith('Bearer wrong')]
    expect(responses.map(outcome)).toEqual([200, 201, 203].map((number) => `${column.keyStatus} ${prefix}${number}`))
    for (const { status, body } of responses) expect(body.status_code).toBe(status)
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const error = expectError(() => gateway.reservedDomains.create({ domain: 'app.example.com' }))
    expect(error.status).toBe(column.takenStatus)
  })

  test('follows its rule for a custom domain that requests neither a certificate nor a policy', () => {
    const gateway = open({ dialect })
    const custom = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_id: '' })
    expect(custom.certificate_management_policy).toEqual(column.policyByDefault)
    expect(custom.certificate_management_status === null).toBe(column.policyByDefault === null)
    const owned = gateway.reservedDomains.create({ domain: `app.${column.ownDomains[0]}` })
    expect(owned.certificate_management_policy).toBeNull()
    const { id: certificate_id } = gateway.tlsCertificates.create(upload())
    const uploaded = gateway.reservedDomains.create({ domain: 'b.example.com', certificate_id })
    expect([uploaded.certificate?.id, uploaded.certificate_management_policy]).toEqual([certificate_id, null])
  })

  test('leaves a domain without a policy after it was detached, whatever changes later', () => {
    const gateway = open({ dialect })
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.reservedDomains.detachCertificateManagementPolicy(id)
    const { certificate_management_policy } = gateway.reservedDomains.update(id, { metadata: 'm' })
    expect(certificate_management_policy).toBeNull()
  })

  test('has letsencrypt as its authority and its own default key type', () => {
    const gateway = open({ dialect })
    const body = { domain: 'app.example.com', certificate_management_policy: POLICY }
    expect(gateway.reservedDomains.create(body).certificate_management_policy).toEqual({
      authority: 'letsencrypt',
      private_key_type: column.keyType,
    })
  })

  test('owns its domains and all below them, and no others', () => {
    const gateway = open({ dialect })
    for (const owned of column.ownDomains) {
      const isReservable = dialect.refusedDomains.domain_of_service === undefined
      for (const domain of [...(isReservable ? [owned] : []), `app.${owned}`, `a.b.${owned}`]) {
        expect(gateway.reservedDomains.create({ domain }).cname_target).toBeNull()
      }
      expect(gateway.reservedDomains.create({ domain: `evil${owned}` }).cname_target).toMatch(column.target)
    }
    const others = COLUMNS.filter((other) => other !== column).flatMap(({ ownDomains }) => ownDomains)
    for (const domain of others) expect(gateway.reservedDomains.create({ domain }).cname_target).toMatch(column.target)
  })

  test('has its TCP address hosts', () => {
    const gateway = open({ dialect })
    expect(gateway.reservedAddrs.create().addr).toMatch(column.address)
    expect(gateway.reservedAddrs.create({ region: 'eu' }).addr).toMatch(column.addressElsewhere)
  })

  test('shows the region of a reserved domain in its own form', () => {
    const gateway = open({ dialect })
    const withRegion = gateway.reservedDomains.create({ domain: 'a.example.com', region: 'eu' })
    const withoutRegion = gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect([withRegion.region, withoutRegion.region]).toEqual(column.regions)
    expect(refusalKey(() => gateway.reservedDomains.create({ domain: 'c.example.com', region: 'mars' as 'us' }))).toBe(
      'domain_region_invalid',
    )
  })
})

describe('The paging alias beforeId (rules: dialects#paging-alias)', () => {
  test('is before_id in ngrok, whose next_page_uri has before_id', async () => {
    const gateway = open({ dialect: ngrok })
    const ids = Array.from({ length: 4 }, () => gateway.weightedBackends.create().id).reverse()
    const { body } = await client(gateway)('GET', `/backends/weighted?beforeId=${ids[0]}&limit=2`)
    expect(body.backends.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3))
    expect(new URL(body.next_page_uri).searchParams.get('before_id')).toBe(ids[2])
    expect(new URL(body.next_page_uri).searchParams.has('beforeId')).toBe(false)
  })

  test('is the same parameter: a request with both sends it twice', async () => {
    const response = await client(open({ dialect: ngrok }))(
      'GET',
      '/backends/weighted?beforeId=bkdwd_1&before_id=bkdwd_1',
    )
    expect(outcome(response)).toBe('400 ERR_NGROK_232')
  })
})

describe('Another name of a field', () => {
  test('is rejected together with that field', async () => {
    const dialect = { ...standard, fieldAliases: { reserved_addrs: { note: 'description' } } }
    const create = async (json: object) => client(open({ dialect }))('POST', '/reserved_addrs', { json })
    expect((await create({ note: 'x' })).body.description).toBe('x')
    const { status, body } = await create({ note: 'x', description: 'y' })
    const message =
      'note is sent together with "description", which is the same field. Allowed: note or description, not both.'
    expect([status, body.error_code, body.msg]).toEqual([400, 'ERR_GATEWAY_215', message])
  })
})

describe('The envelope of module bodies (rules: dialects#module-envelope)', () => {
  const put = (json: object) => client(open({ dialect: ngrok }))('PUT', `${ROUTE}/circuit_breaker`, { json })

  test('is removed in ngrok, with or without the ids next to it', async () => {
    const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    for (const json of [{ ...ids, module: { num_buckets: 5 } }, { module: { num_buckets: 5 } }, { num_buckets: 5 }]) {
      const { status, body } = await put(json)
      expect([status, body.num_buckets, Object.hasOwn(body, 'module')]).toEqual([200, 5, false])
    }
  })

  test('does not hide a wrong id or an unknown field', async () => {
    expect(outcome(await put({ id: 'edghtsrt_2', module: {} }))).toBe('400 ERR_NGROK_215')
    expect(outcome(await put({ module: { id: 'edghtsrt_2' } }))).toBe('400 ERR_NGROK_215')
    expect(outcome(await put({ module: { colour: 'red' } }))).toBe('400 ERR_NGROK_214')
    expect(outcome(await put({ colour: 'red', module: {} }))).toBe('400 ERR_NGROK_214')
  })

  test('does not hide an id that differs from the id next to it', async () => {
    const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    const { status, body } = await put({ ...ids, module: { ...ids, id: 'edghtsrt_2' } })
    const message = 'id is different inside and outside "module". Allowed: the same in both places.'
    expect([status, body.error_code, body.msg]).toEqual([400, 'ERR_NGROK_215', message])
    expect(outcome(await put({ id: null, module: { id: 'edghtsrt_2' } }))).toBe('400 ERR_NGROK_215')
    expect(outcome(await put({ id: 'edghtsrt_2', module: { id: null } }))).toBe('400 ERR_NGROK_215')
    expect((await put({ ...ids, module: ids })).status).toBe(200)
    for (const text of ['{"__proto__": 5, "module": {}}', '{"module": {"__proto__": 5}}']) {
      expect(outcome(await put(JSON.parse(text)))).toBe('400 ERR_NGROK_214')
    }
  })

  test("is rejected together with the module's own fields, and the error names each of these fields", async () => {
    const { status, body } = await put({
      module: { num_buckets: 5 },
      num_buckets: 5,
      enabled: false,
      rolling_window: null,
    })
    const toMessage = (field: string) =>
      `${field} is outside "module". Allowed: fields inside "module", or no "module".`
    expect([status, body.error_code, body.msg]).toEqual([400, 'ERR_NGROK_215', toMessage('num_buckets')])
    expect(withoutFacts(body.details)).toEqual({
      operation_id: body.details.operation_id,
      'field:enabled': toMessage('enabled'),
      'field:num_buckets': toMessage('num_buckets'),
    })
    expect(outcome(await client(open({ dialect: ngrok }))('GET', `${ROUTE}/circuit_breaker`))).toBe(
      '404 ERR_NGROK_90404',
    )
  })

  test('does not repeat a secret next to it in the error', async () => {
    const json = { module: { provider: 'github' }, secret: 's3cret' }
    const { status, text } = await client(open({ dialect: ngrok }))('PUT', `${ROUTE}/webhook_verification`, { json })
    expect([status, text.includes('s3cret')]).toEqual([400, false])
  })

  test('is an unknown field in standard, and in other operations', async () => {
    const json = { module: { num_buckets: 5 } }
    expect(outcome(await client(open())('PUT', `${ROUTE}/circuit_breaker`, { json }))).toBe('400 ERR_GATEWAY_214')
    const other = await client(open({ dialect: ngrok }))('POST', '/reserved_addrs', { json: { module: {} } })
    expect(outcome(other)).toBe('400 ERR_NGROK_214')
  })
})

describe('A custom dialect (rules: dialects#data)', () => {
  const acme: Dialect = {
    ...standard,
    name: 'acme',
    baseUrl: 'https://api.acme.example/v1',
    versionHeader: 'Acme-Version',
    operationIdHeader: 'Acme-Operation',
    errorPrefix: 'ACME-',
    authority: 'acme-ca',
    defaultPrivateKeyType: 'ecdsa',
    serviceDomains: ['acme.example'],
    cnameTargetBase: 'edge.acme.example',
    addressHost: { us: 'n{n}.acme.example', elsewhere: '{region}-{n}.acme.example' },
    domainRegion: { always: 'global' },
    policyByDefault: true,
    extraFields: { 'reserved_domains.update': ['domain'] },
    ignoredFields: { reserved_addrs: ['colour'], 'reserved_addrs.create': ['shape'] },
    fieldAliases: {
      reserved_domains: { host: 'domain', cert: 'certificate_id', tls: 'certificate_management_policy' },
    },
    labelAliases: { reserved_domains: ['host'] },
    queryAliases: { cursor: 'before_id' },
    moduleEnvelope: 'config',
    errorStatuses: { field_unknown: 422 },
  }

  test('decides everything that the two built-in dialects decide', async () => {
    const gateway = open({ dialect: acme })
    const api = client(gateway)
    const domain = await api('POST', '/reserved_domains', {
      json: { host: 'app.example.com', certificate_management_policy: { authority: 'acme-ca' } },
    })
    expect(domain.body).toMatchObject({
      uri: `https://api.acme.example/v1/reserved_domains/${domain.body.id}`,
      region: 'global',
      cname_target: expect.stringMatching(/\.edge\.acme\.example$/),
      certificate_management_policy: { authority: 'acme-ca', private_key_type: 'ecdsa' },
    })
    expect(domain.headers.get('acme-operation')).toMatch(/^op_/)
    expect(gateway.reservedDomains.create({ domain: 'x.acme.example' }).cname_target).toBeNull()
    const address = await api('POST', '/reserved_addrs', { json: { colour: 'red', region: 'jp' } })
    expect(address.body.addr).toMatch(/^jp-\d+\.acme\.example:\d{5}$/)
    expect(gateway.reservedAddrs.create().addr).toMatch(/^n\d+\.acme\.example:\d{5}$/)
    expect((await api('GET', `/reserved_addrs?cursor=${address.body.id}`)).body.reserved_addrs).toEqual([])
    expect((await api('PUT', `${ROUTE}/compression`, { json: { config: { enabled: false } } })).body).toEqual({
      enabled: false,
    })
    expect(outcome(await api('GET', '/nowhere'))).toBe('404 ACME-90400')
    expect(gateway.dialect).toBe(acme)
  })

  test('decides about policies, labels, further fields, aliases and statuses', async () => {
    const api = client(open({ dialect: acme }))
    const domain = await api('POST', '/reserved_domains', { json: { host: 'app.example.com' } })
    expect(domain.body.certificate_management_policy).toEqual({ authority: 'acme-ca', private_key_type: 'ecdsa' })
    const labelled = await api('POST', '/reserved_domains', { json: { host: 'app' } })
    expect(labelled.body.domain).toBe('app.acme.example')
    const path = `/reserved_domains/${domain.body.id}`
    expect((await api('PATCH', path, { json: { host: 'app.example.com', metadata: 'm' } })).status).toBe(200)
    expect(outcome(await api('PATCH', path, { json: { resolves_to: [] } }))).toBe('422 ACME-214')
    expect((await api('POST', '/reserved_addrs', { json: { shape: 'round', colour: 'red' } })).status).toBe(201)
    const { id } = (await api('POST', '/reserved_addrs')).body
    expect(outcome(await api('PATCH', `/reserved_addrs/${id}`, { json: { shape: 'round' } }))).toBe('422 ACME-214')
  })

  test('names fields in messages and details as the client did, whichever rule rejects the fields', async () => {
    const api = client(open({ dialect: acme }))
    const createRefused = async (json: object) => (await api('POST', '/reserved_domains', { json })).body
    const unknown = await createRefused({ host: 'app.example.com', cert: 'cert_1' })
    expect(unknown.msg).toBe('cert is "cert_1", which does not exist. Send the ID of an uploaded TLS certificate.')
    expect(unknown.details['field:cert']).toBe(unknown.msg)
    const wrongPrefix = await createRefused({ host: 'app.example.com', certificate_id: 'rd_1' })
    expect(wrongPrefix.msg).toMatch(/^certificate_id is "rd_1"\. Allowed: an ID that starts with "cert/)
    const inside = await createRefused({ host: 'app.example.com', tls: { authority: 'other' } })
    expect(inside.msg).toBe('tls.authority is "other". Allowed: "acme-ca".')
    expect(Object.keys(withoutFacts(inside.details))).toEqual(['operation_id', 'field:tls.authority'])
  })

  test('is rejected if a part of it is missing', () => {
    const { errorStatuses: _, ...partial } = standard
    expect(() => open({ dialect: partial as Dialect })).toThrow(/^dialect is an object\. Allowed: .*errorStatuses/)
  })
})

describe("The public service's name (rules: dialects#data)", () => {
  /** Sends requests of every kind, and returns the text of all responses. */
  async function readResponses(gateway: Gateway): Promise<string> {
    const api = client(gateway)
    const domain = { domain: '*.example.com', certificate_management_policy: POLICY }
    const responses = [
      await api('POST', '/reserved_addrs', { json: { region: 'eu' } }),
      await api('POST', '/reserved_domains', { json: domain }),
      await api('POST', '/backends/weighted'),
      await api('POST', '/tls_certificates', { json: upload() }),
      await api('PUT', `${ROUTE}/circuit_breaker`),
      await api('PUT', `${ROUTE}/policy`, { json: { inbound: [{ actions: [{ type: 'x' }] }] } }),
      await api('PUT', `${ROUTE}/webhook_verification`, { json: { provider: 'x' } }),
      await api('POST', '/reserved_domains', { json: { ...domain, name: 'x', error_redirect_url: 'x' } }),
      await api('POST', '/reserved_domains', { json: { domain: 'x_y' } }),
      await api('GET', '/reserved_domains?beforeId=x'),
      await api('GET', '/reserved_domains?limit=0'),
      await api('GET', '/reserved_domains?limit=1'),
      await api('GET', '/reserved_domains', { headers: { 'service-version': null } }),
      await api('GET', '/reserved_domains', { headers: { authorization: null } }),
      await api('GET', '/nowhere'),
      await api('DELETE', '/reserved_domains'),
    ]
    return responses.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n')
  }

  test('occurs in no response of standard', async () => {
    expect(await readResponses(open())).not.toMatch(/ngrok/i)
  })
})
