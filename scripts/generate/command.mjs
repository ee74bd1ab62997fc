// The tables of docs/command.md and docs/options.md, from those of options and commands.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayRows } from '../../src/gateway/options.ts'
import { documentationOf } from '../../src/schema/documentation.ts'
import { clientCommands as commands } from '../../src/server/client/commands.ts'
import { optionTable as options, sandboxTable as sandboxOptions } from '../../src/server/options/table.ts'
import { commandDocument, optionsDocument } from './command/document.mjs'

const DOCUMENTS = { 'docs/command.md': commandDocument, 'docs/options.md': optionsDocument }

export default function command(root) {
  const gatewayOptions = Object.entries(gatewayRows).map(([path, row]) => ({
    path,
    sentence: documentationOf(row).sentence,
  }))
  const tables = { options, sandboxOptions, commands, gatewayOptions }
  return new Map(
    Object.entries(DOCUMENTS).map(([path, written]) => [path, written(readFileSync(join(root, path), 'utf8'), tables)]),
  )
}
