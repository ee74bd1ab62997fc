import type { Flag } from '../options/table.ts'
import type { Command } from './command.ts'

const WIDTH = 100
const COLUMN = 34

const EXIT_CODES = `Exit codes: 0 done, or stopped by a signal; 1 it could not be done; 2 the command line, the environment or
a config file is wrong.`

export function helpOnAll(commands: readonly Command[]): string {
  const rows = commands.map(({ name, words, summary }) => row(`${name} ${words}`.trim(), `${summary}.`))
  return `Usage: fauxgate <command> [options]

An emulated tunnel gateway's management API: for offline development, and for tests in any language.

${rows.join('\n')}

fauxgate help <command> says more. fauxgate --version says which one this is.
The commands below "init" speak to a server that runs: see --url and --control-key there.
${EXIT_CODES}
`
}

export function helpOn({ name, words, summary, flags, notes = [] }: Command): string {
  const usage = [`fauxgate ${name}`, words, flags.length > 0 ? '[options]' : ''].filter((part) => part !== '')
  const rows = flags.map((flag) => row(shownFlag(flag), plain(flag)))
  const parts = [`Usage: ${usage.join(' ')}`, `${summary}.`, rows.join('\n'), ...notes.map((note) => wrapped(note, 0))]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function shownFlag({ flag, value, kind }: Flag): string {
  return `--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}`
}

/** Leaves out backquotes, which terminals do not show as code, and that a switch is off. */
function plain({ sentence }: Flag): string {
  return sentence.replaceAll('`', '').replace(' Default: false.', '')
}

function row(left: string, right: string): string {
  const start = `  ${left}`.padEnd(COLUMN)
  const isLong = !start.endsWith(' ')
  return `${start}${isLong ? `\n${' '.repeat(COLUMN)}` : ''}${wrapped(right, COLUMN)}`
}

function wrapped(text: string, column: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && column + line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(column)}`)
}
