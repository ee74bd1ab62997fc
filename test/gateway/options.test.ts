import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError, standard } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

const gateway = createGateway()

const CONTROL =
  '"loopback", or an object with "key", visible ASCII characters without spaces, and "allowHosts", an array of host ' +
  'names without port.'
const LIMIT = 'true, false, or an object with requests and window.'
const DIALECT = `an object with ${Object.keys(standard).join(', ')}, such as { ...standard, … }.`
const BACKOFF = 'an object with "first" and "most", not less than first, each '
const { errorPrefix: _, ...partOfDialect } = standard

describe('What an option of createGateway can be is said in full', () => {
  test.each<[string, unknown, string]>([
    ['dialect', partOfDialect, `dialect is an object. Allowed: ${DIALECT}`],
    ['clock', 7, 'clock is 7. Allowed: an object with "now", a function or a number, in ms.'],
    ['keys', [' key'], 'keys is an array of 1. Allowed: an array of non-empty keys without white space around them.'],
    ['keys', [''], 'keys is an array of 1. Allowed: an array of non-empty keys without white space around them.'],
    ['quirks', { keep: true }, 'quirks is an object. Allowed: an object with "keepBackendsOnPatch", true or false.'],
    ['rateLimit', 'on', `rateLimit is "on". Allowed: ${LIMIT}`],
    ['rateLimit', { requests: 0 }, `rateLimit is an object. Allowed: ${LIMIT}`],
    ['rateLimit', { requests: 1, window: 999 }, `rateLimit is an object. Allowed: ${LIMIT}`],
    [
      'internalErrorBackoff',
      { first: 2000, most: 1999 },
      'internalErrorBackoff.first is 2000. Allowed: at most internalErrorBackoff.most, 1999.',
    ],
    ['internalErrorBackoff', { first: 999, most: 1000 }, `internalErrorBackoff is an object. Allowed: ${BACKOFF}`],
    ['dns', 'on', 'dns is "on". Allowed: "off" or "simulated".'],
    [
      'authorityKeys',
      'old',
      'authorityKeys is a string of 3 characters. Allowed: "test", "fresh", or an object with "secret", a text',
    ],
    ['authorityKeys', { secret: 'x'.repeat(15) }, 'Allowed: "test", "fresh", or an object with "secret", a text of'],
    ['store', { load: () => 1 }, 'Allowed: an object with the functions "load" and "append", and perhaps "flushed".'],
    ['store', { load: () => 1, append: () => 1, flushed: 1 }, 'Allowed: an object with the functions "load"'],
    ['families', { own: {} }, 'families is an object. Allowed: an object with families that fauxgate/kit made, by'],
    ['initial', 'none', 'initial is "none". Allowed: an object with arrays of bodies, by family.'],
    ['control', 'open', `control is a string of 4 characters. Allowed: ${CONTROL}`],
    ['control', { key: 'with space' }, `Allowed: ${CONTROL}`],
    ['control', { key: '' }, `Allowed: ${CONTROL}`],
    ['control', { key: 'é' }, `Allowed: ${CONTROL}`],
    ...['', '.', 'a..b', '.a', 'a.', 'a:80', '[::1]', 'é', 'a b', ':1', '*.a', 'a/b', 'x\n'].map(
      (host): [string, unknown, string] => ['control', { allowHosts: [host] }, `Allowed: ${CONTROL}`],
    ),
  ])('%s: %j', (name, value, message) => {
    expect(() => createGateway({ [name]: value })).toThrow(TypeError)
    expect(() => createGateway({ [name]: value })).toThrow(message)
  })

  test('and quirks that are not named are off', () => {
    const kept = (quirks: object) => {
      const { weightedBackends } = createGateway({ quirks, seed: 'quirks' })
      const { id } = weightedBackends.create({ backends: { bkdhr_1: 1 } })
      return weightedBackends.update(id, { metadata: 'x' }).backends
    }
    expect([kept({}), kept({ keepBackendsOnPatch: false })]).toEqual([{}, {}])
    expect(kept({ keepBackendsOnPatch: true })).toEqual({ bkdhr_1: 1 })
  })

  test('and it can be what stands there, up to its limits', () => {
    const allowHosts = ['gate', 'Gate-1.my_net.test', '10.0.0.1', '::', '::1', 'fe80::1:2', '::ffff:10.0.0.1']
    for (const host of allowHosts) expect(() => createGateway({ control: { allowHosts: [host] } })).not.toThrow()
    for (const key of ['!', '~', 'a-key']) expect(() => createGateway({ control: { key } })).not.toThrow()
    expect(() => createGateway({ control: 'loopback', rateLimit: false, dialect: { ...standard } })).not.toThrow()
    expect(() => createGateway({ internalErrorBackoff: { first: 1000, most: 1000 } })).not.toThrow()
    expect(() => createGateway({ rateLimit: { requests: 1, window: 1000 } })).not.toThrow()
    expect(() => createGateway({ authorityKeys: { secret: 'x'.repeat(16) } })).not.toThrow()
  })
})

