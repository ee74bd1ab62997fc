import { describe, expect, it, test } from 'vitest'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { createGateway, type Gateway, ngrok, standard } from '../../../src/index.ts'
import { client, expectError, outcome } from '../../support/client.ts'
import { openGateway } from './support.ts'

const DOMAINS = '/reserved_domains'
const domain = 'app.example.com'

describe('Detaching an endpoint configuration (rules: dialects#extra-operations)', () => {
  const open = () => createGateway({ dialect: ngrok, seed: 'detach' })
  const paths = [
    ['/reserved_addrs', 'endpoint_configuration', {}],
    [DOMAINS, 'http_endpoint_configuration', { domain }],
    [DOMAINS, 'https_endpoint_configuration', { domain }],
  ] as const

  test.each(paths)('from %s/{id}/%s returns 204, also if none is linked', async (path, part, json) => {
    const send = client(open())
    const links = { endpoint_configuration_id: 'ec_0' }
    const both = { http_endpoint_configuration_id: 'ec_1', https_endpoint_configuration_id: 'ec_2' }
    const { body: before } = await send('POST', path, { json: { ...json, ...('domain' in json ? both : links) } })
    expect(before[part]).toMatchObject({ id: expect.stringMatching(/^ec_/) })
    for (const _ of ['linked', 'not linked']) {
      const { status, text } = await send('DELETE', `${path}/${before.id}/${part}`)
      expect([status, text]).toEqual([204, ''])
      expect((await send('GET', `${path}/${before.id}`)).body).toEqual({ ...before, [part]: null })
    }
  })

  it('changes and commits nothing if none is linked', () => {
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const commits: string[] = []
    gateway.subscribe(({ operation }) => commits.push(operation))
    gateway.reservedAddrs.detachEndpointConfiguration(id)
    expect(commits).toEqual([])
    gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_1' })
    gateway.reservedAddrs.detachEndpointConfiguration(id)
    expect(commits).toEqual(['reserved_addrs.update', 'reserved_addrs.detach_endpoint_configuration'])
  })

  test.each(paths)('is rejected if %s has no such id: %s', async (path, part) => {
    const send = client(open())
    const prefix = path === DOMAINS ? 'rd' : 'ra'
    expect(outcome(await send('DELETE', `${path}/${prefix}_gone/${part}`))).toBe('404 ERR_NGROK_90404')
    expect(outcome(await send('DELETE', `${path}/cert_1/${part}`))).toBe('404 ERR_NGROK_90404')
    expect(outcome(await send('GET', `${path}/${prefix}_gone/${part}`))).toBe('404')
  })

  it('is unknown in other dialects over HTTP, in the direct API, for faults and in the document', async () => {
    const other = createGateway({ seed: 'detach' })
    const { id } = other.reservedDomains.create({ domain })
    for (const [path, part] of paths) {
      const response = await client(other)('DELETE', `${path}/${id}/${part}`)
      expect(outcome(response)).toBe('404 ERR_GATEWAY_90400')
      const template = `${path}/{id}/${part}`
      expect([openApi(standard).paths[template], openApi(ngrok).paths[template]]).toEqual([
        undefined,
        { delete: expect.objectContaining({ responses: expect.objectContaining({ 204: expect.anything() }) }) },
      ])
    }
    const error = expectError(() => other.reservedDomains.detachHttpEndpointConfiguration(id))
    expect([error.key, error.message]).toEqual([
      'path_not_found',
      expect.stringContaining('The segment "http_endpoint_configuration" is unknown'),
    ])
    const operation = 'reserved_domains.detach_http_endpoint_configuration'
    expect(() => other.faults.add({ operation })).toThrow(/operation is /)
    expect(() => open().faults.add({ operation })).not.toThrow()
  })

  it('can return an empty object, is in the journal, and can have faults', async () => {
    const gateway = createGateway({ dialect: ngrok, emptyJsonOnDelete: true })
    const { id } = gateway.reservedDomains.create({ domain })
    gateway.faults.add({
      operation: 'reserved_domains.detach_https_endpoint_configuration',
      error: 'ERR_NGROK_226',
      times: 1,
    })
    const detach = () => client(gateway)('DELETE', `${DOMAINS}/${id}/https_endpoint_configuration`)
    expect(outcome(await detach())).toBe('429 ERR_NGROK_226')
    const { status, body } = await detach()
    expect([status, body]).toEqual([200, {}])
    expect(gateway.requests.count({ operation: 'reserved_domains.detach_https_endpoint_configuration' })).toBe(2)
  })
})

