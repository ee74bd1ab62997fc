import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryPointsByImport } from '../../scripts/entries.ts'
import { COMPILER_OPTIONS, pathOf, typescriptBlocks, writeBlocks } from './compiled.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const parent = mkdtempSync(join(tmpdir(), 'fauxgate-types-'))
const folder = join(parent, 'documents')
/** The current sources, by the names that users import. */
const paths = Object.fromEntries(Object.entries(entryPointsByImport).map(([name, path]) => [name, [root + path]]))

/** Compiles the files of the folder. Returns the lines that the compiler writes. */
function compile(): Promise<readonly string[]> {
  const config = join(folder, 'tsconfig.json')
  const include = ['whole', 'fragments', 'examples/**/*.ts']
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, paths }, include }))
  const args = [join(root, 'node_modules/typescript-7/bin/tsc'), '--pretty', 'false', '--singleThreaded', '-p', config]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_failed, stdout, stderr) =>
      resolve((stdout + stderr).split('\n').filter((line) => line !== '')),
    )
  })
}

describe('TypeScript in README.md, the guides, and the examples', () => {
  let problems: readonly string[]

  beforeAll(async () => {
    mkdirSync(folder)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    // The compiler looks here for what only tools/ has, such as the types of Jest.
    symlinkSync(join(root, 'tools/node_modules'), join(parent, 'node_modules'), 'junction')
    symlinkSync(join(root, 'examples'), join(folder, 'examples'), 'junction')
    writeFileSync(join(folder, 'surroundings.ts'), `export { surroundings } from '${root}test/docs/surroundings.ts'\n`)
    writeBlocks(folder)
    problems = await compile()
    expect(problems.filter((line) => /^(error|fragments.around|surroundings)/.test(line))).toEqual([])
  }, 120_000)

  afterAll(() => rmSync(parent, { recursive: true, force: true }))

  test.each(typescriptBlocks)('compiles strictly: $document from line $line on', (block) => {
    // If a name is missing, mark the block as a part: "```ts fragment".
    expect(problems.filter((line) => line.startsWith(`${pathOf(block)}(`))).toEqual([])
  })

  test('compiles strictly in the examples, except for those that install their own packages', () => {
    const own = readdirSync(join(root, 'examples')).filter((name) =>
      existsSync(join(root, 'examples', name, 'package.json')),
    )
    const others = problems.filter((line) => line.startsWith('examples/') && !own.includes(line.split('/')[1] ?? ''))
    expect(others).toEqual([])
  })
})
