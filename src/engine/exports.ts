import { withoutSecretTexts } from '../contract/secret-fields.ts'
import { deepFreeze } from '../contract/view.ts'
import type { Records } from './records.ts'

/** What may leave a gateway of its records, and the same records as they are kept; by collection, oldest first. */
export interface ExportedRecords {
  readonly records: Record<string, object[]>
  readonly kept: Record<string, object[]>
}

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
    const { records, kept } = all.exported(withSecrets)
    if (withSecrets) return { records, kept }
    const shown = Object.entries(records).map(([name, rows]) => {
      const keptRows = kept[name] as object[]
      return [name, rows.map((row, index) => this.#withoutTexts(keptRows[index] as object, row))]
    })
    return { records: Object.fromEntries(shown), kept }
  }

  #withoutTexts(kept: object, row: object): object {
    this.#shown ??= new WeakMap()
    const known = this.#shown.get(kept)
    if (known) return known
    const shown = deepFreeze(withoutSecretTexts(row, this.#hidden))
    this.#shown.set(kept, shown)
    return shown
  }
}
