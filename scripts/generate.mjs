// Writes everything that is derived from the sources: `npm run generate`, or a part of it: `npm run generate types`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { imported } from './imported.mjs'
import { root } from './shared.mjs'

/** The parts, in an order in which each finds what it needs, with the folders that have no other files. */
const PARTS = {
  'types.ts': ['src/generated'],
  'messages.ts': [],
  'own-numbers.ts': [],
  'evidence.ts': [],
  'reference.mjs': ['docs/reference', 'docs/reference/ngrok'],
  'command.mjs': [],
  'api.mjs': ['docs/api'],
}

/** Returns the files whose text differs from the generated text, or that no part generates any more. */
export async function staleFiles() {
  const stale = []
  for (const part of Object.keys(PARTS)) {
    const files = await filesOf(part)
    for (const [path, text] of files) if (textAt(path) !== text) stale.push(path)
    stale.push(...leftovers(part, files))
  }
  return stale
}

/** Writes the files of a part. */
async function generate(part) {
  const files = await filesOf(part)
  for (const path of leftovers(part, files)) rmSync(join(root, path))
  for (const [path, text] of files) {
    if (textAt(path) === text) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(`Wrote ${path}`)
  }
}

const textAt = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)

/** The files of a part's folders that it no longer writes. */
function leftovers(part, files) {
  const folders = PARTS[part].filter((folder) => existsSync(join(root, folder)))
  const entries = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => ({
      entry,
      path: `${folder}/${entry.name}`,
    })),
  )
  return entries.filter(({ entry, path }) => entry.isFile() && !files.has(path)).map(({ path }) => path)
}

/** The text of each file of a part, by its path, from the sources as they are now. */
async function filesOf(part) {
  const { default: files } = await imported(`scripts/generate/${part}`)
  return files(root)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const chosen = process.argv.slice(2)
  for (const part of Object.keys(PARTS))
    if (chosen.length === 0 || chosen.includes(parse(part).name)) await generate(part)
}
