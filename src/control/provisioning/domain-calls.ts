import * as v from 'valibot'
import type { Transaction } from '../../core/operation/transaction.ts'
import { requireSync } from '../../core/schema/arguments.ts'
import { documented } from '../../core/schema/documentation.ts'
import { declareErrors, entry, refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { optionsOf, readCallOptions } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import { LATEST_TIME, timestamp } from '../../core/schema/time.ts'
import type { TimelineEntry } from '../../generated/controls.ts'
import type { ReservedDomain } from '../../generated/resources.ts'
import { certificates } from '../../service/provisioning/certificate-records.ts'
import { normalizeName } from '../../service/provisioning/dns.ts'
import { runAttempt, withRenewal } from '../../service/provisioning/management.ts'
import { timelineEntryView } from '../../service/provisioning/timeline.ts'
import { formatTimeline } from '../../service/provisioning/timeline-text.ts'
import { timelineView } from '../../service/provisioning/transitions.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { domainView, shape } from '../../service/resources/reserved-domains/schemas.ts'
import { after, errors as clockErrors, moveTo, moveWithMemory, remember, requireManual } from '../clock-moves.ts'
import { type ControlHost, controlCall, membersOf } from '../control.ts'

export const errors = declareErrors({
  nothing_ahead: entry(90423, 409, 'There is no {what} of {received} to {purpose}: {why}.'),
})

const schema = v.object({ id: documented(v.string(), 'The name or the ID of a reserved domain.') })

const ofDomain = { method: 'POST', from: 'body', schema, response: shape } as const

const moveSchema = v.object({ ...schema.entries, remember })

const renewSchema = v.object({
  ...moveSchema.entries,
  early: v.optional(
    documented(v.boolean(), 'True to start the renewal now, as after a revocation. The clock does not move.'),
    false,
  ),
})

const renewOptions = optionsOf({ early: v.optional(v.unknown()) })

const ADVANCE = 'advance the clock to'

const MOVE_ERRORS = [general.not_found, errors.nothing_ahead, ...Object.values(clockErrors)]

const attempt = controlCall({
  ...ofDomain,
  path: '/provisioning/attempt',
  summary: "Run a domain's next provisioning attempt now",
  commands: [{ name: 'attempt', words: { id: 'DOMAIN' }, example: 'app.example.com' }],
  errors: [general.not_found],
  run: (host, { id }) =>
    host.transact((tx) => {
      const domain = requireDomain(tx, id)
      if (!domain.job) refuse(general.not_found, { what: 'provisioning job of', received: id }, { id: domain.id })
      return domainView(tx, tx.put(domains, runAttempt(tx, domain)))
    }),
  members: (call, host) => ({
    /**
     * Runs the next attempt of a domain's job now instead of when it is due, and returns the domain. The clock does not move.
     * @throws GatewayError `not_found` if the domain or its provisioning job doesn't exist.
     */
    attempt: (domain: string): ReservedDomain => call({ id: domain }),
    /**
     * Waits for the next attempt of a domain's job, and resolves with the domain. A manual clock advances to the attempt immediately. On
     * the system clock, the promise resolves at the time of the attempt. Without a job, the promise resolves immediately.
     * @throws Error if the clock can neither be advanced nor waited on.
     */
    settled: (domain: string): Promise<ReservedDomain> => afterNextAttempt(host, domain),
  }),
})

/** The options for a renewal. */
export interface RenewOptions {
  /** True to start the renewal now, as after a revocation. The clock does not move. */
  readonly early?: boolean
}

const renew = controlCall({
  ...ofDomain,
  path: '/provisioning/renew',
  summary: "Advance to the renewal of a domain's certificate, or start it early",
  commands: [{ name: 'renew', words: { id: 'DOMAIN' }, flags: ['early'], example: 'app.example.com --early' }],
  errors: MOVE_ERRORS,
  schema: renewSchema,
  run: (host, { early, ...sent }) =>
    early ? renewEarly(host, sent.id) : moveDomainTo(host, sent, (_tx, domain) => requireNextRenewal(domain)),
  members: (call) => ({
    /**
     * Advances a manual clock to the renewal of a domain's certificate, and returns the domain with the job that has just started.
     * Everything that falls due until then happens. With `early: true`, the renewal starts now, on any clock. This is as if the certificate
     * had been revoked, or the certificate authority had requested an early renewal (ARI).
     * @throws GatewayError `nothing_ahead` if no renewal is due, `clock_not_manual` on any other clock without `early`.
     */
    renewNow: (domain: string, options: RenewOptions = {}): ReservedDomain =>
      requireSync('renewNow', call({ ...readCallOptions(renewOptions, options), id: domain })),
  }),
})

const expire = controlCall({
  ...ofDomain,
  path: '/provisioning/expire',
  summary: "Advance a manual clock to the expiry of a domain's certificate",
  commands: [{ name: 'expire', words: { id: 'DOMAIN' }, flags: [], example: 'app.example.com' }],
  errors: MOVE_ERRORS,
  schema: moveSchema,
  run: (host, sent) => moveDomainTo(host, sent, requireNextExpiry),
  members: (call) => ({
    /**
     * Advances a manual clock to the first second at which the domain's current certificate has expired, and returns the
     * domain. Everything that falls due until then happens, including a renewal. Call `failAlways` first to keep the
     * certificate in use.
     * @throws GatewayError `nothing_ahead` if no certificate expires, `clock_not_manual` on any other clock.
     */
    expireNow: (domain: string): ReservedDomain => requireSync('expireNow', call({ id: domain })),
  }),
})

const timeline = controlCall({
  method: 'GET',
  path: '/provisioning/timeline',
  summary: 'List the provisioning transitions of a domain',
  from: 'query',
  schema,
  errors: [general.not_found],
  response: v.array(timelineEntryView),
  run: (host, sent) => host.transact((tx) => timelineView(tx, requireDomain(tx, sent.id).timeline)),
  members: (call) => ({
    /** Returns the last 100 provisioning transitions of a domain, oldest first. */
    timeline: (domain: string): readonly TimelineEntry[] => call({ id: domain }),
    /** Returns the timeline as readable text, one line per transition. */
    printTimeline: (domain: string): string => formatTimeline(call({ id: domain })),
  }),
})

export const domainCalls = [attempt, renew, expire, timeline] as const
const members = /* @__PURE__ */ membersOf(domainCalls)

/** The members that take a domain. */
export interface DomainMembers extends NonNullable<typeof members> {}

/** Advances the clock to an event of a domain, and returns the domain. */
function moveDomainTo(
  host: ControlHost,
  { id, remember }: v.InferOutput<typeof moveSchema>,
  eventTime: (tx: Transaction, domain: DomainRecord) => number,
) {
  const clock = requireManual(host.clock)
  const at = host.transact((tx) => eventTime(tx, requireDomain(tx, id)))
  const moved = moveWithMemory(host, remember, () => moveTo(host, clock, at))
  return after(moved, () => host.transact((tx) => domainView(tx, requireDomain(tx, id))))
}

/** Starts the renewal of a domain's certificate now, and returns the domain (rules: provisioning-jobs#early-renewal). */
function renewEarly(host: ControlHost, id: string): ReservedDomain {
  return host.transact((tx) => {
    const domain = requireDomain(tx, id)
    requireNextRenewal(domain, 'start early')
    return domainView(tx, tx.put(domains, withRenewal(tx, domain)))
  })
}

/** Returns the domain with this name or ID, or throws an error. A name cannot be an ID, because names contain no `_`. */
export function requireDomain(tx: Transaction, nameOrId: string): DomainRecord {
  const found = tx.get(domains, nameOrId) ?? tx.find(domains, 'domain', normalizeName(nameOrId))
  return found ?? refuse(general.not_found, { what: 'reserved domain with the name or ID', received: quote(nameOrId) })
}

/** Returns when the next renewal is due, in ms. Rejects if no renewal is due (rules: time#single-events). */
function requireNextRenewal({ id, policy, job, due }: DomainRecord, purpose = ADVANCE): number {
  const refuseAs = (why: string) =>
    refuse(errors.nothing_ahead, { what: 'renewal', received: id, purpose, why }, { id })
  if (!policy) return refuseAs('it has no certificate management policy')
  if (job) return refuseAs('its provisioning job is still running, and only issued certificates are renewed')
  return due?.at ?? refuseAs('it would be due after the year 9999')
}

/** Returns when a domain's certificate has expired, rounded up to a second, in ms. Rejects if this time isn't in the future. */
function requireNextExpiry(tx: Transaction, { id, certificate_id }: DomainRecord): number {
  const refuseAs = (why: string) =>
    refuse(errors.nothing_ahead, { what: 'expiry', received: id, purpose: ADVANCE, why }, { id })
  const certificate = certificate_id === null ? undefined : tx.get(certificates, certificate_id)
  if (!certificate) return refuseAs('it uses no certificate')
  const { not_after } = certificate.upload ? certificate.upload.leaf : certificate.order
  // A certificate is valid through the second of its `notAfter` (RFC 5280, 4.1.2.5).
  const at = (Math.floor(not_after / 1000) + 1) * 1000
  if (at <= tx.now) return refuseAs(`its certificate has been expired since ${timestamp(at)}`)
  return at <= LATEST_TIME ? at : refuseAs('its certificate expires after the year 9999')
}

async function afterNextAttempt(host: ControlHost, id: string): Promise<ReservedDomain> {
  if (typeof id !== 'string') {
    refuse(general.field_invalid, {
      field: 'id',
      received: quote(id),
      allowed: 'the name or the ID of a reserved domain',
    })
  }
  const read = () => host.transact((tx) => requireDomain(tx, id))
  const { job, due } = read()
  if (job && due) {
    if (!host.clock.waitUntil && host.engine.now < due.at) throw new Error(cannotWait(due.at))
    while (host.engine.now < due.at) await host.clock.waitUntil?.(due.at)
  }
  const domain = host.transact((tx) => domainView(tx, requireDomain(tx, id)))
  await host.flushed()
  return domain
}

function cannotWait(at: number): string {
  return `The next attempt is due at ${timestamp(at)}, but it is not possible to wait on this clock. Advance it to that time and try again.`
}
