import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Block, listBlocks } from './blocks.ts'
import { surroundings } from './surroundings.ts'

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

/** Returns true for a file in an example that installs its own packages, with which tools/checks/examples.mjs compiles it. */
const isOfPackage = (file: string) => file.startsWith('examples/') && existsSync(join(dirname(file), 'package.json'))

/** The TypeScript of README.md and the guides. recipes.test.ts compiles the blocks of sources. */
export const typescriptBlocks = listBlocks('ts').filter(
  ({ file = '' }) => !/^(src|try)\b/.test(file) && !isOfPackage(file),
)

/** Returns the path of a block's file: in `examples`, or in a folder of {@link writeBlocks}. */
export function pathOf({ document, line, file, isFragment }: Block): string {
  if (file?.startsWith('examples/')) return file
  return `${isFragment ? 'fragments' : 'whole'}/${document.replace(/\W/g, '-')}-${line}.ts`
}

/** Writes the blocks that are not of examples into a folder that has `surroundings.ts`. */
export function writeBlocks(folder: string): void {
  for (const name of ['fragments', 'whole']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'fragments/around.d.ts'), AROUND)
  const names = Object.keys(surroundings())
  for (const block of typescriptBlocks) {
    const path = pathOf(block)
    if (path.startsWith('examples/')) continue
    // Blocks of the same document import it by its name.
    if (block.file?.match(/^\w+\.ts$/)) writeFileSync(join(folder, 'whole', block.file), block.code)
    writeFileSync(join(folder, path), block.isFragment ? addSurroundings(block, names) : `${block.code}\nexport {}\n`)
  }
}

/** The type of the surroundings. */
const AROUND = `import type { surroundings } from '../surroundings.js'
export type Around = ReturnType<typeof surroundings>
`

/** Returns a fragment as a function of its surroundings, below its imports. */
function addSurroundings({ code }: Block, names: readonly string[]): string {
  const imports = [...code.matchAll(IMPORT)].join('')
  return `import type { Around } from './around.js'
${imports}export const fragment = ({ ${names.join(', ')} }: Around) => async () => {
${code.replaceAll(IMPORT, '')}}
`
}

const IMPORT = /^import .*\n/gm
