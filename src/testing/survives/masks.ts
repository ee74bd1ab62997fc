import type { Collection } from '../../core/operation/collection.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { suggestion } from '../../core/schema/nearest.ts'
import { listFields } from '../../core/schema/schema-parts.ts'
import { formatPath, type Path, quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import { listDifferences } from './differences.ts'

/** The values of resources in the order in which they were made, each with its family. */
export type OrderedValues = readonly (readonly [family: string, values: unknown])[]

/** A resource with the values that are compared. */
interface Masked {
  readonly collection: { readonly name: string }
  readonly values: object
}

/** The values that are not compared: those at the paths of `ignore`, and those that follow from the time or from random numbers. */
export class Masks {
  readonly #ignored: ReadonlySet<string>
  readonly #varying = new Set<string>()
  /** True once {@link learn} was called. */
  areLearned = false

  constructor(ignore: readonly string[]) {
    this.#ignored = new Set(ignore)
  }

  /** @throws TypeError for a path whose family or field does not exist. */
  requireKnown(collections: readonly Collection<object>[]): void {
    for (const path of this.#ignored) {
      const [family = '', field] = path.split('.')
      const found = collections.find(({ name }) => name === family)
      const fields = found ? listFields(found.schema, []) : []
      if (found && (field === undefined || fields.includes(field))) continue
      const [name, names] = found ? [field ?? '', fields] : [family, collections.map((each) => each.name).sort()]
      const hint = suggestion(name, names) || ` Allowed: ${names.join(', ')}.`
      const what = found ? `${family} has no field ${quote(name)}` : `no family has the name ${quote(name)}`
      throw new TypeError(`ignore has ${describeReceived(quote(path))}, and ${what}.${hint}`)
    }
  }

  /**
   * Compares what two runs without failures leave, of which the second was at another time, with other random numbers, and by another
   * seed. Their differences follow from these. Runs that do not leave the same families show nothing.
   */
  learn(rows: OrderedValues, others: OrderedValues): void {
    this.areLearned = true
    if (rows.map(([family]) => family).join() !== others.map(([family]) => family).join()) return
    for (const [place, [family, values]] of rows.entries()) {
      for (const { path } of listDifferences(values, others[place]?.[1])) this.#varying.add(pathOf(family, path))
    }
  }

  /** Returns resources without what is not compared. */
  apply<R extends Masked>(rows: readonly R[]): readonly R[] {
    if (this.#ignored.size + this.#varying.size === 0) return rows
    return rows.flatMap((row) => {
      const { name } = row.collection
      if (this.#ignored.has(name)) return []
      return [{ ...row, values: this.#mask(row.values, name, []) as object }] // An object stays one.
    })
  }

  #mask(value: unknown, family: string, path: Path): unknown {
    if (this.#varying.has(pathOf(family, path))) return hide(value)
    if (Array.isArray(value)) return value.map((each) => this.#mask(each, family, path))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([name]) => !this.#ignored.has(pathOf(family, [...path, name])))
    return Object.fromEntries(entries.map(([name, each]) => [name, this.#mask(each, family, [...path, name])]))
  }
}

/** Writes a path as `ignore` takes it: without the places in lists. */
function pathOf(family: string, path: Path): string {
  const names = path.filter((each) => typeof each === 'string')
  return names.length === 0 ? family : `${family}.${formatPath(names)}`
}

/** Hides a value, and not whether there is one. */
function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hide(each)]))
  return typeof value === 'string' || typeof value === 'number' ? '#' : value
}
