import { describe, expect, it } from 'vitest'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import type { Program } from './programs/client.ts'
import { CORRECT, PLANTED } from './programs/planted.ts'
import { GREEN, RED } from './programs/ported.ts'
import { SIX } from './programs/six.ts'

// `npm run check -- survives` tries all kinds, and pairs of failures in correct programs. It takes a minute.
const COMMON: SurvivesOptions = { restart: true, within: '2h' }

/** Options with fewer failures, for programs that need pairs or run for long. */
const FEWER: Readonly<Record<string, SurvivesOptions>> = {
  'a failed roll-back': { kinds: ['lost'] },
  'its own conflict retried for ever': { within: '10m' },
  'a 429 and then a 503': { kinds: ['429', '5xx'] },
  'an ingress controller': { kinds: ['lost'] },
  'one second try for all requests': { kinds: ['lost'] },
  'half a list taken for an empty one': { kinds: ['cut', 'lost'] },
  'DNS_ERROR taken as final': { kinds: ['outcomes', '5xx'] },
}

const search = (name: string, program: Program) => survives(program, { ...COMMON, ...FEWER[name] })

/** The smallest schedule that breaks each of the six programs. */
const SMALLEST: Readonly<Record<string, string>> = {
  'a duplicate after a lost response': 'POST /reserved_addrs#1 lost-after',
  'a failed roll-back': 'PATCH /reserved_domains/{id}#1 lost-before, DELETE /reserved_domains/{id}#1 lost-before',
  'DNS_ERROR taken as final': 'attempt app.example.com#1 DNS_ERROR',
  'its own conflict retried for ever': 'POST /reserved_domains#1 lost-after',
  'a crash between create and save': 'POST /reserved_addrs#1 crash',
  'a 429 and then a 503': 'POST /reserved_domains#1 429, POST /reserved_domains#2 503',
}

describe('survives', () => {
  it.each(Object.entries(SIX))(
    'finds %s, with its smallest schedule, and nothing once it is fixed',
    async (name, program) => {
      expect((await expectSurvivalError(search(name, program.buggy))).replay).toBe(SMALLEST[name])
      const { summary } = await survives(program.fixed, { ...COMMON, ...FEWER[name], faults: 1 })
      expect(summary).toMatch(/; 0 fail$/)
    },
  )

  it.each(Object.entries({ ...RED, ...PLANTED }))('finds the bug of %s', async (name, program) => {
    expect((await expectSurvivalError(search(name, program))).groups.length).toBeGreaterThan(0)
  })

  it.each(Object.entries({ ...GREEN, ...CORRECT }))('finds no bug in %s', async (_name, program) => {
    const { summary } = await survives(program, { ...COMMON, faults: 1 })
    expect(summary).toMatch(/; 0 fail$/)
  })
})
