import { Ngrok } from '@ngrok/ngrok-api'
import axios from 'axios'
import { setupServer } from 'msw/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { runCommand } from '../../src/server/commands/run.ts'
import { serve } from '../../src/server/node.ts'
import { handlers } from '../../src/testing/msw.ts'
import { type CodeUnderTest, type SurvivesOptions, survives } from '../../src/testing/testing.ts'
import { expectSurvivalError } from '../testing/survives/failure.ts'

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
const body = { description: 'app' }

/** Creates a resource again after a failure, although it may exist already. */
async function createWithRetries(create: () => Promise<unknown>) {
  for (let retries = 3; ; retries--) {
    try {
      return await create()
    } catch (error) {
      if (retries === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

const byAxios: CodeUnderTest = ({ url }) =>
  createWithRetries(() => axios.post(`${url}/reserved_addrs`, body, { headers }))

const byClient: CodeUnderTest = ({ url }) => {
  const client = new Ngrok({ apiToken: 'any key', baseUrl: url })
  return createWithRetries(() => client.reservedAddrs.create({ region: 'us', ...body }))
}

const byFetch: CodeUnderTest = ({ url }) =>
  createWithRetries(async () => {
    const response = await fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(response.statusText)
    return response.json()
  })

/** Returns all failing schedules with one fault. */
async function findFailing(search: Promise<unknown>): Promise<string[]> {
  const { groups } = await expectSurvivalError(search)
  return groups.map(({ replay, count }) => `${replay} and ${count - 1} more`)
}

const expected = ['POST /reserved_addrs#1 lost-after and 3 more']

test('faults act on axios over serve', async () => {
  // axios returns JSON that was cut off as a text.
  expect(await findFailing(survives(byAxios, { serve }))).toEqual(['POST /reserved_addrs#1 lost-after and 2 more'])
})

test('over serve too, the story and the snapshot of a crash have the leftover resources', async () => {
  const { message, groups } = await expectSurvivalError(survives(byAxios, { serve, restart: true, kinds: ['crash'] }))
  expect(message).toContain('in the end: it resolves; left behind: ra_a, ra_b')
  expect(groups[0]?.snapshot).toHaveProperty('records.reserved_addrs.length', 2)
})

test("faults act on ngrok's own client over serve", async () => {
  expect(await findFailing(survives(byClient, { serve, create: createNgrok }))).toEqual(expected)
})

test('faults act on handlers of MSW', async () => {
  const setup = (gateway: Parameters<typeof handlers>[0]) => {
    const server = setupServer(...handlers(gateway))
    server.listen()
    return () => server.close()
  }
  expect(await findFailing(survives(byFetch, { setup }))).toEqual(expected)
})

test('commands move the clock of the gateway over HTTP', async () => {
  const provision: CodeUnderTest = async ({ url }) => {
    const domain = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
    const { data } = await axios.post(`${url}/reserved_domains`, domain, { headers })
    expect(await runCommand(['clock', 'advance', '30s'], { FAUXGATE_URL: url })).toBe(0)
    return (await axios.get(`${url}/reserved_domains/${data.id}`, { headers })).data.certificate
  }
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true)
  onTestFinished(() => void vi.restoreAllMocks())
  // Loads the commands first: on a busy machine that takes longer than the idle time that a run allows.
  await runCommand(['help'])
  const holds: SurvivesOptions['holds'] = ({ value }) => value !== null
  expect(await findFailing(survives(provision, { serve, holds, kinds: ['outcomes'] }))).toEqual([
    'attempt app.example.com#1 DNS_ERROR and 1 more',
  ])
})
