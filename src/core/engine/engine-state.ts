import type { Collection } from '../operation/collection.ts'
import type { Family, ReportRelation } from '../operation/family.ts'
import { findMissing } from '../operation/reference.ts'
import type { Store } from '../operation/store.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { Authority, View, Wire } from '../operation/view.ts'
import type { Catalogue } from '../schema/catalogue.ts'
import type { CommonDialect, RuleOptions } from '../schema/dialect.ts'
import { Problems, problem } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { OPERATION_PREFIX } from '../schema/ids.ts'
import { quote } from '../schema/text.ts'
import { deepFreeze, isObject } from '../schema/values.ts'
import type { Clock } from './clock.ts'
import { createIds, type Ids } from './ids.ts'
import type { SideRecordsByName } from './persistence/stored-records.ts'
import type { PublicRecords } from './public-records.ts'
import { createRandomSource, type RandomSource } from './random.ts'
import { Records } from './records.ts'

interface StateOptions {
  readonly dialect: CommonDialect
  readonly ruleOptions: RuleOptions
  readonly seed: string
  /** Returns a gateway's certificate authority, given its random source. */
  readonly authorityFor: (random: RandomSource) => Authority
  readonly url: string
  readonly families: readonly Family[]
  /** The records of commits and snapshots. */
  readonly publicRecords: PublicRecords
}

export interface EngineOptions extends StateOptions {
  readonly clock: Clock
  /** All errors of the gateway. */
  readonly catalogue: Catalogue
  readonly store: Store | undefined
  readonly sideRecords: SideRecordsByName
  /** Creates the public form of an error, for calls that a user's clock makes. */
  readonly publicError: (error: unknown) => unknown
}

/** The records of a snapshot, from which a gateway continues. */
export interface RestorableState {
  readonly records: Readonly<Record<string, readonly object[]>>
  /** The sequence number of the next ID. */
  readonly sequence: number
  /** Null if the authority uses its own keys. */
  readonly seed: string | null
  /** True if a gateway in this process created the snapshot. Nothing in it is then checked. */
  readonly isOwn: boolean
}

/** The values derived from a seed. */
interface Origin {
  readonly seed: string
  readonly ids: Ids
  readonly authority: Authority
}

/** A result derived from all records, and the time, in ms, at which the result may change even if no record does. */
export interface Derived<T> {
  readonly value: T
  readonly until: number
}

interface CachedResult extends Derived<unknown> {
  readonly revision: number
  readonly from: number
}

/** The state that `reset`, `restore`, and loading a store replace. */
export class EngineState {
  #wire: Wire
  /** The cached responses for records, by view. Created lazily, because it would be the most expensive part of an unused gateway. */
  #views: WeakMap<object, WeakMap<object, object>> | undefined
  #lastView: object | undefined
  /** The results of {@link derive}, by key. */
  readonly #derived = new Map<object, CachedResult>()

  private constructor(
    readonly options: StateOptions,
    readonly origin: Origin,
    url: string,
    readonly records: Records,
    /** The number of request IDs used so far. */
    public operations: number,
  ) {
    this.#wire = { url, dialect: options.dialect, authority: origin.authority }
  }

  /** Creates the state of a new gateway. */
  static initial(options: StateOptions): EngineState {
    return new EngineState(options, createOrigin(options.seed, options), options.url, new Records(options.families), 0)
  }

  /** The inputs of views, in addition to the record. */
  get wire(): Wire {
    return this.#wire
  }

  set url(url: string) {
    this.#wire = { ...this.#wire, url }
    this.#views = undefined
    this.#lastView = undefined
  }

  nextOperationId(): string {
    return this.origin.ids.id(OPERATION_PREFIX, 'operations', this.operations++)
  }

  /** Returns another state of the same gateway, at the same URL. */
  #withRecords(records: Records, seed = this.origin.seed, operations = this.operations): EngineState {
    const origin = seed === this.origin.seed ? this.origin : createOrigin(seed, this.options)
    return new EngineState(this.options, origin, this.#wire.url, records, operations)
  }

  /** Returns the state of a new gateway with the same options and URL. */
  reset(): EngineState {
    return this.#withRecords(new Records(this.options.families), this.options.seed, 0)
  }

  /** Returns the same state with different records. @throws Refusal if two records have the same key or if records are inconsistent. */
  withSnapshot({ records: rows, sequence, seed, isOwn }: RestorableState): EngineState {
    const { families } = this.options
    const records = new Records(families)
    const problems = new Problems()
    for (const [name, list] of Object.entries(rows)) addRecords(records, name, list, problems)
    records.sequence = sequence
    const references = families.flatMap((family) => family.references ?? [])
    if (!isOwn) for (const family of families) checkRelations(records, { ...family, references }, rows, problems)
    problems.refuse()
    return this.#withRecords(records, seed ?? this.origin.seed)
  }

