// Writes src/resources/types from the table of families: `npm run types:generate`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const folder = path('../src/resources/types/')

const { outputFiles } = await build({
  entryPoints: [path('./types/all.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const { allTypes } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
)
const files = allTypes()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, text] of files) writeFileSync(`${folder}${name}`, text)
console.log(`Wrote ${files.size} files.`)