describe('error_redirect_url of a domain (rules: reserved-domains#error-redirect-url)', () => {
  const URLS = [
    'https://example.com',
    'http://example.com:8080/e?x=1#y',
    'HTTPS://EXAMPLE.COM',
    `https://${'a'.repeat(2040)}`,
  ]

  test.each(URLS)('is set by create and update, and is in every response: %s', async (error_redirect_url) => {
    const { send } = openGateway()
    const { body: bare } = await send('POST', DOMAINS, { json: { domain } })
    expect([bare.error_redirect_url, bare.is_dev]).toEqual([null, false])
    const { status, body } = await send('PATCH', `${DOMAINS}/${bare.id}`, { json: { error_redirect_url } })
    expect([status, body]).toEqual([200, { ...bare, error_redirect_url }])
    expect((await send('GET', DOMAINS)).body.reserved_domains).toEqual([body])
    const created = await send('POST', DOMAINS, { json: { domain: 'b.example.com', error_redirect_url } })
    expect(created.body.error_redirect_url).toBe(error_redirect_url)
  })

  it('stays unless it is sent, and an update with "" removes it', async () => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', DOMAINS, { json: { domain, error_redirect_url: 'https://e.com' } })).body
    const patch = async (json: object) => (await send('PATCH', `${DOMAINS}/${id}`, { json })).body.error_redirect_url
    expect(await patch({ metadata: 'm' })).toBe('https://e.com')
    expect(await patch({ metadata: 'm', error_redirect_url: null })).toBe('https://e.com')
    expect(await sendRefused('PATCH', `${DOMAINS}/${id}`, { json: { error_redirect_url: null } })).toBe(
      '400 ERR_NGROK_422',
    )
    expect(await patch({ error_redirect_url: '' })).toBeNull()
    expect(await patch({ error_redirect_url: '' })).toBeNull()
  })

  test.each([
    ['example.com', '215'],
    ['ftp://example.com', '215'],
    ['https://', '215'],
    ['https:///path', '215'],
    ['https://exa mple.com', '215'],
    ['https://example.com/a b', '215'],
    [' https://example.com', '215'],
    ['javascript://example.com', '215'],
    [7, '215'],
    [{}, '215'],
    [`https://${'a'.repeat(2041)}`, '457'],
    [`https://${'ä'.repeat(1021)}`, '457'],
  ])('cannot be %j (%s)', async (error_redirect_url, number) => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', DOMAINS, { json: { domain } })).body
    const code = `400 ERR_NGROK_${number}`
    expect(await sendRefused('PATCH', `${DOMAINS}/${id}`, { json: { error_redirect_url } })).toBe(code)
    expect(await sendRefused('POST', DOMAINS, { json: { domain: 'b.example.com', error_redirect_url } })).toBe(code)
  })

  it('survives snapshot and restore, and a snapshot with a wrong one is rejected', () => {
    const { gateway } = openGateway()
    const { id } = gateway.reservedDomains.create({ domain, error_redirect_url: 'https://e.com' })
    const snapshot = JSON.stringify(gateway.snapshot())
    gateway.reset()
    gateway.restore(JSON.parse(snapshot))
    expect(gateway.reservedDomains.get(id).error_redirect_url).toBe('https://e.com')
    expect(() => gateway.restore(JSON.parse(snapshot.replace('https://e.com', 'e.com')))).toThrow(/error_redirect_url/)
  })

  it('is in every response that the document describes, like is_dev, which no request takes', async () => {
    const { schemas } = openApi(ngrok).components
    expect(schemas.ReservedDomain?.required).toEqual(expect.arrayContaining(['error_redirect_url', 'is_dev']))
    expect(JSON.stringify(schemas.ReservedDomainCreate)).not.toContain('is_dev')
    const others = Object.entries(openApi(standard).components.schemas).filter(([name]) => /^ReservedDomain/.test(name))
    for (const [, schema] of others) expect(Object.keys(schema.properties ?? {}).join()).not.toMatch(/redirect|is_dev/)
    expect(await openGateway().sendRefused('POST', DOMAINS, { json: { domain, is_dev: true } })).toBe(
      '400 ERR_NGROK_214',
    )
  })
})

