import type { Collection } from '../operation/collection.ts'
import { withoutSecretTexts } from '../schema/secret-fields.ts'
import { deepFreeze } from '../schema/values.ts'
import type { ExportedRecords, Records } from './records.ts'

/** Makes what may leave a gateway of its records. */
export class Exports {
  readonly #hidden: readonly string[]
  /** Records without what is hidden, as they were shown: looking for private keys takes five times as long. */
  #shown: WeakMap<object, object> | undefined

  constructor(hidden: readonly string[]) {
    this.#hidden = hidden
  }

  /** All records; without secrets, those that are kept as they were look as they did the last time. */
  of(all: Records, withSecrets: boolean): ExportedRecords {
    return all.exported((record, collection) =>
      withSecrets ? whole(record, collection) : this.#of(record, collection),
    )
  }

  #of(record: object, { exported }: Collection<object>): object | null {
    this.#shown ??= new WeakMap()
    const known = this.#shown.get(record)
    if (known) return known
    const row = exported ? exported(record, false) : record
    if (!row) return null
    const shown = deepFreeze(withoutSecretTexts(row, this.#hidden))
    this.#shown.set(record, shown)
    return shown
  }
}

function whole(record: object, { exported }: Collection<object>): object | null {
  return deepFreeze(exported ? exported(record, true) : record)
}
