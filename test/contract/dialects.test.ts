import { describe, expect, test } from 'vitest'
import { type Dialect, type Gateway, ngrok, standard } from '../../src/index.ts'
import { client, outcome, refusalOf } from '../support/client.ts'
import { open } from '../support/gateway.ts'
import { upload } from '../support/pem.ts'

const POLICY = { authority: 'letsencrypt' }
const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'

/** The table of decisions, "Dialects", where a column is one text. */
const COLUMNS = [
  {
    dialect: standard,
    baseUrl: 'https://api.gateway.test',
    version: 'Service-Version',
    operation: 'service-operation-id',
    prefix: 'ERR_GATEWAY_',
    keyType: 'rsa',
    owned: ['gateway.test'],
    target: /^[0-9a-z]+\.[0-9a-z]+\.cname\.gateway\.test$/,
    address: /^\d+\.tcp\.gateway\.test:\d{5}$/,
    addressElsewhere: /^\d+\.tcp\.eu\.gateway\.test:\d{5}$/,
    regions: ['eu', null],
  },
  {
    dialect: ngrok,
    baseUrl: 'https://api.ngrok.com',
    version: 'Ngrok-Version',
    operation: 'ngrok-operation-id',
    prefix: 'ERR_NGROK_',
    keyType: 'ecdsa',
    owned: [
      'ngrok.io',
      'ngrok.app',
      'ngrok.dev',
      'ngrok-free.app',
      'ngrok-free.dev',
      'ngrok.pizza',
      'ngrok-free.pizza',
    ],
    target: /^[0-9a-z]+\.[0-9a-z]+\.ngrok-cname\.com$/,
    address: /^\d+\.tcp\.ngrok\.io:\d{5}$/,
    addressElsewhere: /^\d+\.tcp\.eu\.ngrok\.io:\d{5}$/,
    regions: ['', ''],
  },
]

describe.each(COLUMNS)('The dialect $dialect.name (decisions, "Dialects")', (column) => {
  const { dialect, prefix } = column

  test('has its base URL in every URI', async () => {
    const gateway = open({ dialect })
    const { body } = await client(gateway)('POST', '/reserved_addrs')
    expect(gateway.url).toBe(column.baseUrl)
    expect(body.uri).toBe(`${column.baseUrl}/reserved_addrs/${body.id}`)
  })

  test('has its version header, which no other replaces', async () => {
    const gateway = open({ dialect })
    const ask = (headers: Record<string, string>) =>
      gateway.fetch(`${gateway.url}/reserved_addrs`, { headers: { authorization: 'Bearer key', ...headers } })
    expect((await ask({ [column.version]: '2' })).status).toBe(200)
    const missing = await (await ask({ 'Other-Version': '2' })).json()
    expect(missing).toMatchObject({ error_code: `${prefix}218`, msg: expect.stringContaining(column.version) })
  })

  test('has its operation id header on answers and errors', async () => {
    const api = client(open({ dialect }))
    for (const answer of [await api('GET', '/reserved_addrs'), await api('GET', '/nowhere')]) {
      expect(answer.headers.get(column.operation)).toMatch(/^op_[0-9A-Za-z]{27}$/)
    }
  })

  test('has its error code prefix over HTTP and in the direct API', async () => {
    const gateway = open({ dialect })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const answer = await client(gateway)('POST', '/reserved_domains', { json: { domain: 'app.example.com' } })
    expect(outcome(answer)).toBe(`409 ${prefix}413`)
    expect(() => gateway.reservedDomains.create({ domain: 'app.example.com' })).toThrow(
      expect.objectContaining({ key: 'domain_taken', code: `${prefix}413` }),
    )
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
    for (const owned of column.owned) {
      for (const domain of [owned, `app.${owned}`, `a.b.${owned}`]) {
        expect(gateway.reservedDomains.create({ domain }).cname_target).toBeNull()
      }
      expect(gateway.reservedDomains.create({ domain: `evil${owned}` }).cname_target).toMatch(column.target)
    }
    const others = COLUMNS.filter((other) => other !== column).flatMap(({ owned }) => owned)
    for (const domain of others) expect(gateway.reservedDomains.create({ domain }).cname_target).toMatch(column.target)
  })

  test('has its CNAME target base', () => {
    const domain = open({ dialect }).reservedDomains.create({ domain: '*.example.com' })
    expect(domain.cname_target).toMatch(column.target)
    expect(domain.acme_challenge_cname_target).toMatch(column.target)
  })

  test('has its TCP address hosts', () => {
    const gateway = open({ dialect })
    expect(gateway.reservedAddrs.create().addr).toMatch(column.address)
    expect(gateway.reservedAddrs.create({ region: 'eu' }).addr).toMatch(column.addressElsewhere)
  })

  test('shows the region of a reserved domain in its way', () => {
    const gateway = open({ dialect })
    const set = gateway.reservedDomains.create({ domain: 'a.example.com', region: 'eu' })
    const unset = gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect([set.region, unset.region]).toEqual(column.regions)
    expect(refusalOf(() => gateway.reservedDomains.create({ domain: 'c.example.com', region: 'mars' as 'us' }))).toBe(
      'domain_region_invalid',
    )
  })
})

