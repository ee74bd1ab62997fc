import type { CommonDialect, Rules } from '../schema/dialect.ts'
import type { Collection } from './collection.ts'
import type { View, Wire } from './view.ts'

/**
 * The view of a gateway's records that an operation reads and changes. Reads see the operation's own writes. If it throws,
 * everything that it put or removed is taken back.
 */
export interface Transaction {
  /** The gateway's time in ms since 1970, the same during the whole transaction. */
  readonly now: number
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The options of the gateway that change rules; see `ownPart`. */
  readonly rules: Rules
  /** The surroundings of views. */
  readonly wire: Wire
  /** The wire's form of a record, frozen. Made once per record, then cached. */
  show<R extends object, Shown extends object>(view: View<R, Shown>, record: R): Shown
  /** The record with this key. */
  get<R extends object>(collection: Collection<R>, key: string): R | undefined
  /** The oldest record whose index has this value. */
  find<R extends object>(collection: Collection<R>, index: string, value: string): R | undefined
  /** The records whose index has this value, oldest first. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[]
  /** Returns the number of records of a collection. */
  count<R extends object>(collection: Collection<R>): number
  /** Stores a record, new or changed. What leaves the gateway of it is frozen then. */
  put<R extends object>(collection: Collection<R>, record: R): R
  /** Removes a record. */
  remove<R extends object>(collection: Collection<R>, record: R): void
  /** Records newest first, from the one before `cursor` on. The cursor need not exist any more. */
  newestFirst<R extends object>(collection: Collection<R>, cursor?: string): Iterable<R>
  /** A new id of this prefix. Ids sort in the order they were made in. */
  newId(prefix: string): string
  /** `length` random lower-case letters and digits. */
  randomLabel(length: number): string
  /** A random whole number from 0 to `below` - 1. */
  randomInteger(below: number): number
  /** The next number of the scheduling order, for {@link Due.order}. */
  nextOrder(): number
}
