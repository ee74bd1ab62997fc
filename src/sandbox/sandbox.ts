import { DurableObject } from 'cloudflare:workers'
import { readClock, systemClock } from '../engine/clock.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { controlRefusal } from '../gateway/inspected.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from '../http/messages.ts'
import { refuse } from '../schema/errors.ts'
import { timestamp } from '../schema/time.ts'
import { addressOf, type SandboxAddress } from './address.ts'
import { lineOf, readLine, sandboxLine } from './archive.ts'
import { limitsIn, quotasIn, RequestRate, type SandboxEnvironment, signingSecret } from './environment.ts'
import { errors } from './errors.ts'
import { errorResponse, LARGEST_STATE, readBody, requestHead, respond, retryAfter, toResponse } from './http.ts'
import { grantOf } from './key-list.ts'
import { KeyRing } from './key-ring.ts'
import { isSocket, keysSent } from './keys.ts'
import { EVENTS_PATH, MOST_LISTENERS } from './listeners.ts'
import { LiveGateway } from './live-gateway.ts'
import { isExpired, type Metadata, MetadataStore, registered } from './metadata.ts'
import { UsageReports } from './metrics.ts'
import {
  type Beginning,
  type CreatedSandbox,
  type DescribedSandbox,
  type Existing,
  type NamedKey,
  objectOf,
} from './objects.ts'
import { readingOptions, storedOptions } from './options.ts'
import { usageOf } from './store.ts'

const NEW_KEYS = 'The keys of the sandbox have changed.'

/** The time in ms after which the alarm removes the remains of an interrupted creation. */
const CREATION_MS = 1000

