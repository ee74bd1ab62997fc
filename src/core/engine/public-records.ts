import type { Change, Collection } from '../operation/collection.ts'
import { redactRecord } from '../schema/secret-fields.ts'
import { type Redactor, redactText } from '../schema/secret-texts.ts'
import { deepFreeze } from '../schema/values.ts'
import type { RecordChange } from './records.ts'

/** Creates the public form of records, without secrets. */
export class PublicRecords {
  /**
   * The public form of each version of a record, or null if the record is not shown. Searching each record for private keys every time
   * takes five times as long. Created lazily, because it would be the most expensive part of an unused gateway.
   */
  #forms: WeakMap<object, object | null> | undefined
  /** The public items of lists: versions of a record share most entries of a timeline. */
  #clean: WeakSet<object> | undefined

  constructor(
    /** Redacts the API keys of the gateway. */
    readonly redactor: Redactor,
  ) {}

  /** Returns the public form of a record, frozen, or null if it is not shown. */
  of(record: object, collection: Collection<object>): object | null {
    this.#forms ??= new WeakMap()
    this.#clean ??= new WeakSet()
    const known = this.#forms.get(record)
    if (known !== undefined) return known
    const row = collection.toPublic(record)
    const form = row && deepFreeze(redactRecord(row, this.redactor, this.#clean))
    this.#forms.set(record, form)
    return form
  }

  /** Returns a change with the public forms of its records. */
  ofChange({ collection, key, before, after }: RecordChange): Change {
    const formOf = (record: object | undefined) => record && (this.of(record, collection) ?? undefined)
    return {
      collection: collection.name,
      key: redactText(key, this.redactor),
      before: formOf(before),
      after: formOf(after),
    }
  }
}
