import type { JournalFields } from '../control/requests.ts'
import type { Direct } from '../direct/direct-api.ts'
import type { Clock } from '../engine/clock.ts'
import type { ArmedFault, FaultSpec } from '../generated/controls.ts'
import type { GatewayOptions } from '../generated/options.ts'
import type { ErrorKey, Resources } from '../generated/resources.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { ErrorKeyIn, NameIn } from '../resources/index.ts'
import type { InitialOf } from '../resources/initial.ts'

/** Families of your own, as far as the types of a gateway need them. */
export type OwnFamilies = Readonly<Record<string, { readonly operations: object; readonly errors: object }>>

/** The options of a gateway with families of your own. */
export type OptionsWith<F extends OwnFamilies, C extends Clock = Clock> = Omit<GatewayOptions<C>, 'initial'> & {
  /** Families of your own, made with `fauxgate/kit`, by their names in the direct API. */
  readonly families: F
  /** The resources that exist from the beginning: see {@link GatewayOptions}. */
  readonly initial?: InitialOf<Resources & Direct<F>>
}

/** The methods that take names of operations and errors, with those of your own families. */
export interface OwnNames<F extends OwnFamilies> {
  readonly faults: {
    add(spec: FaultSpec<NameIn<F>, ErrorKey | ErrorKeyIn<F>>): ArmedFault<NameIn<F>, ErrorKey | ErrorKeyIn<F>>
  }
  readonly requests: {
    all(filter: JournalFields<NameIn<F>>): readonly JournalEntry[]
    count(filter: JournalFields<NameIn<F>>): number
    last(filter: JournalFields<NameIn<F>>): JournalEntry | undefined
  }
}
