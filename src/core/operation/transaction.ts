import type { CommonDialect, RuleOptions } from '../schema/dialect.ts'
import type { Collection } from './collection.ts'
import type { View, Wire } from './view.ts'

/**
 * Reads and changes a gateway's records for one operation. Reads include the operation's own writes, which are undone if the operation
 * throws.
 */
export interface Transaction {
  /** The gateway's time in epoch ms, constant during the transaction. */
  readonly now: number
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The gateway options that change rules; see `sectionReader`. */
  readonly options: RuleOptions
  /** The inputs of views, in addition to the record. */
  readonly wire: Wire
  /** Returns the frozen response for a record. The view runs once per record, and its result is cached. */
  show<R extends object, Resource extends object>(view: View<R, Resource>, record: R): Resource
  /** Returns the record with a key, or undefined if there is none. */
  get<R extends object>(collection: Collection<R>, key: string): R | undefined
  /** Returns the oldest record with a value in an index, such as `tx.find(domains, 'domain', 'app.example.com')`. */
  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined
  /** Returns the records with a value in an index, oldest first. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[]
  /** Returns the number of records in a collection. */
  count<R extends object>(collection: Collection<R>): number
  /** Stores a new or changed record, and returns it. */
  put<R extends object>(collection: Collection<R>, record: R): R
  /** Removes a record. */
  remove<R extends object>(collection: Collection<R>, record: R): void
  /** Yields records newest first, starting just before the key `cursor`, which may have been removed. */
  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R>
  /** Creates an ID with a prefix. IDs sort in creation order. */
  newId(prefix: string): string
  /** Returns `length` random lowercase letters and digits, derived from the seed. */
  randomLabel(length: number): string
  /** Returns a random integer from 0 to `below` - 1, derived from the seed. */
  randomInteger(below: number): number
  /** Returns the next number in the scheduling order, for {@link Due.order}. */
  nextOrder(): number
}
