// The tables of docs/command.md and docs/options.md, from those of options and commands.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayRows } from '../../src/gateway/options.ts'
import { documentationOf } from '../../src/schema/documentation.ts'
import { clientCommands } from '../../src/server/client/commands.ts'
import { optionTable, sandboxTable } from '../../src/server/options/table.ts'
import { table, withParts } from './markdown.ts'

export default function command(root) {
  const page = (path, tables) => {
    const parts = Object.entries(tables).map(([name, [head, rows]]) => [name, `\n${table(head, rows)}\n`])
    return [path, withParts(readFileSync(join(root, path), 'utf8'), Object.fromEntries(parts))]
  }
  return new Map([
    page('docs/command.md', { options: options(), sandbox: sandbox(), commands: commands() }),
    page('docs/options.md', { options: gatewayOptions() }),
  ])
}

function shown({ flag, value, kind }) {
  return `\`--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}\``
}

const options = () => [
  ['flag', 'in a config file', ''],
  optionTable.map((option) => [shown(option), `\`${option.path}\``, option.sentence]),
]

const sandbox = () => [
  ['flag', 'variable', ''],
  sandboxTable.map((option) => [shown(option), `\`${option.variable}\``, option.sentence]),
]

const commands = () => [
  ['command', '', 'flags'],
  clientCommands.map(({ name, words, summary, flags }) => {
    const own = flags.filter(({ variable }) => variable === undefined).map(({ flag }) => `\`--${flag}\``)
    return [`\`fauxgate ${`${name} ${words}`.trim()}\``, summary, own.join(', ')]
  }),
]

/** The options of `createGateway`, each followed by those in it. */
const gatewayOptions = () => [
  ['option', ''],
  Object.entries(gatewayRows).flatMap(([path, row]) => {
    const inner = optionTable.filter((option) => option.path.startsWith(`${path}.`))
    return [{ path, sentence: documentationOf(row).sentence }, ...inner].map((each) => [
      `\`${each.path}\``,
      each.sentence,
    ])
  }),
]
