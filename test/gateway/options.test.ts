import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, GatewayError, standard } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { client, expectError } from '../support/client.ts'

const gateway = createGateway()

const { errorPrefix: _, ...partOfDialect } = standard
const HOSTS = ['', '.', 'a..b', '.a', 'a.', 'a:80', '[::1]', 'é', 'a b', ':1', '*.a', 'a/b', 'x\n']
/** An object that throws if a property is read. */
const TRAP = new Proxy(
  {},
  {
    get() {
      throw new Error('It was read.')
    },
  },
)
const STORE = 'an object with the functions "load" and "append", and optionally "flushed".'

describe('The options of createGateway', () => {
  test.each<[name: string, allowed: string, values: readonly unknown[]]>([
    ['seed', 'a string', [7, TRAP]],
    ['seed', 'a string without a private key', ['-----BEGIN PRIVATE KEY-----\nMC4CAQ']],
    [
      'clock',
      `manualClock('2026-01-01T00:00:00Z'), or another object with "now", a function or a number, in ms.`,
      [7, {}, { now: 'x' }, null, 'manual', '2026-01-01T00:00:00Z'],
    ],
    [
      'dialect',
      "Allowed: standard, or ngrok from fauxgate (createNgrok from fauxgate/ngrok has ngrok's API), or ",
      ['ngrok'],
    ],
    ['dialect', `an object such as { ...standard, … } with ${Object.keys(standard).join(', ')}.`, [{}, partOfDialect]],
    ['keys', 'an array of non-empty keys without surrounding whitespace.', ['key']],
    ['keys.1', 'a non-empty key without surrounding whitespace.', ['', 7, ' key'].map((key) => ['a', key])],
    ['takenDomains', 'an array of domain names', ['a.example.com']],
    ['takenDomains.1', 'a domain name.', ['a b', 7, undefined].map((name) => ['a.example.com', name])],
    ['baseUrl', 'an http or https URL', ['api.example.com', 'ftp://api.example.com', 'https://', 7]],
    ['baseUrl', 'without a query or fragment.', ['https://api.example.com?x=1', 'https://api.example.com#x']],
    ['references', '"any" or "declared".', ['none', true]],
    ['unknownActions', '"refuse" or "accept".', ['ignore']],
    ['emptyJsonOnDelete', 'true or false.', ['yes']],
    ['errorText', '"usual" or "varied".', ['random', true]],
    ['quirks', 'an object with "keepBackendsOnPatch"', [true]],
    ['quirks.keepBackendsOnPatch', 'true or false.', [{ keepBackendsOnPatch: 1 }]],
    ['rateLimit', 'true, false, or an object with "requests" and "window".', ['on', null, []]],
    [
      'rateLimit.requests',
      'an integer from 1 to 1000000.',
      [{ requests: 0 }, { requests: '9' }, { requests: 0, window: 1 }],
    ],
    ['rateLimit.window', 'at least 1000 ms.', [{ window: 999 }, { window: 'long' }]],
    ['certificates', '"90d" or "64d"', [7, 'short']],
    ['certificates.validity', 'at least 1000 ms.', [{ validity: 0 }, { validity: 'long', renewalLead: -1 }]],
    ['internalErrorBackoff', 'an object with "first" and "most"', [true]],
    ['internalErrorBackoff.first', 'at least 1000 ms.', [{ first: 999, most: 1000 }]],
    ['addressesPerRegion', 'an integer from 1 to 2000000.', [0, 2_000_001, 1.5]],
    ['provisioningDelay', 'a number of ms', [-1, Number.NaN, true]],
    ['internalErrorBackoff.first', 'at most internalErrorBackoff.most, 1999.', [{ first: 2000, most: 1999 }]],
    ['dns', '"off" or "simulated".', ['on']],
    ['authorityKeys', '"test", "fresh", or an object with "secret", a string', ['old', []]],
    ['authorityKeys.secret', 'a string of at least 16 characters.', [{}, { secret: 'x'.repeat(15) }]],
    ['store', STORE, [{}, { load() {} }, { append() {} }, { load() {}, append: 5 }, () => 5]],
    ['store', STORE, [{ load: () => 1, append: () => 1, flushed: 1 }]],
    [
      'families',
      'an object with families created with fauxgate/kit, by name.',
      [7, [], [standard], Promise.resolve({})],
    ],
    ['families.own', 'a family created with fauxgate/kit.', [{}, undefined, 7].map((own) => ({ own }))],
    ['initial', 'an object with arrays of bodies, by family.', ['none', [], Promise.resolve({})]],
    ['control', '"loopback", or an object with "key" and "allowHosts".', ['open', []]],
    ['control.key', 'visible ASCII characters without spaces.', ['with space', '', 'é'].map((key) => ({ key }))],
    ['control.allowHosts', 'an array of host names without ports.', [{ allowHosts: 'a' }]],
    ['control.allowHosts.1', 'a host name without a port.', HOSTS.map((host) => ({ allowHosts: ['a', host] }))],
  ])('throw if %s is not %s', (name, allowed, values) => {
    for (const value of values) {
      const create = () => createGateway({ [name.split('.')[0] as string]: value })
      expect(create).toThrow(TypeError)
      expect(create).toThrow(`${name} is `)
      expect(create).toThrow(allowed)
    }
  })

  test.each(['sed', 'Seed', 'url', '__proto__', 'constructor'])('throw for an unknown name: %s', (name) => {
    const options = Object.defineProperty({}, name, { value: 1, enumerable: true })
    expect(() => createGateway(options)).toThrow(new RegExp(`^"${name}" is not an option\\. Supported: .*seed`))
  })

  test('may all be undefined or absent', () => {
    const names = ['clock', 'dialect', 'seed', 'keys', 'baseUrl', 'references', 'quirks', 'emptyJsonOnDelete']
    const gateway = createGateway(Object.fromEntries(names.map((name) => [name, undefined])))
    expect([gateway.url, createGateway().url]).toEqual(Array(2).fill('https://api.gateway.test'))
  })

  test('are read once: changing the object afterwards changes nothing', async () => {
    const options = { seed: 'test', emptyJsonOnDelete: true, quirks: { keepBackendsOnPatch: true } }
    const gateway = createGateway(options)
    options.emptyJsonOnDelete = false
    options.quirks.keepBackendsOnPatch = false
    const { id } = gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } })
    expect(gateway.weightedBackends.update(id, { metadata: 'x' }).backends).toEqual({ bkdhr_1: 1 })
    expect((await client(gateway)('DELETE', `/backends/weighted/${id}`)).status).toBe(200)
  })

  test('turn off quirks that are not named', () => {
    const updateBackend = (quirks: object) => {
      const { weightedBackends } = createGateway({ quirks, seed: 'quirks' })
      const { id } = weightedBackends.create({ backends: { bkdhr_1: 1 } })
      return weightedBackends.update(id, { metadata: 'x' }).backends
    }
    expect([updateBackend({}), updateBackend({ keepBackendsOnPatch: false })]).toEqual([{}, {}])
    expect(updateBackend({ keepBackendsOnPatch: true })).toEqual({ bkdhr_1: 1 })
  })

  test.each<[string, unknown, string]>([
    ['errorPrefix', 5, 'dialect.errorPrefix is 5. Allowed: a string.'],
    ['serviceDomains', 'a.test', 'dialect.serviceDomains is "a.test". Allowed: an array of strings.'],
    ['extraOperations', [1], 'dialect.extraOperations is an array of 1 item. Allowed: an array of strings.'],
    ['policyByDefault', 'no', 'dialect.policyByDefault is "no". Allowed: true or false.'],
    ['devDomainBase', 7, 'dialect.devDomainBase is 7. Allowed: null or a string.'],
    ['errorStatuses', null, 'dialect.errorStatuses is null. Allowed: an object.'],
  ])('have a dialect whose values are of the right kinds: %s', (name, value, message) => {
    expect(() => createGateway({ dialect: { ...standard, [name]: value } as never })).toThrow(message)
  })

  test('can have all allowed values, up to the limits', () => {
    const allowHosts = ['gate', 'Gate-1.my_net.test', '10.0.0.1', '::', '::1', 'fe80::1:2', '::ffff:10.0.0.1']
    for (const host of allowHosts) expect(() => createGateway({ control: { allowHosts: [host] } })).not.toThrow()
    for (const key of ['!', '~', 'a-key']) expect(() => createGateway({ control: { key } })).not.toThrow()
    expect(() => createGateway({ control: 'loopback', rateLimit: false, dialect: { ...standard } })).not.toThrow()
    expect(() => createGateway({ internalErrorBackoff: { first: 1000, most: 1000 } })).not.toThrow()
    expect(() => createGateway({ rateLimit: { requests: 1, window: 1000 } })).not.toThrow()
    expect(() => createGateway({ authorityKeys: { secret: 'x'.repeat(16) } })).not.toThrow()
  })
})

