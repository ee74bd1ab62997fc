import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { entries } from '../support/entries.ts'
import { type Block, blocksIn } from './blocks.ts'
import { surroundings } from './surroundings.ts'

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
  paths: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, [path]])),
}

/** What stands around a fragment, as types. */
const around = `import 'fauxgate/vitest'
import type { surroundings } from './surroundings.ts'
type Around = ReturnType<typeof surroundings>
declare global {
${Object.keys(surroundings(''))
  .map((name) => `const ${name}: NonNullable<Around['${name}']>`)
  .join('\n')}
}`

/** A block of an example is looked at as the file that it is in, beside those that it imports. */
const nameOf = ({ document, line, file }: Block) =>
  file?.startsWith('examples/') ? `${root}${file}` : `${folder}${document.replace(/\W/g, '-')}-${line}.ts`
const textOf = (block: Block) =>
  existsSync(nameOf(block)) ? readFileSync(nameOf(block), 'utf8') : `${block.code}\nexport {}`

/** What the compiler says of some files, by name; they need not be on the disk. */
function errorsIn(files: ReadonlyMap<string, string>, parsed: Map<string, ts.SourceFile>): Map<string, string[]> {
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
  const program = ts.createProgram([...files.keys()], options, host)
  const errorsOf = (name: string) => {
    const source = program.getSourceFile(name)
    const all = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return all.map(({ messageText, start = 0 }) => {
      const line = source?.getLineAndCharacterOfPosition(start).line
      return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  }
  return new Map([...files.keys()].map((name) => [name, errorsOf(name)]))
}

describe('TypeScript in README.md and the guides', () => {
  // Those of the sources compile with them: recipes.test.ts.
  const blocks = blocksIn('ts').filter(({ file }) => file === undefined || !/^(src|try)\b/.test(file))
  const errors = new Map<string, string[]>()

  beforeAll(() => {
    const parsed = new Map<string, ts.SourceFile>()
    const textsOf = (are: boolean) =>
      blocks.filter(({ isFragment }) => isFragment === are).map((block) => [nameOf(block), textOf(block)] as const)
    const whole = errorsIn(new Map(textsOf(false)), parsed)
    const fragments = errorsIn(new Map([...textsOf(true), [`${folder}around.d.ts`, around]]), parsed)
    for (const [name, messages] of [...whole, ...fragments]) errors.set(name, messages)
  }, 120_000)

  test.each(blocks)('compiles strictly: $document from line $line on', (block) => {
    // Where a name is missing: a block that is a part of something says so, as in "```ts fragment".
    expect(errors.get(nameOf(block))).toEqual([])
  })
})
