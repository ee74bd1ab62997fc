import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError, manualClock } from '../../src/index.ts'
import { familyOf } from '../../src/kit/index.ts'
import { serve } from '../../src/server/node.ts'
import {
  certificatePair,
  damagedPair,
  encryptedKeyPair,
  expiredPair,
  mismatchedPair,
  notYetValidPair,
  swappedPair,
  wrongOrderPair,
} from '../../src/testing/testing.ts'

import { client } from '../support/client.ts'

/** The function and the file of the first line of a stack. */
function firstFrame(error: unknown): string {
  const frame =
    String((error as Error).stack)
      .split('\n')
      .find((line) => /^\s+at /.test(line)) ?? ''
  return frame
    .replace(/:\d+:\d+/g, '')
    .replace(/\(?(?:file:\/\/)?\/.*\//, '')
    .replace(/^\s+at (async )?|\)$/g, '')
}

function thrownBy(callingGateway: () => unknown): unknown {
  try {
    callingGateway()
  } catch (error) {
    return error
  }
  throw new Error('It threw nothing.')
}

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

describe('The stack of an error begins at the line of the caller', () => {
  const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
  const calls: Record<string, () => unknown> = {
    'an operation without ids': function calling() {
      return gateway.reservedDomains.create({ domain: '' })
    },
    'an operation with an id': function calling() {
      return gateway.reservedDomains.get('rd_nope')
    },
    'an operation with two ids': function calling() {
      return gateway.compression.get(ROUTE)
    },
    'faults.add': function calling() {
      return gateway.faults.add({ status: 5 })
    },
    'requests.all': function calling() {
      return gateway.requests.all({ status: 5 })
    },
    'provisioning.failNext': function calling() {
      return gateway.provisioning.failNext('DNS_ERROR', { domain: '?' })
    },
    'authority.privateKeyPem': function calling() {
      return gateway.authority.privateKeyPem('cert_nope')
    },
    restore: function calling() {
      return gateway.restore({} as never)
    },
  }
  for (const [name, call] of Object.entries(calls)) {
    test(`of ${name}`, () => {
      const error = thrownBy(call)
      expect(error).toBeInstanceOf(GatewayError)
      expect(firstFrame(error)).toBe('calling stacks.test.ts')
      expect((error as Error).stack).toContain(`GatewayError: ${(error as Error).message}`)
    })
  }

  const rejecting: Record<string, () => Promise<unknown>> = {
    'provisioning.settled': async function calling() {
      await gateway.provisioning.settled('rd_nope')
    },
    'clock.advanceAsync': async function calling() {
      await gateway.clock.advanceAsync('soon' as never)
    },
    'clock.advanceToAsync': async function calling() {
      await gateway.clock.advanceToAsync('2025-01-01T00:00:00Z')
    },
    'serve with a wrong option': async function calling() {
      await serve(gateway, { port: -1 })
    },
  }
  for (const [name, call] of Object.entries(rejecting)) {
    test(`of what is rejected: ${name}`, async () => {
      expect(firstFrame(await call().catch((error) => error))).toBe('calling stacks.test.ts')
    })
  }

  const wrong = { nope: 1 } as never
  const WITH_OPTIONS: Record<string, () => unknown> = {
    'createGateway with a wrong option': function calling() {
      createGateway({ seed: 5 as never })
    },
    'createGateway with options that do not fit together': function calling() {
      createGateway({ renewalLead: '90d' })
    },
    'createGateway with a family that has a name of another': function calling() {
      createGateway({ families: { reservedAddrs: familyOf({ operations: {}, errors: {}, collections: [] }) } })
    },
    'createGateway with a family that has a name of the gateway': function calling() {
      createGateway({ families: { snapshot: familyOf({ operations: {}, errors: {}, collections: [] }) } })
    },
    manualClock: function calling() {
      manualClock('soon')
    },
    'clock.advance': function calling() {
      gateway.clock.advance('soon' as never)
    },
    'clock.advanceTo': function calling() {
      gateway.clock.advanceTo('2025-01-01T00:00:00Z')
    },
    'clock.set': function calling() {
      gateway.clock.set(-1)
    },
    install: function calling() {
      gateway.install(wrong)
    },
    snapshot: function calling() {
      gateway.snapshot(wrong)
    },
    'authority.serverCertificate': function calling() {
      gateway.authority.serverCertificate({})
    },
    ...Object.fromEntries(
      [
        certificatePair,
        expiredPair,
        notYetValidPair,
        swappedPair,
        mismatchedPair,
        encryptedKeyPair,
        damagedPair,
        wrongOrderPair,
      ].map((pair) => [
        pair.name,
        function calling() {
          pair(wrong)
        },
      ]),
    ),
    'expiredPair with a validity': function calling() {
      expiredPair({ notAfter: 0 } as never)
    },
  }
  for (const [name, call] of Object.entries(WITH_OPTIONS)) {
    test(`about an option of ${name}`, () => {
      const error = thrownBy(call)
      expect(String(error)).toMatch(/^(Type|Range)Error: /)
      expect(firstFrame(error)).toBe('calling stacks.test.ts')
      expect((error as Error).stack).toContain(String(error))
    })
  }

  test('of an assertion', async () => {
    const own = createGateway({ clock: manualClock('2026-01-01T00:00:00Z') })
    own.faults.add({ operation: 'reserved_addrs.create' })
    own.provisioning.failNext('DNS_ERROR')
    await client(own)('GET', '/nope')
    const asserts = [
      function calling() {
        own.faults.assertNoPendingFaults()
      },
      function calling() {
        own.provisioning.assertNoPendingOutcomes()
      },
      function calling() {
        own.requests.assertAllKnown()
      },
    ]
    for (const each of asserts) {
      expect(thrownBy(each)).toMatchObject({ name: 'GatewayAssertionError' })
      expect(firstFrame(thrownBy(each))).toBe('calling stacks.test.ts')
    }
  })

  test('also of a call that a subscriber makes inside another one', () => {
    const own = createGateway()
    const errors: unknown[] = []
    own.subscribe(function subscriber() {
      errors.push(thrownBy(() => own.provisioning.timeline('rd_nope')))
      errors.push(thrownBy(() => own.reservedAddrs.get('ra_nope')))
    })
    own.reservedAddrs.create()
    own.declare.backend('bkdhr_1')
    expect(errors.map(firstFrame)).toEqual(Array(4).fill('stacks.test.ts'))
  })
})

describe('An error in the initial state', () => {
  test('names the entry, and its stack begins where the gateway is created', () => {
    const domains = ['a.example.com', 'b.example.com', 'a.example.com'].map((domain) => ({ domain }))
    const error = thrownBy(function calling() {
      createGateway({ initial: { reservedDomains: domains } })
    }) as GatewayError
    expect(error.key).toBe('domain_taken')
    expect(error.message).toMatch(/^initial\.reservedDomains\[2\]: The domain "a\.example\.com" is reserved already/)
    expect(error.stack).toContain(`GatewayError: ${error.message}`)
    expect(firstFrame(error)).toBe('calling stacks.test.ts')
  })

  test('names the entry of a route module', () => {
    const initial = { compression: [{ ...ROUTE }, { ...ROUTE, enabled: 5 as never }] }
    expect(() => createGateway({ initial })).toThrow(/^initial\.compression\[1\]: enabled is 5/)
  })
})
