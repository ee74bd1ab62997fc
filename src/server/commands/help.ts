import { type Flag, flagAt } from '../options/flags.ts'
import type { Command } from './command.ts'

const WIDTH = 100
const COLUMN = 34

const EXIT_CODES = `Exit codes: 0 success, or a server stopped by a signal; 1 failure; 2 invalid command line, environment
or config file. \`fauxgate verify\` and \`fauxgate survives\` have more.`

/** The headings in the list of commands, with the first words of each heading's commands. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'Start and connect': ['serve', 'http', 'init', 'migrate', 'completion'],
  Time: ['clock'],
  'Certificates and DNS': ['script', 'attempt', 'renew', 'expire', 'timeline', 'dns', 'root'],
  Failures: ['faults'],
  Traffic: ['request', 'upstream', 'traffic', 'policy'],
  'Requests and state': [
    'requests',
    'sent-events',
    'controls',
    'overview',
    'troubles',
    'report',
    'declare',
    'reset',
    'undo',
    'snapshots',
    'state',
  ],
  Evidence: ['verify', 'record', 'replay', 'survives'],
  Sandboxes: ['sandbox'],
}

export function helpOnAll(commands: readonly Command[]): string {
  const parts = Object.entries(HEADINGS).map(([heading, words]) => {
    const rows = words.flatMap((word) => commands.filter(({ name }) => name.split(' ')[0] === word))
    return `${heading}:\n${rows.map(commandRow).join('\n')}`
  })
  return `Usage: fauxgate <command> [options]

Emulates a tunnel gateway's management API, for offline development and for tests in any language.

${parts.join('\n\n')}

Run "fauxgate help <command>" for details about a command, or "fauxgate --version" for the version.
The commands from "clock" to "state", except "policy", control a running server. They find it automatically, or with --url.
${EXIT_CODES}
`
}

/** Returns the help for a word that several commands start with, such as `state`. */
export function helpOnGroup(name: string, commands: readonly Command[]): string {
  const example = commands.find((each) => each.example)?.example
  return `Usage: fauxgate ${name} <command> [options]\n\n${commands.map(commandRow).join('\n')}\n${exampleRow(example)}`
}

export function helpOn(command: Command, commands: readonly Command[] = []): string {
  const { name, words, summary, flags, example, notes = [] } = command
  const further = commands.filter((each) => each.name.startsWith(`${name} `))
  const usage = [`fauxgate ${name}`, words, flags.length > 0 ? '[options]' : ''].filter((part) => part !== '')
  const parts = [
    `Usage: ${usage.join(' ')}`,
    `${summary}.`,
    flags.map((flag) => row(flagUsage(flag), flagText(flag, flags))).join('\n'),
    flags.some(({ kind }) => kind === 'texts') ? 'A flag with "…" takes one value, and can be repeated.' : '',
    ...notes.map((note) => wrap(note, 0)),
    further.length === 0 ? '' : `Commands:\n${further.map(commandRow).join('\n')}`,
    exampleRow(example ?? further.find((each) => each.example)?.example).trim(),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function exampleRow(example: string | undefined): string {
  return example === undefined ? '' : `\nExample: fauxgate ${example}\n`
}

function commandRow({ name, words, summary }: Command): string {
  return row(`${name} ${words}`.trim(), `${summary}.`)
}

function flagUsage({ flag, value, kind }: Flag): string {
  return `--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}`
}

/**
 * Returns the description of a flag without backquotes. Names of other options are shown as flags, and the default, if any, is in
 * parentheses at the end.
 */
function flagText({ sentence, value }: Flag, all: readonly Flag[]): string {
  const isOther = (name: string) => !value.split('|').includes(name) && all.some(({ flag }) => flag === name)
  return sentence
    .replace(/`([a-zA-Z]+)`/g, (_, name: string) => (isOther(flagAt(name)) ? `--${flagAt(name)}` : name))
    .replaceAll('`', '')
    .replace(/ Default: (?:none|false)\.$/, '')
    .replace(/ Default: (.*)\.$/, ' (default: $1)')
    .replace(/^True (?:to|if) (.)/, (_, letter: string) => letter.toUpperCase())
}

function row(left: string, right: string): string {
  const start = `  ${left}`.padEnd(COLUMN)
  const isLong = !start.endsWith(' ')
  return `${start}${isLong ? `\n${' '.repeat(COLUMN)}` : ''}${wrap(right, COLUMN)}`
}

function wrap(text: string, column: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && column + line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(column)}`)
}
