/** A second, minimal implementation of the rules of docs/decisions about domains and their certificates. Times are in ms. */

export type Kind = 'rsa' | 'ecdsa'
export type Failure = 'INTERNAL_ERROR' | 'DNS_ERROR'
export type Outcome = 'success' | Failure

/** One call of a test. `name` is the name of a domain. A call without it is for any domain. */
export type Command =
  | { readonly call: 'create'; readonly name: string; readonly tls: Kind | 'upload' | null }
  | { readonly call: 'policy'; readonly name: string; readonly kind: Kind }
  | { readonly call: 'script'; readonly name?: string | undefined; readonly outcomes: readonly Outcome[] }
  | { readonly call: 'failNext'; readonly name?: string | undefined; readonly error: Failure; readonly times: number }
  | { readonly call: 'failAlways'; readonly name?: string | undefined; readonly error: Failure }
  | { readonly call: 'clear'; readonly name?: string | undefined }
  | { readonly call: 'advance'; readonly ms: number }
  | {
      readonly call: 'upload' | 'detach certificate' | 'detach policy' | 'delete' | 'attempt'
      readonly name: string
    }

/** The options of a gateway that the model knows. */
export interface Times {
  readonly delay: number
  readonly validity: number
  readonly lead: number
  readonly backoff: { readonly first: number; readonly most: number }
  readonly dnsRetry: number
}

interface Domain {
  policy: Kind | null
  certificate: 'uploaded' | { readonly kind: Kind; readonly issued: number; readonly ends: number } | null
  renews: number | null
  job: { readonly started: number; code: Failure | null; msg: string; retries: number | null; internals: number } | null
  due: { readonly at: number; readonly order: number } | null
  /** Each line: time, transition, outcome, message. */
  readonly timeline: (readonly [string, string, Outcome | null, string])[]
}

const IN_PROGRESS = 'Managed certificate provisioning in progress.'
const REASONS: Record<Failure, string> = {
  INTERNAL_ERROR: 'The certificate authority could not be reached. This is temporary.',
  DNS_ERROR: 'The DNS records of the domain do not point to their targets. Correct them.',
}

/** Formats a time as responses do, rounded down to the second. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z/, 'Z')
}

/** Rounds a time up to a whole second, as the gateway does for every scheduled event. */
function roundUp(time: number): number {
  return time % 1000 === 0 ? time : time - (time % 1000) + 1000
}

export class Model {
  readonly domains = new Map<string, Domain>()
  readonly #scripts = new Map<string | undefined, Outcome[]>()
  readonly #always = new Map<string | undefined, Outcome>()
  #scheduled = 0

  constructor(
    public now: number,
    readonly times: Times,
  ) {}

  /** The outcomes that no attempt has used: by name, those for any domain last. */
  get pending(): { domain: string | null; outcome: Outcome }[] {
    const names = [...this.#scripts.keys()].filter((name) => name !== undefined).sort()
    return [...names, undefined].flatMap((name) =>
      (this.#scripts.get(name) ?? []).map((outcome) => ({ domain: name ?? null, outcome })),
    )
  }

  /** Performs a call. Returns `ok` or the key of the error. */
  perform(command: Command): string {
    switch (command.call) {
      case 'advance':
        return this.#advance(this.now + command.ms)
      case 'script':
        this.#scripts.set(command.name, [...(this.#scripts.get(command.name) ?? []), ...command.outcomes])
        return 'ok'
      case 'failNext': {
        const failures = Array<Outcome>(command.times).fill(command.error)
        this.#scripts.set(command.name, [...failures, ...(this.#scripts.get(command.name) ?? [])])
        return 'ok'
      }
      case 'failAlways':
        this.#always.set(command.name, command.error)
        return 'ok'
      case 'clear':
        for (const outcomes of [this.#scripts, this.#always]) {
          if (command.name === undefined) outcomes.clear()
          else outcomes.delete(command.name)
        }
        return 'ok'
      case 'create':
        return this.#create(command.name, command.tls)
      default:
        return this.#change(command)
    }
  }

  #create(name: string, tls: Kind | 'upload' | null): string {
    if (this.domains.has(name)) return 'domain_taken'
    const domain: Domain = { policy: null, certificate: null, renews: null, job: null, due: null, timeline: [] }
    this.domains.set(name, domain)
    if (tls === 'upload') domain.certificate = 'uploaded'
    else if (tls) this.#manage(name, domain, tls)
    return 'ok'
  }

  #change(command: Extract<Command, { name: string }>): string {
    const { name } = command
    const domain = this.domains.get(name)
    if (!domain) return 'not_found'
    switch (command.call) {
      case 'policy':
        if (domain.policy !== command.kind) this.#manage(name, domain, command.kind)
        return 'ok'
      case 'upload':
        this.#unmanage(domain)
        domain.certificate = 'uploaded'
        return 'ok'
      case 'detach certificate':
        if (domain.policy) return 'certificate_managed'
        domain.certificate = null
        return 'ok'
      case 'detach policy':
        if (domain.policy) this.#unmanage(domain)
        return 'ok'
      case 'delete':
        this.domains.delete(name)
        return 'ok'
      case 'attempt':
        if (!domain.job) return 'not_found'
        this.#attempt(name, domain)
        return 'ok'
      default:
        throw new Error(`The model has no ${command.call}.`)
    }
  }

  #manage(name: string, domain: Domain, kind: Kind): void {
    if (domain.certificate === 'uploaded') domain.certificate = null
    if (domain.job) this.#note(domain, 'cancelled', null, `The policy now requires an ${kind} key.`)
    domain.policy = kind
    this.#start(name, domain, 'started', `A certificate with an ${kind} key is requested.`)
  }

