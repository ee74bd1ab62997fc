import type { CommonDialect, RuleOptions } from '../schema/dialect.ts'
import type { Collection } from './collection.ts'
import type { View, Wire } from './view.ts'

/**
 * Reads and changes a gateway's records for one operation. Reads see the operation's own writes. If the operation throws, its
 * writes are undone.
 */
export interface Transaction {
  /** The gateway's time in ms since 1970, the same during the whole transaction. */
  readonly now: number
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The options of the gateway that change rules; see `sectionReader`. */
  readonly options: RuleOptions
  /** The inputs of views besides the record. */
  readonly wire: Wire
  /** Returns the response of a record, frozen. The view runs once per record; its result is cached. */
  show<R extends object, Resource extends object>(view: View<R, Resource>, record: R): Resource
  /** Returns the record with a key; undefined if there is none. */
  get<R extends object>(collection: Collection<R>, key: string): R | undefined
  /** Returns the oldest record with a value in an index, such as `tx.find(domains, 'domain', 'app.example.com')`. */
  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined
  /** Returns the records with a value in an index, oldest first. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[]
  /** Returns the number of records of a collection. */
  count<R extends object>(collection: Collection<R>): number
  /** Stores a new or changed record, and returns it. */
  put<R extends object>(collection: Collection<R>, record: R): R
  /** Removes a record. */
  remove<R extends object>(collection: Collection<R>, record: R): void
  /** Yields records newest first, from the one before the key `cursor`. The cursor need not exist any more. */
  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R>
  /** Makes an id with a prefix. Ids sort in the order in which they were made. */
  newId(prefix: string): string
  /** Makes a text of `length` random lower-case letters and digits, which follows from the seed. */
  randomLabel(length: number): string
  /** Makes a random whole number from 0 to `below` - 1, which follows from the seed. */
  randomInteger(below: number): number
  /** Returns the next number of the scheduling order, for {@link Due.order}. */
  nextOrder(): number
}