/**
 * One sandbox: a gateway that stores its state in the object's storage and runs due events by the object's alarm. The first
 * request or alarm loads the gateway. When the platform lets the object sleep, the gateway leaves the memory.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> {
  readonly #metadata = new MetadataStore(this.ctx.storage)
  readonly #limits = limitsIn(this.env)
  readonly #live = new LiveGateway(this.ctx, this.#metadata, this.#limits)
  readonly #rate = new RequestRate(this.#limits.requests)
  readonly #usage = new UsageReports(this.ctx.storage)
  readonly #keys = new KeyRing(this.#metadata, signingSecret(this.env))

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#respond(request, addressOf(request, this.env) as SandboxAddress) // The Worker passes on only requests for a sandbox.
    } catch (error) {
      return toResponse(errorResponse(error))
    }
  }

  async #respond(request: Request, address: SandboxAddress): Promise<Response> {
    const { below } = address
    const now = readClock(systemClock)
    const { head, until } = this.#permitted(request, address, now)
    const wait = this.#rate.take(now)
    const gateway = this.#open(address)
    const { most } = this.#rate
    if (wait > 0) return toResponse(retryAfter(wait, gateway.transport.refused(errors.sandbox_busy, { most, wait })))
    this.#metadata.use(now)
    void this.#usage.report(this.#account(), address.name, now)
    if (below === EVENTS_PATH) return this.#listen(gateway, head, until, address.name)
    if (!request.body) return this.#live.exchange(gateway, head)
    const limit = Math.min(gateway.transport.bodyLimit(head), LARGEST_STATE)
    // If the head of a request is refused, its body is not read.
    if (limit === 0) return this.#live.exchange(gateway, { ...head, body: { unread: 'refused' } })
    const body = await readBody(request, limit)
    // The sandbox may have been removed meanwhile, and created again.
    const { head: again } = this.#permitted(request, address, readClock(systemClock))
    return this.#live.exchange(this.#open(address), { ...again, body })
  }

  /** Returns the head of a request with the permissions of its keys, and their end. Throws if no key is one of the sandbox. */
  #permitted(request: Request, { name, below }: SandboxAddress, now: number) {
    const { method, headers } = request
    const sent = keysSent((header) => headers.get(header))
    const grant = grantOf(this.#present()?.keys ?? [], sent, method, now)
    if (!grant) refuse(errors.sandbox_key_refused, { name })
    return { head: requestHead(request, below, sent, grant, this.#live.keys), until: grant.until }
  }

  #open({ name, base }: SandboxAddress): Gateway {
    const gateway = this.#live.loaded(this.#required(name))
    gateway.transport.servedAt(base)
    return gateway
  }

  /** Accepts a WebSocket. A stream would keep the object awake. */
  #listen(gateway: Gateway, head: HttpRequest, until: number | null, name: string): Response {
    const refusal = controlRefusal(gateway, head)
    if (refusal) return toResponse(refusal)
    if (!isSocket(head.header)) return new Response(null, { status: 426, headers: { Upgrade: 'websocket' } })
    if (this.#live.listeners.count < MOST_LISTENERS) return this.#live.listeners.add(gateway, until, name)
    return toResponse(gateway.transport.refused(errors.too_many_listeners, { most: MOST_LISTENERS }))
  }

  webSocketMessage(): void {
    // Listeners send only beats, which the platform answers.
  }

  webSocketClose(socket: WebSocket): void {
    this.#live.listeners.left(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#live.listeners.left(socket)
  }

  /** Runs what has become due, each event at its own time, or removes the sandbox at its end. */
  async alarm(): Promise<void> {
    const metadata = this.#metadata.get()
    if (!metadata) return
    if (isExpired(metadata)) return this.ctx.blockConcurrencyWhile(() => this.#remove(metadata))
    this.#live.settle(metadata)
    await this.#usage.alarm(this.#account(), metadata.name, readClock(systemClock))
  }

  /** Creates the sandbox. No other response has its keys. */
  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse> {
    return this.#alone(async () => {
      if (this.#present()) refuse(errors.sandbox_taken, { name })
      const created = readClock(systemClock)
      const { keys, issued } = this.#keys.first(name, created)
      const expires = beginning.ttl === undefined ? null : created + beginning.ttl
      const options = storedOptions(beginning.options, created)
      await this.#replace(undefined, { name, created, expires, options, keys }, beginning)
      const answer: CreatedSandbox = { ...this.#description(this.#required(name), url), ...issued }
      return jsonAnswer(201, answer)
    })
  }

  describe(name: string, url: string): Promise<HttpResponse> {
    return respond(() => jsonAnswer(200, this.#description(this.#required(name), url)))
  }

  /** Returns the options and the state for a fork, or an error response. */
  async copy(name: string): Promise<Omit<Beginning, 'ttl'> | { readonly refused: HttpResponse }> {
    try {
      const metadata = this.#required(name)
      this.#live.loaded(metadata)
      return { options: metadata.options, state: this.#live.state(name) }
    } catch (error) {
      return { refused: errorResponse(error) }
    }
  }

  renewKeys(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      const answer = this.#keys.renew(this.#required(name))
      this.#live.listeners.end(NEW_KEYS)
      await this.#account().signKeys(name)
      return answer
    })
  }

  listKeys(name: string): Promise<HttpResponse> {
    return respond(() => this.#keys.list(this.#required(name)))
  }

  /** Adds a key. No other response has its text. */
  addKey(name: string, url: string, key: NamedKey): Promise<HttpResponse> {
    return respond(() => this.#keys.add(this.#required(name), url, key))
  }

  revokeKey(name: string, key: string): Promise<HttpResponse> {
    return respond(() => {
      const answer = this.#keys.revoke(this.#required(name), key)
      this.#live.listeners.end(NEW_KEYS)
      return answer
    })
  }

  remove(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      const metadata = this.#present()
      // An interrupted creation may have left the name.
      if (!metadata) await this.#account().forget(name)
      await this.#remove(metadata ?? this.#required(name))
      return NO_CONTENT
    })
  }

  /** Returns the sandbox as a line of an archive, or undefined if there is none. */
  async backup(name: string): Promise<Uint8Array | undefined> {
    const metadata = this.#present()
    if (!metadata) return undefined
    try {
      return sandboxLine(metadata, this.#live.state(name))
    } catch (error) {
      return lineOf({ name, error: JSON.parse(errorResponse(error).body ?? '{}').msg })
    }
  }

  /** Restores a sandbox from a line of an archive. The response has an `outcome`, or is an error. */
  restore(name: string, line: Uint8Array, existing: Existing): Promise<HttpResponse> {
    return this.#alone(async () => {
      const before = this.#present()
      if (before && existing === 'keep') return jsonAnswer(200, { outcome: 'kept' })
      if (before && existing === 'refuse') refuse(errors.sandbox_taken, { name })
      const { metadata, state } = readLine(name, line)
      if (isExpired(metadata)) return jsonAnswer(200, { outcome: 'ended' })
      await this.#replace(before, metadata, { options: metadata.options, state })
      this.#live.setAlarm()
      // Only sandboxes that somebody uses stay in memory.
      this.#live.unload(name)
      return jsonAnswer(200, { outcome: 'restored' })
    })
  }

  /** Runs work while the object receives no other event. A refusal does not end the object. */
  #alone(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    return this.ctx.blockConcurrencyWhile(() => respond(work))
  }

  /** Creates the sandbox, and replaces an existing one. If the creation fails, the existing one stays. */
  async #replace(before: Metadata | undefined, metadata: Metadata, beginning: Omit<Beginning, 'ttl'>): Promise<void> {
    const { storage } = this.ctx
    if (!before) {
      await storage.deleteAll()
      // If the process ends meanwhile, the alarm removes the name from the account.
      this.#metadata.put({ ...metadata, expires: 0 })
      await storage.setAlarm(readClock(systemClock) + CREATION_MS)
    }
    // This comes first, so that the account lists every sandbox.
    await this.#register(metadata)
    try {
      if (before) this.#live.unload(metadata.name)
      storage.transactionSync(() => this.#begin(metadata, beginning))
    } catch (error) {
      this.#live.unload(metadata.name)
      await (before ? this.#register(before) : this.#remove(metadata))
      throw error
    }
    void this.#usage.report(this.#account(), metadata.name, readClock(systemClock))
  }

  #begin(metadata: Metadata, { options, state }: Omit<Beginning, 'ttl'>): void {
    this.#metadata.put(metadata)
    if (state) this.#live.putState(state)
    const gateway = readingOptions(() => (state ? this.#live.loaded(metadata) : this.#live.load(metadata)))
    if (options.snapshot) gateway.restore(options.snapshot)
  }

  async #register(metadata: Metadata): Promise<void> {
    const reached = await this.#account().register(registered(metadata), quotasIn(this.env))
    if (reached) refuse(reached.prefix ? errors.quota_reached : errors.too_many_sandboxes, reached)
  }

  /** Removes the sandbox, immediately for clients. If the process ends meanwhile, the alarm removes the rest. */
  async #remove(metadata: Metadata): Promise<void> {
    const { storage } = this.ctx
    this.#metadata.put({ ...metadata, expires: 0 })
    await storage.setAlarm(readClock(systemClock))
    this.#live.unload(metadata.name)
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

  #description(metadata: Metadata, url: string): DescribedSandbox {
    const gateway = this.#live.loaded(metadata)
    const due = gateway.nextDueAt()
    this.#live.setAlarm()
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
