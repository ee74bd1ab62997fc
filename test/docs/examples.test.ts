import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const entries = readdirSync('examples', { withFileTypes: true }).filter(({ name }) => name !== 'README.md')
const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
const filesIn = (folder: string) => readdirSync(`examples/${folder}`).filter((name) => name !== 'node_modules')

describe('Examples', () => {
  test('are all in the table of examples/README.md', () => {
    const links = [...readFileSync('examples/README.md', 'utf8').matchAll(/\]\(([\w.-]+)\)/g)].map(([, name]) => name)
    expect(links.toSorted()).toEqual(entries.map(({ name }) => name).toSorted())
  })

  // `fauxgate sandbox init` writes that of the sandboxes, which is a guide.
  test.each(folders.filter((name) => name !== 'sandbox'))(
    'in %s have a README of a few lines, with a command and a guide',
    (folder) => {
      const text = readFileSync(`examples/${folder}/README.md`, 'utf8')
      expect(text.split('\n').length).toBeLessThanOrEqual(8)
      expect(text).toMatch(/^# .+\n\n[\s\S]+Run it: `.+`\n\nGuide: <.+\/docs\/[\w-]+\.md>\n$/)
    },
  )

  test('are in TypeScript, unless their runner needs JavaScript', () => {
    const scripts = folders.filter((folder) => filesIn(folder).some((name) => /\.[cm]?js$/.test(name)))
    // Node 20 and Jest run no TypeScript by themselves.
    expect(scripts).toEqual(['jest', 'jest-jsdom', 'node-test', 'sandbox'])
  })
})
