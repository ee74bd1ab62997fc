import { DurableObject } from 'cloudflare:workers'
import { readClock, systemClock } from '../engine/clock.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from '../http/messages.ts'
import type { Store, StoredState } from '../operation/store.ts'
import { problem, Refusal, refuse } from '../schema/errors.ts'
import { timestamp } from '../schema/time.ts'
import { addressOf, type InSandbox } from './address.ts'
import { limitsIn, mostSandboxes, RequestRate, type SandboxEnvironment, signingSecret } from './environment.ts'
import { errors } from './errors.ts'
import {
  busyResponse,
  controlRefusal,
  errorResponse,
  LARGEST_STATE,
  readBody,
  requestHead,
  respond,
  toResponse,
} from './http.ts'
import { StoredJournal } from './journal.ts'
import { grantOf } from './key-list.ts'
import { KeyRing } from './key-ring.ts'
import { gatewayKeys, isSocket, keysSent } from './keys.ts'
import { EVENTS_PATH, Listeners, MOST_LISTENERS } from './listeners.ts'
import { gatewayOf, loading } from './loading.ts'
import { isExpired, type Metadata, MetadataStore, registered } from './metadata.ts'
import {
  type Beginning,
  type CreatedSandbox,
  type DescribedSandbox,
  type NamedKey,
  objectOf,
  type SandboxCopy,
  type SandboxObject,
} from './objects.ts'
import { readingOptions, storedOptions } from './options.ts'
import { limitedStore, usageOf } from './store.ts'

const NEW_KEYS = 'The keys of the sandbox have changed.'

/** A request by what its keys allow, and until when they do. */
interface Permitted {
  readonly head: HttpRequest
  readonly until: number | null
}

