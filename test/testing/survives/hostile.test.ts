import { randomBytes, scrypt } from 'node:crypto'
import timers from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { readHost } from '../../../src/testing/survives/host.ts'
import { type CodeUnderTest, type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { createCall, headers } from './programs/client.ts'

const scryptAsync = promisify<string, string, number, Buffer>(scrypt)

const get = ({ fetch, url }: Life) => fetch(`${url}/reserved_addrs`, { headers })

/** Returns the summary of a search, or the first line of its error. */
/** Returns the summary, or the first line of the error in full. */
async function search(code: CodeUnderTest, options: SurvivesOptions = { kinds: ['lost'] }): Promise<string> {
  try {
    return (await survives(code, options)).summary
  } catch (error) {
    const [first = '', ...rest] = String(error).split('\n')
    return rest.find((line) => line.startsWith('  In full: ')) ?? first
  }
}

describe('Code that never ends', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['waits for nothing', () => new Promise(() => undefined), 'it waits, but no timer is set'],
    [
      'takes turns without end',
      async () => {
        for (;;) await new Promise((resolve) => setImmediate(resolve))
      },
      'it keeps the event loop busy forever',
    ],
    [
      'sets timers of 0 ms without end',
      async () => {
        for (;;) await new Promise((resolve) => setTimeout(resolve, 0))
      },
      'it never stops setting timers',
    ],
  ])('is named: it %s', async (_name, end, reason) => {
    expect(await search((life) => get(life).catch(end))).toContain(`it never ends: ${reason}`)
  })

  it('is named where it never stops sending requests', async () => {
    const code = async (life: Life) => {
      await get(life).catch(async () => {
        for (;;) await get(life)
      })
    }
    expect(await search(code)).toContain('it never ends: it never stops sending requests')
  })

  it('takes no turns once its run is over', async () => {
    let turns = 0
    const code = async (life: Life) => {
      const { status } = await get(life)
      for (; status === 503; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await search(code, { kinds: ['5xx'] })).toContain('it keeps the event loop busy forever')
    const before = turns
    for (let left = 5; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
    expect(turns).toBe(before)
  })

  it('does not include code that waits by node:timers/promises, which takes no real time', async () => {
    const code = async (life: Life) => {
      expect(await timers.setTimeout(3_600_000, 'value')).toBe('value')
      for await (const value of timers.setInterval(3_600_000, 'value')) {
        expect(value).toBe('value')
        break
      }
      await timers.scheduler.wait(3_600_000)
      await get(life).catch(() => void timers.setTimeout(3_600_000, undefined, { ref: false }))
    }
    expect(await search(code)).toMatch(/; 0 fail$/)
  })

  it('does not include code that waits for threads, or has used one', async () => {
    const code = async (life: Life) => {
      expect(randomBytes(16)).toHaveLength(16)
      expect(await scryptAsync('a password', 'salt', 16)).toHaveLength(16)
      const packed = await promisify(gzip)(Buffer.alloc(300_000, 'fauxgate'))
      expect(await promisify(gunzip)(packed)).toHaveLength(300_000)
      await get(life).catch(() => undefined)
    }
    expect(await search(code)).toMatch(/; 0 fail$/)
  })
})

it('Modules that vitest loads count as work that is under way: no run waits for nothing meanwhile', () => {
  const { resolvingModules } = Reflect.get(globalThis, '__vitest_worker__')
  const host = readHost()
  try {
    resolvingModules.add('/slow.ts')
    expect(host.resources()).toContain('/slow.ts')
  } finally {
    resolvingModules.delete('/slow.ts')
    host.end()
  }
})

it('A message has the ids of its story, and the wait that is longer than `within`', async () => {
  const code = async (life: Life) => {
    const { id } = await createCall(life)('POST', '/reserved_addrs', {})
    const { status } = await get(life)
    if (status === 429) await new Promise((resolve) => setTimeout(resolve, 86_400_000))
    if (status !== 200) throw new Error(`${id} is left`)
  }
  const message = await search(code, { replay: 'GET /reserved_addrs#1 503' })
  expect(message).toContain('it rejects with Error: ra_a is left, and leaves 1 reserved_addrs.')
  expect(await search(code, { replay: 'GET /reserved_addrs#1 429' })).toContain('; a timer waits for 1d.')
})

describe('survives rejects', () => {
  it('code that sends nothing to the gateway: nothing could fail', async () => {
    expect(await search(async () => 1)).toMatch(/^Error: The code sent no request to https:\/\/api\.gateway\.test, so/)
  })

  it("code that only calls the agent's API, and says how to test that", async () => {
    const message = await search(() => fetch('http://127.0.0.1:4040/api/tunnels').catch(() => undefined))
    expect(message).toContain("The code called the agent's API at http://127.0.0.1:4040. Let it")
    expect(message).toContain("survives does not try failures of the agent's API: test them with faults, such as")
  })

  it('code to which no failure applies', async () => {
    const message =
      'Error: No failure applies to anything that the code does, so nothing can fail. Requests fail only in the ways'
    expect(await search(get, { kinds: [] })).toContain(message)
    const onlyEffect: CodeUnderTest = async ({ effect }) => void (await effect('save', () => 1))
    expect(await search(onlyEffect)).toContain(message)
    expect(await search(onlyEffect, { restart: true })).toMatch(/^6 of 6 schedules/)
  })

  it('a value that is no function', async () => {
    // As JavaScript may call it.
    expect(await search(42 as never)).toBe('TypeError: code is 42. Allowed: a function.')
    expect(await search(undefined as never)).toBe('TypeError: code is missing. Allowed: a function.')
  })

  it('to continue once its signal is aborted, with the reason of the abort', async () => {
    expect(await search(get, { signal: AbortSignal.abort(new Error('enough')) })).toBe('Error: enough')
  })
})

