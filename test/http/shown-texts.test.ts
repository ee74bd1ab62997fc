import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { ShownTexts } from '../../src/http/shown-texts.ts'

/** What becomes of a record once so many others were shown after it. */
async function isGone(texts: ShownTexts, others: number): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const shown = () => {
    const record = Object.freeze({ id: 'first' })
    expect(texts.of(record)).toBe('{"id":"first"}')
    return new WeakRef(record)
  }
  const first = shown()
  for (let n = 0; n < others; n++) expect(texts.of(Object.freeze({ n }))).toBe(`{"n":${n}}`)
  const control = new WeakRef({})
  await vi.waitUntil(() => gc() ?? control.deref() === undefined, { interval: 1, timeout: 20_000 })
  return first.deref() === undefined
}

test('Texts of records are kept for a few hundred of them, and no record for longer', async () => {
  const texts = new ShownTexts()
  expect(await isGone(texts, 10)).toBe(false)
  expect(await isGone(new ShownTexts(), 300)).toBe(true)
  expect(texts.of(Object.freeze({ id: 'x' }))).toBe('{"id":"x"}')
})

test('The text of a record is made once, unless it is very long', () => {
  const texts = new ShownTexts()
  let asked = 0
  const record = (text: string) => ({ toJSON: () => ({ asked: asked++, text }) })
  const [short, long] = [record(''), record('x'.repeat(8192))]
  for (const each of [short, short, short]) expect(texts.of(each)).toBe('{"asked":0,"text":""}')
  expect(texts.of(long)).toContain('"asked":1,')
  expect(texts.of(long)).toContain('"asked":2,')
})
