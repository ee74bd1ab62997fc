// What follows from the command's tables: src/server/options/sentences.ts and the tables of docs/command.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientCommands } from '../../src/server/client/commands.ts'
import { optionTable } from '../../src/server/options/table.ts'
import { withTables } from './command/document.mjs'
import { sentencesFile } from './command/sentences.mjs'

const GUIDE = 'docs/command.md'

export default function command(root) {
  const guide = readFileSync(join(root, GUIDE), 'utf8')
  return new Map([
    ['src/server/options/sentences.ts', sentencesFile(root)],
    [GUIDE, withTables(guide, { options: optionTable, commands: clientCommands })],
  ])
}