describe('Fields that ngrok takes and ignores (decisions, "Dialects")', () => {
  const extra = { error_redirect_url: 'https://example.com', resolves_to: [{ value: 'us' }] }

  test('are accepted by ngrok on create and update, and not shown', async () => {
    const api = client(open({ dialect: ngrok }))
    const created = await api('POST', '/reserved_domains', { json: { domain: 'app.example.com', ...extra } })
    expect(created.status).toBe(201)
    expect(created.text).not.toContain('redirect')
    const json = { description: 'd', ...extra }
    expect((await api('PATCH', `/reserved_domains/${created.body.id}`, { json })).status).toBe(200)
  })

  test('are no value of an update', async () => {
    const gateway = open({ dialect: ngrok })
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const answer = await client(gateway)('PATCH', `/reserved_domains/${id}`, { json: extra })
    expect(outcome(answer)).toBe('400 ERR_NGROK_422')
  })

  test.each(['error_redirect_url', 'resolves_to'])('are refused by standard: %s', async (field) => {
    const json = { domain: 'app.example.com', [field]: null }
    expect(outcome(await client(open())('POST', '/reserved_domains', { json }))).toBe('400 ERR_GATEWAY_214')
  })

  test('are those of domains only', async () => {
    const answer = await client(open({ dialect: ngrok }))('POST', '/reserved_addrs', { json: extra })
    expect(outcome(answer)).toBe('400 ERR_NGROK_214')
  })
})

describe('The alias name of domain (decisions, "Dialects"; errors.md, domain_name_and_domain)', () => {
  const create = async (dialect: Dialect, json: object) =>
    client(open({ dialect }))('POST', '/reserved_domains', { json })

  test('names the domain in ngrok, also beside an empty domain', async () => {
    for (const domain of [undefined, null, '']) {
      const { status, body } = await create(ngrok, { name: 'App.example.com', domain })
      expect([status, body.domain, Object.hasOwn(body, 'name')]).toEqual([201, 'app.example.com', false])
    }
    expect((await create(ngrok, { domain: 'app.example.com', name: '' })).status).toBe(201)
  })

  test('cannot stand beside domain, even with the same value', async () => {
    const json = { name: 'app.example.com', domain: 'app.example.com' }
    expect(outcome(await create(ngrok, json))).toBe('400 ERR_NGROK_449')
  })

  test('is unknown to standard', async () => {
    expect(outcome(await create(standard, { name: 'app.example.com' }))).toBe('400 ERR_GATEWAY_214')
  })
})

describe('The paging alias beforeId (decisions, "Dialects")', () => {
  test('is before_id in ngrok, whose next page says before_id', async () => {
    const gateway = open({ dialect: ngrok })
    const ids = Array.from({ length: 4 }, () => gateway.weightedBackends.create().id).reverse()
    const { body } = await client(gateway)('GET', `/backends/weighted?beforeId=${ids[0]}&limit=2`)
    expect(body.backends.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3))
    expect(new URL(body.next_page_uri).searchParams.get('before_id')).toBe(ids[2])
    expect(new URL(body.next_page_uri).searchParams.has('beforeId')).toBe(false)
  })

  test('is the same parameter: both are one given twice', async () => {
    const answer = await client(open({ dialect: ngrok }))(
      'GET',
      '/backends/weighted?beforeId=bkdwd_1&before_id=bkdwd_1',
    )
    expect(outcome(answer)).toBe('400 ERR_NGROK_232')
  })
})

describe('The envelope of module bodies (decisions, "Dialects")', () => {
  const put = (json: object) => client(open({ dialect: ngrok }))('PUT', `${ROUTE}/circuit_breaker`, { json })

  test('is taken off in ngrok, with or without the ids beside it', async () => {
    const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
    for (const json of [{ ...ids, module: { num_buckets: 5 } }, { module: { num_buckets: 5 } }, { num_buckets: 5 }]) {
      const { status, body } = await put(json)
      expect([status, body.num_buckets, Object.hasOwn(body, 'module')]).toEqual([200, 5, false])
    }
  })

  test('does not hide a wrong id or an unknown field', async () => {
    expect(outcome(await put({ id: 'edghtsrt_2', module: {} }))).toBe('400 ERR_NGROK_215')
    expect(outcome(await put({ module: { colour: 'red' } }))).toBe('400 ERR_NGROK_214')
    expect(outcome(await put({ colour: 'red', module: {} }))).toBe('400 ERR_NGROK_214')
    expect((await put({ module: 'text' })).status).toBe(400)
  })
})

describe('A dialect of one\'s own (decisions, "Dialects")', () => {
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
    ignoredFields: { reserved_addrs: ['colour'] },
    fieldAliases: { reserved_domains: { host: 'domain' } },
    queryAliases: { cursor: 'before_id' },
    moduleEnvelope: 'config',
  }

  test('decides everything that the two shipped ones decide', async () => {
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
})

describe('The public service\'s name (decisions, "Dialects": nothing outside the dialect names it)', () => {
  /** Answers of every kind in the standard dialect. */
  async function everything(gateway: Gateway): Promise<string> {
    const api = client(gateway)
    const domain = { domain: '*.example.com', certificate_management_policy: POLICY }
    const answers = [
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
    return answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n')
  }

  test('occurs in no answer of standard', async () => {
    expect(await everything(open())).not.toMatch(/ngrok/i)
  })
})
