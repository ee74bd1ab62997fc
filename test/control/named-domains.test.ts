import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { controlClient, expectError } from '../support/client.ts'
import { DOMAIN, openWithCertificate, openWithDomain } from '../support/provisioning.ts'

type Case = [
  call: string,
  callDirectly: (it: Gateway['provisioning'], domain: string) => unknown,
  http: string,
  json?: object,
]

const domainCalls: Case[] = [
  ['attempt', (it, domain) => it.attempt(domain), 'POST /attempt'],
  ['renewNow', (it, domain) => it.renewNow(domain), 'POST /renew'],
  ['expireNow', (it, domain) => it.expireNow(domain), 'POST /expire'],
  ['timeline', (it, domain) => it.timeline(domain), 'GET /timeline'],
]

const outcomes = ['DNS_ERROR'] as const
const scriptCalls: Case[] = [
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

/** Makes a call over HTTP, with fields in its body or its query. */
function callOverHttp(gateway: Gateway, http: string, fields: Readonly<Record<string, unknown>>) {
  const [method = '', path] = http.split(' ')
  const query = method === 'POST' ? '' : `?${new URLSearchParams(fields as Record<string, string>)}`
  const json = method === 'POST' ? fields : undefined
  return controlClient(gateway)(method, `/provisioning${path}${query}`, json)
}

const OTHER_SPELLING = 'App.Example.com.'

describe('A call accepts the name or the id of a domain (rules: control-api#calls):', () => {
  const openFor = (call: string) => (call === 'attempt' ? openWithDomain() : openWithCertificate())

  test.each(domainCalls)('%s does and returns the same', async (call, callDirectly, http) => {
    const expected = openFor(call)
    const result = callDirectly(expected.gateway.provisioning, expected.id)
    const actual = openFor(call)
    expect(callDirectly(actual.gateway.provisioning, OTHER_SPELLING)).toEqual(result)
    expect(actual.gateway.snapshot()).toEqual(expected.gateway.snapshot())
    for (const id of [OTHER_SPELLING, expected.id]) {
      const { gateway } = openFor(call)
      const { status, body } = await callOverHttp(gateway, http, { id })
      expect([status, body]).toEqual([200, result])
      expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    }
  })

  test('printTimeline and settled return the same', async () => {
    const { gateway, id } = openWithDomain()
    expect((await gateway.provisioning.settled(OTHER_SPELLING)).certificate).not.toBeNull()
    expect(await gateway.provisioning.settled(OTHER_SPELLING)).toEqual(await gateway.provisioning.settled(id))
    expect(gateway.provisioning.printTimeline(DOMAIN)).toBe(gateway.provisioning.printTimeline(id))
  })

  test.each(scriptCalls)('%s is for the same domain', async (_call, callDirectly, http, json) => {
    const openWithScripts = () => {
      const it = openWithDomain()
      it.gateway.provisioning.script(['INTERNAL_ERROR'], { domain: DOMAIN })
      it.gateway.provisioning.script(['success'])
      return it
    }
    const expected = openWithScripts()
    const before = expected.gateway.snapshot()
    callDirectly(expected.gateway.provisioning, OTHER_SPELLING)
    expect(expected.gateway.snapshot()).not.toEqual(before)
    const { gateway, id } = openWithScripts()
    callDirectly(gateway.provisioning, id)
    expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    for (const domain of [OTHER_SPELLING, id]) {
      const { gateway } = openWithScripts()
      expect((await callOverHttp(gateway, http, { ...json, domain })).status).toBe(204)
      expect(gateway.snapshot()).toEqual(expected.gateway.snapshot())
    }
  })
})

test('The error for a domain without a job has the id of the domain in its details, also if the call had its name', () => {
  const { gateway, id } = openWithCertificate()
  const error = expectError(() => gateway.provisioning.attempt(OTHER_SPELLING))
  expect(error).toMatchObject({ key: 'not_found', details: { id } })
  expect(error.message).toBe(`There is no provisioning job of ${OTHER_SPELLING}.`)
})

describe('The error for an unknown domain quotes the received name or id, and nothing changes:', () => {
  async function expectNotFound([, callDirectly, http, json]: Case, field: string, nameOrId: string) {
    const { gateway } = openWithDomain()
    gateway.provisioning.script(['DNS_ERROR'])
    const before = gateway.snapshot()
    const error = expectError(() => callDirectly(gateway.provisioning, nameOrId))
    expect(error).toMatchObject({ name: 'GatewayError', key: 'not_found', status: 404 })
    expect(error.message).toBe(`There is no reserved domain with the name or ID "${nameOrId}".`)
    const { status, body } = await callOverHttp(gateway, http, { ...json, [field]: nameOrId })
    expect([status, body.msg]).toEqual([404, error.message])
    expect(gateway.snapshot()).toEqual(before)
  }

  test.each(domainCalls)('%s, by name or id', async (...call) => {
    for (const nameOrId of ['rd_1', 'b.example.com', 'app', 'cert_1']) await expectNotFound(call, 'id', nameOrId)
  })

  test.each(scriptCalls)('%s, by id', async (...call) => {
    await expectNotFound(call, 'domain', 'rd_1')
  })

  test.each(scriptCalls)('%s of a domain that the service owns, by id', (_call, callDirectly) => {
    const { gateway } = openWithDomain()
    const { id } = gateway.reservedDomains.create({ domain: 'a.gateway.test' })
    const error = expectError(() => callDirectly(gateway.provisioning, id))
    expect(error).toMatchObject({ key: 'policy_on_service_domain', details: { 'field:domain': expect.any(String) } })
    expect(error.message).toContain(id)
  })
})
