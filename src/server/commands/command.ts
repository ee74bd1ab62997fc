import { parseArgs } from 'node:util'
import { suggestion } from '../../core/schema/nearest.ts'
import { lookUp } from '../../core/schema/values.ts'
import { UsageError } from '../errors.ts'
import type { Flag } from '../options/flags.ts'

export interface Command {
  /** One or two words, such as `serve` or `clock advance`. */
  readonly name: string
  /** The placeholders of the arguments after the name, such as `NAME VALUE`. */
  readonly words: string
  readonly summary: string
  readonly flags: readonly Flag[]
  /** An example without `fauxgate`, for the help and for messages. */
  readonly example?: string
  /** Additional sentences for the help. */
  readonly notes?: readonly string[]
  /** Returns the exit code. */
  readonly run: (parsed: Arguments, environment: NodeJS.ProcessEnv) => Promise<number>
}

export interface Arguments {
  /** The flags on the command line, with their values as typed (true or false for a switch). */
  readonly flags: ReadonlyMap<string, readonly string[] | boolean>
  /** The arguments that are not flag values. */
  readonly words: readonly string[]
}

/** Returns the value of a flag that takes a value, or undefined if the flag is absent. */
export function flagValue({ flags }: Arguments, flag: string): string | undefined {
  const values = flags.get(flag)
  return Array.isArray(values) ? values[0] : undefined
}

/**
 * Reads a command line.
 * @throws UsageError with the flag as typed. The message omits text that may be part of a key.
 */
export function readArguments(args: readonly string[], flags: readonly Flag[], command: string): Arguments {
  const known = new Map(flags.map((each) => [each.flag, each]))
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(flags.map(({ flag, kind }) => [flag, { type: kind === 'switch' ? 'boolean' : 'string' }])),
      help: { type: 'boolean', short: 'h' },
    },
  })
  const found = new Map<string, readonly string[] | boolean>()
  const words: string[] = []
  let lastNegative = -1
  let repeatable: Flag | undefined
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? 0
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (repeatable && token.index < end) throw new UsageError(describeSeveral(repeatable))
      words.push(token.value)
    }
    repeatable = undefined
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue, index } = token
    const typed = args[index] ?? rawName
    if (/^-\d/.test(typed)) {
      // The parser reads "-5s" as the flags 5 and s. It is a value, such as an invalid duration.
      if (index !== lastNegative) words.push(typed)
      lastNegative = index
      continue
    }
    const flag = known.get(name)
    if (name === 'help') found.set('help', true)
    else if (!flag) found.set(...readNegation(name, typed, known, command))
    else if (flag.kind === 'switch') found.set(name, requireNoValue(rawName, value))
    else {
      const before = found.get(name)
      const received = requireValue(rawName, value, inlineValue)
      if (before && flag.kind !== 'texts') throw new UsageError(`${rawName} was set twice. It takes one value.`)
      found.set(name, [...(Array.isArray(before) ? before : []), received])
      if (flag.kind === 'texts') repeatable = flag
    }
  }
  return { flags: found, words }
}

/** The maximum number of options that a message lists. */
const MAX_LISTED = 8

/** The flags that correspond to flags in other programs. */
const MEANT: Readonly<Record<string, string>> = {
  '--dry-run': 'plan',
  '--output': 'out',
  '-o': 'out',
  '-p': 'port',
  '-y': 'yes',
  '--target': 'to',
}

/** Reads `--no-` followed by the name of a switch, which turns the switch off. Throws for any other name. */
function readNegation(
  name: string,
  typed: string,
  known: ReadonlyMap<string, Flag>,
  command: string,
): [name: string, isOn: boolean] {
  // The text after an equals sign may be a key.
  const flagText = typed.replace(/=.*/s, '')
  const positive = name.startsWith('no-') ? name.slice('no-'.length) : undefined
  if (positive !== undefined && known.get(positive)?.kind === 'switch') {
    if (flagText !== typed) throw new UsageError(`${flagText} takes no value. Write --${positive} or ${flagText}.`)
    return [positive, false]
  }
  const flags = [...known.keys()]
  const all = flags.length <= MAX_LISTED ? ` Allowed: ${flags.map((flag) => `--${flag}`).join(', ') || 'none'}.` : ''
  const meant = lookUp(MEANT, flagText)
  const hint =
    meant !== undefined && known.has(meant)
      ? ` Did you mean --${meant}?`
      : suggestion(flagText.replace(/^-+/, ''), flags, (flag) => `--${flag}`) || all
  throw new UsageError(`${flagText} is not an option of "${command}".${hint}`)
}

