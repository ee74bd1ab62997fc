import { parseSequence } from '../../core/schema/ids.ts'
import { isObject, lazy, mapValues } from '../../core/schema/values.ts'
import type { ViewedCollection } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { Masks, OrderedValues } from './masks.ts'

/**
 * Matches an ID that a gateway generated. The IDs of one resource, such as a tunnel's and its endpoint's, share the second group.
 */
const ID = /\b([a-z][a-z0-9]*)_([0-9A-Za-z]{27})\b/g

/** The minimum length of a generated string, such as an address, to be found within other strings. */
const MIN_MADE_LENGTH = 8

/** A resource at the end of a run. */
export interface Row {
  readonly collection: ViewedCollection
  readonly key: string
  /** True if the resource existed before the code ran. Its ID is then the same in each run. */
  readonly isOld: boolean
  /** The values that are compared, including secrets. */
  readonly values: object
  /** The same values without masks. */
  readonly unmasked: object
  /** The strings that the gateway generated for the resource, such as its address. */
  readonly made: readonly string[]
  /** True if the resource adds no information to its owner, as an automatic certificate adds none to its domain. */
  readonly isAttached: boolean
}

/** The resources, with the masks at a given time applied. */
interface View {
  readonly areLearned: boolean
  readonly rows: readonly Row[]
  readonly text: string
}

/** Returns the label for a resource's ID or for one of its generated strings, or undefined if neither should be replaced. */
export type LabelOf = (row: Row, made?: number) => string | undefined

/** The resources at the end of a run, in the form that `survives` compares. */
export class Ending {
  readonly #before: ReadonlySet<string>
  readonly #sequence: number
  readonly #unmasked: readonly Row[]
  readonly #masks: Masks
  #view: View | undefined
  /** The records without secrets, by family. Must be called before the gateway changes. */
  readonly publicRecords: () => Readonly<Record<string, readonly object[]>>

  /** @param before the result of {@link keysOf} before the code ran */
  constructor(gateway: Gateway, before: ReadonlySet<string>, masks: Masks) {
    const { sequence, tables } = gateway.transport.resources()
    this.#before = before
    this.#sequence = sequence
    this.#unmasked = withoutAttached(
      tables.flatMap(({ collection, records }) => records.flatMap((record) => toRow(collection, record, before))),
    )
    this.#masks = masks
    this.publicRecords = lazy(() => gateway.snapshot().records)
  }

  /** The resources, by family, oldest first, with the values that are compared. */
  get rows(): readonly Row[] {
    return this.#masked.rows
  }

  /** A string that is equal for endings whose resources were created in the same order. */
  get text(): string {
    return this.#masked.text
  }

  get #masked(): View {
    const { areLearned } = this.#masks
    if (this.#view?.areLearned !== areLearned) {
      const rows = this.#masks.apply(
        this.#unmasked,
        this.relabelWith(() => '#'),
      )
      this.#view = { areLearned, rows, text: this.#toText(rows, ({ isOld }) => !isOld) }
    }
    return this.#view
  }

  /** The number of resources of each family. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { collection } of this.rows) counts.set(collection.name, (counts.get(collection.name) ?? 0) + 1)
    return counts
  }

  /** Returns the values of all resources, with labels instead of IDs. The labels reflect only the order of creation. */
  listInOrder(): OrderedValues {
    return JSON.parse(this.#toText(this.#unmasked, () => true))
  }

  #toText(rows: readonly Row[], isLabelled: (row: Row) => boolean): string {
    const labels = new Map(this.#unmasked.map((row, place) => [row, `#${place}`]))
    const relabel = this.relabelWith((row, made) =>
      isLabelled(row) ? `${labels.get(row)}${made === undefined ? '' : `.${made}`}` : undefined,
    )
    return relabel(JSON.stringify(rows.map(({ collection, values }) => [collection.name, values])))
  }

  /**
   * Returns a function that replaces IDs and generated strings in a string. For a deleted resource, only the prefix of its ID
   * remains.
   */
  relabelWith(labelOf: LabelOf): (text: string) => string {
    const labels = new Map<string, string | undefined>()
    const made: (readonly [text: string, label: string])[] = []
    for (const row of this.#unmasked) {
      labels.set(suffixOf(row.key), labelOf(row))
      for (const [place, text] of row.made.entries()) made.push([text, labelOf(row, place) ?? text])
    }
    const replaceId = (id: string, prefix: string, suffix: string) => {
      const label = labels.get(suffix)
      if (label !== undefined) return `${prefix}_${label}`
      return this.#before.has(suffix) || parseSequence(id) >= this.#sequence ? id : `a deleted ${prefix}`
    }
    return (text) => made.reduce((all, [from, to]) => all.replaceAll(from, to), text.replace(ID, replaceId))
  }

  /** Returns, for each resource, the positions of the resources that it refers to. */
  listReferences(): readonly (readonly number[])[] {
    const places = new Map(this.rows.map(({ key }, place) => [suffixOf(key), place]))
    return this.rows.map(({ values }, place) => {
      const found = [...JSON.stringify(values).matchAll(ID)].flatMap(([, , suffix = '']) => places.get(suffix) ?? [])
      return found.filter((each) => each !== place)
    })
  }
}

/** Returns the keys of all resources, each with its family and with the part of its ID after the prefix. */
export function keysOf(gateway: Gateway): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { collection, records } of gateway.transport.resources().tables) {
    for (const record of records) {
      const key = collection.key(record)
      keys.add(`${collection.name} ${key}`).add(suffixOf(key))
    }
  }
  return keys
}

export const suffixOf = (id: string) => id.slice(id.indexOf('_') + 1)

function toRow(collection: ViewedCollection, record: object, before: ReadonlySet<string>): Row[] {
  const values = collection.toComparable(record)
  if (!values) return []
  const key = collection.key(record)
  const isOld = before.has(`${collection.name} ${key}`)
  const made = isOld ? [] : Object.entries(record).flatMap(([name, value]) => (name in values ? [] : listMade(value)))
  const isAttached = collection.isAttached?.(record) === true && hasOnlyId(values)
  return [{ collection, key, isOld, values, unmasked: values, made, isAttached }]
}

const listMade = (value: unknown) => (typeof value === 'string' && value.length >= MIN_MADE_LENGTH ? [value] : [])

const hasOnlyId = (values: object) =>
  Object.entries(values).every(([name, value]) => name === 'id' || value === null || value === undefined)

/** Omits resources that appear and disappear with others over time, and references to them. */
function withoutAttached(rows: readonly Row[]): readonly Row[] {
  const attached = new Set(rows.filter(({ isAttached }) => isAttached).map(({ key }) => key))
  if (attached.size === 0) return rows
  const without = (value: unknown): unknown => {
    if (typeof value === 'string') return attached.has(value) ? null : value
    if (Array.isArray(value)) return value.map(without)
    return isObject(value) ? mapValues(value, without) : value
  }
  return rows.flatMap((row) => {
    if (row.isAttached) return []
    const values = mapValues({ ...row.values }, without)
    return [{ ...row, values, unmasked: values }]
  })
}
