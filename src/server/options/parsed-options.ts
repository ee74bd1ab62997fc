import { dirname, resolve } from 'node:path'
import * as v from 'valibot'
import { describeReceived, type FieldFacts } from '../../core/schema/errors.ts'
import { nearest, suggestion } from '../../core/schema/nearest.ts'
import { describeChoices, findSchema, listFields, marksOf, partsOf } from '../../core/schema/schema-parts.ts'
import { quote, quoteSecret } from '../../core/schema/text.ts'
import { isObject, lookUp } from '../../core/schema/values.ts'
import type { Config } from '../../generated/options.ts'
import { type Arguments, flagValue } from '../commands/command.ts'
import { messageOf, UsageError } from '../errors.ts'
import { configRows } from './config.ts'
import { type ConfigFile, pathFromHere, readConfigFile } from './config-file.ts'
import { CONFIG_FLAG, SERVER_FLAGS, variableName } from './flags.ts'
import { type Option, optionTable } from './table.ts'

export interface ParsedServerOptions {
  readonly config: Config
  /** The name of each option as the user wrote it, by its path: `--port`, `FAUXGATE_PORT`, `"port" in fauxgate.config.json`. */
  readonly names: ReadonlyMap<string, string>
  /** The path of the config file, if there is one. */
  readonly file?: string | undefined
}

/** Reads the options from the command line, the environment, and the config file. */
export async function loadOptions(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<ParsedServerOptions> {
  const variable = variableName(CONFIG_FLAG.flag)
  const named = flagValue(parsed, CONFIG_FLAG.flag) ?? environment[variable]
  if (named === '') throwEmpty(variable)
  return parseOptions(parsed, environment, await readConfigFile(named))
}

/** Runs work for an option. If it fails, the message begins with the name of the option as the user wrote it. */
export async function prefixErrors<T>(
  option: string,
  names: ParsedServerOptions['names'],
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const name = names.get(option)
    const message = messageOf(error)
    throw new Error(name === undefined ? message : `${name}: ${message}`, { cause: error })
  }
}

/**
 * Reads the options. Flags override environment variables, and variables override the config file.
 * @throws UsageError with the invalid option as the user wrote it.
 */
export function parseOptions(
  { flags }: Arguments,
  environment: NodeJS.ProcessEnv,
  file: ConfigFile | undefined,
  table: readonly Option[] = optionTable,
): ParsedServerOptions {
  requireNoContradiction(flags)
  const names = new Map<string, string>()
  const config = file ? parseConfig(file, names) : {}
  const set = ({ path }: Option, name: string, value: unknown) => {
    const [first = '', second] = path.split('.')
    names.set(path, name)
    if (second === undefined) config[first] = value
    else config[first] = { ...(isObject(config[first]) ? config[first] : {}), [second]: value }
  }
  for (const option of table) {
    const text = environment[option.variable]
    if (text !== undefined) set(option, option.variable, parseVariable(option, text))
  }
  for (const option of table) {
    const values = flags.get(option.flag)
    if (values === undefined) continue
    const name = values === false ? `--no-${option.flag}` : `--${option.flag}`
    set(option, name, typeof values === 'boolean' ? values : parseTexts(option, values, name))
  }
  // The schema of each option has checked its value.
  return { config: config as Config, names, file: file?.file }
}

/** Throws if a switch is off but another option turns it on, as in `--no-tls --tls-root root.pem`. */
function requireNoContradiction(flags: Arguments['flags']): void {
  for (const [flag, value] of flags) {
    const other = value === false && [...flags.keys()].find((name) => name.startsWith(`${flag}-`))
    if (other) throw new UsageError(`--no-${flag} contradicts --${other}. Use only one of the two.`)
  }
}

/** Returns a warning for each environment variable whose name is similar to that of a known variable. */
export function warningsOfVariables(environment: NodeJS.ProcessEnv): string[] {
  const start = variableName('')
  // The common prefix is omitted because it would make any two names close.
  const known = [...optionTable, CONFIG_FLAG, ...SERVER_FLAGS].map(({ flag }) => variableName(flag).slice(start.length))
  return Object.keys(environment).flatMap((name) => {
    const own = name.slice(start.length)
    if (!name.startsWith(start) || known.includes(own)) return []
    const meant = nearest(own, known)
    return meant ? [`${name} is not used. Did you mean ${start}${meant}?`] : []
  })
}

function parseConfig({ file, config }: ConfigFile, names: Map<string, string>): Record<string, unknown> {
  const rows: Readonly<Record<string, v.GenericSchema>> = configRows
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(config)) {
    if (name === '$schema') continue
    const row = lookUp(rows, name)
    const nameOf = (...path: string[]) => `${quote(path.join('.'))} in ${pathFromHere(file)}`
    if (!row) throw new UsageError(`${nameOf(name)} is not an option.${suggestion(name, Object.keys(rows))}`)
    requireAllowed(row, value, { nameOf: (part) => nameOf(name, ...part), isSecret: marksOf(row).secret })
    names.set(name, nameOf(name))
    for (const { path } of optionTable) if (path.split('.')[0] === name) names.set(path, nameOf(path))
    const isFile = optionTable.some((option) => option.path === name && option.isFile)
    read[name] = isFile && typeof value === 'string' ? resolve(dirname(file), value) : value
  }
  return read
}

function throwEmpty(variable: string): never {
  throw new UsageError(`${variable} is empty. Set a value, or unset it.`)
}

function parseVariable(option: Option, text: string): unknown {
  const { kind, variable } = option
  if (text === '') throwEmpty(variable)
  if (kind !== 'switch') return parseTexts(option, kind === 'texts' ? text.split(',') : [text], variable)
  const isOn = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()]
  if (isOn === undefined) throw new UsageError(`${variable} is ${quote(text)}. Allowed: true, false, 1, or 0.`)
  return isOn
}

function parseTexts({ kind, schema, isSecret }: Option, texts: readonly string[], name: string): unknown {
  const isNumber = kind === 'integer' || partsOf(schema).type === 'number'
  const read = (text: string) =>
    requireAllowed(schema, isNumber && /^\d{1,15}$/.test(text) ? Number(text) : text, {
      nameOf: () => name,
      isSecret,
      isText: true,
    })
  const [text = ''] = texts
  return kind === 'texts' ? texts.map(read) : read(text)
}

interface Naming {
  /** Returns the name of part of the value as the user wrote it. */
  readonly nameOf: (part: readonly string[]) => string
  readonly isSecret?: boolean | undefined
  /** True for a flag or a variable, whose value is always a string. */
  readonly isText?: boolean
}

function requireAllowed(schema: v.GenericSchema, value: unknown, { nameOf, isSecret, isText }: Naming): unknown {
  const { success, issues } = v.safeParse(schema, value, { abortEarly: true })
  if (success) return value
  const { path = [], expected, input, message } = issues[0]
  const part = path.map(({ key }) => String(key))
  const name = nameOf(part)
  if (expected === 'never') {
    const names = listFields(schema, part.slice(0, -1))
    const hint = suggestion(part.at(-1) ?? '', names) || ` Supported: ${names.join(', ')}.`
    throw new UsageError(`${name} is not an option.${hint}`)
  }
  const received = describeReceived(isSecret ? quoteSecret(input) : quote(input))
  const at = findSchema(schema, part)
  const { nearest, typed }: Partial<FieldFacts> = at && !isSecret ? describeChoices(at, input) : {}
  const meant = nearest ? ` Did you mean ${nearest}?` : ''
  throw new UsageError(`${name} is ${received}. Allowed: ${(isText && typed) || message}.${meant}`)
}
