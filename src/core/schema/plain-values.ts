import type * as v from 'valibot'
import { type Problem, type Problems, problem } from './errors.ts'
import { general } from './general-errors.ts'
import { nearest } from './nearest.ts'
import { innermostParts, marksOf } from './schema-parts.ts'
import { formatPath, quote } from './text.ts'
import { isObject, lookUp } from './values.ts'

/** The maximum nesting depth of a field. */
const MAX_DEPTH = 64

/**
 * The maximum number of values in one field, and of items in all lists of a request. It guarantees that reading a caller's object ends. No
 * HTTP body can contain that many.
 */
const MAX_VALUES = 1_000_000

/** The schemas of an object's fields. */
type Fields = Readonly<Record<string, v.GenericSchema>>

/**
 * Copies values before a schema reads them, and reports unknown fields and values that JSON cannot express. In a request, omits
 * fields that are `null` or blank. In a stored record (`isStored`), these are ordinary values.
 */
export class PlainCopier {
  readonly #path: (string | number)[] = []
  /** The number of items that a request's lists may still contain. */
  #room = MAX_VALUES
  readonly #replaced = new Map<unknown, unknown>()

  constructor(
    readonly problems: Problems,
    readonly isStored: boolean,
  ) {}

  copy(schema: v.GenericSchema, value: unknown): unknown {
    const { type, entries, item } = innermostParts(schema)
    if (!entries && (type === 'unknown' || type === 'any')) return this.#copyJson(value)
    if (typeof value !== 'object' || value === null) return value
    if (entries) return isObject(value) ? this.copyFields(entries, value) : this.#replace(value)
    if (type === 'record' && !isObject(value)) return this.#replace(value)
    return type === 'array' && item && Array.isArray(value) ? this.#copyList(item, value) : this.#copyJson(value)
  }

  /** Returns a symbol instead of a value to make the schema reject it, because valibot would accept an array as an object. */
  #replace(value: unknown): symbol {
    const replacement = Symbol('not an object')
    this.#replaced.set(replacement, value)
    return replacement
  }

  /** Returns the received value: either the original of a copy or the value that a symbol replaced. */
  receivedFor(value: unknown): unknown {
    return this.#replaced.get(value) ?? value
  }

  #copyList(schema: v.GenericSchema, list: readonly unknown[]): unknown[] {
    this.#room -= this.isStored ? 0 : list.length
    if (this.#room < 0) {
      this.#reportInvalid(list, `at most ${MAX_VALUES} items across all lists`)
      return []
    }
    // Only the first missing item is reported, because a sparse array may be very long.
    let present = 0
    while (present < list.length && list[present] !== undefined) present++
    const read = present === list.length ? list : list.slice(0, present + 1)
    return read.map((item, index) => this.#at(index, () => this.copy(schema, item)))
  }

  /** Copies the fields of an object, except those in `omitted`. */
  copyFields(fields: Fields, value: Readonly<Record<string, unknown>>, omitted: object = {}): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(omitted, name)) continue
      const schema = lookUp(fields, name)
      const received = value[name]
      if (!schema) this.#reportUnknown(name, Object.keys(fields))
      else if (this.#isPresent(received, schema)) copy[name] = this.#at(name, () => this.copy(schema, received))
    }
    return copy
  }

  #isPresent(value: unknown, schema: v.GenericSchema): boolean {
    if (value === undefined || this.isStored) return value !== undefined
    return value !== null && !(value === '' && marksOf(schema).blank === 'absent')
  }

  /** Runs work with a key added to the path of the current value. */
  #at<T>(key: string | number, work: () => T): T {
    this.#path.push(key)
    const result = work()
    this.#path.pop()
    return result
  }

  #reportUnknown(name: string, choices: readonly string[]): void {
    this.problems.add(() => {
      const facts = { field: formatPath([...this.#path, name]), choices, nearest: nearest(name, choices) }
      return problem(general.field_unknown, { ...facts, allowed: choices.join(', ') || 'none' })
    })
  }

  /** Copies a field that may contain any JSON. `fromEntries` treats keys such as `__proto__` as data, which an assignment would not. */
  #copyJson(value: unknown): unknown {
    const top = this.#path.length
    let room = MAX_VALUES
    let exceeded = ''
    const copyValue = (each: unknown): unknown => {
      if (exceeded) return undefined
      const depth = this.#path.length - top
      if (room-- === 0 || (Array.isArray(each) && each.length > room)) exceeded = `at most ${MAX_VALUES} values`
      else if (depth > MAX_DEPTH) {
        exceeded = `at most ${MAX_DEPTH} levels of nesting; ${formatPath(this.#path.slice(top))} is deeper`
      } else if (Array.isArray(each)) {
        // Unlike `map`, this visits the holes of a sparse array.
        return Array.from(each, (item, index) => this.#at(index, () => copyValue(item ?? null)))
      } else if (isObject(each)) {
        return Object.fromEntries(Object.keys(each).map((key) => [key, this.#at(key, () => copyValue(each[key]))]))
      } else if (!isJsonLeaf(each)) this.#reportInvalid(each, 'a JSON value')
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
  return problem(general.field_invalid, { field, received: quote(value), allowed })
}
