import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Parts, Turns } from '../../src/sandbox/parts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// rules: sandboxes#shared-threads
describe('The parts of the long moves of sandboxes in one process', () => {
  it('come in turn, one at a time, each after a pause', async () => {
    const turns = new Turns()
    const begins: [name: string, at: number][] = []
    const from = Date.now()
    const moves = ['a', 'b', 'c'].map(async (name) => {
      const parts = new Parts(turns)
      for (let n = 0; n < 3; n++) {
        await parts.pause()
        begins.push([name, Date.now() - from])
        // A part works for 20 ms, in which no other code of the process runs.
        vi.advanceTimersByTime(20)
      }
    })
    await vi.runAllTimersAsync()
    await Promise.all(moves)
    expect(begins.map(([name]) => name).join('')).toBe('abcabcabc')
    const pauses = begins.map(([, at], n) => at - (begins[n - 1]?.[1] ?? -20) - 20)
    expect(Math.min(...pauses)).toBe(10)
  })

  it('begin later if a commit took longer than it had reserved', async () => {
    const turns = new Turns()
    const from = Date.now()
    const begins: number[] = []
    const moves = Array.from({ length: 3 }, async () => {
      const parts = new Parts(turns)
      await parts.pauseBeforeCommit(500)
      begins.push(Date.now() - from)
      vi.advanceTimersByTime(5000)
      parts.finish()
    })
    await vi.runAllTimersAsync()
    await Promise.all(moves)
    expect(begins).toEqual([10, 5020, 10_030])
  })

  it('end after 20 ms or 1,000 events, as no time may pass while code runs', () => {
    const parts = new Parts(new Turns())
    const isOver = parts.start()
    expect(Array.from({ length: 1000 }, isOver).indexOf(true)).toBe(999)
    const isLate = parts.start()
    expect(isLate()).toBe(false)
    vi.advanceTimersByTime(20)
    expect(isLate()).toBe(true)
  })

  it('are up to 500, which are 10 s of work', () => {
    const parts = new Parts(new Turns())
    expect([parts.isLast(499), parts.isLast(500), parts.maxWorkMs]).toEqual([false, true, 10_000])
  })

  it.each([
    [3, 120],
    [500, 1000],
  ])('leave room for the commit of a move of %i parts', async (count, ms) => {
    const turns = new Turns()
    const from = Date.now()
    const waits = [new Parts(turns).pauseBeforeCommit(count), new Parts(turns).pause()].map((wait) =>
      wait.then(() => Date.now() - from),
    )
    await vi.runAllTimersAsync()
    expect(await Promise.all(waits)).toEqual([10, 10 + ms + 10])
  })
})
