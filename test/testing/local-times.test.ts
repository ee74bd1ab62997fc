import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { Gateway, ManualClock } from '../../src/index.ts'
import type { TestOptions } from '../../src/testing/testing.ts'
import { catchTestMessage } from './run-test.ts'

const options: TestOptions = { create: (each) => createNgrok(each), globals: true }
const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
const HINT = "The service's times are in UTC. Local times in this process have the offset"

type Work = (gateway: Gateway<ManualClock>) => unknown

async function catchMessageIn(zone: string, work: Work) {
  vi.stubEnv('TZ', zone)
  onTestFinished(() => void vi.unstubAllEnvs())
  return catchTestMessage(work, options)
}

const today = () => new Date().toISOString().slice(0, 10)

/** Code that takes local times for those of the service, and what the hint says that it used. */
const LOCAL: Readonly<Record<string, readonly [work: Work, used: string]>> = {
  'counts by local days': [
    async (gateway) => {
      const { created_at } = gateway.reservedDomains.create({ domain: 'late.example.com' })
      const at = new Date(created_at)
      expect([at.getFullYear(), at.getMonth(), at.getDate()]).toEqual([2026, 0, 1])
    },
    'getFullYear, getMonth, getDate',
  ],
  'compares the hour': [() => expect(new Date().getHours()).toBe(0), 'getHours'],
  'prints a local date': [
    () => expect(new Date().toLocaleDateString('sv-SE')).toBe('2026-01-01'),
    'toLocaleDateString',
  ],
  'begins a day at local midnight': [() => expect(new Date(2026, 0, 1).toISOString()).toContain('T00:00'), 'new Date'],
  'reads a time without its zone': [
    () => expect(new Date('2026-01-01T00:00:00').getTime()).toBe(Date.UTC(2026, 0, 1)),
    'new Date',
  ],
  'parses a time without its zone': [
    () => expect(Date.parse('2026-01-01 00:00')).toBe(Date.UTC(2026, 0, 1)),
    'Date.parse',
  ],
  'plans a job at a local hour': [
    async (gateway) => {
      const next = new Date()
      next.setHours(2, 0, 0, 0)
      if (next.getTime() <= Date.now()) next.setDate(next.getDate() + 1)
      let runs = 0
      setTimeout(() => runs++, next.getTime() - Date.now())
      await gateway.clock.advanceAsync('150m')
      expect(runs).toBe(1)
    },
    'setHours, getDate, setDate',
  ],
}

/** Code that uses times, none of them local. */
const UTC: Readonly<Record<string, Work>> = {
  'uses no dates, but compares times of the service': async (gateway) => {
    const response = await fetch('https://api.ngrok.com/reserved_domains', {
      method: 'POST',
      headers,
      body: '{"domain":"app.example.com"}',
    })
    gateway.clock.advance('1s')
    expect((await response.json()).created_at).toBe('2026-01-02T00:00:00Z')
  },
  'reads fields in UTC, and times with their zones': () => {
    const dates = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01'), new Date('2026-01-01T02:00:00+02:00')]
    expect(dates.map((date) => date.getUTCHours())).toEqual([1, 1, 1])
  },
  'names the zone': () => expect(new Date().toLocaleDateString('sv-SE', { timeZone: 'UTC' })).toBe('2026-01-02'),
  'waits and measures': async (gateway) => {
    const start = Date.now()
    setTimeout(() => undefined, 1_000)
    await gateway.clock.advanceAsync('1s')
    expect(Date.now() - start + performance.now()).toBe(1)
  },
  'parses what is no date': () => expect(Date.parse('never')).toBe(0),
}

describe('With the option globals, a failed assertion', () => {
  test.each(Object.entries(LOCAL))('tells of local times if code %s', async (_, [work, used]) => {
    const message = await catchMessageIn('America/New_York', work)
    expect(message).toContain(`\n\n${HINT} -05:00. The code in this test used ${used}.\nThe gateway at `)
    expect(await catchMessageIn('UTC', work)).toBe('passed')
  })

  test.each(Object.entries(UTC))('tells nothing if code %s', async (_, work) => {
    const message = await catchMessageIn('America/New_York', work)
    expect(message).toMatch(/expected/)
    expect(message).not.toContain('Local times')
  })

  test('tells nothing of local times that are UTC, such as those of London in winter', async () => {
    const failIn = (time: string) =>
      catchMessageIn('Europe/London', (gateway) => {
        gateway.clock.advanceTo(time)
        expect(new Date().getHours()).toBe(30)
      })
    expect(await failIn('2026-02-01T12:00:00Z')).not.toContain('Local times')
    expect(await failIn('2026-07-01T12:00:00Z')).toContain(`${HINT} +01:00. The code in this test used getHours.`)
  })

  test('tells nothing if it is no assertion that failed', async () => {
    const message = await catchMessageIn('America/New_York', () => {
      throw new Error(`The hour is ${new Date().getHours()} of ${today()}.`)
    })
    expect(message).not.toContain('Local times')
  })

  test('tells of local times if another error follows a time that was parsed without its zone', async () => {
    const message = await catchMessageIn('America/New_York', () => {
      if (Date.parse('2026-01-01T00:00:00') > Date.now()) throw new Error('The certificate is late.')
    })
    expect(message).toContain(`${HINT} -05:00. The code in this test used Date.parse.`)
  })

  test('tells of local times if another error names two times that differ by the offset', async () => {
    const message = await catchMessageIn('America/New_York', () => {
      const start = new Date(2026, 0, 1)
      throw new Error(`The day starts at ${start.toISOString()}, not at 2026-01-01T00:00:00Z.`)
    })
    expect(message).toContain(`${HINT} -05:00. The code in this test used new Date.`)
  })

  test('keeps dates as they are: their class, their values, and Date as a function', async () => {
    const seen: unknown[] = []
    const Host = Date
    const message = await catchMessageIn('America/New_York', () => {
      const date = new Date(2026, 0, 1, 5)
      seen.push(date instanceof Date, date instanceof Host, date.constructor === Host, date.getHours(), typeof Date())
      seen.push(new Date(date).getTime() === date.getTime(), Date.UTC(2026), new Date(Number.NaN).getHours())
    })
    expect(message).toBe('passed')
    expect(seen).toEqual([true, true, true, 5, 'string', true, Host.UTC(2026), Number.NaN])
  })
})

test('Without the option globals, an error with two times in ms that differ by the offset tells of local times', async () => {
  vi.stubEnv('TZ', 'America/New_York')
  onTestFinished(() => void vi.unstubAllEnvs())
  const failWith = (hours: number) =>
    catchTestMessage(({ clock }) => {
      throw new Error(`The day starts at ${clock.now + hours * 3_600_000}, not at ${clock.now}.`)
    })
  expect(await failWith(5)).toContain(`${HINT} -05:00.`)
  expect(await failWith(4)).not.toContain('Local times')
})
