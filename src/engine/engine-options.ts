import type { Store } from '../operation/store.ts'
import type { Catalogue } from '../schema/errors.ts'
import type { Clock } from './clock.ts'
import type { Beside } from './keeping.ts'
import type { StateOptions } from './state.ts'

/** What an engine is made of. */
export interface EngineOptions extends StateOptions {
  readonly clock: Clock
  /** All errors of the gateway. */
  readonly catalogue: Catalogue
  /** Texts that leave the gateway in no commit and no snapshot, wherever they stand: its API keys. */
  readonly hidden: readonly string[]
  /** Where commits go. */
  readonly store: Store | undefined
  /** What is kept in the store beside the records. */
  readonly beside: Beside
  /** Makes what leaves a gateway of an error, where a user's clock has called it. */
  readonly outward: (error: unknown) => unknown
}
