// Writes all generated files: `npm run generate`, or a part of them: `npm run generate types`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSource } from './import-source.mjs'
import { root } from './shared.mjs'

/** The parts, each after the parts that it needs, with the folders that contain only generated files. */
const PARTS = {
  'types.ts': ['src/generated'],
  'languages.ts': [],
  'messages.ts': [],
  'own-numbers.ts': [],
  'ngrok-paths.ts': [],
  'evidence.ts': [],
  'reference.mjs': [],
  'command.mjs': [],
  'stability.ts': [],
  'standard.ts': [],
  'verify.ts': [],
  'control-api.ts': [],
  'api.mjs': [],
}

/** The part whose files `npm pack` makes. */
const PACKED = 'reference.mjs'

/** Returns the files that a part would change, each with its text; undefined for a file that it no longer generates. */
async function listChanges(part) {
  const { default: createFiles } = await importSource(`scripts/generate/${part}`)
  const files = new Map(await createFiles(root))
  for (const folder of PARTS[part].filter((each) => existsSync(join(root, each)))) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isFile() && !files.has(path)) files.set(path, undefined)
    }
  }
  const textAt = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return [...files].filter(([path, text]) => textAt(path) !== text)
}

/** Returns the paths of all files that are not up to date. */
export async function listStaleFiles() {
  const staleFiles = []
  for (const part of Object.keys(PARTS).filter((each) => each !== PACKED))
    staleFiles.push(...(await listChanges(part)).map(([path]) => path))
  return staleFiles
}

async function generate(part) {
  for (const [path, text] of await listChanges(part)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (text === undefined) rmSync(join(root, path))
    else writeFileSync(join(root, path), text)
    console.log(`${text === undefined ? 'Removed' : 'Wrote'} ${path}`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const chosen = process.argv.slice(2)
  for (const part of Object.keys(PARTS))
    if (chosen.length === 0 || chosen.includes(parse(part).name)) await generate(part)
}