describe('Wrong options of a call throw, with their name, the received value and the allowed ones:', () => {
  test.each<[string, (options: never) => unknown, unknown, string]>([
    ['snapshot', gateway.snapshot, { privatKeys: true }, '"privatKeys" is not an option. Supported: privateKeys.'],
    ['snapshot', gateway.snapshot, { privateKeys: 1 }, 'privateKeys is 1. Allowed: true or false.'],
    ['snapshot', gateway.snapshot, [], 'options is an array of 0 items. Allowed: an object.'],
    ['install', gateway.install, { others: 'drop' }, 'others is "drop". Allowed: "pass" or "refuse".'],
    ['install', gateway.install, { other: 'pass' }, '"other" is not an option. Supported: others, traffic, agent.'],
    ['createGateway', createGateway, null, 'options is null. Allowed: an object.'],
    ['createGateway', createGateway, ['seed'], 'options is an array of 1 item. Allowed: an object.'],
  ])('%s %#', (_what, call, options, message) => {
    expect(() => call(options as never)).toThrow(new TypeError(message))
  })

  test.each([
    [{ port: 65_536 }, 'port is 65536. Allowed: an integer from 0 to 65535.'],
    [{ port: '80' }, 'port is "80". Allowed: an integer from 0 to 65535.'],
    [{ host: '' }, 'host is "". Allowed: a host name or an address.'],
    [{ hots: 'localhost' }, '"hots" is not an option. Supported: port, host, name, agent, tls.'],
  ])('serve %j', async (options, message) => {
    await expect(serve(createGateway(), options as never)).rejects.toThrow(new TypeError(message))
  })

  test('serve without a gateway', async () => {
    const error = new TypeError('serve received an object. Allowed: a gateway, then options.')
    await expect(serve({ port: 0 } as never)).rejects.toThrow(error)
  })

  test.each([
    [null, 'options is null. Allowed: an object.'],
    [[], 'options is an array of 0 items. Allowed: an object.'],
    [1, 'options is 1. Allowed: an object.'],
    ['free', 'options is "free". Allowed: an object.'],
  ])('createNgrok %j', (options, message) => {
    expect(() => createNgrok(options as never)).toThrow(new TypeError(message))
  })

  test.each<[string, (gateway: ReturnType<typeof createNgrok>) => unknown, string]>([
    ['edge()', ({ declare }) => declare.edge(undefined as never), 'edge is missing. It is required.'],
    ['backend(null)', ({ declare }) => declare.backend(null as never), 'backend is null. It is required.'],
    ['devDomain(null)', ({ declare }) => declare.devDomain(null as never), 'dev_domain is null. It is required.'],
    [
      'tunnelSession(null)',
      ({ declare }) => declare.tunnelSession(null as never),
      'tunnel_session is null. It is required.',
    ],
  ])('declare.%s', (_call, call, message) => {
    const error = expectError(() => call(createNgrok()))
    expect(error).toMatchObject({ key: 'field_invalid' })
    expect(error.message).toContain(message)
  })

  test('provisioning.settled without a domain', async () => {
    await expect(createGateway().provisioning.settled(undefined as never)).rejects.toThrow(
      'id is missing. Allowed: the name or the ID of a reserved domain.',
    )
  })

  test('declare.edge, with an error of the catalogue as for its ids', () => {
    const { declare } = createGateway({ references: 'declared' })
    const options = { backend: 'bkdhr_1' }
    expect(() => declare.edge('edghts_1', options as never)).toThrow(GatewayError)
    expect(() => declare.edge('edghts_1', options as never)).toThrow('"backend" is not an option. Supported: routes.')
  })
})

test('The options of a snapshot may be absent, and each of them may be undefined', () => {
  const { snapshot } = createGateway({ seed: 'x', clock: { now: 0 } })
  expect(snapshot(undefined)).toEqual(snapshot())
  // At run time, an undefined option counts as absent, although its type forbids undefined.
  expect(snapshot({ privateKeys: undefined } as never)).toEqual(snapshot({ privateKeys: false }))
})
