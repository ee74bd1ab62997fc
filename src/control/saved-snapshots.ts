import type { SideRecords } from '../engine/stored-records.ts'
import type { StoredChange } from '../operation/store.ts'
import type { Records, Snapshot } from './snapshot.ts'

/** The name of their collection in a store. */
export const SNAPSHOTS = 'saved_snapshots'

/** A snapshot that the gateway keeps by its name. */
export interface SavedSnapshot {
  readonly name: string
  /** The number of its records. */
  readonly count: number
  readonly snapshot: Snapshot
}

/** The records of a stored row, or the facts of a snapshot: one row of 20 MB would be too long for some stores. */
interface Part {
  readonly name: string
  /** The place of the snapshot among the others. */
  readonly place: number
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
  #places = new Map<string, number>()

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

  add(saved: SavedSnapshot): void {
    const place = Math.max(0, ...this.#places.values()) + 1
    this.#keep(() => [...partsOf(saved, place)].map(([key, after]) => ({ collection: SNAPSHOTS, key, after })))
    this.#places.set(saved.name, place)
    this.#all = [...this.#all, saved]
  }

  remove(saved: SavedSnapshot): void {
    const place = this.#places.get(saved.name) ?? 0
    this.#keep(() => [...partsOf(saved, place).keys()].map((key) => ({ collection: SNAPSHOTS, key, after: null })))
    this.#all = this.#all.filter((each) => each !== saved)
    this.#places.delete(saved.name)
  }

  rows(): ReadonlyMap<string, object> {
    return new Map(this.#all.flatMap((saved) => [...partsOf(saved, this.#places.get(saved.name) ?? 0)]))
  }

  readonly load = (rows: ReadonlyMap<string, object>): void => {
    const parts = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row as Part) // As `partsOf` made them.
    const heads = parts.filter(({ facts }) => facts).sort((a, b) => a.place - b.place)
    this.#places = new Map(heads.map(({ name, place }) => [name, place]))
    this.#all = heads.flatMap(({ name, facts }) => {
      const records = joined(parts.filter((part) => part.name === name))
      return facts ? [{ name, count: countOf(records), snapshot: { ...facts, records } }] : []
    })
  }
}

/** Returns the number of records. */
export function countOf(records: Records): number {
  return Object.values(records).reduce((sum, { length }) => sum + length, 0)
}

/** Returns the rows of a snapshot by keys that sort in their order. */
function partsOf({ name, snapshot: { records, ...facts } }: SavedSnapshot, place: number): Map<string, Part> {
  const parts: Part[] = [{ name, place, facts }]
  for (const [collection, rows] of Object.entries(records)) {
    for (let at = 0; at < rows.length; at += RECORDS_PER_PART) {
      parts.push({ name, place, records: { [collection]: rows.slice(at, at + RECORDS_PER_PART) } })
    }
  }
  return new Map(parts.map((part, at) => [`${place} ${String(at).padStart(6, '0')}`, Object.freeze(part)]))
}

function joined(parts: readonly Part[]): Records {
  const all: Record<string, object[]> = {}
  for (const { records = {} } of parts) {
    for (const [collection, rows] of Object.entries(records)) {
      all[collection] ??= []
      all[collection].push(...rows)
    }
  }
  return all
}