it('An `allow` that throws does not accept the error, and the report says so', async () => {
  const options: SurvivesOptions = {
    kinds: ['lost'],
    allow: () => {
      throw new RangeError('no such error')
    },
  }
  expect(await search(get, options)).toContain(
    'it rejects with TypeError: fetch failed, and `allow` throws RangeError: no such error.',
  )
})

it('An async `allow` accepts no error: its promise would always count as true', async () => {
  // The types allow no promise, but JavaScript does.
  const allow = (async () => false) as unknown as () => boolean
  expect(await search(get, { kinds: ['lost'], allow })).toContain(
    '`allow` throws TypeError: it returned a promise. Allowed: true or false, from a function that is not async.',
  )
})

it('An `allow` that is a class of errors accepts no error: what the class returns would always count as true', async () => {
  const allow = TypeError as unknown as () => boolean
  expect(await search(get, { kinds: ['lost'], allow })).toContain(
    '`allow` throws TypeError: it returned an error instead of true or false. To match an error class, use instanceof.',
  )
})

describe('A value from the caller that cannot work is named', () => {
  const ANOTHER_CLOCK = 'TypeError: create returned a gateway with another clock. Allowed: a gateway with the options'

  it.each<[string, object, string]>([
    ['nothing from create', { create: () => undefined }, 'TypeError: create returned nothing. Allowed: a gateway.'],
    ['a promise from create', { create: async () => createNgrok() }, 'TypeError: create returned a promise: await it'],
    ['a gateway that ignores the options', { create: () => createNgrok() }, ANOTHER_CLOCK],
    ['no server', { serve: () => 1 }, 'TypeError: serve returned 1. Allowed: an object with url and close,'],
    ['a server that is not returned', { serve: () => undefined }, 'TypeError: serve returned nothing. Allowed: a'],
    ['null for a server', { serve: () => null }, 'TypeError: serve returned null. Allowed: an object'],
    ['a text for kinds', { kinds: 'lost' }, 'TypeError: kinds is "lost". Allowed: an array of "lost", "5xx", "429",'],
  ])('%s', async (_what, options, message) => {
    expect(await search(get, options)).toContain(message)
  })

  it.each<[unknown[], string]>([
    [[], "TypeError: The effect's name is missing. Allowed: a string"],
    [[() => 1], "TypeError: The effect's name is a function. Allowed: a string"],
    [['save'], "TypeError: The effect's work is missing. Allowed: a function"],
  ])('in an effect: %j', async (args, message) => {
    const result = await search(({ effect }) => (effect as (...args: unknown[]) => Promise<unknown>)(...args))
    expect(result).toContain(`fails without any fault: it rejects with ${message}.`)
  })
})

describe('The functions of the caller', () => {
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

  it('may wait on the clock of the run: `setup`, the function that it returned, and `holds`', async () => {
    let ended = 0
    const options: SurvivesOptions = {
      kinds: ['lost'],
      within: '1m',
      async setup() {
        await sleep(50_000)
        return () => sleep(50_000).then(() => ended++)
      },
      holds: () => sleep(50_000),
    }
    const code = async (life: Life) => {
      await sleep(50_000)
      await get(life).catch(() => undefined)
    }
    expect(await search(code, options)).toMatch(/^1 of 1 schedules/)
    // Two runs without failures, and one with a failure.
    expect(ended).toBe(3)
  })

  it.each(['setup', 'holds'] as const)('are named, if they never end: %s', async (option) => {
    const result = await search(get, { [option]: () => new Promise(() => undefined) })
    expect(result).toContain(`The function \`${option}\` never finishes.`)
  })

  it('are in the stack of their error, after the call of survives', async () => {
    const error = await survives(get, { setup: failingSetup }).catch((thrown) => thrown)
    expect(error.stack).toMatch(/^Error: no set-up\n {4}at [^\n]*hostile\.test\.ts[\s\S]*at failingSetup /)
  })
})

function failingSetup() {
  throw new Error('no set-up')
}

it('A frozen reason of the signal is thrown unchanged', async () => {
  const reason = Object.freeze(new Error('enough'))
  await expect(survives(get, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

it('A process that crashed starts with `performance.now()` at 0, although its date had jumped', async () => {
  const starts: number[] = []
  const code = async (life: Life) => {
    if (life.life > 1) starts.push(performance.now())
    for (let left = 2; left > 0; left--) await get(life)
  }
  await survives(code, { restart: true, replay: 'GET /reserved_addrs#1 clock-back, GET /reserved_addrs#2 crash' })
  expect(starts).toEqual([0])
})

it('A replay text with a quote or the end of a line is written as JavaScript reads it', async () => {
  for (const name of ["save the user's id", 'save\nthe id']) {
    const code: CodeUnderTest = async (life) => {
      await createCall(life)('POST', '/reserved_addrs', {})
      await life.effect(name, () => undefined)
    }
    const options: SurvivesOptions = { restart: true, kinds: ['crash'] }
    const { message } = await survives(code, options).catch((thrown) => thrown)
    const [, text = ''] = /^ {4}(".*")$/m.exec(message) ?? []
    expect(text).toBe(JSON.stringify(`effect ${name}#1 crash-before`))
    expect(await search(code, { ...options, replay: JSON.parse(text) })).toContain('does not survive one fault')
  }
})
