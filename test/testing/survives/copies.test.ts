import { describe, expect, it } from 'vitest'
import { survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { RACY, SAFE } from './programs/racy.ts'

describe('survives with copies', () => {
  it.each(Object.entries(RACY))('finds %s', async (_name, { code, options, order }) => {
    const error = await expectSurvivalError(survives(code, { copies: 2, ...options }))
    if (process.env.SHOW) console.log(error.message)
    expect(error.groups[0]).toMatchObject({ verdict: 'race', ...(order && { order }) })
    await expect(survives(code, { copies: 2, ...options, replay: error.replay })).rejects.toThrow(
      'do not end as one after',
    )
  })

  it.each(Object.entries(SAFE))('finds nothing in %s', async (_name, { code, options }) => {
    const { summary } = await survives(code, { copies: 2, ...options })
    if (process.env.SHOW) console.log(summary)
    expect(summary).toMatch(/; 0 fail$/)
  })
})
