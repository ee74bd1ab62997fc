import { expect, test } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { controlClient } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { ECDSA, timeAfter } from '../support/provisioning.ts'

/** Opens a gateway with 20 managed domains that all have events at the same times. With a number of events, moves have parts. */
function open(eventsInPart?: number, maxParts = Number.POSITIVE_INFINITY) {
  const store = memoryStore()
  const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'parts', store })
  for (let n = 0; n < 20; n++)
    gateway.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy: ECDSA })
  const seen = { pauses: 0, pausesBeforeCommits: 0, partsBeforeCommits: 0, commitsInPauses: 0, runs: 0 }
  const commits = store.commits.length
  if (eventsInPart)
    gateway.transport.hooks.moveParts = {
      maxWorkMs: 10_000,
      isLast: (parts) => parts >= maxParts,
      async run(move) {
        seen.runs++
        await move()
      },
      start() {
        let events = 0
        return () => ++events >= eventsInPart
      },
      async pause() {
        seen.pauses++
        seen.commitsInPauses += store.commits.length - commits
      },
      async pauseBeforeCommit(parts) {
        seen.pausesBeforeCommits++
        seen.partsBeforeCommits += parts
        seen.commitsInPauses += store.commits.length - commits
      },
    }
  return { gateway, store, seen, send: controlClient(gateway) }
}

// rules: time#advancing
test.each([1, 3, 1000])(
  'A move in parts of %i events has the result of a synchronous one, and is one commit',
  async (events) => {
    const whole = open()
    const parts = open(events)
    for (const [path, body] of [
      ['/clock', { advance: '200d' }],
      ['/clock', { next: true }],
      ['/clock', { advance: '1h' }],
      ['/provisioning/renew', { id: 'd3.example.com', remember: true }],
      ['/provisioning/expire', { id: 'd4.example.com' }],
      ['/clock', { to: timeAfter('900d') }],
    ] as const) {
      const before = parts.store.commits.length
      const expected = await whole.send('POST', path, body)
      const actual = await parts.send('POST', path, body)
      expect([path, actual.status, actual.body]).toEqual([path, expected.status, expected.body])
      expect(actual.status).toBe(200)
      expect(parts.store.commits.length - before).toBe(1)
    }
    expect((await parts.send('GET', '/overview')).body).toEqual((await whole.send('GET', '/overview')).body)
    expect(parts.gateway.snapshot({ privateKeys: true })).toEqual(whole.gateway.snapshot({ privateKeys: true }))
    expect(parts.store.commits.at(-1)).toEqual(whole.store.commits.at(-1))
    expect(parts.seen.runs).toBe(6)
    if (events < 20) expect(parts.seen.pauses).toBeGreaterThan(200 / events)
  },
)

test('During a move in parts, the store receives nothing', async () => {
  const { send, seen } = open(1)
  await send('POST', '/clock', { advance: '200d' })
  expect([seen.pauses > 100, seen.pausesBeforeCommits, seen.commitsInPauses]).toEqual([true, 1, 0])
  expect(seen.partsBeforeCommits).toBe(seen.pauses + 1)
})

test('A move of one part pauses nowhere, before its commit neither', async () => {
  const { send, seen } = open(1000)
  await send('POST', '/clock', { advance: '1h' })
  expect([seen.runs, seen.pauses, seen.pausesBeforeCommits]).toEqual([1, 0, 0])
})

test('A move that has had all its parts is one commit as far as it came, its error has the time, and the next calls continue it', async () => {
  const whole = open()
  const parts = open(3, 5)
  const to = timeAfter('100d')
  expect((await whole.send('POST', '/clock', { to })).status).toBe(200)
  const before = parts.store.commits.length
  const answers = []
  do answers.push(await parts.send('POST', '/clock', { to }))
  while (answers.at(-1)?.status === 504)
  // Three events of each domain: its certificate, and the begin and the end of the renewal.
  expect(answers.map(({ status }) => status)).toEqual([504, 504, 504, 504, 200])
  expect(parts.store.commits.length - before).toBe(5)
  const [first] = answers
  const reached = new Date(Number(parts.store.commits[before]?.now)).toISOString().replace('.000', '')
  expect(first?.body).toMatchObject({ error_code: 'ERR_GATEWAY_90422' })
  expect(first?.body.msg).toContain(
    `The advance was stopped after 10 seconds of work. The clock is at ${reached}, and ${to} was requested.`,
  )
  expect(parts.gateway.snapshot({ privateKeys: true })).toEqual(whole.gateway.snapshot({ privateKeys: true }))
})

test('If the store rejects a move in parts, nothing has changed', async () => {
  const { gateway, store, send } = open(2)
  const before = gateway.snapshot({ privateKeys: true })
  const append = store.append
  store.append = () => {
    throw new Error('the disk is full')
  }
  expect(await send('POST', '/clock', { advance: '200d', remember: true })).toMatchObject({
    status: 507,
    body: { msg: expect.stringContaining('the disk is full') },
  })
  store.append = append
  expect(gateway.clock.now).toBe(CLOCK_START)
  expect(gateway.snapshot({ privateKeys: true })).toEqual(before)
  expect((await send('GET', '/overview')).body.undo).toBeNull()
})

test('Members that advance the clock stay synchronous, and a move that is rejected runs no part', async () => {
  const { gateway, seen, send } = open(1)
  expect((await send('POST', '/clock', { to: '1999-01-01T00:00:00Z' })).status).toBe(400)
  expect((await send('POST', '/provisioning/renew', { id: 'nobody' })).status).toBe(404)
  expect(seen.runs).toBe(0)
  gateway.clock.advance('1m')
  expect(gateway.clock.now).toBe(CLOCK_START + 60_000)
})

test('A host can run what is due in parts', () => {
  let now = CLOCK_START
  const store = memoryStore()
  const gateway = createGateway({ clock: { now: () => now }, seed: 'parts', store })
  for (let n = 0; n < 5; n++)
    gateway.reservedDomains.create({ domain: `d${n}.example.com`, certificate_management_policy: ECDSA })
  const issued = () =>
    store.commits.flatMap(({ changes }) => changes).filter(({ collection }) => collection === 'tls_certificates')
  now += 60_000
  const results = []
  for (let isLeft = true; isLeft; results.push([isLeft, issued().length])) {
    let events = 0
    isLeft = gateway.transport.settle(() => ++events >= 2)
  }
  expect(results).toEqual([
    [true, 2],
    [true, 4],
    [false, 5],
  ])
  expect(gateway.transport.settle()).toBe(false)
})
