import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Block, blocksIn } from './blocks.ts'

/** The options with which the compiler checks documents. */
export const COMPILER_OPTIONS = {
  strict: true,
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/** The TypeScript of README.md and the guides. Blocks of sources compile with them: recipes.test.ts. */
export const typescriptBlocks = blocksIn('ts').filter(({ file = '' }) => !/^(src|try)\b/.test(file))

/** Returns the path of a block's file: in `examples`, or in a folder of {@link writeBlocks}. */
export function pathOf({ document, line, file, isFragment }: Block): string {
  if (file?.startsWith('examples/')) return file
  return `${isFragment ? 'fragments' : 'whole'}/${document.replace(/\W/g, '-')}-${line}.ts`
}

/** Writes the blocks that are not of examples into a folder that has `surroundings.ts`, with its names as globals. */
export function writeBlocks(folder: string, more: object = {}): void {
  for (const name of ['fragments', 'whole']) mkdirSync(join(folder, name), { recursive: true })
  for (const block of typescriptBlocks) {
    const path = pathOf(block)
    if (!path.startsWith('examples/')) writeFileSync(join(folder, path), `${block.code}\nexport {}\n`)
  }
  const { options } = ts.convertCompilerOptionsFromJson({ ...COMPILER_OPTIONS, ...more }, folder)
  const surroundings = join(folder, 'surroundings.ts')
  writeFileSync(join(folder, 'around.d.ts'), aroundOf(ts.createProgram([surroundings], options), surroundings))
}

/** Declares the names of `surroundings.ts`, a file of the program, as globals: those that a fragment may use. */
function aroundOf(program: ts.Program, surroundings: string): string {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(surroundings)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module && checker.getExportsOfModule(module).find(({ name }) => name === 'surroundings')
  const type = exported && checker.getTypeOfSymbol(exported).getCallSignatures()[0]?.getReturnType()
  if (!type) throw new Error(`${surroundings} does not export surroundings().`)
  const names = checker.getPropertiesOfType(type).map(({ name }) => name)
  return `import 'fauxgate/vitest'
import type { surroundings } from './surroundings.js'
type Around = ReturnType<typeof surroundings>
declare global {
${names.map((name) => `const ${name}: NonNullable<Around['${name}']>`).join('\n')}
}`
}
