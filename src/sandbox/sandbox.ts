import { DurableObject } from 'cloudflare:workers'
import { refuse } from '../contract/errors.ts'
import type { StoredState } from '../contract/store.ts'
import { timestamp } from '../contract/view.ts'
import { readClock, systemClock } from '../engine/clock.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { readRequest } from '../http/fetch.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from '../http/messages.ts'
import { openApi } from '../openapi/openapi.ts'
import { addressOf, type InSandbox } from './address.ts'
import { answered, toResponse } from './answers.ts'
import { limitsIn, mostSandboxes, type SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { digestsOf, freshKeys, type KeyDigests } from './keys.ts'
import { limitedStore, usageOf } from './limited-store.ts'
import type { Beginning, Registered, SandboxCopy, SandboxObject } from './objects.ts'
import { gatewayOptions, type KeptOptions, keptOptions, readingOptions } from './options.ts'
import { objectOf } from './platform.ts'
import { RequestRate } from './request-rate.ts'
import { withDigests } from './with-digests.ts'

/** What a sandbox is, beside what is in it. */
interface Facts {
  readonly name: string
  /** In ms since 1970. */
  readonly created: number
  /** In ms since 1970; null for never. */
  readonly expires: number | null
  readonly options: KeptOptions
  readonly digests: KeyDigests
}

const FACTS = 'sandbox'

/** How much the journal of a sandbox keeps: many sandboxes share the memory of one process. */
const JOURNAL = { journalSize: 200, journalBytes: 512 * 1024 } as const

/**
 * One sandbox: a gateway whose store is the object's storage and whose agenda is the object's alarm. It is read from there
 * when it is first asked for something, and forgotten when the platform lets the object sleep.
 */
export class Sandbox extends DurableObject<SandboxEnvironment> implements SandboxObject {
  #facts: Facts | undefined
  #gateway: Gateway | undefined
  /** What the alarm was last set to; unknown when the object has just begun. */
  #alarm: number | null | undefined
  #mayBeDue = true
  #rate: RequestRate | undefined

  async fetch(request: Request): Promise<Response> {
    const address = addressOf(request.url, this.env) as InSandbox
    const read = await readRequest(request)
    return toResponse(await this.#exchanged({ ...read, url: address.below }, address))
  }

  async #exchanged(request: HttpRequest, { name, base }: InSandbox): Promise<HttpResponse> {
    const facts = this.#present()
    if (!facts) return answered(() => refuse(errors.sandbox_not_found, { name }))
    const gateway = this.#opened(facts)
    gateway.servedAt(base)
    this.#rate ??= new RequestRate(limitsIn(this.env).requests)
    const wait = this.#rate.take(readClock(systemClock))
    if (wait > 0) return busy(gateway, this.#rate.most, wait)
    const answer = gateway.exchange(withDigests(request))
    this.#arm(facts)
    return answer.delivery ? gateway.delivered(answer) : answer
  }

  /** Does what has become due, each event at its own time, or removes the sandbox at its end. */
  async alarm(): Promise<void> {
    this.#alarm = null
    const facts = this.#kept()
    if (!facts) return
    if (isOver(facts)) return this.ctx.blockConcurrencyWhile(() => this.#removed(facts.name))
    if (facts.options.clock !== 'manual') this.#opened(facts).settle()
    this.#mayBeDue = true
    this.#arm(facts)
  }

  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse> {
    return this.#alone(async () => {
      if (this.#present()) refuse(errors.sandbox_taken, { name })
      const now = readClock(systemClock)
      const ttl = beginning.copy ? beginning.ttl : beginning.options.ttl
      const keys = freshKeys()
      const options = beginning.copy ? beginning.copy.options : keptOptions(beginning.options, now)
      const digests = digestsOf(keys)
      const facts: Facts = { name, created: now, expires: ttl === undefined ? null : now + ttl, options, digests }
      await this.#register(facts)
      try {
        await this.ctx.storage.deleteAll()
        this.ctx.storage.transactionSync(() => this.#begin(facts, beginning))
      } catch (error) {
        this.#forgotten()
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
      const keys = freshKeys()
      this.#keep({ ...facts, digests: digestsOf(keys) })
      this.#gateway = undefined
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
    this.#keep(facts)
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
    if (snapshot) gateway.restore(snapshot as unknown as Parameters<Gateway['restore']>[0])
  }

  /** Asks for a place among the sandboxes first: none is ever there that the account does not list. */
  async #register(facts: Facts): Promise<void> {
    const most = mostSandboxes(this.env)
    if (!(await this.#account().register(registered(facts), most))) refuse(errors.too_many_sandboxes, { most })
  }

  /** The account forgets it last but one: where the process ends in between, the alarm or the caller does it again. */
  async #removed(name: string): Promise<void> {
    this.#forgotten()
    await this.#account().forget(name)
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  #account() {
    return objectOf(this.env.ACCOUNTS, 'account')
  }

  /** The sandbox's facts, or undefined where there is none, or where its time is over and the alarm still to come. */
  #present(): Facts | undefined {
    const facts = this.#kept()
    return facts && !isOver(facts) ? facts : undefined
  }

  #kept(): Facts | undefined {
    // Nobody else writes there.
    this.#facts ??= this.ctx.storage.kv.get(FACTS) as Facts | undefined
    return this.#facts
  }

  #required(name: string): Facts {
    return this.#present() ?? refuse(errors.sandbox_not_found, { name })
  }

  #keep(facts: Facts): void {
    this.ctx.storage.kv.put(FACTS, facts)
    this.#facts = facts
  }

  #forgotten(): void {
    this.#facts = undefined
    this.#gateway = undefined
    this.#alarm = undefined
  }

  #store() {
    return limitedStore(this.ctx.storage, limitsIn(this.env))
  }

  #opened({ options, digests }: Facts): Gateway {
    if (this.#gateway) return this.#gateway
    const store = this.#store()
    const gateway = createGateway({
      ...gatewayOptions(options),
      ...JOURNAL,
      keys: [digests.api_key],
      control: { key: digests.control_key },
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
      now: timestamp(readClock(clock)),
      next_event_at: due === undefined ? null : timestamp(due),
      ...usageOf(this.ctx.storage),
    }
  }
}

function busy(gateway: Gateway, most: number, wait: number): HttpResponse {
  const answer = gateway.refused(errors.sandbox_busy, { most, wait })
  return { ...answer, headers: { ...answer.headers, 'Retry-After': String(wait) } }
}

function isOver({ expires }: Facts): boolean {
  return expires !== null && expires <= readClock(systemClock)
}

function registered({ name, created, expires, options }: Facts): Registered {
  const { dialect = 'standard', clock = 'system' } = options
  const expires_at = expires === null ? null : timestamp(expires)
  return { name, created_at: timestamp(created), expires_at, dialect, clock }
}
