import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'
import { open, START } from '../../support/gateway.ts'

/** RFC 3339 times, and the same times in UTC as JavaScript formats them. */
const TIMES = [
  ['2025-09-04T10:11:13Z', '2025-09-04T10:11:13.000Z'],
  ['2025-09-04t10:11:13z', '2025-09-04T10:11:13.000Z'],
  ['2025-09-04T10:11:13+02:00', '2025-09-04T08:11:13.000Z'],
  ['2025-09-04T10:11:13-02:30', '2025-09-04T12:41:13.000Z'],
  ['2025-09-04T23:59:59+23:59', '2025-09-04T00:00:59.000Z'],
  ['2025-09-04T00:00:00-23:59', '2025-09-04T23:59:00.000Z'],
  ['2025-09-04T10:11:13.5Z', '2025-09-04T10:11:13.500Z'],
  ['2025-09-04T10:11:13.123Z', '2025-09-04T10:11:13.123Z'],
  ['2025-09-04T10:11:13.001+02:00', '2025-09-04T08:11:13.001Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
  ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
] as const

const INVALID_TIMES = [
  '2025-09-04T10:11:13',
  '2025-09-04T10:11Z',
  '2025-09-04',
  '2025',
  '',
  'now',
  '9/4/2025',
  'Thu, 04 Sep 2025 10:11:13 GMT',
  '2025-09-04 10:11:13Z',
  '20250904T101113Z',
  ' 2025-09-04T10:11:13Z',
  '2025-09-04T10:11:13Z ',
  '2025-09-04T10:11:13Z\n',
  '2025-09-04T10:11:13.Z',
  '2025-09-04T10:11:13,5Z',
  '2025-09-04T10:11:13+0200',
  '2025-09-04T10:11:13+2:00',
  '2025-09-04T10:11:13+24:00',
  '2025-09-04T10:11:13+02:60',
  '2025-09-04T24:00:00Z',
  '2025-09-04T10:60:00Z',
  '2025-09-04T10:11:60Z',
  '2016-12-31T23:59:60Z',
  '2025-00-04T10:11:13Z',
  '2025-13-04T10:11:13Z',
  '2025-09-00T10:11:13Z',
  '2025-09-31T10:11:13Z',
  '2025-02-29T10:11:13Z',
  '2025-04-31T10:11:13Z',
  '2100-02-29T10:11:13Z',
  '+002025-09-04T10:11:13Z',
  '２０２５-09-04T10:11:13Z',
]

describe('An RFC 3339 time, on a host far from UTC', () => {
  beforeEach(() => vi.stubEnv('TZ', 'America/St_Johns'))
  afterEach(() => vi.unstubAllEnvs())

  test.each(TIMES)('%s is %s (rules: filters#times)', (text, expected) => {
    const gateway = open()
    gateway.reservedAddrs.create()
    const countMatches = (filter: string) => gateway.reservedAddrs.list({ filter }).reserved_addrs.length
    const offset = START - Date.parse(expected)
    const [seconds, ms] = [Math.trunc(offset / 1000), offset % 1000].map(Math.abs)
    const shift = `${offset < 0 ? 'subtract' : 'add'}("${seconds}s").${offset < 0 ? 'subtract' : 'add'}("${ms}ms")`
    expect(countMatches(`timestamp("${text}").${shift} == timestamp(time.now)`)).toBe(1)
    expect(countMatches(`"${text}" == timestamp("${expected}")`)).toBe(1)
  })

  test.each([
    ['13.0001Z', '>', '13Z'],
    ['13.123000001Z', '>', '13.123Z'],
    ['13.123000001Z', '<', '13.123000002Z'],
    ['13.000000999+00:00', '<', '13.001Z'],
    ['13.1230000000Z', '==', '13.123Z'],
    // CEL has nanoseconds, and no smaller unit.
    ['13.1230000009Z', '==', '13.123Z'],
  ])('keeps its nanoseconds: …%s %s …%s (rules: filters#times; RFC 3339, 5.6)', (one, operator, other) => {
    const gateway = open()
    gateway.reservedAddrs.create()
    const matches = (each: string) => {
      const filter = `timestamp("1969-12-31T23:59:${one}") ${each} timestamp("1969-12-31T23:59:${other}")`
      return gateway.reservedAddrs.list({ filter }).reserved_addrs.length === 1
    }
    expect(['<', '==', '>'].filter(matches)).toEqual([operator])
  })

  test.each(INVALID_TIMES)('is not %j (rules: filters#times)', (text) => {
    const expectRefusal = (filter: string) => expectError(() => open().reservedAddrs.list({ filter }))
    const { key, message } = expectRefusal(`obj.created_at > timestamp(${JSON.stringify(text)})`)
    expect(key).toBe('filter_invalid')
    expect(message).toContain('at character 28: "')
    expect(message).toContain('expected an RFC 3339 time such as "2026-01-01T00:00:00Z", time.now, or')
    expect(expectRefusal(`${JSON.stringify(text)} < timestamp(time.now)`).message).toContain('at character 1: "')
    expect(() => manualClock(text)).toThrow('RFC 3339')
  })
})
