import { REMEMBERED } from '../control/saved-snapshots.ts'
import { readClock, systemClock } from '../core/engine/clock.ts'
import { refuseAsStoreFailed } from '../core/engine/persistence/persistence.ts'
import type { Store, StoredState } from '../core/operation/store.ts'
import { problem, Refusal, refuse } from '../core/schema/errors.ts'
import { dropTables } from '../core/store/sql-store.ts'
import { createGateway } from '../gateway/gateway.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { openApi } from '../gateway/openapi/openapi.ts'
import type { Gateway } from '../gateway/types.ts'
import type { Limits } from './environment.ts'
import { errors } from './errors.ts'
import { toWorkerResponse } from './http.ts'
import { StoredJournal } from './journal.ts'
import { createGatewayKeys } from './keys.ts'
import { Listeners } from './listeners.ts'
import type { Metadata, MetadataStore } from './metadata.ts'
import type { ObjectState, SandboxState } from './objects.ts'
import { toGatewayOptions } from './options.ts'
import { Parts, type Turns } from './parts.ts'
import { limitedStore } from './store.ts'

/** The limits of a sandbox's journal: many sandboxes share the memory of one process. */
const JOURNAL = { journalSize: 200, journalBytes: 512 * 1024 } as const

/** The gateway of an awake sandbox, with its journal, listeners, and alarm. Its first use loads the state from storage. */
export class LiveGateway {
  readonly listeners: Listeners
  /** The keys of the gateway. Clients never see them. */
  readonly keys = createGatewayKeys()
  readonly #state: ObjectState
  readonly #metadata: MetadataStore
  readonly #limits: Limits
  readonly #journal: StoredJournal
  readonly #parts: Parts
  #gateway: Gateway | undefined
  #alarm: number | null | undefined
  /** Resolves after the response to the current clock move. Undefined if the clock is not moving. */
  #move: Promise<void> | undefined
  /** Cancels the delayed responses when the sandbox is removed. */
  #ended = new AbortController()

  constructor(state: ObjectState, metadata: MetadataStore, limits: Limits, turns: Turns) {
    this.listeners = new Listeners(state)
    this.#state = state
    this.#metadata = metadata
    this.#limits = limits
    this.#journal = new StoredJournal(state.storage)
    this.#parts = new Parts(turns)
  }

  /** Returns the gateway. The first call loads it from the storage. */
  getOrLoad(metadata: Metadata): Gateway {
    return this.#gateway ?? refuseUnreadable(metadata.name, () => this.load(metadata))
  }

