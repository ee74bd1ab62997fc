import { DurableObject } from 'cloudflare:workers'
import { readClock, systemClock } from '../engine/clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, largestBody, NO_CONTENT } from '../http/messages.ts'
import { openApi } from '../openapi/openapi.ts'
import type { StoredState } from '../operation/store.ts'
import { LARGEST_BODY } from '../schema/body.ts'
import { problem, Refusal, refuse } from '../schema/errors.ts'
import { timestamp } from '../schema/time.ts'
import { addressOf, type InSandbox } from './address.ts'
import { limitsIn, mostSandboxes, RequestRate, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { busyResponse, controlRefusal, errorResponse, readBody, requestHead, respond, toResponse } from './http.ts'
import { digestsOf, freshKeys } from './keys.ts'
import { EVENTS_PATH, isSocket, Listeners, MOST_LISTENERS } from './listeners.ts'
import { isExpired, type Metadata, MetadataStore, registered } from './metadata.ts'
import {
  type Beginning,
  type CreatedSandbox,
  type DescribedSandbox,
  objectOf,
  type SandboxCopy,
  type SandboxObject,
} from './objects.ts'
import { gatewayOptions, readingOptions, storedOptions } from './options.ts'
import { limitedStore, usageOf } from './store.ts'

/** The limits of a sandbox's journal: many sandboxes share the memory of one process. */
const JOURNAL = { journalSize: 200, journalBytes: 512 * 1024 } as const

/**
 * One sandbox: a gateway whose store is the object's storage and whose agenda is the object's alarm. The first request or
 * alarm loads it, and it is gone from memory when the platform lets the object sleep.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> implements SandboxObject {
  readonly #metadata = new MetadataStore(this.ctx.storage)
  readonly #listeners = new Listeners(this.ctx)
  /** The keys of the gateway, which nobody else knows. */
  readonly #gatewayKeys = freshKeys('')
  readonly #limits = limitsIn(this.env)
  readonly #rate = new RequestRate(this.#limits.requests)
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
    const { gateway, digests } = this.#open(address)
    const now = readClock(systemClock)
    const wait = this.#rate.take(now)
    if (wait > 0) return toResponse(busyResponse(gateway, this.#rate.most, wait))
    this.#metadata.use(now)
    const head = requestHead(request, below, digests, this.#gatewayKeys)
    if (below === EVENTS_PATH) return this.#listen(gateway, head)
    // A whole state is read only from those who may bring one.
    const refusal = largestBody(head.method, below) > LARGEST_BODY ? controlRefusal(gateway, head) : undefined
    if (refusal) return toResponse(refusal)
    if (!request.body) return this.#exchange(gateway, head)
    const body = await readBody(request)
    // Meanwhile the sandbox may have been removed, and created again.
    return this.#exchange(this.#open(address).gateway, { ...head, body })
  }

  #open({ name, base }: InSandbox) {
    const metadata = this.#required(name)
    const gateway = this.#loaded(metadata)
    gateway.servedAt(base)
    return { gateway, digests: metadata.digests }
  }

  #exchange(gateway: Gateway, request: HttpRequest): Response | Promise<Response> {
    const response = gateway.exchange(request)
    this.#setAlarm()
    this.#listeners.worked(gateway, request, response)
    if (!response.delivery) return toResponse(response)
    return gateway.delivered(response, { signal: this.#ended.signal }).then(toResponse)
  }

  /** Accepts a WebSocket: a stream would keep the object awake. */
  #listen(gateway: Gateway, head: HttpRequest): Response {
    const refusal = controlRefusal(gateway, head)
    if (refusal) return toResponse(refusal)
    if (!isSocket(head.header)) return new Response(null, { status: 426, headers: { Upgrade: 'websocket' } })
    const most = MOST_LISTENERS
    if (this.#listeners.count >= most) return toResponse(gateway.refused(errors.too_many_listeners, { most }))
    return this.#listeners.add(gateway)
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
    if (isExpired(metadata)) return this.ctx.blockConcurrencyWhile(() => this.#remove(metadata.name))
    this.#mayBeDue = true
    if (metadata.options.clock !== 'manual') {
      const gateway = this.#loaded(metadata)
      gateway.settle()
      this.#listeners.worked(gateway)
    }
    this.#setAlarm()
  }

  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse> {
    return this.#alone(async () => {
      if (this.#present()) refuse(errors.sandbox_taken, { name })
      const created = readClock(systemClock)
      const ttl = beginning.copy ? beginning.ttl : beginning.options.ttl
      const options = beginning.copy ? beginning.copy.options : storedOptions(beginning.options, created)
      const keys = freshKeys(name)
      const expires = ttl === undefined ? null : created + ttl
      const metadata: Metadata = { name, created, expires, options, digests: digestsOf(keys) }
      await this.#register(metadata)
      try {
        await this.ctx.storage.deleteAll()
        this.ctx.storage.transactionSync(() => this.#begin(metadata, beginning))
      } catch (error) {
        this.#unload(name)
        await this.#account().forget(name)
        throw error
      }
      const answer: CreatedSandbox = { ...this.#description(metadata, url), ...keys }
      return jsonAnswer(201, answer)
    })
  }

  describe(name: string, url: string): Promise<HttpResponse> {
    return respond(() => jsonAnswer(200, this.#description(this.#required(name), url)))
  }

  async copy(name: string): Promise<SandboxCopy | { readonly refused: HttpResponse }> {
    const metadata = this.#present()
    if (!metadata) return { refused: await respond(() => refuse(errors.sandbox_not_found, { name })) }
    this.#loaded(metadata)
    // A loaded gateway has a state.
    const state = this.#store().load() as StoredState
    return { options: metadata.options, state: { ...state, records: [...state.records] } }
  }

  renewKeys(name: string): Promise<HttpResponse> {
    return respond(() => {
      const metadata = this.#required(name)
      const keys = freshKeys(name)
      this.#metadata.put({ ...metadata, digests: digestsOf(keys) })
      this.#listeners.end('The sandbox has new keys.')
      return jsonAnswer(200, keys)
    })
  }

  remove(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      this.#required(name)
      await this.#remove(name)
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
    const gateway = readingOptions(() => this.#loaded(metadata))
    const { snapshot } = 'options' in beginning ? beginning.options : {}
    if (snapshot) gateway.restore(snapshot)
  }

  /** Registers the sandbox before it is there, so that the account lists all of them. */
  async #register(metadata: Metadata): Promise<void> {
    const most = mostSandboxes(this.env)
    if (!(await this.#account().register(registered(metadata), most))) refuse(errors.too_many_sandboxes, { most })
  }

  /** Removes the sandbox. If the process ends on the way, the alarm or the caller does it again. */
  async #remove(name: string): Promise<void> {
    this.#unload(name)
    await this.#account().forget(name)
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
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
    this.#listeners.end('The sandbox is gone.')
    this.#ended.abort(new Refusal([problem(errors.sandbox_not_found, { name })]))
    this.#ended = new AbortController()
  }

  #store() {
    return limitedStore(this.ctx.storage, this.#limits)
  }

  /** Returns the gateway, loaded from the storage at first. */
  #loaded({ options }: Metadata): Gateway {
    if (this.#gateway) return this.#gateway
    const store = this.#store()
    const gateway = createGateway({
      ...gatewayOptions(options),
      ...JOURNAL,
      keys: [this.#gatewayKeys.api_key],
      control: { key: this.#gatewayKeys.control_key },
      store: {
        load: () => store.load(),
        append: (commit) => {
          store.append(commit)
          this.#mayBeDue = true
        },
      },
    })
    gateway.describedBy(openApi)
    this.#gateway = gateway
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
