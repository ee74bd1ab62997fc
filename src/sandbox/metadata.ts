import { readClock, systemClock } from '../core/engine/clock.ts'
import { timestamp } from '../core/schema/time.ts'
import type { KeyScope, StoredKey } from './key-list.ts'
import type { Keys } from './keys.ts'
import type { ObjectStorage, RegisteredSandbox } from './objects.ts'
import type { StoredOptions } from './options.ts'

/** The facts about a sandbox that its object stores next to the gateway's state. */
export interface Metadata {
  readonly name: string
  readonly created: number
  /** The epoch time in ms at which the sandbox ends, or null if it does not end. */
  readonly expires: number | null
  readonly options: StoredOptions
  readonly keys: readonly StoredKey[]
}

/** The stored metadata. Version 0.1.0 stored the digests of two keys instead of a list. */
type StoredMetadata = Omit<Metadata, 'keys'> & {
  readonly keys?: readonly StoredKey[]
  readonly digests?: { readonly [Name in keyof Keys]: string }
}

const METADATA = 'sandbox'
const USED = 'used'

/** The precision of the time of the last use, in ms. Higher precision would require a write for most requests. */
const USED_PRECISION_MS = 60_000

/** The metadata in an object's storage, read once. */
export class MetadataStore {
  readonly #storage: ObjectStorage
  #metadata: Metadata | undefined
  #used: number | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  get(): Metadata | undefined {
    // Only `put` writes there.
    this.#metadata ??= upgrade(this.#storage.kv.get<StoredMetadata>(METADATA))
    return this.#metadata
  }

  put(metadata: Metadata): void {
    this.#storage.kv.put(METADATA, metadata)
    this.#metadata = metadata
  }

  clear(): void {
    this.#metadata = undefined
    this.#used = undefined
  }

  /** Records the time of the last use. Responses do not wait for this write. */
  recordUse(now: number): void {
    if (this.#used !== undefined && now - this.#used < USED_PRECISION_MS) return
    this.#used = now
    void this.#storage.put(USED, now, { allowUnconfirmed: true })
  }

  /** The epoch time of the last use in ms, to the minute, or null if it was never used. */
  get used(): number | null {
    return this.#used ?? this.#storage.kv.get<number>(USED) ?? null // Only `recordUse` writes there.
  }
}

function upgrade(stored: StoredMetadata | undefined): Metadata | undefined {
  if (!stored) return undefined
  const { digests, keys, ...facts } = stored
  const firstKey = (name: string, scope: KeyScope, digest = ''): StoredKey => {
    return { name, scopes: [scope], digest, created: facts.created, expires: null }
  }
  const first = [firstKey('api', 'api', digests?.api_key), firstKey('control', 'control', digests?.control_key)]
  return { ...facts, keys: keys ?? first }
}

/** Returns true if a sandbox has ended, even if the alarm has not yet removed it. */
export function isExpired({ expires }: Metadata): boolean {
  return expires !== null && expires <= readClock(systemClock)
}

export function toRegisteredSandbox({ name, created, expires, options }: Metadata): RegisteredSandbox {
  const { dialect = 'standard', clock = 'system' } = options
  const expires_at = expires === null ? null : timestamp(expires)
  return { name, created_at: timestamp(created), expires_at, dialect, clock }
}
