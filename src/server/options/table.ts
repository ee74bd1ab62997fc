import type * as v from 'valibot'
import { documentationOf } from '../../core/schema/documentation.ts'
import { innerOf, isSchema, marksOf, partsOf } from '../../core/schema/schema-parts.ts'
import { configRows, sandboxRows } from './config.ts'
import { type Flag, flagAt, variableName } from './flags.ts'

export interface Option extends Flag {
  /** The path in a config file, such as `control.key`. */
  readonly path: string
  readonly variable: string
  /** The schema of the value or, for a list, of an item. */
  readonly schema: v.GenericSchema
  /** True if messages must not show the value. */
  readonly isSecret: boolean
  /** True for a file path. In a config file, the path is relative to that file's folder. */
  readonly isFile: boolean
}

const KINDS: Readonly<Record<string, Flag['kind']>> = {
  array: 'texts',
  boolean: 'switch',
  custom: 'text',
  number: 'integer',
  picklist: 'text',
  string: 'text',
}

/** The options that a flag can set: those whose value is a string, a number, or a switch. The order is the same as in the help. */
export const optionTable = optionsOfRows(configRows)

/** The options of `fauxgate sandbox`. */
export const sandboxTable = optionsOfRows(sandboxRows)

export function optionsOfRows(rows: Readonly<Record<string, v.GenericSchema>>): readonly Option[] {
  return Object.entries(rows).flatMap(([name, row]) => optionsIn(name, row))
}

/** Returns the option of a schema, or the options of its parts. `row` contains the description and the marks. */
function optionsIn(path: string, schema: v.GenericSchema, row = schema): Option[] {
  const { type, entries, item } = partsOf(schema)
  const inner = entries ? undefined : innerOf(schema)
  if (inner) return optionsIn(path, inner, row)
  if (entries) return Object.entries(entries).flatMap(([name, each]) => optionsIn(`${path}.${name}`, each))
  if (type === 'union') return alternativesIn(path, schema, row)
  const kind = KINDS[type]
  const marks = { ...marksOf(schema), ...marksOf(row) }
  const { isFile = false, flag = flagAt(path), secret: isSecret = false, placeholder = placeholderOf(schema) } = marks
  if (!kind || placeholder === undefined) return []
  const { sentence = '' } = documentationOf(row)
  const variable = variableName(flag)
  return [{ path, flag, variable, kind, value: placeholder, sentence, schema: item ?? schema, isSecret, isFile }]
}

function placeholderOf(schema: v.GenericSchema): string | undefined {
  const { type, options = [], item } = partsOf(schema)
  if (item) return marksOf(item).placeholder ?? placeholderOf(item)
  if (type === 'picklist') return options.join('|')
  return { boolean: '', number: 'N', string: 'TEXT' }[type]
}

/** Returns the options of a union. A string keeps the whole schema, so messages list all allowed values. */
function alternativesIn(path: string, schema: v.GenericSchema, row: v.GenericSchema): Option[] {
  const alternatives = (partsOf(schema).options ?? []).filter(isSchema)
  const options = alternatives.flatMap((each) => optionsIn(path, each, row))
  return options.map((each) => (each.path === path && each.kind === 'text' ? { ...each, schema } : each))
}
