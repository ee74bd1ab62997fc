import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { controlClient, expectError } from '../support/client.ts'
import { DOMAIN, openWithCertificate, openWithDomain } from '../support/provisioning.ts'

type Case = [
  call: string,
  direct: (it: Gateway['provisioning'], domain: string) => unknown,
  http: string,
  json?: object,
]

const ofOne: Case[] = [
  ['attempt', (it, domain) => it.attempt(domain), 'POST /attempt'],
  ['renewNow', (it, domain) => it.renewNow(domain), 'POST /renew'],
  ['expireNow', (it, domain) => it.expireNow(domain), 'POST /expire'],
  ['timeline', (it, domain) => it.timeline(domain), 'GET /timeline'],
]

const outcomes = ['DNS_ERROR'] as const
const ofScripts: Case[] = [
  ['script', (it, domain) => it.script(outcomes, { domain }), 'POST /script', { outcomes }],
  [
    'failNext',
    (it, domain) => it.failNext('DNS_ERROR', { domain, times: 2 }),
    'POST /script',
    { outcomes, first: true, times: 2 },
  ],
  [
    'failAlways',
    (it, domain) => it.failAlways('DNS_ERROR', { domain }),
    'POST /script',
    { outcomes: [], always: 'DNS_ERROR' },
  ],
  ['clear', (it, domain) => it.clear({ domain }), 'DELETE /script'],
]

/** Makes a call over HTTP, for a domain. */
function over(gateway: Gateway, http: string, sent: Readonly<Record<string, unknown>>) {
  const [method = '', path] = http.split(' ')
  const query = method === 'POST' ? '' : `?${new URLSearchParams(sent as Record<string, string>)}`
  const json = method === 'POST' ? sent : undefined
  return controlClient(gateway)(method, `/provisioning${path}${query}`, json)
}

const WRITTEN = 'App.Example.com.'

describe('A domain can be given by its name or by its id (rules: control-api#calls):', () => {
  const opened = (call: string) => (call === 'attempt' ? openWithDomain() : openWithCertificate())

  test.each(ofOne)('%s does and returns the same', async (call, direct, http) => {
    const expected = opened(call)
    const result = direct(expected.gateway.provisioning, expected.id)
    const named = opened(call)
    expect(direct(named.gateway.provisioning, WRITTEN)).toEqual(result)
    expect(named.gateway.snapshot()).toEqual(expected.gateway.snapshot())
    for (const id of [WRITTEN, expected.id]) {
      const { gateway } = opened(call)
      const { status, body } = await over(gateway, http, { id })
      expect([status, body]).toEqual([200, result])
      expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    }
  })

  test('printTimeline and settled return the same', async () => {
    const { gateway, id } = openWithDomain()
    expect((await gateway.provisioning.settled(WRITTEN)).certificate).not.toBeNull()
    expect(await gateway.provisioning.settled(WRITTEN)).toEqual(await gateway.provisioning.settled(id))
    expect(gateway.provisioning.printTimeline(DOMAIN)).toBe(gateway.provisioning.printTimeline(id))
  })

  test.each(ofScripts)('%s is for the same domain', async (_call, direct, http, json) => {
    const opened = () => {
      const it = openWithDomain()
      it.gateway.provisioning.script(['INTERNAL_ERROR'], { domain: DOMAIN })
      it.gateway.provisioning.script(['success'])
      return it
    }
    const expected = opened()
    const before = expected.gateway.snapshot()
    direct(expected.gateway.provisioning, WRITTEN)
    expect(expected.gateway.snapshot()).not.toEqual(before)
    const { gateway, id } = opened()
    direct(gateway.provisioning, id)
    expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    for (const domain of [WRITTEN, id]) {
      const { gateway } = opened()
      expect((await over(gateway, http, { ...json, domain })).status).toBe(204)
      expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    }
  })
})

test('The error for a domain without a job has the id of the domain in its details, also if the call had its name', () => {
  const { gateway, id } = openWithCertificate()
  const error = expectError(() => gateway.provisioning.attempt(WRITTEN))
  expect(error).toMatchObject({ key: 'not_found', details: { id } })
  expect(error.message).toBe(`There is no provisioning job of ${WRITTEN}.`)
})

describe('The error for an unknown domain quotes the received name or id, and nothing changes:', () => {
  async function expectRefused([, direct, http, json]: Case, field: string, received: string) {
    const { gateway } = openWithDomain()
    gateway.provisioning.script(['DNS_ERROR'])
    const before = gateway.snapshot()
    const error = expectError(() => direct(gateway.provisioning, received))
    expect(error).toMatchObject({ name: 'GatewayError', key: 'not_found', status: 404 })
    expect(error.message).toBe(`There is no reserved domain with the name or id "${received}".`)
    const { status, body } = await over(gateway, http, { ...json, [field]: received })
    expect([status, body.msg]).toEqual([404, error.message])
    expect(gateway.snapshot()).toEqual(before)
  }

  test.each(ofOne)('%s, by name or id', async (...call) => {
    for (const received of ['rd_1', 'b.example.com', 'app', 'cert_1']) await expectRefused(call, 'id', received)
  })

  test.each(ofScripts)('%s, by id', async (...call) => {
    await expectRefused(call, 'domain', 'rd_1')
  })

  test.each(ofScripts)('%s of a domain that the service owns, by id', (_call, direct) => {
    const { gateway } = openWithDomain()
    const { id } = gateway.reservedDomains.create({ domain: 'a.gateway.test' })
    const error = expectError(() => direct(gateway.provisioning, id))
    expect(error).toMatchObject({ key: 'policy_on_service_domain', details: { 'field:domain': expect.any(String) } })
    expect(error.message).toContain(id)
  })
})
