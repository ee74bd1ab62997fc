import type { Change, Collection } from '../operation/collection.ts'
import { redactRecord } from '../schema/secret-fields.ts'
import { type Redactor, redactText } from '../schema/secret-texts.ts'
import { deepFreeze } from '../schema/values.ts'
import type { RecordChange } from './records.ts'

/** Makes the form in which records leave the gateway, without secrets. */
export class PublicRecords {
  /**
   * The form of each version of a record; null if none shows it. To search each record for private keys every time takes five
   * times as long. Created lazily: nothing else would cost an unused gateway as much.
   */
  #forms: WeakMap<object, object | null> | undefined
  /** The items of lists without secrets: versions of a record share most entries of a timeline. */
  #clean: WeakSet<object> | undefined

  constructor(
    /** Redacts the API keys of the gateway. */
    readonly redactor: Redactor,
  ) {}

  /** Returns the form of a record, frozen; null if none shows it. */
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

  /** Returns a change with the forms of its records. */
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
