import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { ManualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { type Call, createCall, program } from './programs/client.ts'

/** Returns the message for code that ignores the failure of its last request. */
async function messageOf(initial: NgrokOptions['initial'], change: (call: Call) => Promise<unknown>) {
  const search = survives((life) => change(createCall(life)), {
    create: (each) => createNgrok({ ...each, initial: initial ?? {} }),
    faults: 1,
    kinds: ['lost'],
    allow: () => true,
  })
  return (await expectSurvivalError(search)).message.split('\n')[0]
}

const ignore = () => undefined

it('A report shows the part in which long texts differ', async () => {
  const metadata = 'x'.repeat(200)
  const message = await messageOf({ ipPolicies: [{ metadata: `${metadata}1` }] }, async (call) => {
    const [{ id }] = (await call('GET', '/ip_policies')).ip_policies
    await call('PATCH', `/ip_policies/${id}`, { metadata: `${metadata}2` }).catch(ignore)
  })
  expect(message).toContain('has metadata "…xxxxxxxxxxxxxxxxxxxx1", expected "…xxxxxxxxxxxxxxxxxxxx2".')
})

it('A report tells that a resource of before is left, although there are as many as wanted', async () => {
  const message = await messageOf({ ipPolicies: [{}] }, async (call) => {
    const [{ id }] = (await call('GET', '/ip_policies')).ip_policies
    const isDeleted = await call('DELETE', `/ip_policies/${id}`).then(
      () => true,
      () => false,
    )
    if (isDeleted) await call('POST', '/ip_policies', {})
  })
  expect(message).toContain('ip_policies ipp_a still exists, but should have been deleted.')
})

it('A report has the value of a whole list whose length differs', async () => {
  const acl = ['bind:a.example.com', 'bind:b.example.com']
  const message = await messageOf({ credentials: [{ acl: acl.slice(1) }] }, async (call) => {
    const { credentials } = await call('GET', '/credentials')
    const { id } = credentials.find((each: { readonly acl: readonly string[] }) => each.acl.length === 1)
    await call('PATCH', `/credentials/${id}`, { acl }).catch(ignore)
  })
  expect(message).toContain('has acl ["bind:b.example.com"], expected ["bind:a.example.com","bind:b.example.com"].')
})

it('A report compares a changed resource with one of its own family, even if another is more alike', async () => {
  const headersOf = (value: string) => ({ headers: Object.fromEntries([...'abcdefghij'].map((name) => [name, value])) })
  const code = program(async (call) => {
    const page = await call('POST', '/backends/http_response', headersOf('v1'))
    const service = await call('POST', '/backends/static', { address: 'a.example.com:80' })
    try {
      await call('PATCH', `/backends/http_response/${page.id}`, headersOf('v2'))
      await call('PATCH', `/backends/static/${service.id}`, { description: 'v2' })
    } catch {}
  })
  const replay = 'PATCH /backends/http_response/{id}#1 lost-before'
  const { message } = await expectSurvivalError(survives(code, { create: createNgrok, replay }))
  expect(message).toContain('http_response_backends bkdhr_a has headers.a "v1", expected "v2".')
})

it('The order in which a map has its entries is no difference', async () => {
  const code = async (life: Life) => {
    const call = createCall(life)
    const [{ id }] = (await call('GET', '/backends/http_response')).backends
    const put = (headers: object) => call('PATCH', `/backends/http_response/${id}`, { headers })
    await put({ one: '1', two: '2' }).catch(() => put({ two: '2', one: '1' }))
  }
  const create = (each: NgrokOptions<ManualClock>) => createNgrok({ ...each, initial: { httpResponseBackends: [{}] } })
  const options: SurvivesOptions = { create, replay: 'PATCH /backends/http_response/{id}#1 503' }
  expect((await survives(code, options)).summary).toMatch(/; 0 fail$/)
})

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

it('A report has lines of at most 160 characters, and cuts long bodies in the middle', async () => {
  const body = JSON.stringify({ description: 'a'.repeat(250), metadata: 'the end' })
  const create = ({ url }: Life) => fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body })
  const { message } = await expectSurvivalError(survives(create, { kinds: ['lost'] }))
  const [first = '', , ...story] = message.split('\n')
  expect(first.length).toBeLessThanOrEqual(160)
  expect(story[0]).toMatch(
    /^ +0s {2}POST \/reserved_addrs \{"description":"a+….*"metadata":"the end"\} ✗ done, but the response/,
  )
  expect(Math.max(...story.map((line) => line.length))).toBeLessThanOrEqual(160)
})

it.each([
  ['a long key', 'a'.repeat(400)],
  ['words', 'seven words that say something to somebody '.repeat(10)],
])('A report uses the 160 characters of a line whose body has %s', async (_, metadata) => {
  const body = JSON.stringify({ description: 'app', metadata })
  const create = async ({ url }: Life) => {
    const response = await fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body })
    await response.json()
    throw new Error('It never works.')
  }
  const { message } = await expectSurvivalError(survives(create, { faults: 1 }))
  const line = message.split('\n').find((each) => each.includes('→ 201')) ?? ''
  expect(line).toMatch(/"\} → 201 \(ra_a\)$/)
  expect(line.length).toBeLessThanOrEqual(160)
  expect(line.length).toBeGreaterThan(135)
})

it('A report whose first line is cut has it in full below the story', async () => {
  const code = async ({ url }: Life) => {
    await fetch(`${url}/reserved_addrs`, { headers }).catch(() => {
      throw new Error(`${'Long '.repeat(60)}end`)
    })
  }
  const search = survives(code, { kinds: ['lost'], allow: () => false })
  const { message } = await expectSurvivalError(search)
  const [first = '', ...rest] = message.split('\n')
  expect(first).toMatch(/ it rejects with Error: Long .*….* end, which `allow` does not accept\.$/)
  expect(first.length).toBeLessThanOrEqual(160)
  expect(rest.find((line) => line.startsWith('  In full: '))).toContain('Long '.repeat(60))
})

it('The error shows only its message: what is for programs is neither enumerable nor in its JSON', async () => {
  const create = ({ url }: Life) => fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
  const error = await expectSurvivalError(survives(create, { kinds: ['lost'] }))
  expect(Object.keys(error)).toEqual([])
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'SurvivalError',
    message: error.message,
    stack: error.stack,
  })
  expect(inspect(error)).not.toContain('snapshot')
  const [group] = error.groups
  expect([error.replay, error.schedule, error.coverage[0]?.at]).toEqual([
    group?.replay,
    group?.schedule,
    group?.schedule[0]?.at,
  ])
})
