import { version } from '../../../package.json'
import { nearest, suggestion } from '../../core/schema/nearest.ts'
import { createRedactor, type Redactor, redactText } from '../../core/schema/secret-texts.ts'
import { quote } from '../../core/schema/text.ts'
import { lookUp } from '../../core/schema/values.ts'
import { messageOf, StoppedError, UsageError } from '../errors.ts'
import { print, printErrorLine } from '../terminal.ts'
import { type Command, readArguments } from './command.ts'
import { helpOn, helpOnAll, helpOnGroup } from './help.ts'

/**
 * Returns the commands that a command line can mean. Most runs are `serve`, `http`, `policy check`, or client commands. The last two do not
 * load a gateway.
 */
async function commandsFor([first = '', ...more]: readonly string[]): Promise<readonly Command[]> {
  if (first === 'serve') return [(await import('./serve.ts')).serveCommand]
  if (first === 'http') return [(await import('./http.ts')).httpCommand]
  if (first === 'survives') return [(await import('./survives.ts')).survivesCommand]
  if (first === 'policy' && more[0] === 'check') return [(await import('../policy/policy-check.ts')).policyCheckCommand]
  if (more.includes('help')) return (await import('./all.ts')).allCommands
  const { clientCommands } = await import('../client/commands.ts')
  const isOfClient = clientCommands.some(({ name }) => name === first || name.startsWith(`${first} `))
  return isOfClient ? clientCommands : (await import('./all.ts')).allCommands
}

/**
 * Runs the `fauxgate` command and returns its exit code. It is 0 on success or if a signal stopped a server, 1 on failure, 2 for an invalid
 * command line, environment, or config file, and above 128 if a signal stopped `survives`.
 */
export async function runCommand(args: readonly string[], environment = process.env): Promise<number> {
  let help = 'help'
  try {
    const [first = ''] = args
    if (['--version', '-v', '-V', 'version'].includes(first)) return print(`${version}\n`)
    const commands = await commandsFor(args)
    if (['', 'help', '--help', '-h'].includes(first)) return print(helpFor(args.slice(1), commands))
    if (isHelpOnGroup(args, commands)) return print(helpFor([first], commands))
    const command = findCommand(args, commands)
    help = `help ${command.name}`
    const parsed = readArguments(args.slice(wordCount(command)), command.flags, command.name)
    return parsed.flags.get('help') ? print(helpOn(command, commands)) : await command.run(parsed, environment)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const message = redactText(messageOf(error), keysIn(args, environment))
    printErrorLine(`${message}${isUsage ? ` See "fauxgate ${help}".` : ''}`)
    if (error instanceof StoppedError) return error.exitCode
    return isUsage ? 2 : 1
  }
}

function wordCount({ name }: Command): number {
  return name.split(' ').length
}

function helpFor(words: readonly string[], commands: readonly Command[]): string {
  const [first = '-', second] = words
  if (first.startsWith('-') || first === 'help') return helpOnAll(commands)
  const isGroup = second === undefined && !commands.some(({ name }) => name === first)
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  return isGroup && group.length > 0 ? helpOnGroup(first, group) : helpOn(findCommand(words, commands), commands)
}

/** Returns true for a line such as `state --help` or `clock help` if commands begin with its first word and a space. */
function isHelpOnGroup([first = '', second = '', ...more]: readonly string[], commands: readonly Command[]): boolean {
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `))
  return isGroup && more.length === 0 && ['--help', '-h', 'help'].includes(second)
}

/** Returns the command that a command line begins with. If two match, returns the longer one. */
function findCommand(args: readonly string[], commands: readonly Command[]): Command {
  const [first = '', second = ''] = args
  const named = (name: string) => commands.find((each) => each.name === name)
  const longer = named(`${first} ${second}`)
  if (longer) return longer
  const command = named(first)
  const longerNames = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `))
  const isMistyped = command?.words === '' && /^\+?\w/.test(second) && longerNames.length > 0
  if (command && !isMistyped) return command
  throw new UsageError(unknownCommandMessage(args, longerNames, commands))
}

const STOP_HINT = ' To stop a server, press Ctrl+C in its terminal, or send it SIGTERM.'

function unknownCommandMessage(
  [first = '', second = '', ...more]: readonly string[],
  longerNames: readonly string[],
  commands: readonly Command[],
): string {
  if (first.startsWith('-')) {
    const alone = suggestion(first.replace(/^-+/, ''), ['version', 'help'], (flag) => `--${flag}`)
    const later = [second, ...more].find((word) => commands.some(({ name }) => name === word)) ?? 'serve'
    return `Put a command before the options.${alone || ` Did you mean "fauxgate ${later}"?`}`
  }
  const meant = findMeant(first, second, commands)
  const did = meant === undefined ? '' : ` Did you mean "fauxgate ${meant}"?`
  if (longerNames.length > 0) {
    const hint = did || (second && suggestion(`${first} ${second}`, longerNames))
    const seconds = longerNames.map((name) => name.slice(first.length + 1)).join(', ')
    if (second === '' || second.startsWith('-')) return `${first} needs one of: ${seconds}.`
    return `${quote(`${first} ${second}`)} is not a command. Allowed after ${first}: ${seconds}.${hint}`
  }
  const names = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const stop = first === 'stop' || first === 'kill' ? STOP_HINT : ''
  return `${quote(first)} is not a command.${did || stop || ` Allowed: ${names.join(', ')}.`}`
}

/** Returns the keys on the command line and in the environment. Messages must not contain them. */
function keysIn(args: readonly string[], environment: NodeJS.ProcessEnv): Redactor {
  const typed = args.flatMap((arg, index) => {
    const option = /^--(?:control-)?key(?:=(.*))?$/s.exec(arg)
    return option ? (option[1] ?? args[index + 1] ?? []) : []
  })
  const { FAUXGATE_KEY = '', FAUXGATE_CONTROL_KEY = '', NGROK_API_KEY = '' } = environment
  return createRedactor([...typed, ...FAUXGATE_KEY.split(','), FAUXGATE_CONTROL_KEY, NGROK_API_KEY])
}

/** The commands that correspond to words used by other programs. */
const MEANT: Readonly<Record<string, string>> = {
  start: 'serve',
  run: 'serve',
  up: 'serve',
  server: 'serve',
  severe: 'serve',
  status: 'overview',
  list: 'overview',
  ls: 'overview',
  show: 'overview',
  logs: 'requests',
  log: 'requests',
  journal: 'requests',
  time: 'clock',
  now: 'clock',
  'clock now': 'clock',
  'clock show': 'clock',
  'clock get': 'clock',
  'clock set': 'clock to',
  'faults list': 'faults',
  'snapshots list': 'snapshots',
  'requests list': 'requests',
  'dns list': 'dns',
  'dns set': 'dns cname',
}

/**
 * Returns the command that an unknown one probably means: `snapshots take` for `snapshot take`, `clock advance` for `advance`, or
 * `overview` for `status`.
 */
function findMeant(first: string, second: string, commands: readonly Command[]): string | undefined {
  const names = commands.map(({ name }) => name)
  const known = lookUp(MEANT, `${first} ${second}`) ?? lookUp(MEANT, first)
  if (known !== undefined) return known
  const firsts = new Set(names.map((name) => name.split(' ')[0] ?? ''))
  const near = firsts.has(first) ? undefined : nearest(first, firsts)
  if (near !== undefined) return names.includes(`${near} ${second}`) ? `${near} ${second}` : near
  const [only, ...others] = names.filter((name) => name.endsWith(` ${first}`))
  return others.length === 0 ? only : undefined
}