describe('Wrong options of a call are refused by what they are called, what was received and what is allowed:', () => {
  test.each<[string, (options: never) => unknown, unknown, string]>([
    ['snapshot', gateway.snapshot, { privatKeys: true }, '"privatKeys" is not an option. Supported: privateKeys.'],
    ['snapshot', gateway.snapshot, { privateKeys: 1 }, 'privateKeys is 1. Allowed: true or false.'],
    ['snapshot', gateway.snapshot, [], 'options is an array of 0. Allowed: an object.'],
    ['install', gateway.install, { others: 'drop' }, 'others is "drop". Allowed: "pass" or "refuse".'],
    ['install', gateway.install, { other: 'pass' }, '"other" is not an option. Supported: others.'],
    ['createGateway', createGateway, null, 'options is null. Allowed: an object.'],
    [
      'createGateway',
      createGateway,
      { seed: '-----BEGIN PRIVATE KEY-----\nMC4CAQ' },
      'seed is "[redacted]". Allowed: a text without a private key.',
    ],
    ['createGateway', createGateway, ['seed'], 'options is an array of 1. Allowed: an object.'],
  ])('%s %#', (_what, call, options, message) => {
    expect(() => call(options as never)).toThrow(new TypeError(message))
  })

  test.each([
    [{ port: 65_536 }, 'port is 65536. Allowed: an integer from 0 to 65535.'],
    [{ port: '80' }, 'port is "80". Allowed: an integer from 0 to 65535.'],
    [{ host: '' }, 'host is "". Allowed: a host name or an address.'],
    [{ hots: 'localhost' }, '"hots" is not an option. Supported: port, host, tls.'],
  ])('serve %j', async (options, message) => {
    await expect(serve(createGateway(), options as never)).rejects.toThrow(new TypeError(message))
  })

  test('declare.edge, with an error of the catalogue as for its ids', () => {
    const { declare } = createGateway({ references: 'declared' })
    const wrong = { backend: 'bkdhr_1' }
    expect(() => declare.edge('edghts_1', wrong as never)).toThrow(GatewayError)
    expect(() => declare.edge('edghts_1', wrong as never)).toThrow('"backend" is not an option. Supported: routes.')
  })
})

test.each([
  {},
  { load() {} },
  { append() {} },
  { load() {}, append: 5 },
  { load() {}, append() {}, flushed: 5 },
  () => 5,
])('A store without the functions that it needs is refused: %#', (store) => {
  const allowed = 'Allowed: an object with the functions "load" and "append", and perhaps "flushed".'
  expect(() => createGateway({ store: store as never })).toThrow(allowed)
})

test('A snapshot may leave its options out, and each of them undefined', () => {
  const { snapshot } = createGateway({ seed: 'x', clock: { now: 0 } })
  expect(snapshot(undefined)).toEqual(snapshot())
  // An option that is undefined is one that was left out, whatever its type says.
  expect(snapshot({ privateKeys: undefined } as never)).toEqual(snapshot({ privateKeys: false }))
})
