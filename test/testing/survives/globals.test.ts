import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type CodeUnderTest, type Life, schedules, survives } from '../../../src/testing/testing.ts'
import { bundle } from '../../support/bundle.ts'
import { newFolder } from '../../support/folder.ts'
import { headers } from './programs/client.ts'

const get = ({ fetch, url }: Life) => fetch(`${url}/reserved_addrs`, { headers })

const throwing = (): never => {
  throw new Error('never shown')
}

describe('Code that rejects with a value without a text is judged like any other', () => {
  const named = Object.defineProperty(new Error(), 'message', { get: throwing })
  it.each<[string, unknown, string]>([
    ['an object without a prototype', Object.create(null), 'Error: an object'],
    ['a namespace of a module', Object.create(null, { [Symbol.toStringTag]: { value: 'Module' } }), 'Error: a Module'],
    ['an object whose toString throws', { toString: throwing }, 'Error: an object'],
    ['an object whose text is no text', { toString: () => ({}), valueOf: () => ({}) }, 'Error: an object'],
    ['a proxy that throws', new Proxy({}, { get: throwing, getPrototypeOf: throwing }), 'Error: an object'],
    ['a symbol', Symbol('why'), 'Error: Symbol(why)'],
    ['an error whose message throws', named, 'an Error'],
    ['nothing', undefined, 'Error: undefined'],
  ])('%s', async (_what, reason, text) => {
    const code = (life: Life) => get(life).catch(() => Promise.reject(reason))
    await expect(survives(code, { kinds: ['lost'], allow: () => false })).rejects.toThrow(
      `it rejects with ${text}, which \`allow\` does not accept.`,
    )
    const unhandled = (life: Life) => get(life).catch(() => void Promise.reject(reason))
    await expect(survives(unhandled, { kinds: ['lost'] })).rejects.toThrow(
      `a promise rejects with ${text.replace(/^Error: /, '')}, but nothing handles it.`,
    )
    const holds = () => Promise.reject(reason)
    await expect(survives(get, { kinds: ['lost'], holds })).rejects.toThrow(`it resolves, but \`holds\` threw: ${text}`)
    await expect(survives(get, { setup: () => Promise.reject(reason) })).rejects.toBeInstanceOf(Error)
  })
})

const SCRIPT = `import { survives } from './testing.mjs'
import timers from 'node:timers/promises'

const before = [setTimeout, Date, fetch, performance.now, Math.random, timers.setTimeout, timers.scheduler.wait]
const [object, name, descriptor] = [CHANGE]
const value = () => 1
const code = async ({ fetch, url }) => {
  Object.defineProperty(object, name, { value, configurable: false, writable: false, ...descriptor })
  await fetch(url + '/reserved_addrs').catch(() => undefined)
}
const verdict = await survives(code, { kinds: ['lost'] }).then(({ summary }) => summary, String)
const after = [setTimeout, Date, fetch, performance.now, Math.random, timers.setTimeout, timers.scheduler.wait]
const again = await survives(({ fetch, url }) => fetch(url + '/reserved_addrs'), { kinds: ['lost'], allow: () => true }).then(({ summary }) => summary, String)
console.log(JSON.stringify({ verdict, changed: after.flatMap((each, at) => (each === before[at] ? [] : [at])), again }))
`

describe('A global that the code makes unchangeable does not keep the others faked', () => {
  const cannotRestore = (name: string) =>
    `Error: survives cannot restore ${name}: the code under test has made it unchangeable. Let it define only configurable or writable properties. All other globals are restored.`
  const cannotReplace = (name: string) =>
    `Error: survives cannot replace ${name}, which is neither configurable nor writable.`

  it.each([
    ['globalThis, "fetch", {}', cannotRestore('fetch'), [2], cannotReplace('fetch')],
    ['Math, "random", {}', cannotRestore('Math.random'), [4], cannotReplace('Math.random')],
    [
      'timers, "setTimeout", {}',
      cannotRestore('timers.promises.setTimeout'),
      [5],
      cannotReplace('timers.promises.setTimeout'),
    ],
    ['globalThis, "fetch", { writable: true }', '0 fail', [], '0 fail'],
  ])('%s', async (change, verdict, changed, again) => {
    const folder = newFolder()
    await bundle("export * from './src/testing/testing.ts'", join(folder, 'testing.mjs'))
    const file = join(folder, 'script.mjs')
    writeFileSync(file, SCRIPT.replace('CHANGE', change))
    const { stdout } = await promisify(execFile)(process.execPath, [file])
    const result = JSON.parse(stdout)
    expect(result).toEqual({
      verdict: expect.stringContaining(verdict),
      changed,
      again: expect.stringContaining(again),
    })
  })
})

describe('Two calls of survives at once: the second is rejected', () => {
  const message = 'Another call to survives or schedules is running. Await it first'
  const options = { kinds: ['lost'], allow: () => true } as const

  it('started side by side, and the first is not disturbed', async () => {
    const before = [setTimeout, Date, fetch]
    const [first, second] = await Promise.allSettled([survives(get, options), survives(get, options)])
    expect(first).toMatchObject({ status: 'fulfilled', value: { isComplete: true } })
    expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining(message) } })
    expect([setTimeout, Date, fetch]).toEqual(before)
  })

  it('inside the code of the first', async () => {
    const code: CodeUnderTest = async (life) => void (await Promise.all([get(life), survives(get, options)]))
    await expect(survives(code, options)).rejects.toThrow(message)
  })

  it('while both wait for their server, which is closed', async () => {
    const closed: string[] = []
    const start = (name: string) => {
      const close = async () => void closed.push(name)
      return survives(get, { ...options, serve: async ({ url }) => ({ url, close }) })
    }
    const [first, second] = await Promise.allSettled([start('first'), start('second')])
    expect(first).toMatchObject({ status: 'fulfilled' })
    expect(second).toMatchObject({ reason: { message: expect.stringContaining(message) } })
    expect(closed).toEqual(['second', 'first'])
  })

  it('but one in the loop over schedules may run, because its globals are the host’s', async () => {
    let tried = 0
    for await (const { verdict } of schedules(get, options)) {
      expect(verdict).toBe('survived')
      tried += (await survives(get, options)).tried
    }
    expect(tried).toBe(2)
  })
})
