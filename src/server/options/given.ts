import { dirname, resolve } from 'node:path'
import * as v from 'valibot'
import { quote, quoteSecret } from '../../schema/text.ts'
import { inTexts } from '../../schema/time.ts'
import { isObject } from '../../schema/values.ts'
import type { Arguments } from '../commands/arguments.ts'
import { nearest, suggestion } from '../commands/nearest.ts'
import { UsageError } from '../commands/usage-error.ts'
import { type Config, configSchemas } from './config.ts'
import { type ConfigFile, shown } from './config-file.ts'
import { type Option, optionTable, variableOf } from './table.ts'

/** An environment, as `process.env` is one. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the options are, and how each was given, for messages. */
export interface Given {
  readonly config: Config
  /** How an option was given, by its path: `--port`, `FAUXGATE_PORT`, `port in fauxgate.config.json`. */
  readonly names: ReadonlyMap<string, string>
}

/** Variables of the environment that other commands read, or that say where the options stand. */
const OTHER_VARIABLES = ['config', 'url', 'ca'].map(variableOf)

/**
 * What a flag gives goes before what the environment gives, and that before the config file.
 * @throws UsageError that names what is wrong as it was given.
 */
export function givenOptions({ flags }: Arguments, environment: Environment, file: ConfigFile | undefined): Given {
  const names = new Map<string, string>()
  const config = file ? fromFile(file, names) : {}
  for (const option of optionTable) {
    const text = environment[option.variable]
    if (text !== undefined) put(config, option, fromText(option, text, option.variable), option.variable, names)
  }
  for (const option of optionTable) {
    const values = flags.get(option.flag)
    if (values === undefined) continue
    const name = values === false ? `--no-${option.flag}` : `--${option.flag}`
    const value = typeof values === 'boolean' ? values : fromTexts(option, values, name)
    put(config, option, value, name, names)
  }
  // Each part has been read by its schema.
  return { config: config as Config, names }
}

/** Variables of the environment that are near one that is read. */
export function mistypedVariables(environment: Environment): string[] {
  const known = [...optionTable.map(({ variable }) => variable), ...OTHER_VARIABLES]
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(variableOf('')) || known.includes(name)) return []
    const meant = nearest(name, known)
    return meant ? [`${name} is not read. Did you mean ${meant}?`] : []
  })
}

const FILES = ['tlsRoot', 'data', 'state', 'initial']

function fromFile({ file, config }: ConfigFile, names: Map<string, string>): Record<string, unknown> {
  const own: Record<string, unknown> = {}
  const schemas: Readonly<Record<string, v.GenericSchema>> = configSchemas
  for (const [name, value] of Object.entries(config)) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    const place = `in ${shown(file)}`
    if (name === '$schema') continue
    if (!schema) throw new UsageError(`"${name}" ${place} is not an option.${suggestion(name, Object.keys(schemas))}`)
    requireAllowed(schema, value, `"${name}" ${place}`, ['keys', 'control'].includes(name))
    for (const { path } of optionTable) if (path.split('.')[0] === name) names.set(path, `"${path}" ${place}`)
    own[name] = FILES.includes(name) && typeof value === 'string' ? resolve(dirname(file), value) : value
  }
  return own
}

function put(
  config: Record<string, unknown>,
  { path }: Option,
  value: unknown,
  name: string,
  names: Map<string, string>,
): void {
  const [first = '', second] = path.split('.')
  names.set(path, name)
  if (second === undefined) config[first] = value
  else config[first] = { ...(isObject(config[first]) ? config[first] : {}), [second]: value }
}

function fromText(option: Option, text: string, name: string): unknown {
  if (text === '') throw new UsageError(`${name} is empty. Give it a value, or do not set it.`)
  if (option.kind !== 'switch') return fromTexts(option, option.kind === 'texts' ? text.split(',') : [text], name)
  const isOn = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()]
  if (isOn === undefined) throw new UsageError(`${name} is ${quote(text)}. Allowed: true, false, 1 or 0.`)
  return isOn
}

function fromTexts({ kind, schema, isSecret }: Option, texts: readonly string[], name: string): unknown {
  if (kind === 'texts') return texts.map((text) => requireAllowed(schema, text, name, isSecret))
  const [text = ''] = texts
  const value = kind === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text
  return requireAllowed(schema, value, name, isSecret)
}

function requireAllowed(schema: v.GenericSchema, value: unknown, name: string, isSecret: boolean): unknown {
  const { success, issues } = v.safeParse(schema, value, { abortEarly: true })
  if (success) return value
  const received = isSecret ? quoteSecret(value) : quote(value)
  const { message } = issues[0]
  // A number in a config file can be one of ms; on a command line, and in the environment, all are texts.
  const allowed = name.startsWith('"') ? message : inTexts(message)
  const meant = typeof value === 'string' && !isSecret ? suggestion(value, choicesIn(allowed)) : ''
  throw new UsageError(`${name} is ${received}. Allowed: ${allowed}.${meant}`)
}

/** The texts of which a message allows one; none where it allows something else. */
function choicesIn(allowed: string): string[] {
  return /^"\w+"(?:, "\w+")*(?: or "\w+")?$/.test(allowed) ? (allowed.match(/\w+(?=")/g) ?? []) : []
}