describe('A name with blanks around it or a dot at its end (rules: domain-names#trimmed)', () => {
  it('is taken without these, whichever field names it, and once', async () => {
    const { send, sendRefused } = openGateway()
    for (const [json, expected] of [
      [{ domain: ' App.example.com. ' }, domain],
      [{ name: 'b.example.com.' }, 'b.example.com'],
      [{ domain: '*.example.com.\t' }, '*.example.com'],
    ] as const) {
      const { status, body } = await send('POST', DOMAINS, { json })
      expect([status, body.domain]).toEqual([201, expected])
    }
    expect(await sendRefused('POST', DOMAINS, { json: { domain: `${domain}.` } })).toBe('400 ERR_NGROK_413')
    expect(await sendRefused('POST', DOMAINS, { json: { domain: 'c.example.com..' } })).toBe('400 ERR_NGROK_409')
    expect(await sendRefused('POST', DOMAINS, { json: { domain: 'c .example.com' } })).toBe('400 ERR_NGROK_406')
  })

  it('can come back in a PATCH, and stays wrong in other dialects', async () => {
    const { gateway, send } = openGateway()
    const { id } = gateway.reservedDomains.create({ domain })
    expect((await send('PATCH', `${DOMAINS}/${id}`, { json: { domain: ` ${domain}.`, metadata: 'm' } })).status).toBe(
      200,
    )
    const other = client(createGateway())
    expect(outcome(await other('POST', DOMAINS, { json: { domain: `${domain}.` } }))).toBe('400 ERR_GATEWAY_409')
    expect(outcome(await other('POST', DOMAINS, { json: { domain: ` ${domain}` } }))).toBe('400 ERR_GATEWAY_406')
  })
})

test.each([
  [ngrok, undefined, 400],
  [ngrok, 409, 409],
  [standard, undefined, 409],
  [standard, 400, 400],
] as const)(
  'The status of a taken name follows the dialect, or quirks.takenStatus (rules: domain-names#once)',
  async (dialect, takenStatus, status) => {
    const gateway = createGateway({ dialect, quirks: takenStatus ? { takenStatus } : {} })
    gateway.reservedDomains.create({ domain })
    expect((await client(gateway)('POST', DOMAINS, { json: { domain } })).status).toBe(status)
  },
)

test('The challenge target of a wildcard is below ngrok-dns.com (rules: reserved-domains#cname-targets)', () => {
  const { gateway } = openGateway()
  const { acme_challenge_cname_target, cname_target } = gateway.reservedDomains.create({ domain: '*.example.com' })
  expect(acme_challenge_cname_target).toMatch(/^[0-9a-z]{8}\.acme-challenge\.ngrok-dns\.com$/)
  expect(cname_target).toMatch(/^[0-9a-z]{17}\.[0-9a-z]{17}\.ngrok-cname\.com$/)
})

