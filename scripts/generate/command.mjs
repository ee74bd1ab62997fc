// The tables of docs/command.md and docs/options.md, from those of options and commands.
import { gatewayRows } from '../../src/gateway/options.ts'
import { documentationOf } from '../../src/schema/documentation.ts'
import { clientCommands } from '../../src/server/client/commands.ts'
import { optionTable, sandboxTable } from '../../src/server/options/table.ts'
import { table, withParts } from './markdown.ts'

export default function command(root) {
  return new Map([
    withParts(root, 'docs/command.md', { options: options(), sandbox: sandbox(), commands: commands() }),
    withParts(root, 'docs/options.md', { options: gatewayOptions() }),
  ])
}

const tablePart = (head, rows) => `\n${table(head, rows)}\n`

const flagOf = ({ flag, value, kind }) => `\`--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}\``

const options = () =>
  tablePart(
    ['flag', 'in a config file', ''],
    optionTable.map((option) => [flagOf(option), `\`${option.path}\``, option.sentence]),
  )

const sandbox = () =>
  tablePart(
    ['flag', 'variable', ''],
    sandboxTable.map((option) => [flagOf(option), `\`${option.variable}\``, option.sentence]),
  )

const commands = () =>
  tablePart(
    ['command', '', 'flags'],
    clientCommands.map(({ name, words, summary, flags }) => {
      const own = flags.filter(({ variable }) => variable === undefined).map(({ flag }) => `\`--${flag}\``)
      return [`\`fauxgate ${`${name} ${words}`.trim()}\``, summary, own.join(', ')]
    }),
  )

/** The options of `createGateway`, each followed by those in it. */
function gatewayOptions() {
  const rows = Object.entries(gatewayRows).flatMap(([path, row]) => [
    { path, sentence: documentationOf(row).sentence },
    ...optionTable.filter((option) => option.path.startsWith(`${path}.`)),
  ])
  return tablePart(
    ['option', ''],
    rows.map(({ path, sentence }) => [`\`${path}\``, sentence]),
  )
}
