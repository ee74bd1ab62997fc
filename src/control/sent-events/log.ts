import type { EventWriter, RawCommit } from '../../core/engine/commits.ts'
import type { Engine } from '../../core/engine/engine.ts'
import { Queue } from '../../core/engine/queue.ts'
import { OpenTransaction } from '../../core/engine/transactions.ts'
import { DUE } from '../../core/operation/collection.ts'
import type { EventContent, EventRules, EventSource, RecordedChange } from '../../core/operation/events.ts'
import type { Family } from '../../core/operation/family.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { callSafely } from '../../core/schema/print.ts'
import { timestamp } from '../../core/schema/time.ts'
import { deepFreeze, lazy } from '../../core/schema/values.ts'
import type { Deliveries } from './delivery.ts'
import { type KeptEvent, type SentEventItem, toItem } from './item.ts'
import { describeVisit, type EndedVisit } from './visit-objects.ts'

/** The maximum number of stored events. */
const SIZE = 1000

/** The event types of a visit. */
const REQUEST = 'http_request_complete.v0'
const CONNECTION = 'tcp_connection_closed.v0'

type View = RecordedChange['view']

/**
 * The events of a gateway's account. Creates events from commits and visits, stores the most recent events, and passes all events on for
 * delivery.
 */
export class SentEventLog implements EventWriter {
  readonly #queue = new Queue<KeptEvent>()
  /** The events of the current call. */
  #pending: KeptEvent[] = []
  /** The number of events since the last `reset`. */
  count = 0
  readonly #subscribers = new Set<(event: SentEventItem) => void>()
  readonly #views: ReadonlyMap<string, View>

  constructor(
    readonly engine: Engine,
    readonly rules: EventRules,
    families: readonly Family[],
    readonly deliveries: Deliveries,
  ) {
    this.#views = new Map(families.flatMap(({ collections, view }) => collections.map(({ name }) => [name, view])))
  }

  /** True if no event has a subscriber. */
  get isIdle(): boolean {
    return this.engine.state.records.table(this.rules.subscriptions).size === 0
  }

  add({ operation, now, changes }: RawCommit): void {
    // Due events are the service's own work, without a principal.
    if (this.isIdle || operation.endsWith(DUE)) return
    const tx = new OpenTransaction(this.engine.state, now)
    const { caller } = this.engine
    const deleted = (id: string) => changes.find(({ key, after }) => key === id && !after)?.before
    for (const { collection, before, after } of changes) {
      const view = this.#views.get(collection.name)
      const event = this.rules.ofChange(tx, { collection, before, after, view, deleted, operation, caller })
      if (event) this.#write(tx, event.type, lazy(event.read))
    }
  }

  drop(): void {
    this.#pending = []
  }

  send(): void {
    if (this.#pending.length === 0) return
    for (const event of this.#pending.splice(0)) {
      this.#queue.add(event)
      this.count++
      if (this.#queue.size > SIZE) this.#queue.drop()
      this.deliveries.add(event)
      for (const each of [...this.#subscribers]) callSafely('sent events', () => each(toItem(event)))
    }
  }

  /** Creates the events of a completed visit. A request that no endpoint received causes no events. */
  addVisit(visit: EndedVisit): void {
    const { endpoint, status } = visit.exchange
    if (this.isIdle || endpoint === null) return
    this.engine.transact((tx) => {
      const describe = (paths: readonly string[]) => describeVisit(visit, tx.now, paths)
      for (const type of status === null ? [CONNECTION] : [REQUEST, CONNECTION]) {
        this.#write(tx, type, ({ filter, fields = this.rules.fieldsOf(type) }) => {
          const isWanted = filter === undefined || visit.matches(filter, describe(this.rules.filterable))
          return isWanted ? { object: describe(fields), principal: null } : undefined
        })
      }
    })
  }

  /**
   * Writes an event for each destination. `read` returns the fields that the destination's source includes, or undefined if the source's
   * filter doesn't match.
   */
  #write(tx: Transaction, type: string, read: (source: EventSource) => EventContent | undefined): void {
    let event_id: string | undefined
    for (const { subscription, destination, source } of this.rules.routesOf(tx, type)) {
      const content = read(source)
      if (!content) continue
      const { object, principal } = content
      event_id ??= tx.newId('ev')
      this.#pending.push({
        event_id,
        event_type: type,
        event_timestamp: timestamp(tx.now),
        account_id: this.rules.accountId,
        principal: principal && deepFreeze({ ...principal }),
        object: deepFreeze({ ...object }),
        subscription,
        destination,
        delivery: 'kept',
        attempts: 0,
        problem: null,
        at: tx.now,
      })
    }
  }

  /** Returns the most recent events, oldest first. */
  all(): SentEventItem[] {
    return this.#queue.all().map(toItem)
  }

  subscribe(subscriber: (event: SentEventItem) => void): () => void {
    // A new function each time, because a function may subscribe twice.
    const own = (event: SentEventItem) => subscriber(event)
    this.#subscribers.add(own)
    return () => void this.#subscribers.delete(own)
  }

  clear(): void {
    this.#pending = []
    this.#queue.replace([])
    this.count = 0
    this.deliveries.clear()
  }
}
