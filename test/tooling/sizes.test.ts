import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ignored = readFileSync('.gitignore', 'utf8').split('\n')

test('The documents in the repository have at most 10,500 lines', () => {
  const names = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)
  const texts = names.filter((name) => /\.(?:md|txt)$/.test(name) && !ignored.includes(name))
  const lines = texts.map((name) => readFileSync(name, 'utf8').split('\n').length - 1)
  expect(texts.length).toBeGreaterThan(80)
  expect(lines.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(10_500)
})

test('scripts/ has at most 20 files and folders, and package.json at most 14 scripts', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(readdirSync('scripts').length).toBeLessThanOrEqual(20)
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(14)
})
