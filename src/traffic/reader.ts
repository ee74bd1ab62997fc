import type { Records } from '../core/engine/records.ts'
import type { Collection } from '../core/operation/collection.ts'

/** Reads a gateway's records. Some families may be missing from the dialect. */
export class Reader {
  readonly #names: ReadonlySet<string>

  constructor(readonly records: Records) {
    this.#names = new Set(records.collections.map(({ name }) => name))
  }

  /** Returns whether the dialect includes a collection's family. */
  has<R extends object>(collection: Collection<R>): boolean {
    return this.#names.has(collection.name)
  }

  get<R extends object>(collection: Collection<R>, key: string): R | undefined {
    return this.#names.has(collection.name) ? this.records.get(collection, key) : undefined
  }

  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined {
    return this.#names.has(collection.name) ? this.records.find(collection, index, value) : undefined
  }

  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[] {
    return this.#names.has(collection.name) ? this.records.table(collection).findAll(index, value) : []
  }

  /** Yields all records, newest first. */
  *all<R extends object>(collection: Collection<R>): Generator<R> {
    if (this.#names.has(collection.name)) yield* this.records.table(collection).newestFirst()
  }

  /** Returns the module of an edge or a route, or undefined if it is disabled or not set. */
  module(name: string, key: string): Readonly<Record<string, unknown>> | undefined {
    const { module } = this.moduleRecord(name, key)
    return module && Reflect.get(module, 'enabled') !== false ? { ...module } : undefined
  }

  /** Returns a module's record, which changes with the module, or an empty record if there is none. */
  moduleRecord(name: string, key: string): { readonly module?: object } {
    return (this.#names.has(name) && this.records.tableNamed(name).get(key)) || {}
  }
}
