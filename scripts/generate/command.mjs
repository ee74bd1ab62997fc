// Generates the tables of docs/command.md and docs/options.md, from the tables of options and commands.

import { clientCommands } from '../../src/server/client/commands.ts'
import { optionTable, sandboxTable } from '../../src/server/options/table.ts'
import { table, withParts } from './markdown.ts'
import { formatGatewayOptions, isGatewayOption } from './options-table.ts'

export default function command(root) {
  return new Map([
    withParts(root, 'docs/command.md', {
      options: formatOptions(),
      sandbox: formatSandboxOptions(),
      commands: formatCommands(),
    }),
    withParts(root, 'docs/options.md', { options: formatGatewayOptions() }),
  ])
}

const formatTable = (head, rows) => `\n${table(head, rows)}\n`

const formatFlag = ({ flag, value, kind }) => `\`--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}\``

const formatOptions = () =>
  formatTable(
    ['flag', 'in a config file', ''],
    optionTable
      .filter((option) => !isGatewayOption(option))
      .map((option) => [formatFlag(option), `\`${option.path}\``, option.sentence]),
  )

const formatSandboxOptions = () =>
  formatTable(
    ['flag', 'variable', ''],
    sandboxTable.map((option) => [formatFlag(option), `\`${option.variable}\``, option.sentence]),
  )

const formatCommands = () =>
  formatTable(
    ['command', '', 'flags'],
    clientCommands.map(({ name, words, summary, flags }) => {
      const ownFlags = flags.filter(({ variable }) => variable === undefined).map(({ flag }) => `\`--${flag}\``)
      return [`\`fauxgate ${`${name} ${words}`.trim()}\``, summary, ownFlags.join(', ')]
    }),
  )
