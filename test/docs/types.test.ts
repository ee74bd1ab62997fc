import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPointsByImport } from '../../scripts/entries.ts'
import { aroundOf } from './around.ts'
import { type Block, blocksIn } from './blocks.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = fileURLToPath(new URL('./', import.meta.url))

const options: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  paths: Object.fromEntries(Object.entries(entryPointsByImport).map(([name, path]) => [name, [root + path]])),
}

const surroundings = `${folder}surroundings.ts`

/** A block of an example is looked at as the file that it is in, beside those that it imports. */
const nameOf = ({ document, line, file }: Block) =>
  file?.startsWith('examples/') ? `${root}${file}` : `${folder}${document.replace(/\W/g, '-')}-${line}.ts`
const textOf = (block: Block) =>
  existsSync(nameOf(block)) ? readFileSync(nameOf(block), 'utf8') : `${block.code}\nexport {}`

/** Makes a program of some files, by name; they need not be on the disk. */
function programOf(files: ReadonlyMap<string, string>, parsed: Map<string, ts.SourceFile>): ts.Program {
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.getSourceFile = (name, version, ...rest) => {
    const known = parsed.get(name)
    if (known) return known
    const text = files.get(name)
    const source = text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version)
    if (source) parsed.set(name, source)
    return source
  }
  return ts.createProgram([...files.keys(), surroundings], options, host)
}

/** Returns the messages of the compiler about a file. */
function errorsIn(program: ts.Program, name: string): string[] {
  const source = program.getSourceFile(name)
  const all = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  return all.map(({ messageText, start = 0 }) => {
    const line = source?.getLineAndCharacterOfPosition(start).line
    return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

describe('TypeScript in README.md and the guides', () => {
  // Those of the sources compile with them: recipes.test.ts.
  const blocks = blocksIn('ts').filter(({ file }) => file === undefined || !/^(src|try)\b/.test(file))
  let whole: ts.Program
  let fragments: ts.Program

  beforeAll(() => {
    const parsed = new Map<string, ts.SourceFile>()
    const textsOf = (are: boolean) =>
      blocks.filter(({ isFragment }) => isFragment === are).map((block) => [nameOf(block), textOf(block)] as const)
    whole = programOf(new Map(textsOf(false)), parsed)
    fragments = programOf(new Map([...textsOf(true), [`${folder}around.d.ts`, aroundOf(whole, surroundings)]]), parsed)
  }, 120_000)

  test.each(blocks)('compiles strictly: $document from line $line on', (block) => {
    // Where a name is missing: a block that is a part of something says so, as in "```ts fragment".
    expect(errorsIn(block.isFragment ? fragments : whole, nameOf(block))).toEqual([])
  })
})
