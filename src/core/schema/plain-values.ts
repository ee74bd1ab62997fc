import type * as v from 'valibot'
import { marksOf, partsOf } from './documentation.ts'
import { type Problem, type Problems, problem } from './errors.ts'
import { general } from './general-errors.ts'
import { nearest } from './nearest.ts'
import { formatPath, quote } from './text.ts'
import { isObject } from './values.ts'

/** The maximum nesting of one field. */
const MAX_DEPTH = 64

/**
 * The maximum number of values in one field, and of items in all lists of a request, so that reading a caller's object always
 * ends. No HTTP body can have so many.
 */
const MAX_VALUES = 1_000_000

/** The part of a schema that a copy needs: the fields of its objects, those in which "" means absent, and those that take anything. */
export type Shape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'map' }
  | { readonly kind: 'value'; readonly blankIsAbsent: boolean; readonly isAnything: boolean }

export function toShape(schema: v.GenericSchema): Shape {
  const { type, wrapped, entries, item } = partsOf(schema)
  if (wrapped) return toShape(wrapped)
  if (entries) {
    return { kind: 'object', fields: new Map(Object.entries(entries).map(([name, entry]) => [name, toShape(entry)])) }
  }
  if (type === 'record') return { kind: 'map' }
  if (type === 'array' && item) return { kind: 'list', item: toShape(item) }
  const isAnything = type === 'unknown' || type === 'any'
  return { kind: 'value', blankIsAbsent: marksOf(schema).blank === 'absent', isAnything }
}

/**
 * Copies values before a schema reads them, and reports unknown fields and values that JSON does not have. In a request it
 * omits fields that are `null` or blank. In a stored record (`isStored`) these are values like any other.
 */
export class PlainCopier {
  readonly #path: (string | number)[] = []
  /** The number of items that the lists of a request may still have. */
  #room = MAX_VALUES

  constructor(
    readonly problems: Problems,
    readonly isStored: boolean,
  ) {}

  copy(shape: Shape, value: unknown): unknown {
    if (shape.kind === 'value' && shape.isAnything) return this.#copyJson(value)
    if (typeof value !== 'object' || value === null) return value
    // A symbol replaces any other object, so that the schema refuses it: valibot would accept an array as an object.
    if (shape.kind === 'object') return isObject(value) ? this.copyFields(shape.fields, value) : Symbol(quote(value))
    if (shape.kind === 'map' && !isObject(value)) return Symbol(quote(value))
    if (shape.kind !== 'list' || !Array.isArray(value)) return this.#copyJson(value)
    return this.#copyList(shape.item, value)
  }

  #copyList(shape: Shape, list: readonly unknown[]): unknown[] {
    this.#room -= this.isStored ? 0 : list.length
    if (this.#room < 0) {
      this.#reportInvalid(list, `at most ${MAX_VALUES} items in all lists together`)
      return []
    }
    // The first missing item is reported, and the rest is not read: a sparse array may be very long.
    let present = 0
    while (present < list.length && list[present] !== undefined) present++
    const read = present === list.length ? list : list.slice(0, present + 1)
    return read.map((item, index) => this.#at(index, () => this.copy(shape, item)))
  }

  copyFields(shapes: ReadonlyMap<string, Shape>, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const shape = shapes.get(name)
      const received = value[name]
      if (!shape) this.#reportUnknown(name, shapes)
      else if (this.#isPresent(received, shape)) copy[name] = this.#at(name, () => this.copy(shape, received))
    }
    return copy
  }

  #isPresent(value: unknown, shape: Shape): boolean {
    if (value === undefined || this.isStored) return value !== undefined
    return value !== null && !(value === '' && shape.kind === 'value' && shape.blankIsAbsent)
  }

  /** Runs work with a key added to the path of the present value. */
  #at<T>(key: string | number, work: () => T): T {
    this.#path.push(key)
    const result = work()
    this.#path.pop()
    return result
  }

  #reportUnknown(name: string, shapes: ReadonlyMap<string, Shape>): void {
    this.problems.add(() => {
      const choices = [...shapes.keys()]
      const facts = { field: formatPath([...this.#path, name]), choices, nearest: nearest(name, choices) }
      return problem(general.field_unknown, { ...facts, allowed: choices.join(', ') || 'none' })
    })
  }

  /** Copies a field that may hold any JSON. `fromEntries` defines keys such as `__proto__` as data; an assignment would not. */
  #copyJson(value: unknown): unknown {
    const top = this.#path.length
    let room = MAX_VALUES
    let exceeded = ''
    const copyValue = (each: unknown): unknown => {
      if (exceeded) return undefined
      const depth = this.#path.length - top
      if (room-- === 0 || (Array.isArray(each) && each.length > room)) exceeded = `at most ${MAX_VALUES} values`
      else if (depth > MAX_DEPTH) {
        exceeded = `at most ${MAX_DEPTH} levels of nesting, and ${formatPath(this.#path.slice(top))} goes deeper`
      } else if (Array.isArray(each)) {
        // Unlike `map`, this visits the holes of a sparse array.
        return Array.from(each, (item, index) => this.#at(index, () => copyValue(item ?? null)))
      } else if (isObject(each)) {
        return Object.fromEntries(Object.keys(each).map((key) => [key, this.#at(key, () => copyValue(each[key]))]))
      } else if (!isJsonLeaf(each)) this.#reportInvalid(each, 'a value that JSON has')
      return each
    }
    const copy = copyValue(value)
    if (exceeded) this.#reportInvalid(value, exceeded)
    return copy
  }

  #reportInvalid(value: unknown, allowed: string): void {
    this.problems.add(() => createInvalidProblem(formatPath(this.#path), value, allowed))
  }
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean'
}

export function createInvalidProblem(field: string, value: unknown, allowed: string): Problem {
  return problem(general.field_invalid, { field, received: formatValue(value), allowed })
}

/** Formats a value for a message. For a symbol of {@link PlainCopier}, formats the value that it replaced. */
export function formatValue(value: unknown): string {
  return typeof value === 'symbol' ? (value.description ?? 'a symbol') : quote(value)
}