/**
 * One sandbox: a gateway whose store is the object's storage and whose agenda is the object's alarm. The first request or
 * alarm loads it, and it is gone from memory when the platform lets the object sleep.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> implements SandboxObject {
  readonly #metadata = new MetadataStore(this.ctx.storage)
  readonly #listeners = new Listeners(this.ctx)
  /** The keys of the gateway, which nobody else knows. */
  readonly #gatewayKeys = gatewayKeys()
  readonly #limits = limitsIn(this.env)
  readonly #rate = new RequestRate(this.#limits.requests)
  readonly #keys = new KeyRing(this.#metadata, signingSecret(this.env))
  readonly #journal = new StoredJournal(this.ctx.storage)
  #gateway: Gateway | undefined
  #alarm: number | null | undefined
  /** Something may have become due since the alarm was set. */
  #mayBeDue = true
  /** Ends what waits for the clock of a removed sandbox. */
  #ended = new AbortController()

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#respond(request, addressOf(request, this.env) as InSandbox) // The Worker sends it nothing else.
    } catch (error) {
      return toResponse(errorResponse(error))
    }
  }

  async #respond(request: Request, address: InSandbox): Promise<Response> {
    const { below } = address
    const now = readClock(systemClock)
    const { head, until } = this.#permitted(request, address, now)
    const wait = this.#rate.take(now)
    const gateway = this.#open(address)
    if (wait > 0) return toResponse(busyResponse(gateway, this.#rate.most, wait))
    this.#metadata.use(now)
    if (below === EVENTS_PATH) return this.#listen(gateway, head, until)
    if (!request.body) return this.#exchange(gateway, head)
    const limit = Math.min(gateway.bodyLimit(head), LARGEST_STATE)
    // The body of a request that its head refuses is not read.
    if (limit === 0) return this.#exchange(gateway, { ...head, body: { unread: 'refused' } })
    const body = await readBody(request, limit)
    // Meanwhile the sandbox may have been removed, and created again.
    const { head: again } = this.#permitted(request, address, readClock(systemClock))
    return this.#exchange(this.#open(address), { ...again, body })
  }

  /** Returns the head of a request with what its keys allow. Without a key of the sandbox, nothing of it is used. */
  #permitted(request: Request, { name, below }: InSandbox, now: number): Permitted {
    const { method, headers } = request
    const sent = keysSent((header) => headers.get(header))
    const grant = grantOf(this.#present()?.keys ?? [], sent, method, now)
    if (!grant) refuse(errors.sandbox_key_refused, { name })
    return { head: requestHead(request, below, sent, grant, this.#gatewayKeys), until: grant.until }
  }

  #open({ name, base }: InSandbox): Gateway {
    const gateway = this.#loaded(this.#required(name))
    gateway.servedAt(base)
    return gateway
  }

  #exchange(gateway: Gateway, request: HttpRequest): Response | Promise<Response> {
    const response = gateway.exchange(request)
    this.#setAlarm()
    this.#listeners.worked(gateway, request, response)
    this.#journal.storeLater(gateway)
    if (!response.delivery) return toResponse(response)
    return gateway.delivered(response, { signal: this.#ended.signal }).then(toResponse)
  }

  /** Accepts a WebSocket: a stream would keep the object awake. */
  #listen(gateway: Gateway, head: HttpRequest, until: number | null): Response {
    const refusal = controlRefusal(gateway, head)
    if (refusal) return toResponse(refusal)
    if (!isSocket(head.header)) return new Response(null, { status: 426, headers: { Upgrade: 'websocket' } })
    const most = MOST_LISTENERS
    if (this.#listeners.count >= most) return toResponse(gateway.refused(errors.too_many_listeners, { most }))
    return this.#listeners.add(gateway, until)
  }

  webSocketMessage(): void {
    // Listeners have nothing to say.
  }

  webSocketClose(socket: WebSocket): void {
    this.#listeners.left(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#listeners.left(socket)
  }

  /** Runs what has become due, each event at its own time, or removes the sandbox at its end. */
  async alarm(): Promise<void> {
    this.#alarm = null
    const metadata = this.#metadata.get()
    if (!metadata) return
    if (isExpired(metadata)) return this.ctx.blockConcurrencyWhile(() => this.#remove(metadata))
    this.#mayBeDue = true
    if (metadata.options.clock !== 'manual') this.#settle(metadata)
    this.#setAlarm()
  }

  #settle(metadata: Metadata): void {
    try {
      const gateway = this.#loaded(metadata)
      gateway.settle()
      this.#listeners.worked(gateway)
    } catch (error) {
      // A state that cannot be read: nothing of it is due, but the end of the sandbox is.
      if (!(error instanceof Refusal)) throw error
    }
  }

  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse> {
    return this.#alone(async () => {
      if (this.#present()) refuse(errors.sandbox_taken, { name })
      const created = readClock(systemClock)
      const ttl = beginning.copy ? beginning.ttl : beginning.options.ttl
      const options = beginning.copy ? beginning.copy.options : storedOptions(beginning.options, created)
      const { keys, shown } = this.#keys.first(name, created)
      const expires = ttl === undefined ? null : created + ttl
      const metadata: Metadata = { name, created, expires, options, keys }
      await this.#register(metadata)
      try {
        await this.ctx.storage.deleteAll()
        this.ctx.storage.transactionSync(() => this.#begin(metadata, beginning))
      } catch (error) {
        this.#unload(name)
        await this.#account().forget(name)
        throw error
      }
      const answer: CreatedSandbox = { ...this.#description(metadata, url), ...shown }
      return jsonAnswer(201, answer)
    })
  }

  describe(name: string, url: string): Promise<HttpResponse> {
    return respond(() => jsonAnswer(200, this.#description(this.#required(name), url)))
  }

  async copy(name: string): Promise<SandboxCopy | { readonly refused: HttpResponse }> {
    try {
      const metadata = this.#required(name)
      this.#loaded(metadata)
      // A loaded gateway has a state.
      const state = this.#store().load() as StoredState
      return { options: metadata.options, state: { ...state, records: [...state.records] } }
    } catch (error) {
      return { refused: errorResponse(error) }
    }
  }

  renewKeys(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      const answer = this.#keys.renew(this.#required(name))
      this.#listeners.end(NEW_KEYS)
      await this.#account().signKeys(name)
      return answer
    })
  }

  listKeys(name: string): Promise<HttpResponse> {
    return respond(() => this.#keys.list(this.#required(name)))
  }

  addKey(name: string, url: string, key: NamedKey): Promise<HttpResponse> {
    return respond(() => this.#keys.add(this.#required(name), url, key))
  }

  revokeKey(name: string, key: string): Promise<HttpResponse> {
    return respond(() => {
      const answer = this.#keys.revoke(this.#required(name), key)
      this.#listeners.end(NEW_KEYS)
      return answer
    })
  }

  remove(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      await this.#remove(this.#required(name))
      return NO_CONTENT
    })
  }

  /** Runs work while no other event comes in. A refusal does not end the object. */
  #alone(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    return this.ctx.blockConcurrencyWhile(() => respond(work))
  }

  #begin(metadata: Metadata, { copy, ...beginning }: Beginning): void {
    this.#metadata.put(metadata)
    if (copy) {
      const { version, seed, now, sequence, operations, records } = copy.state
      const changes = records.map(({ collection, key, record }) => ({ collection, key, after: record }))
      const store = this.#store()
      // Loading makes the tables.
      store.load()
      store.append({ operation: 'restore', now, sequence, operations, replaces: { version, seed }, changes })
    }
    const gateway = readingOptions(() => this.#load(metadata))
    const { snapshot } = 'options' in beginning ? beginning.options : {}
    if (snapshot) gateway.restore(snapshot)
  }

  /** Registers the sandbox before it is there, so that the account lists all of them. */
  async #register(metadata: Metadata): Promise<void> {
    const most = mostSandboxes(this.env)
    if (!(await this.#account().register(registered(metadata), most))) refuse(errors.too_many_sandboxes, { most })
  }

  /** Removes the sandbox. It is at its end at once; if the process ends on the way, the alarm removes the rest. */
  async #remove(metadata: Metadata): Promise<void> {
    const { storage } = this.ctx
    this.#metadata.put({ ...metadata, expires: 0 })
    await storage.setAlarm(readClock(systemClock))
    this.#unload(metadata.name)
    await this.#account().forget(metadata.name)
    await storage.deleteAlarm()
    await storage.deleteAll()
  }

  #account() {
    return objectOf(this.env.ACCOUNTS, 'account')
  }

  #present(): Metadata | undefined {
    const metadata = this.#metadata.get()
    return metadata && !isExpired(metadata) ? metadata : undefined
  }

  #required(name: string): Metadata {
    return this.#present() ?? refuse(errors.sandbox_not_found, { name })
  }

  /** Drops the sandbox from memory, and ends all that wait for it. */
  #unload(name: string): void {
    this.#metadata.clear()
    this.#alarm = undefined
    this.#gateway = undefined
    this.#journal.drop()
    this.#listeners.end('The sandbox is gone.')
    this.#ended.abort(new Refusal([problem(errors.sandbox_not_found, { name })]))
    this.#ended = new AbortController()
  }

  #store() {
    return limitedStore(this.ctx.storage, this.#limits)
  }

  /** Returns the gateway, loaded from the storage at first. */
  #loaded(metadata: Metadata): Gateway {
    return this.#gateway ?? loading(metadata.name, () => this.#load(metadata))
  }

  #load(metadata: Metadata): Gateway {
    const store = this.#store()
    const noting: Store = {
      load: () => store.load(),
      append: (commit) => {
        store.append(commit)
        this.#mayBeDue = true
      },
    }
    const gateway = gatewayOf(metadata, this.#gatewayKeys, noting)
    this.#gateway = gateway
    this.#journal.restore(gateway)
    this.#listeners.follow(gateway)
    return gateway
  }

  /** Sets the alarm to what is due next, in the same write as what made it due. A manual clock needs none. */
  #setAlarm(): void {
    const metadata = this.#metadata.get()
    if (!this.#mayBeDue || !metadata) return
    this.#mayBeDue = false
    const due = metadata.options.clock === 'manual' ? undefined : this.#gateway?.nextDueAt()
    const next = Math.min(due ?? Number.POSITIVE_INFINITY, metadata.expires ?? Number.POSITIVE_INFINITY)
    const alarm = Number.isFinite(next) ? next : null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    const { storage } = this.ctx
    void (alarm === null ? storage.deleteAlarm() : storage.setAlarm(alarm))
  }

  #description(metadata: Metadata, url: string): DescribedSandbox {
    const gateway = this.#loaded(metadata)
    const due = gateway.nextDueAt()
    this.#setAlarm()
    return {
      ...registered(metadata),
      url,
      last_used_at: this.#metadata.used === null ? null : timestamp(this.#metadata.used),
      now: timestamp(readClock(gateway.clock)),
      next_event_at: due === undefined ? null : timestamp(due),
      ...usageOf(this.ctx.storage),
    }
  }
}
