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
import { answered, refusalAnswer, toResponse } from './answers.ts'
import { bodyOf, busy, headOf, refusalOf } from './asked.ts'
import { type Limits, limitsIn, mostSandboxes, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { type Facts, isOver, KeptFacts, registered } from './facts.ts'
import { Gate } from './gate.ts'
import { digestsOf, freshKeys } from './keys.ts'
import { limitedStore, usageOf } from './limited-store.ts'
import { EVENTS_PATH, isSocket, Listeners, MOST_LISTENERS } from './listeners.ts'
import type { Beginning, SandboxCopy, SandboxObject } from './objects.ts'
import { gatewayOptions, keptOptions, readingOptions } from './options.ts'
import { objectOf } from './platform.ts'
import { RequestRate } from './request-rate.ts'

/** How much the journal of a sandbox keeps: many sandboxes share the memory of one process. */
const JOURNAL = { journalSize: 200, journalBytes: 512 * 1024 } as const

/**
 * One sandbox: a gateway whose store is the object's storage and whose agenda is the object's alarm. It is read from there
 * when it is first asked for something, and forgotten when the platform lets the object sleep.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> implements SandboxObject {
  readonly #facts = new KeptFacts(this.ctx.storage)
  readonly #listeners = new Listeners(this.ctx)
  readonly #gate = new Gate()
  #gateway: Gateway | undefined
  #knownLimits: Limits | undefined
  /** What the alarm was last set to; unknown when the object has just begun. */
  #alarm: number | null | undefined
  #mayBeDue = true
  #rate: RequestRate | undefined
  /** Ends what waits for the time of a sandbox that is gone. */
  #ended: AbortController | undefined

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#asked(request, addressOf(request, this.env) as InSandbox) // The Worker sends it nothing else.
    } catch (error) {
      return toResponse(refusalAnswer(error))
    }
  }

  async #asked(request: Request, address: InSandbox): Promise<Response> {
    const { name, base, below } = address
    const facts = this.#required(name)
    const gateway = this.#opened(facts)
    gateway.servedAt(base)
    this.#rate ??= new RequestRate(this.#limits.requests)
    const now = readClock(systemClock)
    const wait = this.#rate.take(now)
    if (wait > 0) return toResponse(busy(gateway, this.#rate.most, wait))
    this.#facts.use(now)
    const head = headOf(request, below, this.#gate, facts.digests)
    if (below === EVENTS_PATH) return this.#heard(gateway, head)
    // A whole state is read only of those who may bring one.
    const refusal = largestBody(head.method, below) > LARGEST_BODY ? refusalOf(gateway, head) : undefined
    if (refusal) return toResponse(refusal)
    if (!request.body) return this.#exchanged(facts, gateway, head)
    const body = await bodyOf(request)
    // Meanwhile others have been here.
    const present = this.#required(name)
    const same = this.#opened(present)
    same.servedAt(base)
    return this.#exchanged(present, same, { ...head, body })
  }

  #exchanged(facts: Facts, gateway: Gateway, request: HttpRequest): Response | Promise<Response> {
    const answer = gateway.exchange(request)
    this.#arm(facts)
    this.#listeners.worked(gateway, request, answer)
    if (!answer.delivery) return toResponse(answer)
    this.#ended ??= new AbortController()
    return gateway.delivered(answer, { signal: this.#ended.signal }).then(toResponse)
  }

  /** Lets somebody hear what happens, by a WebSocket: no other way lets the object sleep meanwhile. */
  #heard(gateway: Gateway, head: HttpRequest): Response {
    const refusal = refusalOf(gateway, head)
    if (refusal) return toResponse(refusal)
    if (!isSocket(head.header)) return new Response(null, { status: 426, headers: { Upgrade: 'websocket' } })
    const most = MOST_LISTENERS
    if (this.#listeners.count >= most) return toResponse(gateway.refused(errors.too_many_listeners, { most }))
    return this.#listeners.add(gateway)
  }

  webSocketMessage(): void {
    // Who listens has nothing to say.
  }

  webSocketClose(socket: WebSocket): void {
    this.#listeners.left(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#listeners.left(socket)
  }

  /** Does what has become due, each event at its own time, or removes the sandbox at its end. */
  async alarm(): Promise<void> {
    this.#alarm = null
    const facts = this.#facts.get()
    if (!facts) return
    if (isOver(facts)) return this.ctx.blockConcurrencyWhile(() => this.#removed(facts.name))
    this.#mayBeDue = true
    if (facts.options.clock !== 'manual') {
      const gateway = this.#opened(facts)
      gateway.settle()
      this.#listeners.worked(gateway)
    }
    this.#arm(facts)
  }

  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse> {
    return this.#alone(async () => {
      if (this.#present()) refuse(errors.sandbox_taken, { name })
      const now = readClock(systemClock)
      const ttl = beginning.copy ? beginning.ttl : beginning.options.ttl
      const keys = freshKeys(name)
      const options = beginning.copy ? beginning.copy.options : keptOptions(beginning.options, now)
      const digests = digestsOf(keys)
      const facts: Facts = { name, created: now, expires: ttl === undefined ? null : now + ttl, options, digests }
      await this.#register(facts)
      try {
        await this.ctx.storage.deleteAll()
        this.ctx.storage.transactionSync(() => this.#begin(facts, beginning))
      } catch (error) {
        this.#forgotten(name)
        await this.#account().forget(name)
        throw error
      }
      this.#arm(facts)
      return jsonAnswer(201, { ...this.#shown(facts, url), ...keys })
    })
  }

  describe(name: string, url: string): Promise<HttpResponse> {
    return answered(() => jsonAnswer(200, this.#shown(this.#required(name), url)))
  }

  async copy(name: string): Promise<SandboxCopy | { readonly refused: HttpResponse }> {
    const facts = this.#present()
    if (!facts) return { refused: await answered(() => refuse(errors.sandbox_not_found, { name })) }
    this.#opened(facts)
    // The gateway has begun, so there is a state.
    const state = this.#store().load() as StoredState
    return { options: facts.options, state: { ...state, records: [...state.records] } }
  }

  renewKeys(name: string): Promise<HttpResponse> {
    return answered(() => {
      const facts = this.#required(name)
      const keys = freshKeys(name)
      this.#facts.keep({ ...facts, digests: digestsOf(keys) })
      this.#listeners.end('The sandbox has new keys.')
      return jsonAnswer(200, keys)
    })
  }

  remove(name: string): Promise<HttpResponse> {
    return this.#alone(async () => {
      this.#required(name)
      await this.#removed(name)
      return NO_CONTENT
    })
  }

  /** Runs what must not meet another event on its way. A refusal ends it, and not the object. */
  #alone(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    return this.ctx.blockConcurrencyWhile(() => answered(work))
  }

  #begin(facts: Facts, { copy, ...beginning }: Beginning): void {
    this.#facts.keep(facts)
    if (copy) {
      const { version, seed, now, sequence, operations, records } = copy.state
      const changes = records.map(({ collection, key, record }) => ({ collection, key, after: record }))
      const store = this.#store()
      // It makes its tables when it is read.
      store.load()
      store.append({ operation: 'restore', now, sequence, operations, replaces: { version, seed }, changes })
    }
    const gateway = readingOptions(() => this.#opened(facts))
    const { snapshot } = 'options' in beginning ? beginning.options : {}
    // The gateway reads it, and refuses what is none.
    if (snapshot) gateway.restore(snapshot)
  }

  /** Asks for a place among the sandboxes first: none is ever there that the account does not list. */
  async #register(facts: Facts): Promise<void> {
    const most = mostSandboxes(this.env)
    if (!(await this.#account().register(registered(facts), most))) refuse(errors.too_many_sandboxes, { most })
  }

  /** The account forgets it last but one: where the process ends in between, the alarm or the caller does it again. */
  async #removed(name: string): Promise<void> {
    this.#forgotten(name)
    await this.#account().forget(name)
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  #account() {
    return objectOf(this.env.ACCOUNTS, 'account')
  }

  /** The sandbox's facts, or undefined where there is none, or where its time is over and the alarm still to come. */
  #present(): Facts | undefined {
    const facts = this.#facts.get()
    return facts && !isOver(facts) ? facts : undefined
  }

  #required(name: string): Facts {
    return this.#present() ?? refuse(errors.sandbox_not_found, { name })
  }

  /** Lets go what there was, with all who wait for it. */
  #forgotten(name: string): void {
    this.#facts.forget()
    this.#alarm = undefined
    this.#gateway = undefined
    this.#listeners.end('The sandbox is gone.')
    this.#ended?.abort(new Refusal([problem(errors.sandbox_not_found, { name })]))
    this.#ended = undefined
  }

  get #limits(): Limits {
    this.#knownLimits ??= limitsIn(this.env)
    return this.#knownLimits
  }

  #store() {
    return limitedStore(this.ctx.storage, this.#limits)
  }

  #opened({ options }: Facts): Gateway {
    if (this.#gateway) return this.#gateway
    const store = this.#store()
    const gateway = createGateway({
      ...gatewayOptions(options),
      ...JOURNAL,
      keys: [this.#gate.keys.api_key],
      control: { key: this.#gate.keys.control_key },
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

  /** Sets the alarm to what is due next, in the same write as what made it due. Manual clocks wait for whoever moves them. */
  #arm({ options, expires }: Facts): void {
    if (!this.#mayBeDue) return
    this.#mayBeDue = false
    const due = options.clock === 'manual' ? undefined : this.#gateway?.nextDueAt()
    const next = Math.min(due ?? Number.POSITIVE_INFINITY, expires ?? Number.POSITIVE_INFINITY)
    const alarm = Number.isFinite(next) ? next : null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    const { storage } = this.ctx
    void (alarm === null ? storage.deleteAlarm() : storage.setAlarm(alarm))
  }

  #shown(facts: Facts, url: string) {
    const gateway = this.#opened(facts)
    const { clock } = gateway
    const due = gateway.nextDueAt()
    this.#arm(facts)
    return {
      ...registered(facts),
      url,
      last_used_at: this.#facts.used === null ? null : timestamp(this.#facts.used),
      now: timestamp(readClock(clock)),
      next_event_at: due === undefined ? null : timestamp(due),
      ...usageOf(this.ctx.storage),
    }
  }
}
