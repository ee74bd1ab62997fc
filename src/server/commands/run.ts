import { valuesOf, withoutSecrets } from '../../schema/secret-texts.ts'
import { quote } from '../../schema/text.ts'
import { caught } from '../caught.ts'
import { clientCommands } from '../client/commands.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { helpOn, helpOnAll } from './help.ts'
import { init } from './init.ts'
import { suggestion } from './nearest.ts'
import { serveCommand } from './serve.ts'
import { UsageError } from './usage-error.ts'
import { VERSION } from './version.ts'

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [serveCommand, init, ...clientCommands]

/**
 * Runs the `fauxgate` command and answers its exit code: 0 when it is done or was stopped by a signal, 1 when it could
 * not be done, 2 when the command line, the environment or a config file is wrong.
 */
export async function runCommand(args: readonly string[], environment = process.env): Promise<number> {
  let help = 'help'
  try {
    const [first = ''] = args
    if (['', 'help', '--help', '-h'].includes(first)) return print(helpFor(args.slice(1)))
    if (['--version', '-v', '-V', 'version'].includes(first)) return print(`${VERSION}\n`)
    const command = commandOf(args)
    help = `help ${command.name}`
    const given = readArguments(args.slice(wordsIn(command)), command.flags, command.name)
    return given.flags.get('help') ? print(helpOn(command)) : await command.run(given, environment)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const message = withoutSecrets(caught(error).message, keysIn(args, environment))
    process.stderr.write(`fauxgate: ${message}${isUsage ? ` See "fauxgate ${help}".` : ''}\n`)
    return isUsage ? 2 : 1
  }
}

function wordsIn({ name }: Command): number {
  return name.split(' ').length
}

function helpFor(words: readonly string[]): string {
  return words.length === 0 || words[0]?.startsWith('-') ? helpOnAll(commands) : helpOn(commandOf(words))
}

/** The command whose name a command line begins with; of two, the longer one. */
function commandOf(args: readonly string[]): Command {
  const [first = '', second = ''] = args
  const named = (name: string) => commands.find((each) => each.name === name)
  const longer = named(`${first} ${second}`)
  if (longer) return longer
  const command = named(first)
  const isMistyped = command?.words === '' && /^[a-z]/i.test(second) && begunBy(first).length > 0
  return command && !isMistyped ? command : unknownCommand(first, second)
}

/** The commands whose names begin with a word and have another. */
function begunBy(first: string): string[] {
  return commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
}

function unknownCommand(first: string, second: string): never {
  if (first.startsWith('-')) {
    const alone = suggestion(first.replace(/^-+/, ''), ['version', 'help'], (flag) => `--${flag}`)
    throw new UsageError(`A command is missing before the options.${alone || ' Did you mean "fauxgate serve"?'}`)
  }
  const begun = begunBy(first)
  if (begun.length > 0) {
    const meant = second && suggestion(`${first} ${second}`, begun)
    throw new UsageError(
      `Behind ${first} comes one of ${begun.map((name) => name.slice(first.length + 1)).join(', ')}.${meant}`,
    )
  }
  const names = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const meant = suggestion(first, names) || ` Allowed: ${names.join(', ')}.`
  throw new UsageError(`${quote(first)} is not a command.${meant}`)
}

/** The keys on the command line and in the environment, which no message repeats. */
function keysIn(args: readonly string[], environment: NodeJS.ProcessEnv): string[] {
  const given = args.flatMap((arg, place) => {
    const option = /^--(?:control-)?key(?:=(.*))?$/s.exec(arg)
    return option ? (option[1] ?? args[place + 1] ?? []) : []
  })
  const { FAUXGATE_KEY = '', FAUXGATE_CONTROL_KEY = '' } = environment
  return valuesOf([...given, ...FAUXGATE_KEY.split(','), FAUXGATE_CONTROL_KEY])
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
