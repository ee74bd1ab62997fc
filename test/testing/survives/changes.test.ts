import { describe, expect, it } from 'vitest'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { ensureAddress, type Program, program, retry } from './programs/client.ts'

/** Creates a program that reserves an address, and then changes its metadata by a function. */
const createProgram = (change: (patch: (metadata: string) => Promise<void>) => Promise<void>) =>
  program(async (call) => {
    const { id } = await ensureAddress(call, 'noted')
    await change((metadata) => call('PATCH', `/reserved_addrs/${id}`, { metadata }))
  })

const options: SurvivesOptions = { faults: 1, kinds: ['lost', '5xx'] }

const ignoreFailure = createProgram((patch) => patch('in use').catch(() => undefined))

describe('A change that the run without failures has made', () => {
  it('must be there if the code resolves: a failed update that nobody notices is found', async () => {
    await expect(survives(ignoreFailure, options)).rejects.toMatchObject({
      message: expect.stringContaining('reserved_addrs ra_a has no metadata, expected "in use".'),
      replay: 'PATCH /reserved_addrs/{id}#1 lost-before',
    })
  })

  it('must be there as often as in that run', async () => {
    const code = program(async (call) => {
      const ids = [(await ensureAddress(call, 'one')).id, (await ensureAddress(call, 'other')).id]
      const patches = ids.map((id) => call('PATCH', `/reserved_addrs/${id}`, { metadata: 'in use' }))
      await Promise.allSettled(patches)
    })
    await expect(survives(code, options)).rejects.toThrow('reserved_addrs ra_a has no metadata, expected "in use".')
  })

  it.each<[string, Program]>([
    ['is done, and its response lost', createProgram((patch) => retry(() => patch('in use')))],
    [
      'has another value, which the code has chosen after a failure',
      createProgram((patch) => patch('in use').catch(() => retry(() => patch('limited')))),
    ],
    [
      'has another time and another number in it',
      createProgram((patch) => retry(() => patch(`${Math.random()} until ${new Date().toISOString()}`))),
    ],
    [
      'is undone by the code itself',
      createProgram((patch) => retry(async () => patch('in use').then(() => patch('free')))),
    ],
  ])('is not missed where it %s', async (_change, code) => {
    expect((await survives(code, options)).summary).toMatch(/; 0 fail$/)
  })

  it('is found if it leaves another number of resources, even if `holds` accepts the result', async () => {
    const twice = program(async (call) => void (await retry(() => call('POST', '/reserved_addrs', {}))))
    await expect(survives(twice, { ...options, holds: () => true })).rejects.toMatchObject({
      replay: 'POST /reserved_addrs#1 lost-after',
    })
  })

  it('may be missing if `holds` accepts the result', async () => {
    expect((await survives(ignoreFailure, { ...options, holds: () => true })).summary).toMatch(/; 0 fail$/)
  })
})
