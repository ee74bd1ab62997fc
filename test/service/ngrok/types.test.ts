import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../../src/generated/${name}`, import.meta.url), 'utf8')

/** Types that have others in fauxgate/ngrok, such as NgrokResources. */
const OTHERS = ['Resources']

test('fauxgate/ngrok exports each type of a body, a response or the calls of a family that fauxgate has', () => {
  const all = [...read('resources.ts').matchAll(/^export interface (\w+)/gm)].map(([, name]) => name)
  const [, exported = ''] = /^export type \{ (.+) \}$/m.exec(read('ngrok.ts')) ?? []
  expect(all.filter((name) => name !== undefined && !OTHERS.includes(name)).sort()).toEqual(exported.split(', ').sort())
})
