import type * as v from 'valibot'
import type { ControlCall } from '../../control/control.ts'
import { documentationOf, isSchema, partsOf } from '../../schema/documentation.ts'
import type { Arguments } from '../commands/arguments.ts'
import type { DocumentedFlag } from '../commands/command.ts'
import { UsageError } from '../commands/usage-error.ts'
import { variableOf } from '../options/table.ts'

/** Where the server is: of every command that asks one. */
export const WHERE_FLAGS: readonly DocumentedFlag[] = [
  {
    flag: 'url',
    kind: 'text',
    value: 'URL',
    sentence: 'Where the server is. Default: `http://127.0.0.1:4747`.',
    variable: variableOf('url'),
  },
  {
    flag: 'control-key',
    kind: 'text',
    value: 'KEY',
    sentence: 'Its control key, if it has one.',
    variable: variableOf('control-key'),
  },
  {
    flag: 'ca',
    kind: 'text',
    value: 'FILE',
    sentence: 'The root certificate to trust, of a server with --tls.',
    variable: variableOf('ca'),
  },
]

/** A field of a call, with its flag. */
export interface FieldFlag extends DocumentedFlag {
  readonly field: string
}

/** The fields of a call as flags, but for those that are given otherwise. */
export function fieldFlags({ schema }: ControlCall, given: readonly string[]): readonly FieldFlag[] {
  const entries = schema ? (partsOf(schema).entries ?? {}) : {}
  return Object.entries(entries).flatMap(([field, each]) => {
    const { sentence, facts } = documentationOf(each)
    if (given.includes(field) || facts.some(({ isNoData }) => isNoData) || sentence === undefined) return []
    const flag = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')
    const { kind, value } = kindOf(each)
    return [{ field, flag, kind, value, sentence }]
  })
}

/** How a flag gives the values of a schema. */
export function kindOf(schema: v.GenericSchema): Pick<DocumentedFlag, 'kind' | 'value'> {
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

/** What the flags say of the fields of a call. */
export function fieldsGiven(flags: readonly FieldFlag[], given: Arguments['flags']): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const { flag, field, kind } of flags) {
    const value = given.get(flag)
    if (value !== undefined) fields[field] = typeof value === 'boolean' ? value : read(kind, value)
  }
  return fields
}

/** What a text stands for; the server says what it cannot be. */
export function read(kind: DocumentedFlag['kind'], texts: readonly string[]): unknown {
  const [text = ''] = texts
  if (kind === 'texts') return texts
  if (kind === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  return kind === 'json' ? jsonOr(text) : text
}

/** An object as JSON; any other text as it is. */
function jsonOr(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('What begins with { is not JSON.')
  }
}
