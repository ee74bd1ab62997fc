import { describe, expect, it } from 'vitest'
import { type SurvivesOptions, schedules, type TriedSchedule } from '../../../src/testing/testing.ts'
import { SIX } from './programs/six.ts'

const wholeOf = ({ schedule, verdict, message, story, snapshot }: TriedSchedule) =>
  JSON.stringify([schedule, verdict, message, story, snapshot])

describe('Each replay text of a full exploration repeats its run, to the last byte:', () => {
  const programs = {
    'crashes and effects': SIX['a crash between create and save']?.buggy,
    'pairs of failures': SIX['a failed roll-back']?.buggy,
    'certificates that fail': SIX['DNS_ERROR taken as final']?.buggy,
  }

  it.each(Object.entries(programs))('%s', async (name, program = async () => undefined) => {
    const options: SurvivesOptions = {
      restart: true,
      faults: name.startsWith('pairs') ? 2 : 1,
      kinds: ['lost', 'crash', 'outcomes'],
    }
    const tried: TriedSchedule[] = []
    for await (const each of schedules(program, options)) tried.push(each)
    expect(tried.some(({ verdict }) => verdict !== 'survived')).toBe(true)
    for (const each of tried.slice(1)) {
      const again: TriedSchedule[] = []
      for await (const one of schedules(program, { ...options, replay: each.replay })) again.push(one)
      expect(again.map(wholeOf)).toEqual([wholeOf(tried[0] as TriedSchedule), wholeOf(each)])
    }
    expect(tried.length).toBeGreaterThan(5)
  })
})
