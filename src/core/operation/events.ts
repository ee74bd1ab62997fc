import type { Collection } from './collection.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** The sender of a request that changed something. */
export interface Caller {
  /** Returns a header by its name in lower case. */
  header(name: string): string | null
  /** True if the request came from the page of a server. */
  readonly isInspector?: boolean
}

/** A change of a record, secrets included. */
export interface ChangedRecord {
  readonly collection: Collection<object>
  readonly before: object | undefined
  readonly after: object | undefined
  /** Makes the response of a record; undefined if no API shows such records. */
  readonly view: View<object, object> | undefined
}

/** The cause of a change. */
export interface Cause {
  /** The operation of the commit, such as `ip_policies.create`. */
  readonly operation: string
  /** The sender of the request; undefined for a call in the same process. */
  readonly caller: Caller | undefined
}

/** A change, as an event tells it. */
export interface AccountEvent {
  /** The type, such as `ip_policy_created.v0`. */
  readonly type: string
  /** The resource, as the API shows it at that time. */
  readonly object: object
  readonly principal: object
}

/** One destination of the events of one type. */
export interface EventRoute {
  readonly subscription: string
  /** The id of the destination. */
  readonly destination: string
  /** The kind of its target, such as `datadog`. */
  readonly kind: string
  /** The headers that sign in to the target. */
  readonly headers: Readonly<Record<string, string>>
  /** The fields that the target adds to each posted payload. */
  readonly added: Readonly<Record<string, string>>
  /** The CEL expression that an event must fulfil; undefined for all events. */
  readonly filter: string | undefined
  /** The paths of the fields that an event has; undefined for all fields. */
  readonly fields: readonly string[] | undefined
}

/** The events of an account. A family that keeps subscriptions defines them. */
export interface EventRules {
  /** The records of the subscriptions. Without one, no event is computed. */
  readonly subscriptions: Collection<object>
  /** The id of the account. */
  readonly accountId: string
  /** The types of events. */
  readonly types: readonly string[]
  /** Returns the event of a change; undefined if the change is none. */
  ofChange(tx: Transaction, change: ChangedRecord, cause: Cause): AccountEvent | undefined
  /** Returns the destinations of the events of a type, those of the oldest subscription first. */
  routesOf(tx: Transaction, type: string): readonly EventRoute[]
  /** Makes the function that says whether the object of an event fulfils a filter. */
  compileFilter(type: string, filter: string): (object: object) => boolean
  /** Returns the object of an event with the fields at these paths alone. */
  selectFields(object: object, fields: readonly string[]): object
}
