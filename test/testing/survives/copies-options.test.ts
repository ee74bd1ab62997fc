import { AsyncLocalStorage } from 'node:async_hooks'
import { Ngrok } from '@ngrok/ngrok-api'
import { expect, test, vi } from 'vitest'
import type { ManualClock } from '../../../src/core/engine/manual-clock.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { serve } from '../../../src/server/node.ts'
import { type CodeUnderTest, type SurvivesOptions, schedules, survives } from '../../../src/testing/testing.ts'
import { widgets } from '../../service/kit/widgets.ts'
import { expectSurvivalError } from './failure.ts'
import { createCall, ensureAddress, find, retry, sleep, statusOf } from './programs/client.ts'
import { optionsOf, RACY, type Race } from './programs/racy.ts'

const lookThenCreate: CodeUnderTest = (life) => ensureAddress(createCall(life), 'app')

const domain = { domain: 'app.example.com' }

/** Reserves a domain, which only one copy can do, and takes the conflict as success. */
const reserveOnce: CodeUnderTest = (life) => {
  const call = createCall(life)
  return retry(() =>
    call('POST', '/reserved_domains', domain).catch((error) => {
      if (statusOf(error) !== 409) throw error
    }),
  )
}

test('the report of a race has a column for each copy, and names the order', async () => {
  const error = await expectSurvivalError(survives(lookThenCreate, { copies: 2 }))
  expect(error.message).toBe(
    [
      'Two concurrent copies end differently than copies that run one after the other: 2 reserved_addrs, expected 1.',
      '',
      '  A  GET /reserved_addrs → 200',
      '     B  GET /reserved_addrs → 200',
      '     B  POST /reserved_addrs {"description":"app"} → 201 (ra_a)',
      '  A  POST /reserved_addrs {"description":"app"} → 201 (ra_b)',
      '  in the end: both resolve; left behind: ra_a, ra_b',
      '  The smallest of 2 failing interleavings; all 4 with one switch were tried.',
      "  Replay: survives(code, { copies: 2, replay: 'A1 B A' })",
    ].join('\n'),
  )
})

test('a copy that rejects is named, with what happens one after the other, and the mirror image is no other story', async () => {
  const code: CodeUnderTest = async (life) => {
    const call = createCall(life)
    const { reserved_addrs } = await call('GET', '/reserved_addrs')
    for (const { id } of reserved_addrs) await call('DELETE', `/reserved_addrs/${id}`)
  }
  const setup: SurvivesOptions['setup'] = ({ reservedAddrs }) => {
    for (const description of ['one', 'two']) reservedAddrs.create({ description })
  }
  const { message, groups } = await expectSurvivalError(survives(code, { copies: 2, setup }))
  expect(message.split('\n').find((line) => line.startsWith('  In full: '))).toBe(
    '  In full: Two concurrent copies end differently than copies that run one after the other: A rejects with Error: DELETE /reserved_addrs/ra_a was answered ' +
      'with 404. One after the other, both resolve.',
  )
  expect(groups.map(({ count }) => count)).toEqual([4])
})

test('the error of a client that is no Error shows its message', async () => {
  const code: CodeUnderTest = async ({ url }) => {
    const { ipPolicies, ipPolicyRules } = new Ngrok({ apiToken: 'any key', baseUrl: url })
    const [policy] = await ipPolicies.list()
    if ((await ipPolicyRules.list()).length === 0)
      await ipPolicyRules.create({ ipPolicyId: policy?.id ?? '', cidr: '10.0.0.0/8', action: 'allow' })
  }
  const create = (options: NgrokOptions<ManualClock>) =>
    createNgrok({ ...options, initial: { ipPolicies: [{ description: 'office' }] } })
  const { message } = await expectSurvivalError(survives(code, { copies: 2, serve, create }))
  expect(message).toContain('A rejects with Error: cidr is "10.0.0.0/8". The rule ')
  expect(message).toMatch(/→ 400 cidr is "10.0.0.0\/8"\. The rule .*…\n/)
})

test('a reference to a resource that is gone is described', async () => {
  const race = RACY['a reference to a key that the other one has deleted'] as Race
  const { message } = await expectSurvivalError(survives(race.code, optionsOf(race, createNgrok)))
  expect(message).toContain('reserved_addrs ra_a has metadata "a deleted cr", expected "cr_b".')
})

test('copies that wait for one another are named, and their polls are one series', async () => {
  const race = RACY['two locks, which each one takes in another order'] as Race
  const { message, groups } = await expectSurvivalError(survives(race.code, optionsOf(race, createNgrok)))
  expect(message).toMatch(/^Two concurrent copies fail: A never ends: it takes longer than 1m/)
  expect(groups[0]?.story.split('\n').length).toBeLessThan(15)
})

