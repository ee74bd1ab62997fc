import type { Family } from '../operation/family.ts'
import type { Authority } from '../operation/view.ts'
import type { CommonDialect, Rules } from '../schema/dialect.ts'
import { type Ids, ids } from './ids.ts'
import type { Standing } from './keeping.ts'
import { type RandomSource, randomSource } from './random.ts'
import type { Records } from './records.ts'
import { emptyRecords, type KeptState, restoredRecords } from './restored-records.ts'
import type { Ground } from './transaction.ts'

/** What a state is made of. */
export interface StateOptions {
  readonly dialect: CommonDialect
  readonly rules: Rules
  readonly seed: string
  /** The authority of a gateway with this random source. */
  readonly authorityFor: (random: RandomSource) => Authority
  readonly url: string
  readonly families: readonly Family[]
}

/** A state to go on from: by a seed of its own, if it has one; `isOwn` where a gateway of this process made it. */
export interface NewState extends KeptState {
  readonly seed: string | null
  readonly isOwn: boolean
}

/** What a gateway stands on: its records, what ids and certificates come from, and what its transactions share. */
export class State {
  readonly #options: StateOptions
  #records: Records
  #seed: string
  #ids: Ids
  #authority: Authority
  #ground: Ground
  #operations = 0

  constructor(options: StateOptions) {
    const { seed, authorityFor, families, url } = options
    const random = randomSource(seed)
    this.#options = options
    this.#seed = seed
    this.#ids = ids(random)
    this.#authority = authorityFor(random)
    this.#records = emptyRecords(families)
    this.#ground = this.#groundAt(url)
  }

  get records(): Records {
    return this.#records
  }

  /** What ids and automatic certificates come from. */
  get seed(): string {
    return this.#seed
  }

  /** Who makes automatic certificates. */
  get authority(): Authority {
    return this.#authority
  }

  /** What all transactions share, until another state stands here. */
  get ground(): Ground {
    return this.#ground
  }

  /** The base URL of every URI in a response. */
  get url(): string {
    return this.#ground.wire.url
  }

  set url(url: string) {
    this.#ground = this.#groundAt(url)
  }

  /** The id of the next answered request. */
  nextOperationId(): string {
    return this.#ids.id('op', 'operations', this.#operations++)
  }

  /** All of it that is replaced as a whole. */
  get standing(): Standing {
    return { records: this.#records, seed: this.#seed, operations: this.#operations }
  }

  set standing({ records, seed, operations }: Standing) {
    this.#records = records
    this.#operations = operations
    if (seed !== this.#seed) {
      const random = randomSource(seed)
      this.#seed = seed
      this.#ids = ids(random)
      this.#authority = this.#options.authorityFor(random)
    }
    this.#ground = this.#groundAt(this.url)
  }

  /** What a new gateway stands on. */
  initial(): Standing {
    const { families, seed } = this.#options
    return { records: emptyRecords(families), seed, operations: 0 }
  }

  /** What a gateway stands on that goes on from other records. Throws where these are none. */
  restored(state: NewState): Standing {
    const records = restoredRecords(this.#options.families, state, state.isOwn)
    return { records, seed: state.seed ?? this.#seed, operations: this.#operations }
  }

  #groundAt(url: string): Ground {
    const { dialect, rules } = this.#options
    const wire = { url, dialect, authority: this.#authority }
    return { records: this.#records, ids: this.#ids, dialect, rules, wire, shown: undefined, lastShown: undefined }
  }
}
