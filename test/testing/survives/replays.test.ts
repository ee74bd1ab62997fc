import { describe, expect, it } from 'vitest'
import { type SurvivesOptions, schedules, type TriedSchedule } from '../../../src/testing/testing.ts'
import { SIX } from './programs/six.ts'

const formatRun = ({ schedule, verdict, message, story, snapshot }: TriedSchedule) =>
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
    const runs: TriedSchedule[] = []
    for await (const each of schedules(program, options)) runs.push(each)
    expect(runs.some(({ verdict }) => verdict !== 'survived')).toBe(true)
    for (const each of runs.slice(1)) {
      const replays: TriedSchedule[] = []
      for await (const run of schedules(program, { ...options, replay: each.replay })) replays.push(run)
      expect(replays.map(formatRun)).toEqual([formatRun(runs[0] as TriedSchedule), formatRun(each)])
    }
    expect(runs.length).toBeGreaterThan(5)
  })
})
