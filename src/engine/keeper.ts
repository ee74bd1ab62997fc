import type { Family } from '../operation/family.ts'
import { RECORDS_VERSION, type Store } from '../operation/store.ts'
import { problem, Refusal } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { GatewayTime } from './gateway-time.ts'
import type { Guard } from './guard.ts'
import { type Beside, Keeping, type Standing } from './keeping.ts'
import { loadedRecords } from './loaded-records.ts'
import type { RecordChange } from './records.ts'
import { Safety } from './safety.ts'

/** What a keeper keeps. */
interface Kept {
  readonly families: readonly Family[]
  readonly beside: Beside
  readonly guard: Guard
  readonly time: GatewayTime
  standing(): Standing
  standOn(standing: Standing): void
}

/** Has a store keep what a gateway does: one commit per call. What it cannot keep did not happen (rules: stores#calls). */
export class Keeper {
  readonly #store: Store
  readonly #of: Kept
  readonly #safety: Safety
  #keeping: Keeping | undefined
  /** How many moves of the clock are under way: they are one commit each. */
  #moves = 0
  #isGoingBack = false

  constructor(store: Store, of: Kept) {
    this.#store = store
    this.#of = of
    this.#safety = new Safety(store, () => this.#isLost())
  }

  /** Settles when everything that was answered is safe, or lost; undefined where it is safe already. */
  get awaited(): Promise<void> | undefined {
    return this.#safety.awaited
  }

  /** Goes on from what the store has kept, with a manual clock at that time. Answers whether there was anything. */
  begin(): boolean {
    const { families, beside, guard, time, standing, standOn } = this.#of
    const stored = guard.run('its store', () => this.#store.load())
    if (!stored) {
      this.#keeping = new Keeping(this.#store, beside, { ...standing(), now: time.now })
      return false
    }
    const { version, seed, operations, now } = stored
    requireVersion(version)
    const { records, missing } = loadedRecords(families, stored, beside)
    standOn({ seed, operations, records })
    this.#goTo(now)
    this.#keeping = new Keeping(this.#store, beside, { ...standing(), now }, missing)
    return true
  }

  /** Refuses to go on from a state that the store has lost, until it gives back the one before. */
  requireState(): void {
    if (this.#keeping) return
    try {
      if (this.begin()) return
    } catch (error) {
      refuseAsFailed(error)
    }
    refuseAsFailed(new Error('it has no state any more'))
  }

  /** Takes the changes of one transaction. */
  changed(operation: string, changes: readonly RecordChange[]): void {
    this.#keeping?.changed(operation, changes)
  }

  /** Takes it that the whole state is about to be replaced. */
  replacing(operation: string): void {
    this.#keeping?.replacing(operation, this.#of.standing())
  }

  /** Takes it that a move of the clock begins. Answers what is to be called at its end. */
  moves(): () => void {
    this.#moves++
    return () => void this.#moves--
  }

  /** Whether what is settled on the way of the clock is for later to keep. */
  get isMoving(): boolean {
    return this.#moves > 0
  }

  /** Whether the clock is being put back to the time of the last commit. */
  get isGoingBack(): boolean {
    return this.#isGoingBack
  }

  /** Has the store keep what has changed, if anything has. Refuses, and takes it all back, where it does not. */
  keep(): void {
    const keeping = this.#keeping
    if (!keeping) return
    const { time, standing, guard } = this.#of
    const facts = { ...standing(), now: time.isManual ? time.now : time.last }
    if (!keeping.isBehind(facts, time.isManual)) return
    try {
      guard.run('its store', () => {
        keeping.keep(facts)
        this.#safety.appended()
      })
    } catch (error) {
      this.takeBack()
      refuseAsFailed(error)
    }
  }

  /** Takes everything back that the store does not know. */
  takeBack(): void {
    const keeping = this.#keeping
    if (!keeping) return
    const { standing, standOn } = this.#of
    standOn(keeping.undo(standing()))
    this.#goTo(keeping.keptNow)
  }

  #goTo(now: number): void {
    const { time } = this.#of
    if (!time.isManual || time.now === now) return
    this.#isGoingBack = true
    try {
      time.set(now)
    } finally {
      this.#isGoingBack = false
    }
  }

  /** The store is at its last safe commit, and so is the gateway before anybody is told. */
  #isLost(): void {
    this.#keeping = undefined
    try {
      this.requireState()
    } catch {
      // The next call tries again.
    }
  }
}

/** Refuses a call that the store did not keep. */
export function refuseAsFailed(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause)
  throw new Refusal([problem(general.store_failed, { why })], { cause })
}

function requireVersion(version: number): void {
  if (version === RECORDS_VERSION) return
  const allowed = `${RECORDS_VERSION}, the version this fauxgate keeps`
  throw new TypeError(`The store holds records of the version ${version}. Allowed: ${allowed}.`)
}
