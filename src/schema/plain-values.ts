import type * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import { marksOf, partsOf } from './documentation.ts'
import { type Problem, type Problems, problem } from './errors.ts'
import { general } from './general-errors.ts'
import { fieldPath, quote } from './text.ts'
import { isObject } from './values.ts'

/** How deep a body may nest; deeper ones are refused rather than walked. */
const DEEPEST = 64

/** How many values one field may hold: more than any body over HTTP can, so that no object of a caller takes forever. */
const MOST_VALUES = 1_000_000

/** Where a value stands: its key or index, and where that is one. Undefined for the whole. */
type Place = { readonly above: Place; readonly key: string | number } | undefined

/** A schema of which nothing is known. */
export type AnySchema = v.GenericSchema

/** What is read, how messages call all of it, and what is wrong with it so far. */
export interface About {
  readonly whole: string
  /** Whether `null` and "" are values, as in what a gateway kept, and not what clients send for "not given". */
  readonly isKept: boolean
  readonly problems: Problems
}

/** What a schema says about the shape of a body, worked out once per operation. */
export type Shape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'value'; readonly blankIsAbsent: boolean }

/** Copies what was given: drops `null` where a field is expected, reports unknown fields, refuses what is not JSON. */
export function given(shape: Shape, value: unknown, place: Place, about: About): unknown {
  if (shape.kind === 'object') {
    return isObject(value) ? givenFields(shape.fields, value, place, about) : noObject(value)
  }
  if (shape.kind === 'list' && Array.isArray(value)) {
    return value.map((item, index) => given(shape.item, item, { above: place, key: index }, about))
  }
  return plainJson(value, place, about.problems)
}

/** What stands in the place of a value that is no object, for the schema to refuse: it would take an array for one. */
function noObject(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Symbol(quote(value)) : value
}

function givenFields(fields: ReadonlyMap<string, Shape>, value: Record<string, unknown>, place: Place, about: About) {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const shape = fields.get(name)
    const received = value[name]
    if (!shape) {
      const allowed = () => [...fields.keys()].join(', ') || 'none'
      about.problems.add(() =>
        problem(general.field_unknown, { field: fieldPath([...pathTo(place), name]), allowed: allowed() }),
      )
    } else if (isValue(received, shape, about)) {
      copy[name] = isInner(received) ? given(shape, received, { above: place, key: name }, about) : received
    }
  }
  return copy
}

/** Whether there may be something to copy in a value. Nearly all values are none of these, and need no path. */
function isInner(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isValue(received: unknown, shape: Shape, { isKept }: About): boolean {
  if (isKept || received === undefined) return received !== undefined
  return received !== null && !(received === '' && shape.kind === 'value' && shape.blankIsAbsent)
}

/** Copies a JSON value. A whole value of a wrong type is the schema's to refuse. */
function plainJson(value: unknown, place: Place, problems: Problems): unknown {
  if (!isInner(value)) return value
  return copied(value, undefined, 0, { value, place, problems, left: MOST_VALUES, isTooLarge: false })
}

/** What is copied, where it stands, what is found in it, and how many values it may still have. */
interface Copying {
  readonly value: object
  readonly place: Place
  readonly problems: Problems
  left: number
  isTooLarge: boolean
}

/**
 * Copies what is inside a value, and refuses what JSON does not have. Keys such as `__proto__` stay data: entries are
 * defined, not assigned.
 */
function copied(value: unknown, below: Place, depth: number, copying: Copying): unknown {
  if (copying.isTooLarge || copying.left-- === 0 || depth > DEEPEST) return tooLarge(below, depth, copying)
  if (Array.isArray(value)) {
    return value.map((item, key) => copied(item ?? null, { above: below, key }, depth + 1, copying))
  }
  if (isObject(value)) {
    const entries = Object.keys(value).map((key) => [
      key,
      copied(value[key], { above: below, key }, depth + 1, copying),
    ])
    return Object.fromEntries(entries)
  }
  if (!isJsonLeaf(value)) {
    const { place, problems } = copying
    problems.add(() => invalid(fieldPath([...pathTo(place), ...pathTo(below)]), value, 'a value that JSON has'))
  }
  return value
}

/** The keys and indexes that lead to a place. */
function pathTo(place: Place): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = place; at; at = at.above) path.push(at.key)
  return path.reverse()
}

/** Notes, once, that a value cannot be copied as a whole. */
function tooLarge(below: Place, depth: number, copying: Copying): undefined {
  const { value, place, problems, isTooLarge } = copying
  copying.isTooLarge = true
  if (isTooLarge) return
  const deeper = `at most ${DEEPEST} levels of nesting, and ${fieldPath(pathTo(below))} goes deeper`
  const allowed = depth > DEEPEST ? deeper : `at most ${MOST_VALUES} values`
  problems.add(() => invalid(fieldPath(pathTo(place)), value, allowed))
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean'
}

/** What a schema says about the shape of a body. */
export function shapeOf(schema: AnySchema): Shape {
  const { type, wrapped, entries, item } = partsOf(schema)
  if (wrapped) return shapeOf(wrapped)
  if (entries) {
    return { kind: 'object', fields: new Map(Object.entries(entries).map(([name, entry]) => [name, shapeOf(entry)])) }
  }
  if (type === 'array' && item) return { kind: 'list', item: shapeOf(item) }
  return { kind: 'value', blankIsAbsent: marksOf(schema).blank === 'absent' }
}

/** The fields of a body that exist only where the dialect names them. */
export function extraFieldsOf(schema: AnySchema): string[] {
  const { entries = {} } = partsOf(schema)
  return Object.entries(entries).flatMap(([name, entry]) => (marksOf(entry).extra ? [name] : []))
}

/** The fields of an answer that only other dialects have: no operation of this one takes them. */
export function foreignFieldsOf(schema: AnySchema, { extraFields }: CommonDialect): string[] {
  const known = Object.values(extraFields).flat()
  return extraFieldsOf(schema).filter((name) => !known.includes(name))
}

/** A shape that has fewer fields. */
export function withoutFields(shape: Shape, names: readonly string[]): Shape {
  if (shape.kind !== 'object' || names.length === 0) return shape
  return { kind: 'object', fields: new Map([...shape.fields].filter(([name]) => !names.includes(name))) }
}

/** The problem of a value that is not allowed. */
export function invalid(field: string, value: unknown, allowed: string): Problem {
  return problem(general.field_invalid, { field, received: shown(value), allowed })
}

/** How a message shows a value, or the one in whose place {@link noObject} stands. */
export function shown(value: unknown): string {
  return typeof value === 'symbol' ? (value.description ?? 'a symbol') : quote(value)
}
