import { describe, expect, test } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import type { Gateway } from '../../../src/index.ts'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { withoutFacts } from '../../support/details.ts'
import {
  advanceUnnoticed,
  DOMAIN,
  dueAfter,
  ECDSA,
  openManual,
  openWithCertificate,
  openWithDomain,
} from '../../support/provisioning.ts'

type Provisioning = Gateway['provisioning']

const POLICY = { certificate_management_policy: ECDSA } as const
const OTHER = 'other.example.com'

/** Runs attempts of a domain until one succeeds, at most `max`. Returns their outcomes. */
function runAttempts(gateway: Gateway, id: string, max = 10): (string | null)[] {
  const outcomes: (string | null)[] = []
  while (gateway.reservedDomains.get(id).certificate_management_status?.provisioning_job && outcomes.length < max) {
    gateway.provisioning.attempt(id)
    outcomes.push(gateway.provisioning.timeline(id).at(-1)?.outcome ?? null)
  }
  return outcomes
}

/** Opens a gateway with two managed domains. */
function openWithTwo() {
  const { gateway, id } = openWithDomain()
  const other = gateway.reservedDomains.create({ domain: OTHER, ...POLICY }).id
  return { gateway, provisioning: gateway.provisioning, id, other }
}

describe('A scripted outcome (rules: provisioning-jobs#outcomes)', () => {
  test('counts for an attempt that was due later, not for one that was due before it was scripted', () => {
    const { gateway, id } = openWithDomain()
    advanceUnnoticed(gateway.clock, '31s')
    gateway.provisioning.script(['DNS_ERROR'])
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
    expect(gateway.provisioning.pendingOutcomes()).toHaveLength(1)
  })
})

describe('failAlways', () => {
  test('counts as used after one attempt, so that a test need not remove it', () => {
    const { gateway, provisioning } = openWithTwo()
    provisioning.failAlways('DNS_ERROR')
    expect(provisioning.pendingOutcomes()).toEqual([])
    expect(() => provisioning.assertNoPendingOutcomes()).toThrow('No attempt used these outcomes: always DNS_ERROR')
    gateway.clock.advanceToNext()
    expect(() => provisioning.assertNoPendingOutcomes()).not.toThrow()
  })
})

describe('A script over HTTP', () => {
  const url = 'http://localhost/_fauxgate/provisioning/script'

  test('can be repeated, and can go before the pending outcomes, in its own order', async () => {
    const { gateway, provisioning, id } = openWithTwo()
    const api = client(gateway)
    provisioning.script(['INTERNAL_ERROR'], { domain: DOMAIN })
    const json = { outcomes: ['DNS_ERROR', 'success'], domain: DOMAIN, times: 2 }
    expect(outcome(await api('POST', url, { json: { ...json, first: true } }))).toBe('204')
    expect(outcome(await api('POST', url, { json: { outcomes: ['DNS_ERROR'], domain: DOMAIN } }))).toBe('204')
    const all = ['DNS_ERROR', 'success', 'DNS_ERROR', 'success', 'INTERNAL_ERROR', 'DNS_ERROR']
    expect((await api('GET', url)).body).toMatchObject(all.map((each) => ({ domain: DOMAIN, outcome: each })))
    expect(runAttempts(gateway, id)).toEqual(['DNS_ERROR', 'success'])
    expect(provisioning.pendingOutcomes().map((each) => each.outcome)).toEqual(all.slice(2))
  })

  test('lists the lasting outcomes too, after the others of their domain, and removes one outcome by its id alone', async () => {
    const { gateway, provisioning, id } = openWithTwo()
    const api = client(gateway)
    const list = async () => (await api('GET', url)).body as unknown as { id: string; outcome: string }[]
    provisioning.failAlways('INTERNAL_ERROR')
    provisioning.failAlways('DNS_ERROR', { domain: DOMAIN })
    provisioning.script(['INTERNAL_ERROR', 'success'], { domain: DOMAIN })
    expect(await list()).toEqual([
      { id: expect.any(String), domain: DOMAIN, outcome: 'INTERNAL_ERROR' },
      { id: expect.any(String), domain: DOMAIN, outcome: 'success' },
      { id: `always_${DOMAIN}`, domain: DOMAIN, outcome: 'DNS_ERROR', always: true },
      { id: 'always_*', domain: null, outcome: 'INTERNAL_ERROR', always: true },
    ])
    expect(toInspected(gateway).overview().outcomes).toBe(4)
    const [first] = await list()
    expect(outcome(await api('DELETE', `${url}?id=${first?.id}`))).toBe('204')
    expect((await list()).map((each) => each.outcome)).toEqual(['success', 'DNS_ERROR', 'INTERNAL_ERROR'])
    expect((await api('DELETE', `${url}?id=${first?.id}`)).status).toBe(404)
    expect(runAttempts(gateway, id)).toEqual(['success'])
    expect(outcome(await api('DELETE', `${url}?id=always_*`))).toBe('204')
    expect(outcome(await api('DELETE', `${url}?id=always_${DOMAIN}`))).toBe('204')
    expect(await list()).toEqual([])
  })

  test('can set a lasting outcome after it, also success, and clearing it removes both', async () => {
    const { gateway, provisioning, id } = openWithTwo()
    const api = client(gateway)
    provisioning.failAlways('INTERNAL_ERROR')
    const json = { outcomes: ['DNS_ERROR'], domain: DOMAIN, always: 'success' }
    expect(outcome(await api('POST', url, { json }))).toBe('204')
    expect(runAttempts(gateway, id)).toEqual(['DNS_ERROR', 'success'])
    expect(outcome(await api('DELETE', `${url}?domain=${DOMAIN}`))).toBe('204')
    gateway.clock.advance('60d')
    expect(runAttempts(gateway, id, 1)).toEqual(['INTERNAL_ERROR'])
  })
})

