/** What decisions.md says of domains and their certificates, once more and as plainly as can be. */

export type Kind = 'rsa' | 'ecdsa'
export type Outcome = 'success' | 'INTERNAL_ERROR' | 'DNS_ERROR'
type Failure = Exclude<Outcome, 'success'>

/** One call of a test. `name` is a domain's name; a script without one is for any domain. */
export type Command =
  | { readonly call: 'create'; readonly name: string; readonly tls: Kind | 'upload' | null }
  | { readonly call: 'policy'; readonly name: string; readonly kind: Kind }
  | { readonly call: 'script'; readonly name?: string | undefined; readonly outcomes: readonly Outcome[] }
  | { readonly call: 'advance'; readonly ms: number }
  | {
      readonly call: 'upload' | 'detach certificate' | 'detach policy' | 'delete' | 'attempt'
      readonly name: string
    }

interface Domain {
  policy: Kind | null
  certificate: 'uploaded' | { readonly kind: Kind; readonly issued: number } | null
  renews: number | null
  job: { readonly started: number; code: Failure | null; retries: number | null; internals: number } | null
  due: { readonly at: number; readonly order: number } | null
}

const MINUTE = 60_000
const DAY = 86_400_000

export class Model {
  readonly domains = new Map<string, Domain>()
  readonly scripts = new Map<string | undefined, Outcome[]>()
  #scheduled = 0

  constructor(
    public now: number,
    readonly delay: number,
  ) {}

  /** Carries out a call. Answers `ok` or the key of the error. */
  perform(command: Command): string {
    if (command.call === 'advance') return this.#advance(this.now + command.ms)
    if (command.call === 'script') {
      this.scripts.set(command.name, [...(this.scripts.get(command.name) ?? []), ...command.outcomes])
      return 'ok'
    }
    const domain = this.domains.get(command.name)
    if (command.call === 'create') {
      if (domain) return 'domain_taken'
      const created: Domain = { policy: null, certificate: null, renews: null, job: null, due: null }
      this.domains.set(command.name, created)
      if (command.tls === 'upload') created.certificate = 'uploaded'
      else if (command.tls) this.#manage(command.name, created, command.tls)
      return 'ok'
    }
    if (!domain) return 'not_found'
    switch (command.call) {
      case 'policy':
        if (domain.policy !== command.kind) this.#manage(command.name, domain, command.kind)
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
        this.domains.delete(command.name)
        return 'ok'
      case 'attempt':
        if (!domain.job) return 'not_found'
        this.#attempt(command.name, domain)
        return 'ok'
    }
  }

  #manage(name: string, domain: Domain, kind: Kind): void {
    if (domain.certificate === 'uploaded') domain.certificate = null
    domain.policy = kind
    this.#start(name, domain)
  }

  #unmanage(domain: Domain): void {
    Object.assign(domain, { policy: null, certificate: null, renews: null, job: null, due: null })
  }

  #start(name: string, domain: Domain): void {
    domain.job = { started: this.now, code: null, retries: null, internals: 0 }
    this.#schedule(domain, this.now + this.delay)
    if (this.delay === 0) this.#attempt(name, domain)
  }

  #attempt(name: string, domain: Domain): void {
    const outcome = this.scripts.get(name)?.shift() ?? this.scripts.get(undefined)?.shift() ?? 'success'
    if (outcome === 'success') {
      domain.certificate = { kind: domain.policy as Kind, issued: this.now }
      domain.renews = this.now + 60 * DAY
      domain.job = null
      this.#schedule(domain, domain.renews)
    } else {
      const job = domain.job as NonNullable<Domain['job']>
      if (outcome === 'INTERNAL_ERROR') job.internals++
      job.code = outcome
      job.retries = this.now + MINUTE * (outcome === 'DNS_ERROR' ? 60 : Math.min(64, 2 ** (job.internals - 1)))
      this.#schedule(domain, job.retries)
    }
  }

  #schedule(domain: Domain, at: number): void {
    domain.due = { at, order: this.#scheduled++ }
  }

  #advance(to: number): 'ok' {
    const dueBy = () => [...this.domains].filter(([, { due }]) => due !== null && due.at <= to)
    for (let due = dueBy(); due.length > 0; due = dueBy()) {
      const rank = ({ due }: Domain) => [due?.at ?? 0, due?.order ?? 0] as const
      due.sort(([, a], [, b]) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])
      const [name, domain] = due[0] as [string, Domain]
      this.now = rank(domain)[0]
      if (domain.job) this.#attempt(name, domain)
      else this.#start(name, domain)
    }
    this.now = to
    return 'ok'
  }
}
