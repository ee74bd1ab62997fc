import { readClock, systemClock } from '../engine/clock.ts'
import { timestamp } from '../schema/time.ts'
import type { KeyDigests } from './keys.ts'
import type { Registered } from './objects.ts'
import type { KeptOptions } from './options.ts'
import type { ObjectStorage } from './platform.ts'

/** What a sandbox is, beside what is in it. */
export interface Facts {
  readonly name: string
  /** In ms since 1970. */
  readonly created: number
  /** In ms since 1970; null for never. */
  readonly expires: number | null
  readonly options: KeptOptions
  readonly digests: KeyDigests
}

const FACTS = 'sandbox'
const USED = 'used'

/** How exactly it is known when a sandbox was last used, in ms: each time more would be written than for all else. */
const USED_TO_MS = 60_000

/** The facts of a sandbox as its object keeps them; they are read once. */
export class KeptFacts {
  readonly #storage: ObjectStorage
  #facts: Facts | undefined
  #used: number | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  get(): Facts | undefined {
    // Nobody else writes there.
    this.#facts ??= this.#storage.kv.get(FACTS) as Facts | undefined
    return this.#facts
  }

  keep(facts: Facts): void {
    this.#storage.kv.put(FACTS, facts)
    this.#facts = facts
  }

  /** Forgets what was read. */
  forget(): void {
    this.#facts = undefined
    this.#used = undefined
  }

  /** Takes it that the sandbox is used. No answer waits for that to be safe. */
  use(now: number): void {
    if (this.#used !== undefined && now - this.#used < USED_TO_MS) return
    this.#used = now
    void this.#storage.put(USED, now, { allowUnconfirmed: true })
  }

  /** When the sandbox was last used, to the minute, in ms since 1970; null for never. */
  get used(): number | null {
    return this.#used ?? (this.#storage.kv.get(USED) as number | undefined) ?? null // Nobody else writes there.
  }
}

/** Whether the time of a sandbox is over, whoever has still to remove it. */
export function isOver({ expires }: Facts): boolean {
  return expires !== null && expires <= readClock(systemClock)
}

/** What the account knows of a sandbox. */
export function registered({ name, created, expires, options }: Facts): Registered {
  const { dialect = 'standard', clock = 'system' } = options
  const expires_at = expires === null ? null : timestamp(expires)
  return { name, created_at: timestamp(created), expires_at, dialect, clock }
}