  load(metadata: Metadata): Gateway {
    const gateway = createGateway({
      ...toGatewayOptions(metadata.options),
      ...JOURNAL,
      keys: [this.keys.api_key],
      control: { key: this.keys.control_key },
      store: limitedStore(this.#state.storage, this.#limits, () => this.#move && this.#parts),
    })
    gateway.transport.describedBy(openApi)
    gateway.transport.hooks.moveParts = this.#parts
    this.#gateway = gateway
    this.#journal.restore(gateway)
    this.listeners.follow(gateway)
    return gateway
  }

  #store(limits: Omit<Limits, 'requests'> = this.#limits): Store {
    return limitedStore(this.#state.storage, limits)
  }

  /** Returns the stored state without the earlier state that an undo would restore. */
  readState(name: string): SandboxState {
    // Every sandbox has a stored state.
    const state = refuseUnreadable(name, () => this.#store().load()) as StoredState
    return { ...state, records: [...state.records].filter(({ collection }) => collection !== REMEMBERED) }
  }

  /** Stores the state of another sandbox, with an empty journal, before the gateway is loaded. */
  putState({ version, seed, now, sequence, operations, records }: SandboxState): void {
    const changes = records.map(({ collection, key, record }) => ({ collection, key, after: record }))
    // Due events of the other sandbox may have exceeded the limits.
    const store = this.#store({ records: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY })
    // Loading creates the tables. A replaced sandbox's tables may be damaged, or from a newer version.
    try {
      store.load()
    } catch {
      dropTables((statement) => this.#state.storage.sql.exec(statement))
      store.load()
    }
    try {
      store.append({ operation: 'restore', now, sequence, operations, replaces: { version, seed }, changes })
    } catch (error) {
      refuseAsStoreFailed(error)
    }
    this.#journal.clear()
  }

  /**
   * Runs work after the current clock move. `blockConcurrencyWhile` would end the object after 30 s, and a move may take that long if there
   * are many moves.
   */
  async afterMove<T>(work: () => T): Promise<Awaited<T>> {
    while (this.#move) await this.#move
    return await work()
  }

  exchange(gateway: Gateway, request: HttpRequest): Promise<Response> {
    return this.#whenSettled(gateway, () => {
      const exchanged = this.#exchange(gateway, request)
      const end = () => {
        this.#move = undefined
        this.#parts.finish()
      }
      if (this.#parts.isMoving) this.#move = exchanged.then(end, end)
      return exchanged
    })
  }

  async #exchange(gateway: Gateway, request: HttpRequest): Promise<Response> {
    const response = gateway.transport.exchange(request)
    // Set the alarm and the journal in the same turn as the change. A move makes its change at its end.
    if (!this.#parts.isMoving) this.#follow(gateway, request, response)
    if (!response.delivery && !response.safe) return toWorkerResponse(response)
    const delivered = await gateway.transport.delivered(response, { signal: this.#ended.signal })
    // A control that waited has made its changes only now.
    if (response.safe) this.#follow(gateway, request, delivered)
    return toWorkerResponse(delivered)
  }

  #follow(gateway: Gateway, request: HttpRequest, response: HttpResponse): void {
    this.#journal.storeLater()
    this.setAlarm()
    this.listeners.afterEvent(gateway, request, response)
  }

  /** Stores the journal after an alarm, and runs due events, each at its own time. Returns true if something was due. */
  async settle(metadata: Metadata): Promise<boolean> {
    this.#alarm = null
    if (this.#gateway) this.#journal.store(this.#gateway)
    let wasDue = false
    try {
      if (metadata.options.clock !== 'manual') {
        const gateway = this.getOrLoad(metadata)
        const due = gateway.nextDueAt()
        wasDue = due !== undefined && due <= readClock(systemClock)
        await this.#whenSettled(gateway, () => wasDue && this.listeners.afterEvent(gateway))
      }
    } catch (error) {
      // The state cannot be read. The alarm for the end of the sandbox is still needed.
      if (!(error instanceof Refusal)) throw error
    }
    this.setAlarm()
    return wasDue
  }

  /**
   * Runs due events in chunks, and then runs work. A request that arrives in the meantime also runs some of the events, and may move the
   * clock.
   */
  async #whenSettled<T>({ transport }: Gateway, work: () => T): Promise<Awaited<T>> {
    const { signal } = this.#ended
    while (this.#move || transport.settle(this.#parts.start())) {
      await (this.#move ?? this.#parts.pause())
      // The sandbox may have been removed in the meantime.
      signal.throwIfAborted()
    }
    return await work()
  }

  /**
   * Sets the alarm for the next due event, the end of the sandbox, or the journal write. This is part of the same write as the change. With
   * a manual clock, events do not need an alarm.
   */
  setAlarm(): void {
    const metadata = this.#metadata.get()
    if (!metadata) return
    const due = metadata.options.clock === 'manual' ? undefined : this.#gateway?.nextDueAt()
    const next = Math.min(...[due, metadata.expires, this.#journal.dueAt].map((at) => at ?? Number.POSITIVE_INFINITY))
    const alarm = Number.isFinite(next) ? next : null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    const { storage } = this.#state
    // Responses do not wait for a write that only the journal needs.
    const options = { allowUnconfirmed: alarm === this.#journal.dueAt }
    void (alarm === null ? storage.deleteAlarm() : storage.setAlarm(alarm, options))
  }

  /** Drops the sandbox from memory, along with its listeners and delayed responses. */
  unload(name: string): void {
    this.#metadata.clear()
    this.#alarm = undefined
    this.#gateway = undefined
    this.#journal.drop()
    this.listeners.closeAll('The sandbox no longer exists.')
    this.#ended.abort(new Refusal([problem(errors.sandbox_not_found, { name })]))
    this.#ended = new AbortController()
  }
}

/** Runs work that loads a state. Rejects with the reason if the state cannot be read (rules: sandboxes#versions). */
function refuseUnreadable<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Refusal || error instanceof GatewayError) throw error
    // The store wraps the storage's error.
    const { message } = error.cause instanceof Error ? error.cause : error
    return refuse(errors.sandbox_unreadable, { name, why: message })
  }
}
