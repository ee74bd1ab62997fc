import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { createCall, ensureAddress } from './programs/client.ts'

/** Makes two addresses if they are missing. It leaves the first one behind if the second one fails. */
const converge = async (life: Life) => {
  const call = createCall(life)
  for (const description of ['one', 'two']) {
    const { reserved_addrs } = await call('GET', '/reserved_addrs')
    const isThere = reserved_addrs.some((each: { description: string }) => each.description === description)
    if (!isThere) await call('POST', '/reserved_addrs', { description })
  }
}

/** Makes an address at each try. */
const createAgain = async (life: Life) => {
  await createCall(life)('POST', '/reserved_addrs', { description: 'app' })
}

const only: SurvivesOptions = { kinds: ['lost', '5xx'] }

describe('Code that leaves something behind on purpose', () => {
  test('fails without mayLeave', async () => {
    const { message } = await expectSurvivalError(survives(converge, only))
    expect(message).toMatch(/^converge does not survive one fault: it rejects with .*, and leaves 1 reserved_addrs\./)
  })

  test.each([
    ['a family', ['reserved_addrs']],
    ['a function', ({ family }: { family: string }) => family === 'reserved_addrs'],
  ])(
    'survives with %s that may stay, since the next try finishes the work, also after two failures',
    async (_, mayLeave) => {
      const { summary, tried } = await survives(converge, { ...only, mayLeave })
      expect(summary).toMatch(/; 0 fail$/)
      expect(tried).toBeGreaterThan(30)
    },
  )

  test('does not survive if the next try leaves more than the run without failures', async () => {
    const error = await expectSurvivalError(survives(createAgain, { ...only, mayLeave: ['reserved_addrs'] }))
    expect(error.message).toBe(
      [
        'createAgain does not survive one fault: 2 reserved_addrs, expected 1.',
        '',
        '      0s  POST /reserved_addrs {"description":"app"} ✗ done, but the response is lost (ra_a)',
        '      0s  the code rejects with TypeError: fetch failed, and is called again',
        '      0s  POST /reserved_addrs {"description":"app"} → 201 (ra_b)',
        '  in the end: it resolves; left behind: ra_a, ra_b',
        '  The smallest of 2 failing schedules; all 4 with one fault were tried.',
        "  Replay: survives(code, { replay: 'POST /reserved_addrs#1 lost-after' })",
      ].join('\n'),
    )
  })

  test('does not survive if the next try rejects, although nothing fails in it', async () => {
    const refuseSecond = async (life: Life) => {
      const call = createCall(life)
      const { reserved_addrs } = await call('GET', '/reserved_addrs')
      if (reserved_addrs.length > 0) throw new Error('There is an address already.')
      await call('POST', '/reserved_addrs', {})
    }
    const error = await expectSurvivalError(survives(refuseSecond, { ...only, mayLeave: ['reserved_addrs'] }))
    expect(error.groups[0]?.verdict).toBe('does-not-resume')
    expect(error.message).toContain(
      'the next try rejects with Error: There is an address already, and nothing failed in it.',
    )
  })

  test('must leave nothing else', async () => {
    const mayLeave = ['reserved_domains']
    const { message } = await expectSurvivalError(survives(converge, { ...only, mayLeave }))
    expect(message).toContain('and leaves 1 reserved_addrs.')
  })

  test('is called again only after an error that `allow` accepts', async () => {
    const options: SurvivesOptions = { ...only, mayLeave: ['reserved_addrs'], allow: () => false }
    const { message } = await expectSurvivalError(survives(converge, options))
    expect(message).toContain('which `allow` does not accept')
  })

  test('is rejected if what it leaves cannot be judged', async () => {
    const mayLeave = () => {
      throw new RangeError('Which one?')
    }
    const { message } = await expectSurvivalError(survives(converge, { ...only, mayLeave }))
    expect(message).toContain('and `mayLeave` throws RangeError: Which one?')
  })

  test('is rejected if mayLeave is an async function, and not as if that returned false', async () => {
    const mayLeave = (async () => true) as never
    const { message } = await expectSurvivalError(survives(converge, { ...only, mayLeave }))
    expect(message).toContain('and `mayLeave` throws TypeError: it returned a promise.')
  })
})

describe('The option mayLeave', () => {
  test.each<[SurvivesOptions, string]>([
    [
      { mayLeave: ['reserved_addr'] },
      'mayLeave contains "reserved_addr", which is not a family. Did you mean reserved_addrs?',
    ],
    [{ mayLeave: 'reserved_addrs' as never }, 'mayLeave is "reserved_addrs". Allowed: an array of families, such as'],
    [{ mayLeave: [], copies: 2 }, 'mayLeave was passed together with copies. Allowed: only one of them.'],
  ])('cannot be %j', async (options, message) => {
    await expect(survives(converge, options)).rejects.toThrow(message)
  })
})

describe('An effect that fails', () => {
  const save = async ({ effect, disk, ...life }: Life) => {
    const { id } = await ensureAddress(createCall(life), 'app')
    await effect('save the id in the vault', () => disk.set('id', id))
  }

  test('is tried with also, and its work is not done', async () => {
    const error = await expectSurvivalError(survives(save, { kinds: [], also: ['effect'] }))
    expect(error.message).toBe(
      [
        'save does not survive one fault: it rejects with Error: The effect "save the id in the vault" failed, and leaves 1 reserved_addrs.',
        '',
        '      0s  GET /reserved_addrs → 200',
        '      0s  POST /reserved_addrs {"description":"app"} → 201 (ra_a)',
        '      0s  save the id in the vault ✗ it fails',
        '  in the end: it rejects with Error: The effect "save the id in the vault" failed; left behind: ra_a',
        '  The only failing schedule; all 1 with one fault were tried.',
        "  Replay: survives(code, { replay: 'effect save the id in the vault#1 effect-fails' })",
      ].join('\n'),
    )
    const holds = ({ disk }: { disk: Life['disk'] }) => disk.has('id')
    const both = { kinds: [], also: ['effect'], mayLeave: ['reserved_addrs'], holds } as const
    expect((await survives(save, both)).summary).toBe('2 of 2 schedules with up to 2 faults; 0 fail')
  })

  test('can be caught by the code', async () => {
    const caught = async (life: Life) => save(life).catch(() => createCall(life)('GET', '/reserved_addrs'))
    const create = createGateway
    expect((await survives(caught, { kinds: [], also: ['effect'], create })).summary).toMatch(/; 0 fail$/)
  })
})

test('A crash that loses a file is noticed by holds, since the resources alone are compared', async () => {
  const work = async ({ disk, effect }: Life) => {
    if (disk.has('done')) return
    await effect('mark as done', () => disk.set('done', true))
    await effect('save the secret', () => disk.set('secret', true))
  }
  const options = { restart: true, kinds: ['crash'] } as const
  expect((await survives(work, options)).summary).toMatch(/; 0 fail$/)
  const { message } = await expectSurvivalError(survives(work, { ...options, holds: ({ disk }) => disk.has('secret') }))
  expect(message).toContain('mark as done')
})
