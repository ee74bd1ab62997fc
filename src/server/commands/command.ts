import { parseArgs } from 'node:util'
import { suggestion } from '../../schema/nearest.ts'
import { UsageError } from '../errors.ts'
import type { Flag } from '../options/table.ts'
import { meantFlag } from './meanings.ts'

export interface Command {
  /** One word or two: `serve`, `clock advance`. */
  readonly name: string
  /** The words after it, as the help writes them: `NAME VALUE`. */
  readonly words: string
  readonly summary: string
  readonly flags: readonly Flag[]
  /** A command line without `fauxgate`, for its help and for messages. */
  readonly example?: string
  /** Further sentences of its help. */
  readonly notes?: readonly string[]
  /** Returns the exit code. */
  readonly run: (parsed: Arguments, environment: NodeJS.ProcessEnv) => Promise<number>
}

export interface Arguments {
  /** The values of each flag that was given, as typed; of a switch, whether it is on. */
  readonly flags: ReadonlyMap<string, readonly string[] | boolean>
  /** The words that belong to no flag. */
  readonly words: readonly string[]
}

/** Returns the value of a flag that takes one, or undefined if it was not given. */
export function flagValue({ flags }: Arguments, flag: string): string | undefined {
  const values = flags.get(flag)
  return Array.isArray(values) ? values[0] : undefined
}

/**
 * Reads a command line.
 * @throws UsageError that names the flag as it was typed. It repeats nothing that may be the rest of a key.
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
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue, index } = token
    const typed = args[index] ?? rawName
    if (/^-\d/.test(typed)) {
      // The parser takes "-5s" for the flags 5 and s. It is a value, such as a duration that is not allowed.
      if (index !== lastNegative) words.push(typed)
      lastNegative = index
      continue
    }
    const flag = known.get(name)
    if (name === 'help') found.set('help', true)
    else if (!flag) found.set(...requireNegation(name, typed, known, command))
    else if (flag.kind === 'switch') found.set(name, requireNoValue(rawName, value))
    else {
      const before = found.get(name)
      const received = requireValue(rawName, value, inlineValue)
      if (before && flag.kind !== 'texts') throw new UsageError(`${rawName} was given twice. It takes one value.`)
      found.set(name, [...(Array.isArray(before) ? before : []), received])
    }
  }
  return { flags: found, words }
}

/** The most options that a message lists. */
const MOST_LISTED = 8

/** Reads `--no-` and a switch, which turns it off. Any other name is unknown. */
function requireNegation(
  name: string,
  typed: string,
  known: ReadonlyMap<string, Flag>,
  command: string,
): [name: string, isOn: boolean] {
  // There may be a key after an equals sign.
  const flagText = typed.replace(/=.*/s, '')
  const positive = name.startsWith('no-') ? name.slice('no-'.length) : undefined
  if (positive !== undefined && known.get(positive)?.kind === 'switch') {
    if (flagText !== typed) throw new UsageError(`${flagText} takes no value. Write --${positive} or ${flagText}.`)
    return [positive, false]
  }
  const flags = [...known.keys()]
  const all = flags.length <= MOST_LISTED ? ` Allowed: ${flags.map((flag) => `--${flag}`).join(', ') || 'none'}.` : ''
  const meant = meantFlag(flagText.replace(/^-+/, ''), flags) || all
  throw new UsageError(`${flagText} is not an option of "${command}".${meant}`)
}

function requireNoValue(typed: string, value: string | undefined): true {
  if (value !== undefined) throw new UsageError(`${typed} takes no value. Write ${typed} or --no-${typed.slice(2)}.`)
  return true
}

function requireValue(typed: string, value: string | undefined, isInline: boolean | undefined): string {
  const isNext = value?.startsWith('--') && !isInline
  if (value === undefined || isNext) throw new UsageError(`${typed} needs a value.`)
  // An empty value is never meant: a variable of the shell was not set.
  if (value === '') throw new UsageError(`${typed} is empty. Give it a value, or leave it out.`)
  return value
}

/**
 * Reads one of some names.
 * @throws UsageError that says `what` was received and what is allowed.
 */
export function requireOne<Name extends string>(what: string, received: string, allowed: readonly Name[]): Name {
  const known = allowed.find((name) => name === received)
  if (known) return known
  const meant = suggestion(received, allowed)
  throw new UsageError(`${what} is ${JSON.stringify(received)}. Allowed: ${allowed.join(', ')}.${meant}`)
}

/**
 * Refuses words that a command does not take. After a flag they are not repeated, since they may be the rest of a key with
 * a space in it.
 */
export function requireNoWords(words: readonly string[], usage: string, { flags }: Arguments, example?: string): void {
  if (words.length === 0) return
  const isDash = words.some((word) => /^[\u2010-\u2015\u2212]/.test(word))
  const hint = isDash ? ' One begins with a dash; options begin with two hyphens.' : ''
  const isNamed = flags.size === 0 && words.every((word) => /^[\w.:+-]{1,40}$/.test(word))
  const named = isNamed ? ` ${words.map((word) => JSON.stringify(word)).join(', ')}` : ''
  const unexpected = words.length === 1 ? 'Unexpected word' : `${words.length} unexpected words`
  throw new UsageError(`${unexpected}${named} after "${usage}".${hint}${exampleOf(example)}`)
}

/** Names what was typed in place of a URL if it looks like one: anything else may be a key or have a password. */
export function notUrl(typed: string | undefined): string {
  return typed && /^(?:localhost|\w+:\/\/|[\w-]+(?:\.[\w-]+)+)[\w.:/-]*$/.test(typed) ? `, and "${typed}" is none` : ''
}

/** Refuses a command line without a word that its command needs. */
export function requireWords(name: string, words: string, example: string | undefined): never {
  throw new UsageError(`${name} needs ${words.replaceAll('…', '')}.${exampleOf(example)}`)
}

function exampleOf(example: string | undefined): string {
  return example === undefined ? '' : ` Example: "fauxgate ${example}".`
}
