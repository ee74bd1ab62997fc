import assert from 'node:assert/strict'
import { expect, onTestFinished, test, vi } from 'vitest'
import { catchTestMessage } from './run-test.ts'

/** The gateway's clock starts at 2026-01-01T00:00:00Z. */
const MACHINE = '2026-09-09T12:00:00Z'
const FACTS = "like this machine's clock (2026-09-09T12:00:00Z) and the gateway's (2026-01-01T00:00:00Z)."

const expire = Date.parse('2026-01-08T00:00:00Z')
const daysLeft = () => Math.floor((expire - Date.now()) / 86_400_000)

async function catchMessage(work: Parameters<typeof catchTestMessage>[0]) {
  vi.useFakeTimers({ now: Date.parse(MACHINE), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return catchTestMessage(work)
}

test.each<[name: string, work: Parameters<typeof catchTestMessage>[0], difference: string]>([
  ['a number of days, in vitest', () => expect(daysLeft()).toBe(7), '252 days'],
  ['a number of days, in node:assert', () => assert.equal(daysLeft(), 7), '252 days'],
  ['a field of an object, in vitest', () => expect({ daysLeft: daysLeft() }).toEqual({ daysLeft: 7 }), '252 days'],
  [
    'a field of an object, in node:assert',
    () => assert.deepEqual({ daysLeft: daysLeft() }, { daysLeft: 7 }),
    '252 days',
  ],
  [
    'a time, in vitest',
    ({ clock }) => expect(new Date().toISOString()).toBe(new Date(clock.now).toISOString()),
    '21,729,600,000 ms',
  ],
])("A failure of code that reads the machine's clock says so: %s", async (_, work, difference) => {
  expect(await catchMessage(work)).toContain(`\nThe values differ by ${difference}, ${FACTS} Does the code read`)
})

test.each<[name: string, work: Parameters<typeof catchTestMessage>[0]]>([
  ['values that differ by something else', () => expect(daysLeft()).toBe(40)],
  ['numbers at other places', () => expect({ one: 252 }).toEqual({ other: 0 })],
  ['no values', () => expect(daysLeft() > 0).toBe(true)],
  ['an error with such numbers', () => Promise.reject(new Error('252 of 504 tests'))],
])("A failure does not mention the machine's clock if it shows %s", async (_, work) => {
  const message = await catchMessage(work)
  expect(message).toContain('The gateway at')
  expect(message).not.toContain("machine's")
})