  /** Returns the response for a record, frozen. A new record (`isNew`) is rarely read again, so its response is not cached. */
  view<R extends object, Resource extends object>(view: View<R, Resource>, record: R, isNew: boolean): Resource {
    const views = this.#views?.get(view)
    const cached = views?.get(record) as Resource | undefined // This view created the cached response.
    const response = cached ?? deepFreeze(view(record, this.#wire))
    this.#lastView = response
    if (cached || isNew) return response
    if (views) views.set(record, response)
    else {
      this.#views ??= new WeakMap()
      this.#views.set(view, new WeakMap([[record, response]]))
    }
    return response
  }

  /**
   * Returns the result of `read` on the records. The result is cached under a key until its time `until`, or until a record in the
   * collections `sources` changes. Default: any record.
   */
  derive<T>({ now }: Transaction, key: object, read: () => Derived<T>, sources?: readonly string[]): T {
    const revision = sources
      ? sources.reduce((sum, name) => sum + this.records.tableNamed(name).revision, 0)
      : this.records.revision
    const cached = this.#derived.get(key)
    if (cached?.revision === revision && cached.from <= now && now < cached.until) return cached.value as T // Cached under the same key.
    const derived = read()
    this.#derived.set(key, { ...derived, revision, from: now })
    return derived.value
  }

  /** Returns true if a value is the response that the most recent {@link view} call returned. */
  isLastView(value: unknown): value is object {
    return value !== undefined && value === this.#lastView
  }

  /** Returns two versions of a snapshot's records: one with or without secrets, as requested, and one that always includes secrets. */
  exportRecords(withSecrets: boolean) {
    const records: Record<string, object[]> = {}
    const recordsWithSecrets: Record<string, object[]> = {}
    for (const { collection, oldestFirst } of this.records.all()) {
      const exported = oldestFirst.map((record) =>
        withSecrets ? collection.toStored(record) : this.options.publicRecords.of(record, collection),
      )
      records[collection.name] = exported.filter((each) => each !== null)
      recordsWithSecrets[collection.name] = oldestFirst.filter((_, index) => exported[index] !== null)
    }
    return { records, recordsWithSecrets }
  }

  /** Returns the function that later creates the current records, without secrets. Returns undefined if there are more than `most`. */
  captureRecords(most: number): (() => Readonly<Record<string, readonly object[]>>) | undefined {
    const tables = this.records.collections.map((each) => this.records.table(each)).filter(({ size }) => size > 0)
    if (tables.reduce((count, { size }) => count + size, 0) > most) return undefined
    const rows = tables.map((table) => [table.collection, [...table.newestFirst()].reverse()] as const)
    const toPublic = (record: object, collection: Collection<object>) => {
      const row = this.options.publicRecords.of(record, collection)
      return row === null ? [] : [row]
    }
    return () =>
      Object.fromEntries(
        rows.map(([collection, all]) => [collection.name, all.flatMap((each) => toPublic(each, collection))]),
      )
  }
}

function createOrigin(seed: string, { authorityFor }: StateOptions): Origin {
  const random = createRandomSource(seed)
  return { seed, ids: createIds(random), authority: authorityFor(random) }
}

function addRecords(records: Records, name: string, rows: readonly object[], problems: Problems): void {
  const { collection } = records.tableNamed(name)
  rows.forEach((row, index) => {
    const key = collection.key(row)
    if (!records.change(collection, key, row).before) return
    const received = `a duplicate of the record with the key ${quote(key)}`
    const field = `records.${name}.${index}`
    problems.add(() => problem(general.field_invalid, { field, received, allowed: 'one record per key' }))
  })
}

function checkRelations(
  records: Records,
  { collections, relations, references = [] }: Family<object>,
  rows: RestorableState['records'],
  problems: Problems,
): void {
  for (const { name } of collections) {
    const own = references.filter(({ holder }) => holder.name === name)
    rows[name]?.forEach((record, index) => {
      const report: ReportRelation = (path, received, allowed) => {
        const field = () => ['records', name, index, ...path].join('.')
        problems.add(() => problem(general.field_invalid, { field: field(), received: quote(received), allowed }))
      }
      for (const row of own) {
        const missing = findMissing(records, row, record)
        if (missing !== undefined)
          report(pathOf(record, row.field, missing), missing, `the ID of ${row.to.what} that exists`)
      }
      relations?.(record, records, report)
    })
  }
}

/** Returns the path to an ID within a record's field, which may be a map keyed by IDs. */
function pathOf(record: object, field: string, id: string): readonly string[] {
  const path = field.split('.')
  const value = path.reduce<unknown>((outer, name) => (isObject(outer) ? Reflect.get(outer, name) : undefined), record)
  return isObject(value) && Object.hasOwn(value, id) ? [...path, id] : path
}