test('a long story has its first and its last lines', async () => {
  const code: CodeUnderTest = async (life) => {
    for (let n = 1; n <= 50; n++) await createCall(life)('POST', '/reserved_addrs', { description: `${life.copy}${n}` })
  }
  const runs = []
  for await (const each of schedules(code, { copies: 2, switches: 0 })) runs.push(each)
  expect(runs[0]?.story).toMatch(
    /A40"\} → 201 \(ra_\d+\)\n {8}… 40 lines left out\n {5}B {2}POST \/reserved_addrs \{"description":"B31"/,
  )
})

test('three copies race too', async () => {
  const { groups } = await expectSurvivalError(survives(lookThenCreate, { copies: 3 }))
  expect(groups[0]).toMatchObject({ verdict: 'race', message: '2 reserved_addrs, expected 1.', order: 'A1 B A' })
})

test("ngrok's own client over serve races", async () => {
  const code: CodeUnderTest = async ({ url }) => {
    const client = new Ngrok({ apiToken: 'any key', baseUrl: url })
    const reservedAddrs = await client.reservedAddrs.list()
    if (reservedAddrs.length === 0) await client.reservedAddrs.create({ region: 'us', description: 'app' })
  }
  const { replay } = await expectSurvivalError(survives(code, { copies: 2, serve, create: createNgrok }))
  expect(replay).toBe('A1 B A')
})

test('the global fetch belongs to the copy that calls it', async () => {
  const code: CodeUnderTest = ({ url }) => ensureAddress(createCall({ fetch: globalThis.fetch, url }), 'app')
  expect((await expectSurvivalError(survives(code, { copies: 2 }))).replay).toBe('A1 B A')
})

test('one failure is tried in each order of one switch', async () => {
  const { summary } = await survives(reserveOnce, { copies: 2, faults: 1, restart: true })
  expect(summary).toMatch(/^(\d+) of \1 interleavings with up to 2 switches, and with 1 fault; 0 fail$/)
  const blind: CodeUnderTest = (life) =>
    retry(() => createCall(life)('POST', '/reserved_addrs', { description: life.copy }))
  const { replay } = await expectSurvivalError(survives(blind, { copies: 2, faults: 1 }))
  expect(replay).toBe('A B, POST /reserved_addrs#1 lost-after')
})

test('a report says that copies share a variable of a module', async () => {
  let name = ''
  const code: CodeUnderTest = async (life) => {
    const call = createCall(life)
    name = life.copy
    await find(call, 'reserved_addrs', 'description', 'app')
    await call('POST', '/reserved_addrs', { description: name })
    await call('POST', '/reserved_addrs', { description: name })
  }
  await expect(survives(code, { copies: 2 })).rejects.toThrow(
    'The copies share something other than the gateway: after the same responses, a copy sent POST /reserved_addrs ' +
      '{"description":"B"} in one run, and POST /reserved_addrs {"description":"A"} in another.',
  )
  await expect(survives(code, { copies: 2, disk: 'shared' })).rejects.toThrow(/, expected "?\w+"?\.\n/)
})

test('a replay whose turns the copies cannot take fails, since the code has changed', async () => {
  await expect(survives(reserveOnce, { copies: 2, replay: 'A5 B A' })).rejects.toThrow('The replay no longer applies')
  await expect(survives(reserveOnce, { copies: 2, replay: 'nonsense' })).rejects.toThrow('such as "A1 B A"')
})

test('each replay text repeats its run', async () => {
  const runs = []
  for await (const each of schedules(lookThenCreate, { copies: 2, faults: 1, kinds: ['lost'] })) runs.push(each)
  expect(runs.length).toBeGreaterThan(20)
  for (const each of runs.slice(1)) {
    const again = []
    for await (const run of schedules(lookThenCreate, { copies: 2, replay: each.replay })) again.push(run)
    expect(JSON.stringify(again[1])).toBe(JSON.stringify(each))
  }
})

test('the search leaves out orders that only swap requests without a change, and finds the same races', async () => {
  // A rate limit makes the search complete, because each request changes what the next one meets.
  const gatewayOptions = { rateLimit: { requests: 1000, window: '1s' } } as const
  for (const race of Object.values(RACY)) {
    const found = []
    for (const more of [{}, { gatewayOptions }]) {
      const error = await expectSurvivalError(survives(race.code, { ...optionsOf(race, createNgrok), ...more }))
      found.push(new Set(error.groups.map(({ message }) => message)))
    }
    expect(found[0]).toEqual(found[1])
  }
  const polls: CodeUnderTest = async (life) => {
    for (let n = 0; n < 4; n++) await find(createCall(life), 'reserved_addrs', 'description', 'app')
  }
  expect(await survives(polls, { copies: 2 })).toMatchObject({ tried: 2 })
  expect(await survives(polls, { copies: 2, gatewayOptions })).toMatchObject({ tried: 26 })
})

