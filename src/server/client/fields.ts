import type * as v from 'valibot'
import type { ControlCall } from '../../control/control.ts'
import { documentationOf, isSchema, partsOf } from '../../core/schema/documentation.ts'
import { locateJsonProblem } from '../../core/schema/json-text.ts'
import { quote } from '../../core/schema/text.ts'
import type { Arguments } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { type Flag, flagAt } from '../options/table.ts'

interface FieldFlag extends Flag {
  readonly field: string
}

/** Returns a flag for each field of a call, except the fields in `others`, which words or the command set. */
export function flagsForFields({ schema }: ControlCall, others: readonly string[]): readonly FieldFlag[] {
  const entries = schema ? (partsOf(schema).entries ?? {}) : {}
  return Object.entries(entries).flatMap(([field, each]) => {
    const { sentence, facts } = documentationOf(each)
    if (others.includes(field) || facts.some(({ isNoData }) => isNoData) || sentence === undefined) return []
    return [{ field, flag: flagAt(field), ...kindOf(each), sentence }]
  })
}

export function kindOf(schema: v.GenericSchema): Pick<Flag, 'kind' | 'value'> {
  const { type, wrapped, options = [] } = partsOf(schema)
  if (wrapped) return kindOf(wrapped)
  if (type === 'array') return { kind: 'texts', value: 'VALUE' }
  if (type === 'number') return { kind: 'integer', value: 'N' }
  if (type === 'boolean' || type === 'literal') return { kind: 'switch', value: '' }
  if (type === 'picklist') return { kind: 'text', value: options.join('|') }
  // A text, or an object as JSON.
  if (type === 'union' && options.some((each) => isSchema(each) && partsOf(each).type === 'custom')) {
    return { kind: 'json', value: 'JSON' }
  }
  return { kind: 'text', value: 'VALUE' }
}

export function parseFlags(flags: readonly FieldFlag[], parsed: Arguments['flags']): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const { flag, field, kind } of flags) {
    const value = parsed.get(flag)
    if (value !== undefined) fields[field] = typeof value === 'boolean' ? value : parseValue(kind, value, flag)
  }
  return fields
}

/** Reads the texts of a flag or a word as a value. A text of the wrong kind stays a text, and the server refuses it. */
export function parseValue(kind: Flag['kind'], texts: readonly string[], flag = ''): unknown {
  const [text = ''] = texts
  if (kind === 'texts') return texts.map((each) => parseObjectOrText(each, flag))
  if (kind === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  return kind === 'json' ? parseObjectOrText(text, flag) : text
}

function parseObjectOrText(text: string, flag: string): unknown {
  if (!text.trimStart().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    const source = flag === '' ? quote(text) : `--${flag}`
    throw new UsageError(`${source} begins with "{" and is not JSON: ${locateJsonProblem(text)}.`)
  }
}
