import { get } from 'node:http'
import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { serve } from '../../../src/server/node.ts'
import { type CodeUnderTest, type Ended, type Life, schedules, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { createCall, headers, program, sleep } from './programs/client.ts'

const ignore = () => undefined

/** Looks for an address and creates one, ignores every failure, and says that this is done. */
const lookAndCreate: CodeUnderTest = async (life) => {
  const call = createCall(life)
  await call('GET', '/reserved_addrs').catch(ignore)
  await call('POST', '/reserved_addrs', {}).catch(ignore)
  await life.effect('say that this is done', ignore)
}

const waitForCertificate = program((call) =>
  call('POST', '/reserved_domains', {
    domain: 'app.example.com',
    certificate_management_policy: { authority: 'letsencrypt' },
  }).then(() => sleep(60_000)),
)

test('each failure is tried where it makes a difference', async () => {
  const options = { faults: 1, restart: true, also: ['late', 'slow', 'clock'], holds: () => true } as const
  const tried = new Map<string, string[]>()
  for await (const { schedule } of schedules(lookAndCreate, options))
    for (const { at, fault } of schedule) tried.set(at, [...(tried.get(at) ?? []), fault])
  const always = ['lost-before', '503', '429', 'cut', 'silent', 'crash', 'slow', 'clock-forward', 'clock-back']
  expect(Object.fromEntries([...tried].map(([at, faults]) => [at, new Set(faults)]))).toEqual({
    'GET /reserved_addrs': new Set(always),
    'POST /reserved_addrs': new Set([...always, 'lost-after', '503-after', 'silent-after', 'late']),
    'effect say that this is done': new Set(['crash-before', 'crash-after']),
  })
})

test('failed certificates are tried without an option', async () => {
  const tried = new Set<string>()
  for await (const { replay } of schedules(waitForCertificate, { faults: 1 })) tried.add(replay)
  expect([...tried].filter((each) => each.startsWith('attempt '))).toEqual([
    'attempt app.example.com#1 DNS_ERROR',
    'attempt app.example.com#1 INTERNAL_ERROR',
  ])
})

test('a story says of each failure what happened', async () => {
  const options = { faults: 1, restart: true, also: ['late', 'slow', 'clock'] } as const
  const told: Record<string, string | undefined> = {}
  for await (const { replay, story } of schedules(lookAndCreate, options)) {
    const line = story.split('\n').find((each) => each.includes('✗'))
    told[replay] = line?.replace(/^.*✗ /, '')
  }
  for await (const { replay, story } of schedules(waitForCertificate, { kinds: ['outcomes'], faults: 1 }))
    told[replay] ??= story.split('\n').find((each) => each.includes('✗'))
  expect(told).toMatchObject({
    'POST /reserved_addrs#1 lost-before': 'the connection is lost',
    'POST /reserved_addrs#1 lost-after': 'done, but the response is lost (ra_a)',
    'POST /reserved_addrs#1 503': '503',
    'POST /reserved_addrs#1 503-after': 'done, but 503 (ra_a)',
    'POST /reserved_addrs#1 429': '429, Retry-After: 1',
    'POST /reserved_addrs#1 cut': 'truncated in the middle → 201 (ra_a)',
    'POST /reserved_addrs#1 silent': 'no response',
    'POST /reserved_addrs#1 silent-after': 'done, but no response (ra_a)',
    'POST /reserved_addrs#1 crash': 'the code crashes before the response (ra_a)',
    'POST /reserved_addrs#1 late': 'no response, and done too late',
    'POST /reserved_addrs#1 slow': 'after 30s → 201 (ra_a)',
    'POST /reserved_addrs#1 clock-forward': "the client's date jumps 1h ahead → 201 (ra_a)",
    'POST /reserved_addrs#1 clock-back': "the client's date jumps 1h back → 201 (ra_a)",
    'effect say that this is done#1 crash-before': 'the code crashes before it',
    'effect say that this is done#1 crash-after': 'the code crashes after it',
    'attempt app.example.com#1 DNS_ERROR': expect.stringContaining('attempt app.example.com ✗ DNS_ERROR'),
    'attempt app.example.com#1 INTERNAL_ERROR': expect.stringContaining('attempt app.example.com ✗ INTERNAL_ERROR'),
  })
})

test('a replay of an unknown failure names those that there are', async () => {
  await expect(survives(lookAndCreate, { replay: 'GET /reserved_addrs#1 503-before' })).rejects.toThrow(
    'replay has "503-before", which is not a failure. Allowed: lost-before, lost-after, 503, 503-after, 429, cut, ',
  )
})

test('a story shows the query of a request', async () => {
  const code = program((call) => call('GET', '/reserved_addrs?limit=1'))
  const { groups } = await expectSurvivalError(survives(code, { kinds: ['lost'], allow: () => false }))
  expect(groups[0]?.story).toContain('GET /reserved_addrs?limit=1 ✗ the connection is lost')
})

test('a longer poll with equal responses has no more schedules', async () => {
  const poll = (times: number) =>
    program(async (call) => {
      for (let n = 0; n < times; n++) await call('GET', '/reserved_addrs')
    })
  const { tried } = await survives(poll(3), { faults: 1 })
  expect(tried).toBe(15)
  expect((await survives(poll(30), { faults: 1 })).tried).toBe(tried)
})

test('what follows the late failure of a request that nobody awaits is work after the end', async () => {
  const code: CodeUnderTest = async (life) => {
    void createCall(life)('GET', '/reserved_addrs').catch(() => createCall(life)('POST', '/reserved_addrs', {}))
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  const { message } = await expectSurvivalError(survives(code, { replay: 'GET /reserved_addrs#1 silent' }))
  expect(message).toContain('it sends 1 request after it has ended.')
  expect(message).toContain('      5m  POST /reserved_addrs {}')
})

test('the connections of a crashed process to a server are closed at the end of their run', async () => {
  const open = new Set<number>()
  let count = 0
  const code = ({ url }: Life) =>
    new Promise<void>((resolve) => {
      const number = ++count
      open.add(number)
      const request = get(`${url}/reserved_addrs`, { headers, agent: false }, (response) =>
        response.resume().once('end', resolve),
      )
      request.once('error', () => undefined).once('close', () => open.delete(number))
    })
  let crashes = 0
  for await (const { schedule } of schedules(code, {
    serve,
    create: createNgrok,
    kinds: ['crash'],
    restart: true,
    faults: 1,
  })) {
    crashes += schedule.length
    expect(open).toEqual(new Set())
  }
  expect(crashes).toBe(1)
})

test('two different races after the same requests are reported apart', async () => {
  const code = program(async (call) => {
    const { reserved_addrs } = await call('GET', '/reserved_addrs')
    const { ip_policies } = await call('GET', '/ip_policies')
    if (reserved_addrs.length === 0) await call('POST', '/reserved_addrs', {})
    if (ip_policies.length === 0) await call('POST', '/ip_policies', {})
  })
  const { groups } = await expectSurvivalError(survives(code, { copies: 2, create: createNgrok }))
  const messages = groups.map(({ message }) => message)
  expect(messages).toContain('2 reserved_addrs, expected 1.')
  expect(messages).toContain('2 ip_policies, expected 1.')
})

/** Returns what code sees of a response, and how long it takes. */
async function meet({ fetch, url }: Life): Promise<string> {
  const start = performance.now()
  const seen = await fetch(`${url}/reserved_addrs`, { headers }).then(
    async (response) => {
      const wait = response.headers.get('retry-after')
      const body = await response.json().then(
        () => 'whole',
        () => 'broken',
      )
      return `${response.status}${wait ? `, to wait ${wait} s` : ''}, ${body}`
    },
    (error) => error.constructor.name,
  )
  return `${seen} after ${(performance.now() - start) / 1000} s`
}

test('code meets each failure as it would meet it in a network', async () => {
  const met: Record<string, string> = {}
  const holds = ({ value, schedule }: Ended<string> & { readonly value: string }) => {
    met[schedule[0]?.fault ?? 'none'] = value
  }
  await survives(meet, { faults: 1, also: ['slow'], holds })
  expect(met).toEqual({
    none: '200, whole after 0 s',
    'lost-before': 'TypeError after 0 s',
    503: '503, whole after 0 s',
    429: '429, to wait 1 s, whole after 0 s',
    cut: '200, broken after 0 s',
    silent: 'TypeError after 300 s',
    slow: '200, whole after 30 s',
  })
})
