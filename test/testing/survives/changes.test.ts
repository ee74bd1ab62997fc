import { describe, expect, it } from 'vitest'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { addressNamed, type Program, program, retried } from './programs/client.ts'

/** Reserves an address, and notes its use by what it is given. */
const noting = (note: (patch: (metadata: string) => Promise<void>) => Promise<void>) =>
  program(async (call) => {
    const { id } = await addressNamed(call, 'noted')
    await note((metadata) => call('PATCH', `/reserved_addrs/${id}`, { metadata }))
  })

const options: SurvivesOptions = { faults: 1, kinds: ['lost', '5xx'] }

const careless = noting((patch) => patch('in use').catch(() => undefined))

describe('A change that the run without failures has made', () => {
  it('must be there where the code resolves: a failed update that nobody notices is found', async () => {
    await expect(survives(careless, options)).rejects.toMatchObject({
      message: expect.stringContaining('no reserved_addrs with {"metadata":"in use"} where 1 is wanted.'),
      replay: 'PATCH /reserved_addrs/{id}#1 lost-before',
    })
  })

  it('must be there as often as in that run', async () => {
    const code = program(async (call) => {
      const ids = [(await addressNamed(call, 'one')).id, (await addressNamed(call, 'other')).id]
      const patches = ids.map((id) => call('PATCH', `/reserved_addrs/${id}`, { metadata: 'in use' }))
      await Promise.allSettled(patches)
    })
    await expect(survives(code, options)).rejects.toThrow(
      '1 reserved_addrs with {"metadata":"in use"} where 2 are wanted.',
    )
  })

  it.each<[string, Program]>([
    ['is done, and its answer lost', noting((patch) => retried(() => patch('in use')))],
    [
      'is another one, as the code has chosen after a failure',
      noting((patch) => patch('in use').catch(() => retried(() => patch('limited')))),
    ],
    [
      'has another time and another number in it',
      noting((patch) => retried(() => patch(`${Math.random()} until ${new Date().toISOString()}`))),
    ],
    ['is undone by the code itself', noting((patch) => retried(async () => patch('in use').then(() => patch('free'))))],
  ])('is not missed where it %s', async (_why, code) => {
    expect((await survives(code, options)).summary).toMatch(/; 0 fail$/)
  })

  it('may be missing where `holds` is there to judge', async () => {
    expect((await survives(careless, { ...options, holds: () => true })).summary).toMatch(/; 0 fail$/)
  })
})