test('the summary says how many switches there are', async () => {
  const summaries = []
  for (const switches of [0, 1, 2]) summaries.push((await survives(reserveOnce, { copies: 2, switches })).summary)
  expect(summaries).toEqual([
    expect.stringMatching(/ interleavings without a switch; 0 fail$/),
    expect.stringMatching(/ interleavings with one switch; 0 fail$/),
    expect.stringMatching(/ interleavings with up to 2 switches; 0 fail$/),
  ])
})

test('each copy has random numbers of its own, which no order changes', async () => {
  const drawn = new Set<string>()
  const code: CodeUnderTest = async (life) => {
    const numbers = [Math.random()]
    await reserveOnce(life)
    numbers.push(Math.random())
    drawn.add(`${life.copy} ${numbers.join(' ')}`)
  }
  expect((await survives(code, { copies: 2 })).tried).toBe(2)
  const copies = [...drawn].map((each) => each.split(' '))
  expect(copies.map(([name]) => name)).toEqual(['A', 'B'])
  expect(new Set(copies.flatMap(([, ...numbers]) => numbers)).size).toBe(4)
})

test('code that rejects on its own is reported before any order is tried', async () => {
  const broken: CodeUnderTest = async (life) => {
    await find(createCall(life), 'reserved_addrs', 'description', 'app')
    throw new Error('broken')
  }
  const { message } = await expectSurvivalError(survives(broken, { copies: 2 }))
  expect(message).toMatch(/^broken fails in copies one after the other: A rejects with Error: broken\.\n/)
})

test('a copy that another one interrupted continues before one that has not started', async () => {
  const runs = []
  const code: CodeUnderTest = (life) => ensureAddress(createCall(life), life.copy)
  for await (const { story } of schedules(code, { copies: 3, replay: 'B1 C' })) runs.push(story)
  const copies = runs.at(-1)?.match(/[ABC](?= {2}(?:GET|POST) )/g)
  expect(copies?.join(' ')).toBe('B C C B A A')
})

test('the budget counts interleavings, and the summary says how many of how many were tried', async () => {
  const { summary, isComplete } = await survives(reserveOnce, { copies: 2, faults: 1, budget: 5 })
  expect(isComplete).toBe(false)
  expect(summary).toMatch(
    /^5 of \d+ interleavings with up to 2 switches, and with 1 fault; 0 fail; the budget has ended$/,
  )
})

test('more than one failure with copies is rejected', async () => {
  await expect(survives(reserveOnce, { copies: 2, faults: 2 })).rejects.toThrow(
    'faults is 2. Allowed: with copies, 0 or 1.',
  )
})

test('`holds` checks each copy', async () => {
  const found: string[] = []
  const holds = ({ copy }: { copy: string }) => void found.push(copy)
  await survives(reserveOnce, { copies: 2, holds })
  expect(new Set(found)).toEqual(new Set(['A', 'B']))
  const refused = survives(reserveOnce, { copies: 2, holds: ({ copy }) => copy === 'A' })
  expect((await expectSurvivalError(refused)).groups[0]).toMatchObject({
    verdict: 'does-not-hold',
    message: 'B resolves, but `holds` returned false.',
  })
})

test('copies race for resources of your own families', async () => {
  const code: CodeUnderTest = async (life) => {
    const call = createCall(life)
    if (!(await find(call, 'widgets', 'description', 'app')))
      await call('POST', '/widgets', { name: life.copy.toLowerCase(), size: 1, description: 'app' })
  }
  const error = await expectSurvivalError(
    survives(code, {
      copies: 2,
      create: (options) => createGateway({ ...options, families: { widgets } }),
    }),
  )
  expect(error).toMatchObject({ replay: 'A1 B A', message: expect.stringContaining('2 widgets, expected 1.') })
})

test('a crash of one copy does not stop the other one', async () => {
  const code: CodeUnderTest = async (life) => {
    await sleep(1000)
    await reserveOnce(life)
    return life.life
  }
  const lives = new Set<string>()
  const holds = ({ copy, value }: { copy: string; value: unknown }) => void lives.add(`${copy}${String(value)}`)
  const { summary } = await survives(code, { copies: 2, faults: 1, restart: true, kinds: ['crash'], holds })
  expect(summary).toMatch(/; 0 fail$/)
  expect([...lives].sort()).toEqual(['A1', 'A2', 'B1', 'B2'])
})

test('the end of a search disables what tells the copies apart: Node 20 would copy it into each later promise', async () => {
  const disable = vi.spyOn(AsyncLocalStorage.prototype, 'disable')
  await survives(reserveOnce, { copies: 2 })
  const count = disable.mock.calls.length
  disable.mockRestore()
  expect(count).toBe(1)
})
