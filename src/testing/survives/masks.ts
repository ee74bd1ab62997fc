import { describeReceived } from '../../core/schema/errors.ts'
import { suggestion } from '../../core/schema/nearest.ts'
import { formatPath, type Path, quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ViewedCollection } from '../../gateway/transport.ts'

/** The values of resources in creation order, each with its family. */
export type OrderedValues = readonly (readonly [family: string, values: unknown])[]

/** A resource with the values that are compared. */
interface Masked {
  readonly collection: { readonly name: string }
  readonly values: object
}

/**
 * The values that two failure-free runs left behind. The second run had another start time and other random numbers.
 */
export type Learned = readonly [here: OrderedValues, elsewhere: OrderedValues]

/** Replaces all IDs and generated strings in a string with one label, `#`. */
type Unlabel = (text: string) => string

/** The values that are not compared: values at `ignore` paths, and values that depend on the time or on random numbers. */
export class Masks {
  readonly #ignored: ReadonlySet<string>
  /** The families in which a value varies. */
  readonly #families = new Set<string>()
  /** The paths at which a value varies in any resource of a family. */
  readonly #varying = new Set<string>()
  /** All values at such paths, varying or constant, in any resource, each with its path. */
  readonly #variables = new Set<string>()
  readonly #constants = new Set<string>()
  /** True after {@link learn} has been called. */
  areLearned = false

  constructor(ignore: readonly string[]) {
    this.#ignored = new Set(ignore)
  }

  /** @throws TypeError for a path whose family or field does not exist. */
  requireKnown(collections: readonly ViewedCollection[]): void {
    for (const path of this.#ignored) {
      const [family = '', field] = path.split('.')
      const found = collections.find(({ name }) => name === family)
      const fields = found ? fieldsOf(found) : []
      if (found && (field === undefined || fields.includes(field))) continue
      const [name, names] = found ? [field ?? '', fields] : [family, collections.map((each) => each.name).sort()]
      const hint = suggestion(name, names) || ` Allowed: ${names.join(', ')}.`
      const what = found ? `${family} has no field ${quote(name)}` : `there is no family ${quote(name)}`
      throw new TypeError(`ignore contains ${describeReceived(quote(path))}, but ${what}.${hint}`)
    }
  }

  /**
   * Compares the resources that failure-free runs left behind with those left behind elsewhere. Differences depend on the time or on random
   * numbers. Runs that do not leave the same families are ignored.
   */
  learn(pairs: readonly Learned[]): void {
    this.areLearned = true
    const familiesOf = (rows: OrderedValues) => rows.map(([family]) => family).join()
    for (const [rows, others] of pairs) {
      if (familiesOf(rows) !== familiesOf(others)) continue
      for (const [place, [family, values]] of rows.entries()) this.#compare(values, others[place]?.[1], [family])
    }
  }

  #compare(value: unknown, other: unknown, path: Path): void {
    if (isObject(value) && isObject(other)) {
      for (const name of Object.keys({ ...value, ...other })) this.#compare(value[name], other[name], [...path, name])
    } else if (Array.isArray(value) && Array.isArray(other) && value.length === other.length) {
      for (const [place, each] of value.entries()) this.#compare(each, other[place], path)
    } else if (value === other) {
      this.#constants.add(keyOf(path, value))
    } else {
      this.#families.add(String(path[0]))
      this.#varying.add(keyOf(path))
      for (const each of [value, other]) for (const key of leavesOf(each, path)) this.#variables.add(key)
    }
  }

  /** Returns resources without the values that are not compared. */
  apply<R extends Masked>(rows: readonly R[], unlabel: Unlabel): readonly R[] {
    if (this.#ignored.size + this.#varying.size === 0) return rows
    return rows.flatMap((row) => {
      const { name } = row.collection
      if (this.#ignored.has(name)) return []
      const values = this.#omit(row.values, name, [])
      const shown = this.#families.has(name) ? this.#hide(values, [name], unlabel) : values
      return [{ ...row, values: shown as object }] // An object stays an object.
    })
  }

  #omit(value: unknown, family: string, path: Path): unknown {
    if (this.#ignored.size === 0) return value
    if (Array.isArray(value)) return value.map((each) => this.#omit(each, family, path))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([name]) => !this.#ignored.has(pathOf(family, [...path, name])))
    return Object.fromEntries(entries.map(([name, each]) => [name, this.#omit(each, family, [...path, name])]))
  }

  /** Hides the values that vary, but not the fact that they exist. Keeps constants, even at paths where other values vary. */
  #hide(value: unknown, path: Path, unlabel: Unlabel, isBelow = false): unknown {
    const isVarying = isBelow || this.#varying.has(unlabel(keyOf(path)))
    if (Array.isArray(value)) return value.map((each) => this.#hide(each, path, unlabel, isVarying))
    if (isObject(value)) {
      const hide = ([name, each]: [string, unknown]) => [name, this.#hide(each, [...path, name], unlabel, isVarying)]
      return Object.fromEntries(Object.entries(value).map(hide))
    }
    if (!isVarying || (typeof value !== 'string' && typeof value !== 'number')) return value
    const key = unlabel(keyOf(path, value))
    return this.#constants.has(key) && !this.#variables.has(key) ? value : '#'
  }
}

/** Formats a path in the form for `ignore`: without list indexes. */
function pathOf(family: string, path: Path): string {
  const names = path.filter((each) => typeof each === 'string')
  return names.length === 0 ? family : `${family}.${formatPath(names)}`
}

/** Formats a path, or a value with its path, without the labels that differ between resources. */
const keyOf = (path: Path, value?: unknown) => withoutLabels(JSON.stringify([path, value]))

const withoutLabels = (text: string) => text.replace(/#\d+(?:\.\d+)?/g, '#')

/** Returns the innermost values in a value, each with its path. */
function leavesOf(value: unknown, path: Path): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, path))
  if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]))
  return [keyOf(path, value)]
}

/** Returns the names of the fields of a record. */
function fieldsOf(collection: ViewedCollection): readonly string[] {
  return [...new Set(collection.outline().map((line) => line.replace(/[.[:].*$/s, '')))]
}