describe('The outcomes that no attempt has used', () => {
  test('are named by assertNoPendingOutcomes, which throws nothing once they are used', () => {
    const { gateway, provisioning, id } = openWithTwo()
    provisioning.script(['DNS_ERROR'], { domain: DOMAIN })
    provisioning.script(['success'])
    expect(() => provisioning.assertNoPendingOutcomes()).toThrow(/DNS_ERROR for app\.example\.com/)
    expect(() => provisioning.assertNoPendingOutcomes()).toThrow(/success for any domain/)
    runAttempts(gateway, id)
    expect(() => provisioning.assertNoPendingOutcomes()).not.toThrow()
  })

  test('are named one by one up to twenty, and counted after that', () => {
    const { provisioning } = openWithTwo()
    provisioning.failNext('DNS_ERROR', { times: 20 })
    const reason = `the next attempt, for app.example.com, is due at ${dueAfter('30s')}, and it is ${SHOWN_START}`
    const twenty = Array(20).fill('DNS_ERROR for any domain').join(', ')
    expect(expectError(() => provisioning.assertNoPendingOutcomes()).message).toBe(
      `No attempt used these outcomes: ${twenty}.\n  any domain: ${reason}.`,
    )
    provisioning.script(['success', 'success'])
    expect(expectError(() => provisioning.assertNoPendingOutcomes()).message).toBe(
      `No attempt used these outcomes: ${twenty} and 2 more.\n  any domain: ${reason}.`,
    )
  })

  test('are explained by the earliest event of all domains, regardless of the order of reservation', () => {
    const { gateway, id } = openWithCertificate()
    gateway.clock.advance('10s')
    gateway.reservedDomains.create({ domain: OTHER, ...POLICY })
    gateway.clock.advance('10s')
    const last = gateway.reservedDomains.create({ domain: 'last.example.com', ...POLICY }).id
    gateway.provisioning.script(['DNS_ERROR'])
    const readReason = () => expectError(() => gateway.provisioning.assertNoPendingOutcomes()).message
    expect(readReason()).toContain(`the next attempt, for ${OTHER}, is due at ${dueAfter('40s')}`)
    gateway.provisioning.script(['success'], { domain: OTHER })
    gateway.provisioning.attempt(gateway.reservedDomains.list().reserved_domains[1]?.id ?? '')
    expect(readReason()).toContain(`the next attempt, for last.example.com, is due at ${dueAfter('50s')}`)
    gateway.reservedDomains.delete(last)
    expect(readReason()).toContain(
      `the next renewal, for ${DOMAIN}, is due at ${gateway.reservedDomains.get(id).certificate_management_status?.renews_at}`,
    )
  })

  test('are up to date: an attempt that was due has used its outcome', () => {
    const { gateway } = openWithDomain()
    gateway.provisioning.script(['success'])
    advanceUnnoticed(gateway.clock, '31s')
    expect(() => gateway.provisioning.assertNoPendingOutcomes()).not.toThrow()
  })
})

