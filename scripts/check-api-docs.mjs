// Makes docs/api once more, elsewhere, and fails where the repository holds another one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const kept = join(root, 'docs/api')
const made = mkdtempSync(join(tmpdir(), 'fauxgate-api-docs-'))

/** The pages of a folder, by their path in it. */
const pagesIn = (folder) =>
  new Map(
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

try {
  execFileSync(process.execPath, [join(root, 'node_modules/typedoc/bin/typedoc'), '--out', made], {
    cwd: root,
    stdio: 'inherit',
  })
  const [before, after] = [pagesIn(kept), pagesIn(made)]
  const different = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
  if (different.length > 0) {
    console.error(`docs/api is not what the sources say; run \`npm run docs\`. Different: ${different.join(', ')}`)
    process.exitCode = 1
  } else console.log(`ok  docs/api is what the sources say, in ${after.size} pages`)
} finally {
  rmSync(made, { recursive: true, force: true })
}
