import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type CodeUnderTest, type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { headers } from './programs/client.ts'

const derived = promisify<string, string, number, Buffer>(scrypt)

const get = ({ fetch, url }: Life) => fetch(`${url}/reserved_addrs`, { headers })

/** The first line of what is said of code. */
async function said(code: CodeUnderTest, options: SurvivesOptions = { kinds: ['lost'] }): Promise<string> {
  try {
    return (await survives(code, options)).summary
  } catch (error) {
    return String(error).split('\n')[0] ?? ''
  }
}

describe('Code that never ends', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['waits for nothing', () => new Promise(() => undefined), 'it waits for nothing'],
    [
      'takes turns without end',
      async () => {
        for (;;) await new Promise((resolve) => setImmediate(resolve))
      },
      'it takes turns of the event loop without end',
    ],
    [
      'sets timers of 0 ms without end',
      async () => {
        for (;;) await new Promise((resolve) => setTimeout(resolve, 0))
      },
      'it sets timers without end',
    ],
  ])('is named: it %s', async (_name, end, why) => {
    expect(await said((life) => get(life).catch(end))).toContain(`it never ends: ${why}`)
  })

  it('is named where it sends requests without end', async () => {
    const code = async (life: Life) => {
      await get(life).catch(async () => {
        for (;;) await get(life)
      })
    }
    expect(await said(code)).toContain('it never ends: it sends requests without end')
  })

  it('is not what waits for threads, or has used one', async () => {
    const code = async (life: Life) => {
      expect(randomBytes(16)).toHaveLength(16)
      expect(await derived('a password', 'salt', 16)).toHaveLength(16)
      const packed = await promisify(gzip)(Buffer.alloc(300_000, 'fauxgate'))
      expect(await promisify(gunzip)(packed)).toHaveLength(300_000)
      await get(life).catch(() => undefined)
    }
    expect(await said(code)).toMatch(/; 0 fail$/)
  })
})

describe('survives refuses', () => {
  it('code that sends nothing to the gateway: nothing could fail', async () => {
    expect(await said(async () => 1)).toMatch(/^Error: The code sent no request to https:\/\/api\.gateway\.test, so/)
  })

  it('what is no function', async () => {
    // As JavaScript may call it.
    expect(await said(42 as never)).toBe('TypeError: code is 42. Allowed: a function.')
  })

  it('to continue once its signal is aborted, with the reason of that', async () => {
    expect(await said(get, { signal: AbortSignal.abort(new Error('enough')) })).toBe('Error: enough')
  })
})

it('An `allow` that throws does not accept the error, and the report says so', async () => {
  const options: SurvivesOptions = {
    kinds: ['lost'],
    allow: () => {
      throw new RangeError('no such error')
    },
  }
  expect(await said(get, options)).toContain(
    'it rejects with TypeError: fetch failed, and `allow` throws RangeError: no such error.',
  )
})