/** Expects a call to throw a GatewayError with a text in its message, and to change nothing. Returns the error. */
function expectRefusal(call: (provisioning: Provisioning) => unknown, message: string) {
  const { gateway, provisioning } = openWithTwo()
  provisioning.script(['DNS_ERROR'])
  const before = gateway.snapshot()
  const error = expectError(() => call(provisioning))
  expect(error).toMatchObject({ name: 'GatewayError', status: 400 })
  expect(error.message).toContain(message)
  expect(gateway.snapshot()).toEqual(before)
  return error
}

describe('A wrong call is rejected with a GatewayError that names what is allowed, and changes nothing:', () => {
  const TIMES = 'Allowed: an integer from 1 to 10000.'
  test.each<[string, (provisioning: Provisioning) => unknown, string]>([
    [
      'an unknown outcome',
      ({ script }) => script(['dns_error' as never]),
      'Allowed: success, INTERNAL_ERROR, DNS_ERROR, or a numbered error such as "ERR_NGROK_26014", or an object',
    ],
    ['a text for the list', ({ script }) => script('success' as never), 'Allowed: an array.'],
    ['a misspelt option', ({ script }) => script(['success'], { domian: DOMAIN } as never), 'Supported: '],
    [
      'an empty domain',
      ({ script }) => script(['success'], { domain: '' }),
      'domain is "". Allowed: at least two labels',
    ],
    [
      'a success',
      ({ failAlways }) => failAlways('success' as never),
      'error is "success". Allowed: INTERNAL_ERROR, DNS_ERROR',
    ],
    [
      'no error',
      ({ failNext }) => failNext(undefined as never),
      'error is missing. Allowed: INTERNAL_ERROR, DNS_ERROR',
    ],
    ['an unknown error', ({ failNext }) => failNext('NO_ERROR' as never), 'INTERNAL_ERROR'],
    ['an unknown option', ({ failNext }) => failNext('DNS_ERROR', { count: 2 } as never), 'Supported: domain, times.'],
    [
      'a field that is no option',
      ({ failNext }) => failNext('DNS_ERROR', { outcomes: [] } as never),
      '"outcomes" is not',
    ],
    ['options that are null', ({ script }) => script(['success'], null as never), 'options is null'],
    ['a name in the place of options of clear', ({ clear }) => clear(DOMAIN as never), 'options is "app.example.com"'],
    ['a negative number of times', ({ failNext }) => failNext('DNS_ERROR', { times: -1 }), TIMES],
    ['too many times', ({ failNext }) => failNext('DNS_ERROR', { times: 10_001 }), TIMES],
    ['a fractional number of times', ({ failNext }) => failNext('DNS_ERROR', { times: 1.5 }), TIMES],
    ['an unknown option of clear', ({ clear }) => clear({ id: 'rd_1' } as never), 'Supported: domain.'],
  ])('%s', (_what, call, message) => {
    expectRefusal(call, message)
  })
})

describe('A name that no domain with a policy can have is rejected: its outcome could never be used', () => {
  const calls: [string, (provisioning: Provisioning, domain: string) => unknown][] = [
    ['script', ({ script }, domain) => script(['success'], { domain })],
    ['failNext', ({ failNext }, domain) => failNext('DNS_ERROR', { domain })],
    ['failAlways', ({ failAlways }, domain) => failAlways('DNS_ERROR', { domain })],
    ['clear', ({ clear }, domain) => clear({ domain })],
  ]
  describe.each(calls)('by %s', (_what, call) => {
    test.each([
      ['app', 'domain_not_qualified'],
      ['app..example.com', 'domain_empty_label'],
      ['a_b.example.com', 'domain_underscore'],
      ['https://app.example.com', 'domain_character_invalid'],
      ['\u212ait.example.com', 'domain_character_invalid'],
      ['a.gateway.test', 'policy_on_service_domain'],
    ])('%s', (domain, key) => {
      const error = expectRefusal((provisioning) => call(provisioning, domain), JSON.stringify(domain))
      expect([error.key, Object.keys(withoutFacts(error.details))]).toEqual([key, ['field:domain']])
    })
  })
})

