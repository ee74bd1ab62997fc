import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

const gateway = createGateway()

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
