import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { optionsOf, RACY, SAFE } from './programs/racy.ts'

describe('survives with copies', () => {
  it.each(Object.entries(RACY))('finds %s', async (_name, race) => {
    const { code, order, verdict = 'race' } = race
    const options = optionsOf(race, createNgrok)
    const error = await expectSurvivalError(survives(code, options))
    expect(error.groups[0]).toMatchObject({ verdict, ...(order && { order }) })
    await expect(survives(code, { ...options, replay: error.replay })).rejects.toThrow(
      `${error.message.split('\n')[0]}`,
    )
  })

  it.each(Object.entries(SAFE))('finds nothing in %s', async (_name, race) => {
    const { summary } = await survives(race.code, optionsOf(race, createNgrok))
    expect(summary).toMatch(/; 0 fail$/)
  })
})
