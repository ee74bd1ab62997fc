import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { entryPointsByImport } from '../../scripts/entries.ts'
import { type Block, blocksOf, documents } from './blocks.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type NamedBlock = Block & { readonly file: string }
const namedOf = (document: string) =>
  blocksOf(document).filter((block): block is NamedBlock => block.file !== undefined)
const blocks = documents.flatMap(namedOf)
const bodyOf = ({ code }: Block) => code.slice(code.indexOf('\n') + 1)

test('A block that names a file of the examples is a part of this file', () => {
  const named = blocks.filter(({ file }) => file.startsWith('examples/'))
  const others = named.filter((block) => !readFileSync(join(root, block.file), 'utf8').includes(bodyOf(block)))
  expect(others).toEqual([])
})

/** The configuration of a reader's project, in which the package is the sources, as they are now. */
const alias = Object.entries(entryPointsByImport).map(
  ([name, path]) => `{ find: /^${name.replace('/', '.')}$/, replacement: ${JSON.stringify(root + path)} }`,
)
const CONFIG = `export default { resolve: { alias: [${alias}] }, test: { testTimeout: 60_000 } }`

/** Runs vitest in a folder with these files, as a reader would. Returns what it wrote. */
async function runVitest(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-docs-'))
  try {
    const all = { ...files, 'vitest.config.mjs': CONFIG, 'package.json': '{ "private": true }' }
    for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
    return await new Promise((resolve) => {
      execFile(process.execPath, args, (_failed, stdout, stderr) => resolve(stripVTControlCharacters(stdout + stderr)))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('The smallest test of README.md passes, and fails as shown without the line that the page says to remove', async () => {
  const [{ code = '', file = '' } = {}] = namedOf('README.md')
  const shown = blocksOf('README.md').find(({ language }) => language === 'text')
  const removed = /^Take `(.*)` out/m.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  expect(code).toContain(removed)
  const output = await runVitest({ 'whole.test.ts': code, [file]: code.replace(removed, '') })
  expect(output).toContain('✓ whole.test.ts')
  expect(output).toContain('1 failed | 1 passed')
  expect(output).toContain(shown?.code)
})

test('The guide to survives shows what vitest prints, and its corrected function passes', async () => {
  const blocks = blocksOf('docs/survives.md')
  const [code = '', shown = '', fixed = ''] = blocks.map((block) => block.code)
  const corrected = fixed.slice(0, fixed.indexOf('\nconst { summary }'))
  const whole = code.replace(/^async function reserveAddress[\s\S]*?^\}\n/m, corrected)
  const output = await runVitest({ 'addresses.test.ts': code, 'corrected.test.ts': whole })
  expect(output).toContain('1 failed | 1 passed')
  expect(output).toContain(shown)
})

describe('Moving from Mock Service Worker', () => {
  const guide = readFileSync(join(root, 'docs/from-msw.md'), 'utf8')

  test.each([
    ['Before', 'before.test.ts'],
    ['After', 'after.test.ts'],
  ])('counts the lines of set-up right, those outside of tests: %s', (heading, name) => {
    const text = readFileSync(join(root, 'examples/msw-migration', name), 'utf8')
    const setUp = text.replace(/^test\('[\s\S]*?^\}\)$/gm, '')
    const count = setUp.split('\n').filter((line) => line.trim() !== '').length
    expect(guide).toContain(`## ${heading}\n\n${count} lines of set-up`)
  })

  test('has the same three tests before and after', () => {
    const namesIn = (name: string) =>
      readFileSync(join(root, 'examples/msw-migration', name), 'utf8').match(/^test\('.*?'/gm)
    expect(namesIn('before.test.ts')).toHaveLength(3)
    expect(namesIn('after.test.ts')).toEqual(namesIn('before.test.ts'))
  })
})
