import type { SideRecords } from '../engine/stored-records.ts'
import { byCollection } from '../engine/versions.ts'
import type { StoredChange } from '../operation/store.ts'
import type { Records, Snapshot } from './snapshot.ts'

/** The name of their collection in a store. */
export const SNAPSHOTS = 'saved_snapshots'

/** A snapshot that the gateway keeps by its name. */
export interface SavedSnapshot {
  readonly name: string
  /** Its place among the others: higher than those of older ones. */
  readonly place: number
  readonly snapshot: Snapshot
}

/** The facts of a snapshot, or some of its records: one row of 20 MB would be too long for some stores. */
interface Part extends Omit<SavedSnapshot, 'snapshot'> {
  readonly facts?: Omit<Snapshot, 'records'>
  readonly records?: Records
}

const RECORDS_PER_PART = 100

/** The snapshots that a gateway keeps, and the state that an undo goes back to. `reset` and `restore` do not touch them. */
export class SavedSnapshots implements SideRecords {
  /** The state to return to; not stored. */
  undo: Snapshot | undefined
  readonly #keep: (changes: () => readonly StoredChange[]) => void
  #all: readonly SavedSnapshot[] = []

  /** `keep` passes changes to the store, if there is one, and throws if the store refuses them. */
  constructor(keep: (changes: () => readonly StoredChange[]) => void) {
    this.#keep = keep
  }

  /** True if one is saved, or a state to return to. */
  get isUsed(): boolean {
    return this.#all.length > 0 || this.undo !== undefined
  }

  /** The oldest first. */
  get all(): readonly SavedSnapshot[] {
    return this.#all
  }

  add(name: string, snapshot: Snapshot): SavedSnapshot {
    const saved = { name, place: (this.#all.at(-1)?.place ?? 0) + 1, snapshot }
    this.#keep(() => partsOf(saved).map(([key, after]) => ({ collection: SNAPSHOTS, key, after })))
    this.#all = [...this.#all, saved]
    return saved
  }

  remove(saved: SavedSnapshot): void {
    this.#keep(() => partsOf(saved).map(([key]) => ({ collection: SNAPSHOTS, key, after: null })))
    this.#all = this.#all.filter((each) => each !== saved)
  }

  rows(): ReadonlyMap<string, object> {
    return new Map(this.#all.flatMap(partsOf))
  }

  load(rows: ReadonlyMap<string, object>): void {
    const parts = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row as Part) // As `partsOf` made them.
    const saved = parts.flatMap(({ name, place, facts }) => {
      const own = parts.filter((part) => part.name === name).flatMap(({ records = {} }) => rowsOf(records))
      return facts ? [{ name, place, snapshot: { ...facts, records: byCollection(own) } }] : []
    })
    this.#all = saved.sort((a, b) => a.place - b.place)
  }
}

/** Returns the rows of a snapshot by keys that sort in their order. */
function partsOf({ name, place, snapshot: { records, ...facts } }: SavedSnapshot): [key: string, Part][] {
  const rows = rowsOf(records)
  const parts: Part[] = [{ name, place, facts }]
  for (let at = 0; at < rows.length; at += RECORDS_PER_PART) {
    parts.push({ name, place, records: byCollection(rows.slice(at, at + RECORDS_PER_PART)) })
  }
  return parts.map((part, at) => [`${place} ${String(at).padStart(6, '0')}`, Object.freeze(part)])
}

function rowsOf(records: Records) {
  return Object.entries(records).flatMap(([collection, list]) => list.map((record) => ({ collection, record })))
}
