import type { Collection } from './collection.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** The sender of a request that made a change. */
export interface Caller {
  /** Returns a header by its lowercase name. */
  header(name: string): string | null
  /** True if the request came from a server's inspector. */
  readonly isInspector?: boolean
}

/** A record's change, including secrets, with its cause. */
export interface RecordedChange {
  readonly collection: Collection<object>
  readonly before: object | undefined
  readonly after: object | undefined
  /** Converts the record to a response, or undefined if no API shows such records. */
  readonly view: View<object, object> | undefined
  /** Returns the record with this ID that the same commit deleted, or undefined if there is none. */
  deleted(id: string): object | undefined
  /** The operation of the commit, such as `ip_policies.create`. */
  readonly operation: string
  /** The sender of the request, or undefined for a call from the same process. */
  readonly caller: Caller | undefined
}

/** A change that an event reports. */
export interface AccountEvent {
  /** The type, such as `ip_policy_created.v0`. */
  readonly type: string
  /** Called only if a destination receives events of this type. */
  read(): EventContent
}

export interface EventContent {
  /** The resource, as the API shows it at that time. */
  readonly object: object
  /** Null for traffic. */
  readonly principal: object | null
}

/** A destination for events of one type. */
export interface EventRoute {
  readonly subscription: string
  /** The ID of the destination. */
  readonly destination: string
  readonly source: EventSource
}

/** The target of a destination for events. */
export interface EventTarget {
  /** The kind of target, such as `datadog`. */
  readonly kind: string
  /** The headers that authenticate requests to the target. */
  readonly headers: Readonly<Record<string, string>>
  /** The fields to add to each payload that is posted to the target. */
  readonly added: Readonly<Record<string, string>>
}

/** The settings of a traffic event source. */
export interface EventSource {
  /** The CEL expression that an event must match; undefined for all events. */
  readonly filter?: string
  /** The paths of the fields to include in an event; undefined for all fields. */
  readonly fields?: readonly string[]
}

/** Returns whether the fields of an event's object match a filter. If the filter can't be evaluated, the event doesn't match. */
export type FilterMatcher = (filter: string, ev: object) => boolean

/** An account's events, defined by the family that has the subscriptions. */
export interface EventRules {
  /** The collection of subscriptions. Events are computed only if there are subscriptions. */
  readonly subscriptions: Collection<object>
  /** The ID of the account. */
  readonly accountId: string
  /** The event types. */
  readonly types: readonly string[]
  /** Returns the event for a change, or undefined if the change doesn't cause an event. */
  ofChange(tx: Transaction, change: RecordedChange): AccountEvent | undefined
  /** Returns the destinations for an event type, starting with the oldest subscription's destinations. */
  routesOf(tx: Transaction, type: string): readonly EventRoute[]
  /** Returns a destination's current target, or undefined if the destination doesn't exist. */
  targetOf(tx: Transaction, destination: string): EventTarget | undefined
  /** Returns the field paths for a traffic event type. */
  fieldsOf(type: string): readonly string[]
  /** The paths of the traffic fields that filters can name. */
  readonly filterable: readonly string[]
}
