import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { entryPointsByImport } from '../../scripts/entries.ts'
import { type Block, documents, listBlocksOf } from './blocks.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type NamedBlock = Block & { readonly file: string }
const listNamedBlocks = (document: string) =>
  listBlocksOf(document).filter((block): block is NamedBlock => block.file !== undefined)
const blocks = documents.flatMap(listNamedBlocks)
const bodyOf = ({ code }: Block) => code.slice(code.indexOf('\n') + 1)

test('A block that names a file of the examples is a part of this file', () => {
  const exampleBlocks = blocks.filter(({ file }) => file.startsWith('examples/'))
  const others = exampleBlocks.filter((block) => !readFileSync(join(root, block.file), 'utf8').includes(bodyOf(block)))
  expect(others).toEqual([])
})

// tools/checks/examples.mjs runs these examples.
test.each(['docs/go.md', 'docs/python.md'])('Each block of code in %s is a part of an example', (document) => {
  const code = listBlocksOf(document).filter(({ language }) => language !== 'sh')
  expect(code.filter(({ file }) => !file?.startsWith('examples/'))).toEqual([])
  expect(code.length).toBeGreaterThan(2)
})

/** The configuration of a reader's project, in which the package is the current sources. */
const alias = Object.entries(entryPointsByImport).map(
  ([name, path]) => `{ find: /^${name.replace('/', '.')}$/, replacement: ${JSON.stringify(root + path)} }`,
)
const CONFIG = `export default { resolve: { alias: [${alias}] }, test: { testTimeout: 60_000 } }`

/** Runs vitest once in a folder with these files, as a reader would. Returns its output. */
async function runVitest(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-docs-'))
  try {
    const all = { ...files, 'vitest.config.mjs': CONFIG, 'package.json': '{ "private": true }' }
    for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const args = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      folder,
      '--no-isolate',
      '--maxWorkers',
      '1',
    ]
    return await new Promise((resolve) => {
      execFile(process.execPath, args, (_failed, stdout, stderr) => resolve(stripVTControlCharacters(stdout + stderr)))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('Documents show what vitest prints for their failing tests, and the corrections pass', async () => {
  const [{ code: smallest = '', file = '' } = {}, { code: retrying = '' } = {}] = listNamedBlocks('README.md')
  const failures = listBlocksOf('README.md').filter(({ language }) => language === 'text')
  const removedLine = /remove `(.*?)` from the headers/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  expect(smallest).toContain(removedLine)
  const [buggy = '', survives = '', report = '', fixed = ''] = listBlocksOf('docs/survives.md').map(({ code }) => code)
  const [{ code: race = '' } = {}] = listNamedBlocks('docs/survives.md').filter(({ file }) => file === 'twice.test.ts')
  const forgotten = listNamedBlocks('docs/runners.md').find((block) => block.file === 'forgotten.test.ts')?.code ?? ''
  const forgottenReport = listBlocksOf('docs/runners.md').find(({ code }) => code.includes('still pending'))
  const raceReport = listBlocksOf('docs/survives.md').find(({ code }) => code.includes('interleavings;'))
  const [sites = '', sitesTest = ''] = listNamedBlocks('docs/getting-started.md').map(({ code }) => code)
  const sitesReport = listBlocksOf('docs/getting-started.md').find(({ language }) => language === 'text')?.code
  const removedFromSites =
    /^Remove `(.*)` from/m.exec(readFileSync(join(root, 'docs/getting-started.md'), 'utf8'))?.[1] ?? ''
  expect(sites).toContain(removedFromSites)
  const output = await runVitest({
    'sites.ts': sites,
    'sites.test.ts': sitesTest,
    'wrong-sites.ts': sites.replace(removedFromSites, ''),
    'wrong-sites.test.ts': sitesTest.replace('./sites.ts', './wrong-sites.ts'),
    'whole.test.ts': smallest,
    [file]: smallest.replace(removedLine, ''),
    'retrying.test.ts': retrying,
    'addresses.ts': buggy,
    'addresses.test.ts': survives,
    'twice.test.ts': race,
    'forgotten.test.ts': forgotten,
    'corrected.ts': fixed,
    'corrected.test.ts': survives.replace('./addresses.ts', './corrected.ts'),
  })
  expect(output).toContain('✓ whole.test.ts')
  expect(output).toContain('✓ corrected.test.ts')
  expect(output).toContain('✓ sites.test.ts')
  expect(output).toContain(sitesReport)
  expect(output).toMatch(/wrong-sites\.test\.ts \(3 tests \| 3 failed\)/)
  expect(output).toContain(`Unhandled Rejection ⎯⎯⎯⎯⎯\n${sitesReport?.split('\n')[0]}`)
  expect(output).toContain('Test Files  6 failed | 3 passed')
  for (const { code } of failures) expect(output).toContain(code)
  expect(failures).toHaveLength(2)
  expect(output).toContain(report)
  expect(output).toContain(raceReport?.code)
  expect(output).toContain(forgottenReport?.code)
})

describe('Moving from Mock Service Worker', () => {
  const guide = readFileSync(join(root, 'docs/from-msw.md'), 'utf8')

  test.each([
    ['Before', 'before.test.ts'],
    ['After', 'after.test.ts'],
  ])('counts the lines of setup outside the tests: %s', (heading, name) => {
    const text = readFileSync(join(root, 'examples/msw-migration', name), 'utf8')
    const setUp = text.replace(/^test\('[\s\S]*?^\}\)$/gm, '')
    const count = setUp.split('\n').filter((line) => line.trim() !== '').length
    expect(guide).toContain(`## ${heading}\n\n${count} lines of setup`)
  })

  test('has the same three tests before and after', () => {
    const namesIn = (name: string) =>
      readFileSync(join(root, 'examples/msw-migration', name), 'utf8').match(/^test\('.*?'/gm)
    expect(namesIn('before.test.ts')).toHaveLength(3)
    expect(namesIn('after.test.ts')).toEqual(namesIn('before.test.ts'))
  })
})
