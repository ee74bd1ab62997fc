import type * as v from 'valibot'
import { documentationOf } from '../core/schema/documentation.ts'
import type { JsonFacts } from '../core/schema/facts.ts'
import { isSchema, partsOf, type SchemaParts } from '../core/schema/schema-parts.ts'
import { isObject } from '../core/schema/values.ts'

/** The values of fields that cannot be derived from a schema, by name: the initial value and the value that a change sets. */
export type FieldValues = Readonly<Record<string, readonly unknown[]>>

/** Objects in which exactly one field may be set, by the name of the field that contains the object. */
const ONE_OF = ['target', 'auth', 'provider']

/** Returns the schemas of a field from the outermost to the innermost, including the steps of their pipes. */
function layersOf(schema: v.GenericSchema): SchemaParts[] {
  const parts = partsOf(schema)
  const [, ...steps] = parts.pipe ?? []
  const inner = steps.flatMap((step) => (isSchema(step) ? layersOf(step) : [step]))
  return [...(parts.wrapped ? layersOf(parts.wrapped) : [parts]), ...inner]
}

/** The facts about the values of a field. */
interface Kind {
  readonly type: string
  readonly fields?: Readonly<Record<string, v.GenericSchema>>
  readonly item?: v.GenericSchema
  /** All values, or the values listed in the documentation. */
  readonly choices: readonly unknown[]
  /** The limits on a number, on the length of a string, or on the number of items. */
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** Reads the facts in a schema about the values of a field. */
function kindOf(schema: v.GenericSchema): Kind {
  const layers = layersOf(schema)
  const facts = documentationOf(schema).facts.flatMap(({ json }): JsonFacts[] =>
    typeof json === 'object' ? [json] : [],
  )
  const { type = 'custom', entries: fields, item, value } = layers.find(({ kind }) => kind === 'schema') ?? {}
  const each = item ?? value
  const limit = (step: string, ...names: (keyof JsonFacts)[]) => {
    const found = layers.find((layer) => layer.type === `${step}_value` || layer.type === `${step}_length`)?.requirement
    const documented = facts.flatMap((each) => names.map((name) => each[name])).find((each) => each !== undefined)
    return [found, documented].find((each) => typeof each === 'number')
  }
  const listed = layers.flatMap((layer) => (layer.type === 'picklist' ? (layer.options ?? []) : []))
  const documented = facts.flatMap((each) => [...(each.enum ?? []), ...(each.listed ?? [])])
  return {
    type: type === 'picklist' || type === 'literal' ? 'string' : type,
    ...(fields && { fields }),
    ...(each && { item: each }),
    choices: [...new Set([...listed, ...documented])].filter((each) => each !== '' && each !== null),
    min: limit('min', 'minimum', 'minLength', 'minItems'),
    max: limit('max', 'maximum', 'maxLength', 'maxItems'),
  }
}

/**
 * Returns a valid value for a field: either the initial value or the value that a change sets. Returns undefined if the schema does not
 * determine a value.
 */
function exampleOf(name: string, schema: v.GenericSchema, which: 0 | 1, known: FieldValues): unknown {
  const own = known[name]
  if (own) return own[Math.min(which, own.length - 1)]
  const { type, fields, item, choices, min, max = 100 } = kindOf(schema)
  if (choices.length > 0) return choices[which] ?? choices[0]
  if (type === 'string') return which === 0 ? 'one' : 'two'
  if (type === 'boolean') return which === 0
  if (type === 'number') return Math.min(max, (min ?? 1) + which + 1)
  if (type === 'array' && item) return [1, 0].map((each) => exampleOf(name, item, each === which ? 1 : 0, known))
  if (type === 'record') return which === 0 ? { one: '1', two: '2' } : { three: '3' }
  if (!fields) return undefined
  return examplesOf(fields, which, known, ONE_OF.includes(name) ? Object.keys(fields).slice(0, 1) : undefined)
}

/** Returns an object with an example for each field, or for some of the fields. */
export function examplesOf(
  fields: Readonly<Record<string, v.GenericSchema>>,
  which: 0 | 1,
  known: FieldValues,
  names: readonly string[] = Object.keys(fields),
): Record<string, unknown> {
  const all = names.map((name) => {
    const schema = fields[name]
    return [name, schema && exampleOf(name, schema, which, known)] as const
  })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

type NamedValue = readonly [what: string, value: unknown]

/** A field value that a service may interpret differently. */
export interface Probe {
  /** The special property of the value, such as `description in capitals`. */
  readonly what: string
  readonly value: unknown
}

/** Returns variants of a valid field value: absent, empty, of another type, at a limit, in capitals, or repeated. */
export function probesOf(name: string, schema: v.GenericSchema, value: unknown, known: FieldValues): Probe[] {
  const kind = kindOf(schema)
  const probes: NamedValue[] = [
    ['of the wrong type', Array.isArray(value) ? 5 : WRONG_TYPE],
    ['null', null],
    ...kind.choices.slice(0, MAX_CHOICES).map((each): NamedValue => [`${String(each)}`, each]),
  ]
  if (typeof value === 'string') probes.push(...textProbes(value, kind))
  if (typeof value === 'number') probes.push(...numberProbes(value, kind))
  if (typeof value === 'boolean') probes.push([String(!value), !value], ['a text', String(value)])
  if (Array.isArray(value)) probes.push(...listProbes(value, kind))
  const own = probes.map(([what, each]): Probe => ({ what: `${name} ${what}`, value: each }))
  if (!isObject(value)) return distinct(own, value)
  const inner = kind.fields ? fieldProbes(name, kind.fields, value, known) : mapProbes(name, value)
  return distinct([...own, { what: `${name} empty`, value: {} }, ...inner], value)
}

/** A value that is not valid for any field: a list of numbers. */
const WRONG_TYPE = [5]

const MAX_CHOICES = 4

/** The maximum length of a text for which copies in capitals and with spaces are tried. */
const MAX_TEXT = 300

function textProbes(value: string, { choices, max }: Kind): NamedValue[] {
  const isShort = value.length <= MAX_TEXT
  return [
    ['empty', ''],
    ['with spaces around it', ` ${value} `],
    ...(isShort ? ([['in capitals', toCapitals(value)]] as const) : []),
    ...(choices.length > 0 || !value.includes('{mark}') ? ([['that is nonsense', 'nonsense']] as const) : []),
    ...(max === undefined ? [] : limitsOf(max, (length) => value.padEnd(length, 'x'))),
  ]
}

function numberProbes(value: number, { min = 0, max }: Kind): NamedValue[] {
  const all = [min, min - 1, value + 0.5, 0, -1, ...(max === undefined ? [] : [max, max + 1])]
  return [...all.map((each): NamedValue => [String(each), each]), ['a text', String(value)]]
}

function limitsOf(max: number, make: (length: number) => unknown): NamedValue[] {
  return [
    ['of the maximum length', make(max)],
    ['longer than allowed', make(max + 1)],
  ]
}

function listProbes(value: readonly unknown[], { item, max }: Kind): NamedValue[] {
  const isOfTexts = value.every((each) => typeof each === 'string')
  const choices = item ? kindOf(item).choices : []
  return [
    ['empty', []],
    ['with a null', [...value, null]],
    ['with each item twice', [...value, ...value]],
    ...(value.length > 1 ? ([['in reverse order', [...value].reverse()]] as const) : []),
    ...(isOfTexts
      ? ([
          ['that is nonsense', ['nonsense']],
          ['with an empty string', ['']],
          ['in capitals', value.map((each) => toCapitals(String(each)))],
          ['with spaces around its items', value.map((each) => ` ${each} `)],
        ] as const)
      : []),
    ...(choices.length > 1 && choices.length <= 2 * MAX_CHOICES ? ([['of all there are', choices]] as const) : []),
    ...(max === undefined ? [] : limitsOf(max, (length) => Array.from({ length }, () => value[0]))),
  ]
}

/**
 * Returns probes of an object with these fields: each one without one of the fields, with an unknown field, or with a probe of one field.
 */
function fieldProbes(
  name: string,
  fields: Readonly<Record<string, v.GenericSchema>>,
  value: Readonly<Record<string, unknown>>,
  known: FieldValues,
): Probe[] {
  const probes: Probe[] = [{ what: `${name} with an unknown field`, value: { ...value, fauxgate_verify: 1 } }]
  for (const [field, schema] of Object.entries(fields)) {
    const set = (each: unknown) => ({ ...value, [field]: each })
    const own = value[field] ?? exampleOf(field, schema, 0, known)
    if (!Object.hasOwn(value, field) && own !== undefined)
      probes.push(
        { what: `${name}.${field} alone`, value: { [field]: own } },
        { what: `${name}.${field} too`, value: set(own) },
      )
    if (!Object.hasOwn(value, field)) continue
    if (schema.type !== 'optional') probes.push({ what: `no ${name}.${field}`, value: set(undefined) })
    const inner = probesOf(`${name}.${field}`, schema, own, known)
    probes.push(...inner.map(({ what, value: each }) => ({ what, value: set(each) })))
  }
  return probes
}

/** Returns probes of an object with any keys. */
function mapProbes(name: string, value: Readonly<Record<string, unknown>>): Probe[] {
  const [first = 'one'] = Object.keys(value)
  const entries = Object.entries(value)
  return [
    ...[null, '', WRONG_TYPE, ' 1 ', 0, 10_000, 10_001, 0.5].map((each) => ({
      what: `${name} with the value ${JSON.stringify(each)}`,
      value: { [first]: each },
    })),
    { what: `${name} with an empty key`, value: { '': value[first] } },
    { what: `${name} in capitals`, value: Object.fromEntries(entries.map(([key, each]) => [toCapitals(key), each])) },
  ]
}

/** Omits probes that equal the value or an earlier probe. */
function distinct(probes: readonly Probe[], value: unknown): Probe[] {
  const seen = new Set([JSON.stringify(value)])
  return probes.filter((probe) => {
    const json = JSON.stringify(probe.value)
    return !seen.has(json) && seen.add(json)
  })
}

/** Returns a string in uppercase or, if it has no lowercase letters, in lowercase. Keeps the names of values. */
function toCapitals(text: string): string {
  return text.replaceAll(/\{[a-z_]+\}|[^{}]+/g, (part) => {
    if (part === '{mark}') return '{capital_mark}'
    return /^\{[a-z_]+\}$/.test(part) ? part : part.toUpperCase()
  })
}