describe('At most 10,000 outcomes are pending', () => {
  test('over all domains: one more is rejected, and the message has the numbers of pending, requested and allowed outcomes', () => {
    const { gateway, provisioning, id } = openWithTwo()
    provisioning.failNext('DNS_ERROR', { times: 9_000, domain: DOMAIN })
    provisioning.script(Array(997).fill('success'))
    provisioning.script(['DNS_ERROR'], { domain: OTHER })
    const before = gateway.snapshot()
    for (const call of [
      () => provisioning.script(['success', 'success', 'success']),
      () => provisioning.failNext('DNS_ERROR', { domain: OTHER, times: 3 }),
    ]) {
      const error = expectError(call)
      expect(error).toMatchObject({ name: 'GatewayError', key: 'field_invalid', status: 400 })
      expect(Object.keys(withoutFacts(error.details))).toEqual(['field:outcomes'])
      expect(error.message).toBe(
        'outcomes is 3 outcomes, with 9998 pending already. Allowed: at most 10000 pending outcomes.',
      )
      expect(gateway.snapshot()).toEqual(before)
    }
    provisioning.script(['success', 'success'])
    expect(refusalKey(() => provisioning.script(['success']))).toBe('field_invalid')
    expect(refusalKey(() => provisioning.script([]))).toBe('ok')
    provisioning.attempt(id)
    expect(refusalKey(() => provisioning.script(['success']))).toBe('ok')
    expect(provisioning.pendingOutcomes()).toHaveLength(10_000)
  })

  test('also if a list is repeated: it is rejected before it is repeated', async () => {
    const { gateway, provisioning } = openWithTwo()
    const url = 'http://localhost/_fauxgate/provisioning/script'
    const outcomes = Array(10_000).fill('success')
    const { status, body } = await client(gateway)('POST', url, { json: { outcomes, times: 10_000 } })
    expect(status).toBe(400)
    expect(body.msg).toContain('100000000 outcomes, with 0 pending already')
    expect(provisioning.pendingOutcomes()).toEqual([])
    expect((await client(gateway)('POST', url, { json: { outcomes } })).status).toBe(204)
  })

  test('and an attempt takes one of them, with only that one in its commit', () => {
    const { gateway, provisioning, id } = openWithTwo()
    provisioning.failNext('INTERNAL_ERROR', { times: 10_000 })
    const sizes: number[] = []
    gateway.subscribe((commit) => sizes.push(JSON.stringify(commit).length))
    gateway.provisioning.attempt(id)
    expect(sizes).toHaveLength(1)
    expect(sizes[0]).toBeLessThan(5_000)
    expect(provisioning.pendingOutcomes()).toHaveLength(9_999)
  })

  test('and at most 10,000 domains also have a lasting outcome', () => {
    const gateway = openManual()
    const { provisioning } = gateway
    for (let i = 1; i < 10_000; i++) provisioning.failAlways('DNS_ERROR', { domain: `d${i}.example.com` })
    provisioning.failAlways('DNS_ERROR')
    const error = expectError(() => provisioning.failAlways('DNS_ERROR', { domain: 'd0.example.com' }))
    expect(error).toMatchObject({ key: 'field_invalid', status: 400 })
    expect(error.message).toBe(
      'always is for a new domain when 10000 domains already have a lasting outcome. Allowed: at most 10000 domains.',
    )
    provisioning.failAlways('INTERNAL_ERROR', { domain: 'd1.example.com' })
    provisioning.clear({ domain: 'd2.example.com' })
    provisioning.failAlways('DNS_ERROR', { domain: 'd0.example.com' })
    const { id } = gateway.reservedDomains.create({ domain: 'd1.example.com', ...POLICY })
    expect(runAttempts(gateway, id, 1)).toEqual(['INTERNAL_ERROR'])
  })
})

describe('An operation that is rejected uses up no outcome (rules: transactions#all-or-nothing)', () => {
  test.each<[string, string, (gateway: Gateway, id: string) => unknown]>([
    [
      'a name that is taken',
      'domain_taken',
      ({ reservedDomains }) => reservedDomains.create({ domain: DOMAIN, ...POLICY }),
    ],
    [
      'an endpoint configuration that was not declared',
      'endpoint_configuration_not_found',
      ({ reservedDomains }, id) => reservedDomains.update(id, { http_endpoint_configuration_id: 'ec_1', ...POLICY }),
    ],
  ])('%s, with an attempt in the call itself', (_what, key, call) => {
    const gateway = openManual({ provisioningDelay: 0, references: 'declared' })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    gateway.provisioning.script(['DNS_ERROR'])
    const before = gateway.snapshot()
    expect(refusalKey(() => call(gateway, id))).toBe(key)
    expect(gateway.snapshot()).toEqual(before)
    gateway.provisioning.script(['success'])
    const domain = gateway.reservedDomains.update(id, POLICY)
    expect(domain.certificate_management_status?.provisioning_job?.error_code).toBe('DNS_ERROR')
  })
})