  #unmanage(domain: Domain): void {
    if (domain.job) this.#note(domain, 'cancelled', null, 'The policy was detached from the domain.')
    Object.assign(domain, { policy: null, certificate: null, renews: null, job: null, due: null })
  }

  #start(name: string, domain: Domain, transition: string, message: string): void {
    domain.job = { started: this.now, code: null, msg: IN_PROGRESS, retries: null, internals: 0 }
    this.#note(domain, transition, null, message)
    this.#schedule(domain, this.now + this.times.delay)
    if (this.times.delay === 0) this.#attempt(name, domain)
  }

  #attempt(name: string, domain: Domain): void {
    const job = domain.job as NonNullable<Domain['job']>
    if (job.code) this.#note(domain, 'retried', null, 'The next attempt runs.')
    const isRenewal = domain.certificate !== null
    const outcome = this.#takeOutcome(name) ?? this.#takeOutcome(undefined) ?? 'success'
    if (outcome === 'success') this.#issue(domain, isRenewal)
    else this.#fail(domain, job, outcome, isRenewal)
  }

  #takeOutcome(name: string | undefined): Outcome | undefined {
    return this.#scripts.get(name)?.shift() ?? this.#always.get(name)
  }

  #issue(domain: Domain, isRenewal: boolean): void {
    const { validity, lead } = this.times
    const issued = Math.floor(this.now / 1000) * 1000
    domain.certificate = { kind: domain.policy as Kind, issued, ends: issued + validity }
    domain.renews = this.#schedule(domain, issued + validity - lead)
    domain.job = null
    const message = `CERTIFICATE is valid until ${formatTime(domain.certificate.ends)}, and will be renewed at ${formatTime(domain.renews)}.`
    this.#note(domain, isRenewal ? 'renewed' : 'issued', 'success', message)
  }

  #fail(domain: Domain, job: NonNullable<Domain['job']>, code: Failure, isRenewal: boolean): void {
    const { first, most } = this.times.backoff
    if (code === 'INTERNAL_ERROR') job.internals++
    const wait = code === 'DNS_ERROR' ? this.times.dnsRetry : Math.min(most, first * 2 ** (job.internals - 1))
    Object.assign(job, { code, msg: REASONS[code], retries: this.#schedule(domain, this.now + wait) })
    this.#note(domain, isRenewal ? 'renewal failed' : 'failed', code, `${code}: ${REASONS[code]}`)
  }

  #schedule(domain: Domain, time: number): number {
    domain.due = { at: roundUp(time), order: this.#scheduled++ }
    return domain.due.at
  }

  #note(domain: Domain, transition: string, outcome: Outcome | null, message: string): void {
    domain.timeline.push([formatTime(this.now), transition, outcome, message])
    if (domain.timeline.length > 100) domain.timeline.shift()
  }

  #advance(to: number): 'ok' {
    const listDue = () => [...this.domains].filter(([, { due }]) => due !== null && due.at <= to)
    for (let due = listDue(); due.length > 0; due = listDue()) {
      const rank = ({ due }: Domain) => [due?.at ?? 0, due?.order ?? 0] as const
      due.sort(([, a], [, b]) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])
      const [name, domain] = due[0] as [string, Domain]
      this.now = rank(domain)[0]
      if (domain.job) this.#attempt(name, domain)
      else this.#start(name, domain, 'renewal started', 'A new certificate is requested; the old one stays in use.')
    }
    this.now = to
    return 'ok'
  }
}
