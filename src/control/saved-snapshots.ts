import type { SideRecords } from '../core/engine/persistence/stored-records.ts'
import { groupByCollection } from '../core/engine/persistence/versions.ts'
import type { StoredChange } from '../core/operation/store.ts'
import type { Snapshot } from '../generated/controls.ts'
import type { SnapshotRecords } from './snapshot.ts'

/** The name of the collection of saved snapshots in a store. */
export const SNAPSHOTS = 'saved_snapshots'

/** A snapshot that the gateway keeps by its name. */
export interface SavedSnapshot {
  readonly name: string
  /** Its place in the order: higher than the place of any older snapshot. */
  readonly place: number
  readonly snapshot: Snapshot
}

/** One row of a snapshot: its facts, or some of its records. A single row of 20 MB would be too long for some stores. */
interface Part extends Omit<SavedSnapshot, 'snapshot'> {
  readonly facts?: Omit<Snapshot, 'records'>
  readonly records?: SnapshotRecords
}

const RECORDS_PER_PART = 100

/** The snapshots that a gateway keeps, which `reset` and `restore` do not change, and the state that an undo restores. */
export class SavedSnapshots implements SideRecords {
  /** The state that an undo restores; not stored. */
  undo: Snapshot | undefined
  /** The numbers of transitions of domains and of delayed responses in the move of the clock that an undo takes back. */
  happened: Readonly<Record<string, number>> = {}
  /** The snapshots, oldest first. */
  all: readonly SavedSnapshot[] = []

  constructor(
    /** Passes changes to the store, if there is one, and throws if the store refuses these changes. */
    readonly append: (changes: () => readonly StoredChange[]) => void,
  ) {}

  /** Forgets the state that an undo restores. It is none of the state that `reset` and `restore` bring. */
  forget(): void {
    this.undo = undefined
    this.happened = {}
  }

  /** True if a snapshot or a state for an undo is saved. */
  get isUsed(): boolean {
    return this.all.length > 0 || this.undo !== undefined
  }

  add(name: string, snapshot: Snapshot): SavedSnapshot {
    const saved = { name, place: (this.all.at(-1)?.place ?? 0) + 1, snapshot }
    this.append(() => splitIntoParts(saved).map(([key, after]) => ({ collection: SNAPSHOTS, key, after })))
    this.all = [...this.all, saved]
    return saved
  }

  remove(saved: SavedSnapshot): void {
    this.append(() => splitIntoParts(saved).map(([key]) => ({ collection: SNAPSHOTS, key, after: null })))
    this.all = this.all.filter((each) => each !== saved)
  }

  rows(): ReadonlyMap<string, object> {
    return new Map(this.all.flatMap(splitIntoParts))
  }

  load(rows: ReadonlyMap<string, object>): void {
    const parts = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row as Part) // `splitIntoParts` made these rows.
    const saved = parts.flatMap(({ name, place, facts }) => {
      const records = parts.filter((part) => part.name === name).flatMap((part) => listRows(part.records ?? {}))
      return facts ? [{ name, place, snapshot: { ...facts, records: groupByCollection(records) } }] : []
    })
    this.all = saved.sort((a, b) => a.place - b.place)
  }
}

/** Returns the rows of a snapshot. The keys sort in the order of the rows. */
function splitIntoParts({ name, place, snapshot: { records, ...facts } }: SavedSnapshot): [key: string, Part][] {
  const rows = listRows(records)
  const parts: Part[] = [{ name, place, facts }]
  for (let at = 0; at < rows.length; at += RECORDS_PER_PART) {
    parts.push({ name, place, records: groupByCollection(rows.slice(at, at + RECORDS_PER_PART)) })
  }
  return parts.map((part, at) => [`${place} ${String(at).padStart(6, '0')}`, Object.freeze(part)])
}

function listRows(records: SnapshotRecords) {
  return Object.entries(records).flatMap(([collection, list]) => list.map((record) => ({ collection, record })))
}