describe('A name that nobody can reserve (rules: domain-names#rejected)', () => {
  const REFUSED = {
    404: ['ngrok.com', 'NGROK.com', 'app.ngrok.com', 'a.b.ngrok.com', '*.ngrok.com'],
    450: [
      ...ngrok.serviceDomains,
      'ngrok-cname.com',
      'a.ngrok-cname.com',
      'tcp.ngrok.io',
      '1.TCP.ngrok.io',
      '*.tcp.ngrok.io',
    ],
    411: ['app.internal', 'a.b.INTERNAL', '*.app.internal'],
    416: ngrok.serviceDomains.map((service) => `*.${service}`),
  }

  test.each(Object.entries(REFUSED).flatMap(([number, names]) => names.map((name) => [name, number] as const)))(
    '%s (%s), whichever field names it',
    async (name, number) => {
      const { sendRefused } = openGateway()
      for (const json of [{ domain: name }, { name }]) {
        expect(await sendRefused('POST', DOMAINS, { json })).toBe(`400 ERR_NGROK_${number}`)
      }
    },
  )

  it('does not include similar names, and other dialects reject none of these names', () => {
    const { gateway } = openGateway()
    for (const name of [
      'myngrok.com',
      'ngrok.com.example.com',
      'app.ngrok.io',
      'mytcp.ngrok.io',
      'internal.example.com',
    ]) {
      expect(gateway.reservedDomains.create({ domain: name }).domain).toBe(name)
    }
    const other = createGateway()
    for (const name of new Set(
      Object.values(REFUSED)
        .flat()
        .map((each) => each.toLowerCase()),
    ))
      expect(() => other.reservedDomains.create({ domain: name })).not.toThrow()
  })

  it('has a message that says which names are allowed', () => {
    const { gateway } = openGateway()
    const readMessage = (name: string) => expectError(() => gateway.reservedDomains.create({ domain: name })).message
    expect(readMessage('app.internal')).toContain('a last label that is not "localhost" or "internal"')
    expect(readMessage('app.localhost')).toContain('a last label that is not "localhost" and')
  })

  it('stays in a restored state that already has it', () => {
    const before = createGateway({ seed: 'old', dialect: { ...ngrok, refusedDomains: {} } })
    const { id } = before.reservedDomains.create({ domain: 'ngrok.com' })
    const after = createGateway({ seed: 'new', dialect: ngrok })
    after.restore(before.snapshot())
    expect(after.reservedDomains.update(id, { metadata: 'm' }).domain).toBe('ngrok.com')
  })
})

describe('A name that another account has (rules: domain-names#other-accounts)', () => {
  const reserveAll = (
    takenDomains: string[],
    names: string[],
    gateway: Gateway = createGateway({ dialect: ngrok, takenDomains }),
  ) =>
    names.map((name) => {
      try {
        return gateway.reservedDomains.create({ domain: name }) && 'made'
      } catch (error) {
        return (error as { code: string }).code.replace('ERR_NGROK_', '')
      }
    })

  it('cannot be reserved (414), nor a name below it or a wildcard over it (417)', () => {
    expect(reserveAll(['App.Example.com'], ['app.example.com', 'APP.example.COM', 'a.app.example.com'])).toEqual([
      '414',
      '414',
      '417',
    ])
    expect(reserveAll([domain], ['*.example.com', '*.app.example.com', '*.com.example', 'example.com'])).toEqual([
      '417',
      '417',
      'made',
      'made',
    ])
    expect(reserveAll(['*.example.com'], ['*.example.com', 'a.example.com', 'a.b.example.com', 'example.com'])).toEqual(
      ['414', '417', '417', 'made'],
    )
    expect(reserveAll([domain], ['other.example.com', 'myapp.example.com'])).toEqual(['made', 'made'])
  })

  it('is rejected after the rules of names, and after a name of the account itself', () => {
    expect(reserveAll(['app.ngrok.com'], ['app.ngrok.com'])).toEqual(['404'])
    const earlier = createGateway({ dialect: ngrok })
    earlier.reservedDomains.create({ domain })
    const later = createGateway({ dialect: ngrok, takenDomains: [domain] })
    later.restore(earlier.snapshot())
    expect(reserveAll([], [domain], later)).toEqual(['413'])
  })

  it('is checked when the gateway is created', () => {
    for (const takenDomains of [['a b.com'], ['com'], [7], 'example.com', ['']]) {
      expect(() => createGateway({ takenDomains: takenDomains as string[] })).toThrow(/^takenDomains/)
    }
  })

  it('is rejected in any dialect', () => {
    const gateway = createGateway({ takenDomains: [domain] })
    expect(expectError(() => gateway.reservedDomains.create({ domain })).code).toBe('ERR_GATEWAY_414')
  })
})

test.each([405, 430, 447, 451, 459, 460, 461, 511, 512])(
  'A fault can return error %d, whose condition does not occur here, and nothing changes',
  async (number) => {
    const { gateway, sendRefused } = openGateway()
    gateway.faults.add({ operation: 'reserved_domains.create', error: `ERR_NGROK_${number}` })
    expect(await sendRefused('POST', DOMAINS, { json: { domain } }).catch((error) => error.message)).toBe(
      'The state has changed.',
    )
    const { status, body } = await client(gateway)('POST', DOMAINS, { json: { domain } })
    expect([status, body.error_code]).toEqual([400, `ERR_NGROK_${number}`])
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
  },
)