/** Returns the message for a word between the value of a flag and `--`, which ends the flags. */
const describeSeveral = ({ flag, value }: Flag) =>
  `--${flag} takes one value. For several, repeat it: --${flag} ${value} --${flag} ${value}.`

function requireNoValue(typed: string, value: string | undefined): true {
  if (value !== undefined) throw new UsageError(`${typed} takes no value. Write ${typed} or --no-${typed.slice(2)}.`)
  return true
}

function requireValue(typed: string, value: string | undefined, isInline: boolean | undefined): string {
  const isNext = value?.startsWith('--') && !isInline
  if (value === undefined || isNext) throw new UsageError(`${typed} needs a value.`)
  // An empty value is a mistake, usually an unset shell variable.
  if (value === '') throw new UsageError(`${typed} is empty. Set a value, or omit it.`)
  return value
}

/**
 * Returns the received name if it is an allowed name.
 * @throws UsageError that begins with `subject`, and states the received name and the allowed names.
 */
export function requireOneOf<Name extends string>(subject: string, received: string, allowed: readonly Name[]): Name {
  const known = allowed.find((name) => name === received)
  if (known) return known
  const hint = suggestion(received, allowed)
  throw new UsageError(`${subject} is ${JSON.stringify(received)}. Allowed: ${allowed.join(', ')}.${hint}`)
}

/**
 * Throws an error for arguments that a command does not take. The message does not repeat arguments that follow a flag, because they may be
 * the rest of a key that contains a space.
 */
export function requireNoWords(words: readonly string[], usage: string, { flags }: Arguments, example?: string): void {
  if (words.length === 0) return
  const isDash = words.some((word) => /^[\u2010-\u2015\u2212]/.test(word))
  const hint = isDash ? ' One of them starts with a dash; options start with two hyphens.' : ''
  const isNamed = flags.size === 0 && words.every((word) => /^[\w.:+-]{1,40}$/.test(word))
  const named = isNamed ? ` ${words.map((word) => JSON.stringify(word)).join(', ')}` : ''
  const unexpected = words.length === 1 ? 'Unexpected word' : `${words.length} unexpected words`
  throw new UsageError(`${unexpected}${named} after "${usage}".${hint}${exampleOf(example)}`)
}

/**
 * Reads the base URL of a service.
 * @throws UsageError that begins with `problem`, such as `record needs the URL of a service`. The message omits text that may be a key.
 */
export function parseBaseUrl(typed: string, problem: string, example: string): URL {
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    const isLikeUrl = /^(?:localhost|\w+:\/\/|[\w-]+(?:\.[\w-]+)+)[\w.:/-]*$/.test(typed)
    throw new UsageError(
      `${problem}${isLikeUrl ? `, and "${typed}" is not one` : ''}, for example "fauxgate ${example}".`,
    )
  }
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return url
  throw new UsageError('The URL can contain only a host, a port, and a path. Allowed: https://host:port/path.')
}

/** Returns the argument of a command that takes one argument. Throws an error if there are none or several. */
export function requireOneWord({ name, words, example }: Command, parsed: Arguments): string {
  const [word, ...rest] = parsed.words
  if (word === undefined) throwMissingWords(name, words, example)
  requireNoWords(rest, `${name} ${words}`, parsed)
  return word
}

/** Throws the error for a missing required argument. */
export function throwMissingWords(name: string, words: string, example: string | undefined): never {
  throw new UsageError(`${name} needs ${words.replaceAll('…', '')}.${exampleOf(example)}`)
}

function exampleOf(example: string | undefined): string {
  return example === undefined ? '' : ` Example: "fauxgate ${example}".`
}
