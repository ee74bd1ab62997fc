import type * as v from 'valibot'
import { partsOf } from '../schema/schema-parts.ts'

/** A field that filters can use: its path, such as `certificate.id`, or an object with the path and more facts. */
export type FilterableField =
  | string
  | {
      /** The name in filters. */
      readonly name: string
      /** The path of the field's value in an item, or null if items don't include it. Default: the name. */
      readonly path?: string | null
      /** Aliases for the field's values, such as `{ agent: 'ephemeral' }`. */
      readonly words?: Readonly<Record<string, string>>
    }

export interface Type {
  readonly kind: 'text' | 'number' | 'condition' | 'null' | 'time' | 'list' | 'map' | 'object'
  readonly nullable: boolean
  /** For a string: true if it is an RFC 3339 time. For list items: true if all of them are RFC 3339 times. */
  readonly isTime?: boolean
  /** For a string: true if it is "" in the filter expression. For list items: true if any item is "" or null. */
  readonly isEmpty?: boolean
  /** For a list: true if null and "" equal an empty list. */
  readonly takesEmpty?: boolean
  /** For a list or a map: the type of its items or values; absent for an empty list. */
  readonly item?: Type | undefined
  /** For an object: the schemas of its fields. */
  readonly fields?: Readonly<Record<string, v.GenericSchema>>
}

/** Returns the type of a schema's values. A schema of an unknown kind counts as an object without fields. */
export function findType(schema: v.GenericSchema, nullable = false): Type {
  const { type, wrapped, entries = {}, item, value, pipe = [] } = partsOf(schema)
  if (wrapped) return findType(wrapped, nullable || type !== 'non_optional')
  if (item) return { kind: 'list', nullable, item: findType(item) }
  if (value) return { kind: 'map', nullable, item: findType(value, true) }
  if (type === 'number') return { kind: 'number', nullable }
  if (type === 'boolean') return { kind: 'condition', nullable }
  if (type !== 'string' && type !== 'picklist') return { kind: 'object', nullable, fields: entries }
  return { kind: 'text', nullable, isTime: pipe.some((step) => step.type === 'iso_timestamp') }
}

export function isComparable({ kind }: Type): boolean {
  return kind !== 'object' && kind !== 'map'
}

export function isOrdered({ kind }: Type): boolean {
  return kind === 'text' || kind === 'number' || kind === 'time'
}

export function canEqual(a: Type, b: Type): boolean {
  if ((a.takesEmpty && meansEmpty(b)) || (b.takesEmpty && meansEmpty(a))) return true
  if (a.kind === 'null') return takesNull(b)
  if (b.kind === 'null') return takesNull(a)
  if (a.kind === 'list' && b.kind === 'list') return !a.item || !b.item || canEqual(a.item, b.item)
  return a.kind === b.kind && isComparable(a)
}

function meansEmpty({ kind, isEmpty }: Type): boolean {
  return kind === 'null' || isEmpty === true
}

/** Returns whether null can equal a value of a type. Null can equal any string because null equals "". */
function takesNull({ kind, nullable }: Type): boolean {
  return nullable || kind === 'text'
}

/** Returns the common type of items of two types, or undefined if a list cannot contain both. */
export function mergeTypes(a: Type, b: Type): Type | undefined {
  if (a.kind === 'null') return { ...b, nullable: true, isEmpty: true }
  if (b.kind === 'null') return { ...a, nullable: true, isEmpty: true }
  const nullable = a.nullable || b.nullable
  if (a.kind !== 'list' || b.kind !== 'list') {
    const isTime = a.isTime === true && b.isTime === true
    const isEmpty = a.isEmpty === true || b.isEmpty === true
    return canEqual(a, b) ? { ...a, nullable, isTime, isEmpty } : undefined
  }
  const item = a.item && b.item ? mergeTypes(a.item, b.item) : (a.item ?? b.item)
  return a.item && b.item && !item ? undefined : { ...a, nullable, item }
}

export function describeType({ kind, item }: Type): string {
  if (kind === 'null') return 'null'
  const one = kind === 'object' ? 'an object' : `a ${nameOf(kind)}`
  return item ? `${one} of ${nameOf(item.kind)}s` : one
}

/** Returns what messages call a kind of values. */
const nameOf = (kind: Type['kind']) => (kind === 'text' ? 'string' : kind)
