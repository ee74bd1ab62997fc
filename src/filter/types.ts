import type * as v from 'valibot'
import { partsOf } from '../schema/documentation.ts'

/** What a part of a filter can be. `nullable`: it can be null or absent as well. */
export type Type =
  | { readonly kind: 'number' | 'boolean' | 'null' | 'time'; readonly nullable: boolean }
  /** `holdsTime`: the text is an RFC 3339 time. */
  | { readonly kind: 'text'; readonly nullable: boolean; readonly holdsTime: boolean }
  /** A list without an item type is empty. */
  | { readonly kind: 'list'; readonly nullable: boolean; readonly item: Type | undefined }
  | { readonly kind: 'map'; readonly nullable: boolean; readonly value: Type }
  | { readonly kind: 'object'; readonly nullable: boolean; readonly fields: Fields }

type Fields = Readonly<Record<string, v.GenericSchema>>

/** The type of what a schema describes. What cannot be looked into is an object without fields. */
export function typeOf(schema: v.GenericSchema, nullable = false): Type {
  const { type, wrapped, entries = {}, item, value, pipe = [] } = partsOf(schema)
  if (wrapped) return typeOf(wrapped, true)
  if (item) return { kind: 'list', nullable, item: typeOf(item) }
  if (value) return { kind: 'map', nullable, value: typeOf(value, true) }
  switch (type) {
    case 'string':
    case 'picklist':
      return { kind: 'text', nullable, holdsTime: pipe.some((step) => step.type === 'iso_timestamp') }
    case 'number':
    case 'boolean':
      return { kind: type, nullable }
    default:
      return { kind: 'object', nullable, fields: entries }
  }
}

/** Whether values of two types can be equal. Texts are never absent but "", which equals null. */
export function canEqual(a: Type, b: Type): boolean {
  if (a.kind === 'null') return admitsNull(b)
  if (b.kind === 'null') return admitsNull(a)
  if (a.kind === 'list' && b.kind === 'list') return !a.item || !b.item || canEqual(a.item, b.item)
  return a.kind === b.kind && a.kind !== 'map' && a.kind !== 'object'
}

/** Whether null can equal a value of the type. The type of null itself is nullable. */
export function admitsNull({ kind, nullable }: Type): boolean {
  return nullable || kind === 'text'
}

/** The type of both, or undefined where one list cannot hold both. */
export function joined(a: Type, b: Type): Type | undefined {
  if (a.kind === 'null') return { ...b, nullable: true }
  if (b.kind === 'null') return { ...a, nullable: true }
  const nullable = a.nullable || b.nullable
  if (a.kind !== 'list' || b.kind !== 'list') return canEqual(a, b) ? { ...a, nullable } : undefined
  if (!a.item || !b.item) return { ...a, nullable, item: a.item ?? b.item }
  const item = joined(a.item, b.item)
  return item && { ...a, nullable, item }
}

/** How messages call a value of each kind, and several of them. */
const NAMES: Readonly<Record<Type['kind'], readonly [one: string, several: string]>> = {
  text: ['a text', 'texts'],
  number: ['a number', 'numbers'],
  boolean: ['a condition', 'conditions'],
  null: ['null', 'nulls'],
  time: ['a time', 'times'],
  list: ['a list', 'lists'],
  map: ['a map', 'maps'],
  object: ['an object', 'objects'],
}

/** A type in words, such as "a list of texts". */
export function named(type: Type): string {
  const [one] = NAMES[type.kind]
  const inner = type.kind === 'list' ? type.item : type.kind === 'map' ? type.value : undefined
  return inner ? `${one} of ${NAMES[inner.kind][1]}` : one
}
