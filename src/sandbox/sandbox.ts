import { DurableObject } from 'cloudflare:workers'
import { readClock, systemClock } from '../core/engine/clock.ts'
import { refuse } from '../core/schema/errors.ts'
import { timestamp } from '../core/schema/time.ts'
import { refuseInvalidOptions } from '../gateway/hosted-options.ts'
import { createJsonResponse, type HttpResponse, NO_CONTENT } from '../gateway/http/messages.ts'
import type { Gateway } from '../gateway/types.ts'
import { parseAddress, type SandboxAddress } from './address.ts'
import { readLine, readOriginal, streamSandbox } from './archive.ts'
import { getSigningSecret, RequestRate, readLimits, readQuotas, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import {
  createHead,
  discardBody,
  MAX_STATE_BYTES,
  readWholeBody,
  refusalResponse,
  respond,
  retryAfter,
  toWorkerResponse,
} from './http.ts'
import { getGrant } from './key-list.ts'
import { KeyRing } from './key-ring.ts'
import { readSentKeys } from './keys.ts'
import { EVENTS_PATH } from './listeners.ts'
import { LiveGateway } from './live-gateway.ts'
import { isExpired, type Metadata, MetadataStore, toRegisteredSandbox } from './metadata.ts'
import { UsageReports } from './metrics.ts'
import {
  type CopiedSandbox,
  type CreatedSandbox,
  type DescribedSandbox,
  type ExistingPolicy,
  getObject,
  type InitialSandbox,
  type NamedKey,
  type NewSandbox,
  type ObjectState,
} from './objects.ts'
import { toStoredOptions } from './options.ts'
import type { Turns } from './parts.ts'
import { measureUsage } from './store.ts'

const KEYS_CHANGED = 'The keys of the sandbox have changed.'

/** The time in ms after which the alarm cleans up an interrupted creation. */
const CREATION_MS = 1000

/**
 * One sandbox: a gateway that stores its state in the object's storage and runs due events with the object's alarm. The first request or
 * alarm loads the gateway. When the platform lets the object sleep, the gateway is dropped from memory.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> {
  readonly #metadata = new MetadataStore(this.ctx.storage)
  readonly #limits = readLimits(this.env)
  readonly #live: LiveGateway
  readonly #rate = new RequestRate(this.#limits.requests)
  readonly #usage = new UsageReports(this.ctx.storage)
  readonly #keys = new KeyRing(this.#metadata, getSigningSecret(this.env))

  constructor(state: ObjectState, environment: SandboxEnvironment, turns: Turns) {
    super(state, environment)
    this.#live = new LiveGateway(state, this.#metadata, this.#limits, turns)
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const address = parseAddress(request, this.env) as SandboxAddress // The Worker passes only requests for a sandbox.
      return await this.#live.afterMove(() => this.#respond(request, address))
    } catch (error) {
      return toWorkerResponse(refusalResponse(error))
    } finally {
      await discardBody(request)
    }
  }

  async #respond(request: Request, address: SandboxAddress): Promise<Response> {
    const { path } = address
    const now = readClock(systemClock)
    const { head, until } = this.#requirePermission(request, address, now)
    const wait = this.#rate.take(now)
    const gateway = this.#open(address)
    const { most } = this.#rate
    if (wait > 0)
      return toWorkerResponse(retryAfter(wait, gateway.transport.refused(errors.sandbox_busy, { most, wait })))
    this.#metadata.recordUse(now)
    void this.#usage.report(this.#account(), address.name, now)
    if (path === EVENTS_PATH) return this.#live.listeners.accept(gateway, head, until, address.name)
    if (!request.body) return this.#live.exchange(gateway, head)
    const limit = Math.min(gateway.transport.bodyLimit(head), MAX_STATE_BYTES)
    // If the head of a request is rejected, its body is not read.
    if (limit === 0) return this.#live.exchange(gateway, { ...head, body: { unread: 'refused' } })
    const body = await readWholeBody(request, limit)
    // The sandbox may have been removed and recreated in the meantime.
    const { head: again } = this.#requirePermission(request, address, readClock(systemClock))
    return this.#live.exchange(this.#open(address), { ...again, body })
  }

  /** Returns the head of a request, with the permissions of its keys and their expiry. Rejects keys for other sandboxes. */
  #requirePermission(request: Request, { name, below }: SandboxAddress, now: number) {
    const { method, headers } = request
    const sent = readSentKeys((header) => headers.get(header))
    const grant = getGrant(this.#findMetadata()?.keys ?? [], sent, method, now)
    if (!grant) refuse(errors.sandbox_key_refused, { name })
    return { head: createHead(request, below, sent, grant, this.#live.keys), until: grant.until }
  }

  #open({ name, base }: SandboxAddress): Gateway {
    const gateway = this.#live.getOrLoad(this.#requireMetadata(name))
    gateway.transport.servedAt(base)
    return gateway
  }

  webSocketMessage(): void {
    // Listeners send only heartbeats, and the platform responds to them.
  }

  webSocketClose(socket: WebSocket): void {
    this.#live.listeners.remove(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#live.listeners.remove(socket)
  }

  /** Runs the due events, each at its own time, or removes the sandbox when it has ended. */
  alarm(): Promise<void> {
    return this.#live.afterMove(() => this.#alarm())
  }

  async #alarm(): Promise<void> {
    const metadata = this.#metadata.get()
    if (!metadata) return
    if (isExpired(metadata)) return this.ctx.blockConcurrencyWhile(() => this.#remove(metadata))
    const wasDue = await this.#live.settle(metadata)
    if (wasDue) await this.#usage.alarm(this.#account(), metadata.name, readClock(systemClock))
  }

  /** Creates the sandbox. No other response contains its keys. */
  create(name: string, url: string, { ttl, ...sent }: NewSandbox): Promise<HttpResponse> {
    return this.#runAlone(async () => {
      if (this.#findMetadata()) refuse(errors.sandbox_taken, { name })
      const initial = 'line' in sent ? await readOriginal(name, sent.line) : sent
      const created = readClock(systemClock)
      const { keys, issued } = this.#keys.createFirst(name, created)
      const expires = ttl === undefined ? null : created + ttl
      const options = toStoredOptions(initial.options, created)
      await this.#replace(undefined, { name, created, expires, options, keys }, initial)
      const sandbox: CreatedSandbox = { ...this.#description(this.#requireMetadata(name), url), ...issued }
      return createJsonResponse(201, sandbox)
    })
  }

  describe(name: string, url: string): Promise<HttpResponse> {
    return this.#respondAfterMove(() => createJsonResponse(200, this.#description(this.#requireMetadata(name), url)))
  }

  /** Returns the sandbox as an archive line, for a backup or a fork, or an error response. */
  async copy(name: string): Promise<CopiedSandbox> {
    try {
      return await this.#live.afterMove(() => ({
        line: streamSandbox(this.#requireMetadata(name), this.#live.readState(name)),
      }))
    } catch (error) {
      return { refused: refusalResponse(error) }
    }
  }

  renewKeys(name: string): Promise<HttpResponse> {
    return this.#runAlone(async () => {
      const response = this.#keys.renew(this.#requireMetadata(name))
      this.#live.listeners.closeAll(KEYS_CHANGED)
      await this.#account().signKeys(name)
      return response
    })
  }

  listKeys(name: string): Promise<HttpResponse> {
    return this.#respondAfterMove(() => this.#keys.list(this.#requireMetadata(name)))
  }

  /** Adds a key. No other response contains its text. */
  addKey(name: string, url: string, key: NamedKey): Promise<HttpResponse> {
    return this.#respondAfterMove(() => this.#keys.add(this.#requireMetadata(name), url, key))
  }

  revokeKey(name: string, key: string): Promise<HttpResponse> {
    return this.#respondAfterMove(() => {
      const response = this.#keys.revoke(this.#requireMetadata(name), key)
      this.#live.listeners.closeAll(KEYS_CHANGED)
      return response
    })
  }

  remove(name: string): Promise<HttpResponse> {
    return this.#runAlone(async () => {
      const metadata = this.#findMetadata()
      // An interrupted creation may have left the name behind.
      if (!metadata) await this.#account().forget(name)
      await this.#remove(metadata ?? this.#requireMetadata(name))
      return NO_CONTENT
    })
  }

  /** Restores a sandbox from an archive line. The response either has an `outcome` or is an error. */
  restore(name: string, line: Uint8Array, existing: ExistingPolicy): Promise<HttpResponse> {
    return this.#runAlone(async () => {
      const before = this.#findMetadata()
      if (before && existing === 'keep') return createJsonResponse(200, { outcome: 'kept' })
      if (before && existing === 'refuse') refuse(errors.sandbox_taken, { name })
      const { metadata, state } = readLine(name, line)
      if (isExpired(metadata)) return createJsonResponse(200, { outcome: 'ended' })
      await this.#replace(before, metadata, { options: metadata.options, state })
      this.#live.setAlarm()
      // A restored sandbox is unloaded from memory until its first request.
      this.#live.unload(name)
      return createJsonResponse(200, { outcome: 'restored' })
    })
  }

  /** Runs work while the object receives no other events. An error does not end the object. */
  #runAlone(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    return this.#live.afterMove(() => this.ctx.blockConcurrencyWhile(() => respond(work)))
  }

  #respondAfterMove(work: () => HttpResponse): Promise<HttpResponse> {
    return respond(() => this.#live.afterMove(work))
  }

  /** Creates the sandbox, and replaces an existing one. If the creation fails, the existing sandbox remains. */
  async #replace(before: Metadata | undefined, metadata: Metadata, initial: InitialSandbox): Promise<void> {
    const { storage } = this.ctx
    // A sandbox that has ended stays in memory until its alarm.
    this.#live.unload(metadata.name)
    if (!before) {
      await storage.deleteAll()
      // If the process ends in the meantime, the alarm removes the name from the account.
      this.#metadata.put({ ...metadata, expires: 0 })
      await storage.setAlarm(readClock(systemClock) + CREATION_MS)
      // The account lists every sandbox that exists.
      await this.#register(metadata)
    }
    try {
      storage.transactionSync(() => this.#initialize(metadata, initial))
    } catch (error) {
      this.#live.unload(metadata.name)
      if (!before) await this.#remove(metadata)
      throw error
    }
    if (before) await this.#register(metadata)
    void this.#usage.report(this.#account(), metadata.name, readClock(systemClock))
  }

  #initialize(metadata: Metadata, { options, state }: InitialSandbox): void {
    this.#metadata.put(metadata)
    if (state) this.#live.putState(state)
    const gateway = refuseInvalidOptions(errors.sandbox_options_invalid, () =>
      state ? this.#live.getOrLoad(metadata) : this.#live.load(metadata),
    )
    if (options.snapshot) gateway.restore(options.snapshot)
  }

  async #register(metadata: Metadata): Promise<void> {
    const fullQuota = await this.#account().register(toRegisteredSandbox(metadata), readQuotas(this.env))
    if (fullQuota) refuse(fullQuota.prefix ? errors.quota_reached : errors.too_many_sandboxes, fullQuota)
  }

  /**
   * Removes the sandbox. Clients no longer see it immediately afterward. If the process ends in the meantime, the alarm removes the rest.
   */
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
    return getObject(this.env.ACCOUNTS, 'account')
  }

  #findMetadata(): Metadata | undefined {
    const metadata = this.#metadata.get()
    return metadata && !isExpired(metadata) ? metadata : undefined
  }

  #requireMetadata(name: string): Metadata {
    return this.#findMetadata() ?? refuse(errors.sandbox_not_found, { name })
  }

  #description(metadata: Metadata, url: string): DescribedSandbox {
    const gateway = this.#live.getOrLoad(metadata)
    const due = gateway.nextDueAt()
    this.#live.setAlarm()
    return {
      ...toRegisteredSandbox(metadata),
      url,
      last_used_at: this.#metadata.used === null ? null : timestamp(this.#metadata.used),
      now: timestamp(readClock(gateway.clock)),
      next_event_at: due === undefined ? null : timestamp(due),
      ...measureUsage(this.ctx.storage),
    }
  }
}
