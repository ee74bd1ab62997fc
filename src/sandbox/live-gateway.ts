import type { Gateway } from '../gateway/gateway.ts'
import type { HttpRequest } from '../http/messages.ts'
import type { Store } from '../operation/store.ts'
import { problem, Refusal } from '../schema/errors.ts'
import type { Limits } from './environment.ts'
import { errors } from './errors.ts'
import { toResponse } from './http.ts'
import { StoredJournal } from './journal.ts'
import { gatewayKeys } from './keys.ts'
import { Listeners } from './listeners.ts'
import { gatewayOf, loading } from './loading.ts'
import type { Metadata, MetadataStore } from './metadata.ts'
import type { ObjectState, SandboxCopy } from './objects.ts'
import { limitedStore } from './store.ts'

/**
 * The gateway of a sandbox while its object is awake, with its journal, its listeners and its alarm. The first use loads it
 * from the storage.
 */
export class LiveGateway {
  readonly listeners: Listeners
  /** The keys of the gateway, which nobody else knows. */
  readonly keys = gatewayKeys()
  readonly #state: ObjectState
  readonly #metadata: MetadataStore
  readonly #limits: Limits
  readonly #journal: StoredJournal
  #gateway: Gateway | undefined
  #alarm: number | null | undefined
  /** True if something may have become due since the alarm was set. */
  #mayBeDue = true
  /** Ends what waits for the clock of a removed sandbox. */
  #ended = new AbortController()

  constructor(state: ObjectState, metadata: MetadataStore, limits: Limits) {
    this.listeners = new Listeners(state)
    this.#state = state
    this.#metadata = metadata
    this.#limits = limits
    this.#journal = new StoredJournal(state.storage)
  }

  /** Returns the gateway, loaded from the storage at first. */
  loaded(metadata: Metadata): Gateway {
    return this.#gateway ?? loading(metadata.name, () => this.load(metadata))
  }

  load(metadata: Metadata): Gateway {
    const store = this.store()
    const noting: Store = {
      load: () => store.load(),
      append: (commit) => {
        store.append(commit)
        this.#mayBeDue = true
      },
    }
    const gateway = gatewayOf(metadata, this.keys, noting)
    this.#gateway = gateway
    this.#journal.restore(gateway)
    this.listeners.follow(gateway)
    return gateway
  }

  store(): Store {
    return limitedStore(this.#state.storage, this.#limits)
  }

  /** Stores the state of another sandbox, with an empty journal, before the gateway is loaded. */
  putState({ version, seed, now, sequence, operations, records }: SandboxCopy['state']): void {
    const changes = records.map(({ collection, key, record }) => ({ collection, key, after: record }))
    const store = this.store()
    // Loading makes the tables.
    store.load()
    store.append({ operation: 'restore', now, sequence, operations, replaces: { version, seed }, changes })
    this.#journal.clear()
  }

  exchange(gateway: Gateway, request: HttpRequest): Response | Promise<Response> {
    const response = gateway.transport.exchange(request)
    this.setAlarm()
    this.listeners.worked(gateway, request, response)
    this.#journal.storeLater(gateway)
    if (!response.delivery) return toResponse(response)
    return gateway.transport.delivered(response, { signal: this.#ended.signal }).then(toResponse)
  }

  /** Runs what has become due, each event at its own time, after the alarm has rung. */
  settle(metadata: Metadata): void {
    this.#alarm = null
    this.#mayBeDue = true
    try {
      if (metadata.options.clock !== 'manual') {
        const gateway = this.loaded(metadata)
        gateway.transport.settle()
        this.listeners.worked(gateway)
      }
    } catch (error) {
      // A state that cannot be read: nothing of it is due, but the end of the sandbox is.
      if (!(error instanceof Refusal)) throw error
    }
    this.setAlarm()
  }

  /** Sets the alarm to what is due next, in the same write as what made it due. A manual clock needs none. */
  setAlarm(): void {
    const metadata = this.#metadata.get()
    if (!this.#mayBeDue || !metadata) return
    this.#mayBeDue = false
    const due = metadata.options.clock === 'manual' ? undefined : this.#gateway?.nextDueAt()
    const next = Math.min(due ?? Number.POSITIVE_INFINITY, metadata.expires ?? Number.POSITIVE_INFINITY)
    const alarm = Number.isFinite(next) ? next : null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    const { storage } = this.#state
    void (alarm === null ? storage.deleteAlarm() : storage.setAlarm(alarm))
  }

  /** Drops the sandbox from memory, and ends all that wait for it. */
  unload(name: string): void {
    this.#metadata.clear()
    this.#alarm = undefined
    this.#gateway = undefined
    this.#journal.drop()
    this.listeners.end('The sandbox is gone.')
    this.#ended.abort(new Refusal([problem(errors.sandbox_not_found, { name })]))
    this.#ended = new AbortController()
  }
}
