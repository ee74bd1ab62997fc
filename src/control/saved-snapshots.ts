import type { SideRecords } from '../core/engine/persistence/stored-records.ts'
import { groupByCollection } from '../core/engine/persistence/versions.ts'
import type { StoredChange } from '../core/operation/store.ts'
import type { Snapshot } from '../generated/controls.ts'
import type { SnapshotRecords } from './snapshot.ts'

/** The collection name of saved snapshots in a store. */
export const SNAPSHOTS = 'saved_snapshots'

/** A snapshot that the gateway saves under a name. */
export interface SavedSnapshot {
  readonly name: string
  /** The snapshot's position, higher than that of any older snapshot. */
  readonly place: number
  readonly snapshot: Snapshot
}

/** One row of a snapshot: either its facts or some of its records. A single 20 MB row would be too large for some stores. */
interface Part extends Omit<SavedSnapshot, 'snapshot'> {
  readonly facts?: Omit<Snapshot, 'records'>
  readonly records?: SnapshotRecords
}

const RECORDS_PER_PART = 100

/** The maximum number of characters in a part, except for a single record. Some stores do not allow rows larger than 2 MB. */
const CHARACTERS_PER_PART = 500_000

/** Passes changes to the store, if any. Throws if the store rejects them. */
type Append = (changes: () => readonly StoredChange[]) => void

/** The named snapshots of a gateway, which survive `reset` and `restore`, and the state that an undo restores. */
export class SavedSnapshots implements SideRecords {
  /** The snapshots, oldest first. */
  all: readonly SavedSnapshot[] = []
  readonly remembered: RememberedState

  constructor(readonly append: Append) {
    this.remembered = new RememberedState(append)
  }

  /** True if a snapshot or a state for an undo is saved. */
  get isUsed(): boolean {
    return this.all.length > 0 || this.remembered.state !== undefined
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
    this.all = joinParts(rows).sort((a, b) => a.place - b.place)
  }
}

/** The collection name of the state that an undo restores. */
export const REMEMBERED = 'remembered_state'

/** The numbers of domain transitions and delayed responses in the clock move that an undo reverts. */
type Happened = Readonly<Record<string, number>>

/** The positions of the remembered states. */
const CHOSEN = 0
const BEFORE_MOVE = 1

/**
 * The states that undos restore: the state before the last clock move, and the explicitly remembered state before that. `reset` and
 * `restore` drop these states, which do not belong to the state that they bring back.
 */
class RememberedState implements SideRecords {
  #saved: readonly SavedSnapshot[] = []
  #happened: Happened = {}

  constructor(readonly append: Append) {}

  get state(): Snapshot | undefined {
    return this.#saved.at(-1)?.snapshot
  }

  get happened(): Happened {
    return this.#happened
  }

  remember(snapshot: Snapshot): void {
    this.#replace([{ name: 'chosen', place: CHOSEN, snapshot }], {})
  }

  /** Saves the state before a clock move. */
  rememberMove(snapshot: Snapshot, happened: Happened): void {
    const chosen = this.#saved.filter(({ place }) => place === CHOSEN)
    this.#replace([...chosen, { name: 'before a move', place: BEFORE_MOVE, snapshot }], happened)
  }

  /** Discards the state that the last undo restored. */
  forgetLast(): void {
    this.#replace(this.#saved.slice(0, -1), {})
  }

  forget(): void {
    if (this.#saved.length > 0) this.#replace([], {})
  }

  #replace(saved: readonly SavedSnapshot[], happened: Happened): void {
    this.append(() => {
      const rows = toRows(saved, happened)
      const removed = [...this.rows().keys()].filter((key) => !rows.has(key))
      const unchanged = toRows(
        saved.filter((each) => this.#saved.includes(each)),
        {},
      )
      const added = [...rows].filter(([key]) => key === HAPPENED || !unchanged.has(key))
      const changes = [...added, ...removed.map((key) => [key, null] as const)]
      return changes.map(([key, after]) => ({ collection: REMEMBERED, key, after }))
    })
    this.#saved = saved
    this.#happened = happened
  }

  rows(): ReadonlyMap<string, object> {
    return toRows(this.#saved, this.#happened)
  }

  load(rows: ReadonlyMap<string, object>): void {
    const parts = new Map(rows)
    this.#happened = { ...(parts.get(HAPPENED) as Happened | undefined) } // `toRows` created this row.
    parts.delete(HAPPENED)
    this.#saved = joinParts(parts)
  }
}

const HAPPENED = 'happened'

function toRows(saved: readonly SavedSnapshot[], happened: Happened): ReadonlyMap<string, object> {
  const parts = saved.flatMap(splitIntoParts)
  return new Map<string, object>(parts.length > 0 ? [[HAPPENED, Object.freeze({ ...happened })], ...parts] : [])
}

function joinParts(rows: ReadonlyMap<string, object>): SavedSnapshot[] {
  const parts = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row as Part) // `splitIntoParts` created these rows.
  return parts.flatMap(({ name, place, facts }) => {
    const records = parts.filter((part) => part.name === name).flatMap((part) => listRows(part.records ?? {}))
    return facts ? [{ name, place, snapshot: { ...facts, records: groupByCollection(records) } }] : []
  })
}

/** Returns the rows of a snapshot. The keys sort in row order. */
function splitIntoParts({ name, place, snapshot: { records, ...facts } }: SavedSnapshot): [key: string, Part][] {
  const parts: Part[] = [{ name, place, facts }]
  let rows: ReturnType<typeof listRows> = []
  let characters = 0
  const endPart = () => {
    if (rows.length > 0) parts.push({ name, place, records: groupByCollection(rows) })
    rows = []
    characters = 0
  }
  for (const row of listRows(records)) {
    const { length } = JSON.stringify(row.record)
    if (rows.length === RECORDS_PER_PART || characters + length > CHARACTERS_PER_PART) endPart()
    rows.push(row)
    characters += length
  }
  endPart()
  return parts.map((part, at) => [`${place} ${String(at).padStart(6, '0')}`, Object.freeze(part)])
}

function listRows(records: SnapshotRecords) {
  return Object.entries(records).flatMap(([collection, list]) => list.map((record) => ({ collection, record })))
}
