import type * as v from 'valibot'
import { isSchema, marksOf, partsOf, type SchemaParts } from '../../schema/documentation.ts'
import { configSchemas } from './config.ts'
import { sentences } from './sentences.ts'

/** An option of `fauxgate serve` that a flag and a variable of the environment can give. */
export interface Option {
  /** Its path in a config file, such as `control.key`. */
  readonly path: string
  /** Its flag, without the hyphens. */
  readonly flag: string
  /** Its variable of the environment. */
  readonly variable: string
  /** What its text is read as. */
  readonly kind: 'text' | 'integer' | 'switch' | 'texts'
  /** What stands for its value in the help; empty for a switch. */
  readonly value: string
  /** What it is, and its default. */
  readonly sentence: string
  /** What it can be; undefined beside a part of it that says more. */
  readonly schema: v.GenericSchema
  /** No message shows its value. */
  readonly isSecret: boolean
}

/** The flags that are not their paths, written with hyphens. */
const FLAGS: Readonly<Record<string, string>> = {
  keys: 'key',
  'control.allowHosts': 'allow-host',
  'quirks.keepBackendsOnPatch': 'keep-backends-on-patch',
}

/** What stands for the values of texts that can be anything. */
const VALUES: Readonly<Record<string, string>> = {
  host: 'HOST',
  tlsRoot: 'FILE',
  data: 'FILE',
  state: 'FILE',
  initial: 'FILE',
  baseUrl: 'URL',
  keys: 'KEY',
  seed: 'TEXT',
  start: 'TIME',
  'control.key': 'KEY',
  'control.allowHosts': 'NAME',
}

const SECRET = ['keys', 'control.key']

/** All options that have a flag, in the order of the help: those that a text, a number or a switch can give. */
export const optionTable: readonly Option[] = Object.entries(configSchemas).flatMap(([name, schema]) =>
  optionsIn(name, schema),
)

/** The option of a schema, or those of its parts; a part that stands beside others can be one too. */
function optionsIn(path: string, schema: v.GenericSchema): Option[] {
  const { type, wrapped, pipe, entries, options, item, whole } = looksOf(schema)
  if (whole) return optionsIn(path, whole)
  if (wrapped) return optionsIn(path, wrapped)
  if (entries) return Object.entries(entries).flatMap(([name, each]) => optionsIn(`${path}.${name}`, each))
  if (type === 'picklist') return [option(path, 'text', schema, (options ?? []).join('|'))]
  if (type === 'union') return alternativesIn(path, schema)
  if (type === 'array') return item ? [option(path, 'texts', item, '')] : []
  if (type === 'boolean') return [option(path, 'switch', schema, '')]
  if (type === 'number') return [option(path, 'integer', schema, 'N')]
  if (type === 'string' || (type === 'custom' && pipe) || path in VALUES) return [option(path, 'text', schema, 'D')]
  return []
}

function alternativesIn(path: string, schema: v.GenericSchema): Option[] {
  const { options = [] } = partsOf(schema)
  return (
    options
      .filter(isSchema)
      .flatMap((each) => optionsIn(path, each))
      .filter((each, index) => index === 0 || each.path !== path)
      // Of a name, a file and an object, the message of them all is the right one.
      .map((each) => (each.path === path && each.kind === 'text' ? { ...each, schema } : each))
  )
}

interface Looks extends SchemaParts {
  readonly whole: v.GenericSchema | undefined
}

/** What a schema looks like: as a pipe, like its step that says most. */
function looksOf(schema: v.GenericSchema): Looks {
  const parts = partsOf(schema)
  const { whole } = marksOf(schema)
  return { ...parts, ...objectIn(parts.pipe ?? []), whole }
}

/** The step of a pipe that is an object with fields. */
function objectIn(pipe: NonNullable<SchemaParts['pipe']>): SchemaParts | undefined {
  for (const step of pipe) {
    if (!isSchema(step)) continue
    const parts = partsOf(step)
    const found = parts.pipe ? objectIn(parts.pipe) : parts.entries && parts
    if (found) return found
  }
  return undefined
}

function option(path: string, kind: Option['kind'], schema: v.GenericSchema, value: string): Option {
  const flag = FLAGS[path] ?? path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('.', '-')
  return {
    path,
    flag,
    variable: variableOf(flag),
    kind,
    value: VALUES[path] ?? value,
    sentence: sentences[path] ?? '',
    schema,
    isSecret: SECRET.includes(path),
  }
}

/** The variable of the environment that a flag has. */
export function variableOf(flag: string): string {
  return `FAUXGATE_${flag.toUpperCase().replaceAll('-', '_')}`
}
