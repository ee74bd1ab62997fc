// Writes what follows from the command's tables: src/server/options/sentences.ts and the tables of docs/command.md:
// `npm run command:generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { withTables } from './command/document.mjs'
import { sentencesFile } from './command/sentences.mjs'

const root = new URL('../', import.meta.url)
writeFileSync(new URL('src/server/options/sentences.ts', root), sentencesFile())

const { outputFiles } = await build({
  stdin: {
    contents: `export { optionTable as options } from './src/server/options/table.ts'
export { clientCommands as commands } from './src/server/client/commands.ts'`,
    resolveDir: fileURLToPath(root),
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const tables = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
const document = new URL('docs/command.md', root)
writeFileSync(document, withTables(readFileSync(document, 'utf8'), tables))
