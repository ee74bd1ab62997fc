import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../../src/index.ts'
import { refusalKey } from '../../support/client.ts'
import { upload } from '../../support/pem.ts'
import { check, limitCases } from '../../support/property.ts'
import { type Command, type Failure, formatTime, type Kind, Model, type Times } from './model.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const AUTHORITY = 'letsencrypt'
const UNKNOWN_ID = 'rd_000000000000000000000000000'
const CERTIFICATE = /cert_[0-9A-Za-z]{27}/

const name = fc.constantFrom('a.example.com', 'b.example.com', '*.c.example.com')
const anyOrName = fc.option(name, { nil: undefined })
const kind = fc.constantFrom<Kind[]>('rsa', 'ecdsa')
const error = fc.constantFrom<Failure[]>('INTERNAL_ERROR', 'DNS_ERROR')
const outcome = fc.constantFrom('success' as const, 'INTERNAL_ERROR' as const, 'DNS_ERROR' as const)
const ms = fc.oneof(
  fc.constantFrom(0, 1, 29_999, 30_000, MINUTE, HOUR, 30 * DAY, 60 * DAY),
  fc.nat(5 * MINUTE),
  fc.nat(5 * DAY),
  fc.nat(100 * DAY),
)
const tls = fc.constantFrom<('rsa' | 'ecdsa' | 'upload' | null)[]>('rsa', 'ecdsa', 'upload', null)
const outcomes = fc.array(outcome, { maxLength: 4 })
const callWithName = fc.constantFrom(
  'upload' as const,
  'detach certificate' as const,
  'detach policy' as const,
  'delete' as const,
)
const literal = <T extends string>(call: T) => fc.constant(call)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ call: literal('create'), name, tls }) },
  { weight: 3, arbitrary: fc.record({ call: literal('policy'), name, kind }) },
  { weight: 3, arbitrary: fc.record({ call: callWithName, name }) },
  { weight: 2, arbitrary: fc.record({ call: literal('attempt'), name }) },
  { weight: 2, arbitrary: fc.record({ call: literal('script'), name: anyOrName, outcomes }) },
  {
    weight: 1,
    arbitrary: fc.record({ call: literal('failNext'), name: anyOrName, error, times: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ call: literal('failAlways'), name: anyOrName, error }) },
  { weight: 1, arbitrary: fc.record({ call: literal('clear'), name: anyOrName }) },
  { weight: 6, arbitrary: fc.record({ call: literal('advance'), ms }) },
)

/** Delays of all kinds that are long enough not to cause millions of events in a year. */
const times: fc.Arbitrary<Times> = fc
  .record({
    delay: fc.oneof(fc.constantFrom(0, 30_000, 1, 250, 999, 1000), fc.nat(2 * HOUR)),
    life: fc.oneof(fc.constant(60 * DAY), fc.integer({ min: DAY, max: 400 * DAY })),
    lead: fc.oneof(fc.constant(30 * DAY), fc.constant(0), fc.nat(30 * DAY)),
    first: fc.oneof(fc.constant(MINUTE), fc.integer({ min: SECOND, max: 4 * HOUR })),
    most: fc.oneof(fc.constant(64 * MINUTE), fc.integer({ min: 4 * HOUR, max: 8 * HOUR })),
    dnsRetry: fc.oneof(fc.constant(HOUR), fc.integer({ min: HOUR, max: 9 * HOUR })),
  })
  .map(({ delay, life, lead, first, most, dnsRetry }) => ({
    delay,
    validity: life + lead,
    lead,
    backoff: { first: Math.min(first, most), most },
    dnsRetry,
  }))

/** A start time, at a whole second in half of all cases. */
const start = fc.oneof(fc.constant(0), fc.nat(999)).map((part) => Date.UTC(2026, 0, 1) + part)

/** Returns options for a domain, with its name in another spelling; none for any domain. */
function createTarget(name: string | undefined): { domain?: string } {
  if (name === undefined) return {}
  return { domain: name.startsWith('a') ? name : `${name.toUpperCase()}.` }
}

/** The gateway under test, with the calls of the model. */
class Subject {
  readonly ids = new Map<string, string>()
  readonly gateway: Gateway<ManualClock>
  readonly uploaded: string

  constructor(now: number, { delay, validity, lead, backoff, dnsRetry }: Times) {
    this.gateway = createGateway({
      seed: 'model',
      clock: manualClock(now),
      provisioningDelay: delay,
      certificates: { validity, renewalLead: lead },
      internalErrorBackoff: backoff,
      dnsErrorRetry: dnsRetry,
    })
    this.uploaded = this.gateway.tlsCertificates.create(upload()).id
  }

  perform(command: Command): string {
    return refusalKey(() => this.#run(command))
  }

  #run(command: Command): unknown {
    const { reservedDomains, provisioning, clock } = this.gateway
    switch (command.call) {
      case 'advance':
        return clock.advance(command.ms)
      case 'script':
        return provisioning.script(command.outcomes, createTarget(command.name))
      case 'failNext':
        return provisioning.failNext(command.error, { ...createTarget(command.name), times: command.times })
      case 'failAlways':
        return provisioning.failAlways(command.error, createTarget(command.name))
      case 'clear':
        return provisioning.clear(createTarget(command.name))
      case 'create': {
        const { id } = reservedDomains.create({ domain: command.name, ...this.#createTls(command.tls) })
        return this.ids.set(command.name, id)
      }
    }
    const id = this.ids.get(command.name) ?? UNKNOWN_ID
    switch (command.call) {
      case 'policy':
        return reservedDomains.update(id, this.#createTls(command.kind))
      case 'upload':
        return reservedDomains.update(id, this.#createTls('upload'))
      case 'detach certificate':
        return reservedDomains.detachCertificate(id)
      case 'detach policy':
        return reservedDomains.detachCertificateManagementPolicy(id)
      case 'delete':
        reservedDomains.delete(id)
        return this.ids.delete(command.name)
      case 'attempt':
        return provisioning.attempt(id)
    }
  }

  #createTls(tls: Kind | 'upload' | null) {
    if (tls === null) return {}
    if (tls === 'upload') return { certificate_id: this.uploaded }
    return { certificate_management_policy: { authority: AUTHORITY, private_key_type: tls } }
  }

  /** Returns every domain by name, with facts from responses, and the pending outcomes. */
  readState() {
    const domains = this.gateway.reservedDomains.list().reserved_domains.map((domain) => {
      const { certificate, certificate_management_policy: policy, certificate_management_status: status } = domain
      return {
        name: domain.domain,
        policy: policy?.private_key_type ?? null,
        certificate: certificate && this.#readCertificate(certificate.id),
        renews: status?.renews_at ?? null,
        job: status?.provisioning_job ?? null,
        timeline: this.gateway.provisioning
          .timeline(domain.id)
          .map(({ at, transition, outcome, message }) => [
            at,
            transition,
            outcome,
            message.replace(CERTIFICATE, 'CERTIFICATE'),
          ]),
      }
    })
    return { domains: sortByName(domains), pending: this.gateway.provisioning.pendingOutcomes() }
  }

  #readCertificate(id: string) {
    const { private_key_type: kind, issued_at, not_before, not_after } = this.gateway.tlsCertificates.get(id)
    return id === this.uploaded ? 'uploaded' : { kind, issued_at, not_before, not_after }
  }

  /** Checks that each automatic certificate is in use by exactly one domain, and that there are no others. */
  expectNoOrphans(): void {
    const allIds = this.gateway.tlsCertificates.list().tls_certificates.map(({ id }) => id)
    const usedIds = this.gateway.reservedDomains
      .list()
      .reserved_domains.flatMap(({ certificate }) => certificate?.id ?? [])
    const automaticIds = usedIds.filter((id) => id !== this.uploaded)
    expect([...automaticIds, this.uploaded].sort()).toEqual(allIds.sort())
  }
}

/** Returns the same facts from the model. */
function readModelState(model: Model) {
  const formatTimeOrNull = (time: number | null) => (time === null ? null : formatTime(time))
  const domains = [...model.domains].map(([name, { policy, certificate, renews, job, timeline }]) => ({
    name,
    policy,
    certificate:
      certificate === null || certificate === 'uploaded'
        ? certificate
        : {
            kind: certificate.kind,
            issued_at: formatTime(certificate.issued),
            not_before: formatTime(certificate.issued),
            not_after: formatTime(certificate.ends),
          },
    renews: formatTimeOrNull(renews),
    job: job && {
      error_code: job.code,
      msg: job.msg,
      started_at: formatTime(job.started),
      retries_at: formatTimeOrNull(job.retries),
    },
    timeline,
  }))
  return { domains: sortByName(domains), pending: model.pending }
}

function sortByName<T extends { name: string }>(domains: T[]): T[] {
  return domains.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const DEFAULT_TIMES: Omit<Times, 'delay'> = {
  validity: 90 * DAY,
  lead: 30 * DAY,
  backoff: { first: MINUTE, most: 64 * MINUTE },
  dnsRetry: HOUR,
}

describe('Domains, their certificates and their timelines do what their rules say, call by call (rules: provisioning-jobs#state, provisioning-jobs#start, provisioning-jobs#success, provisioning-jobs#failure, provisioning-jobs#renewal, provisioning-jobs#cancelled, provisioning-jobs#outcomes, domain-certificates#one-or-the-other, domain-certificates#same-policy)', () => {
  test.each<[string, fc.Arbitrary<Times>]>([
    ['with the default times', fc.constant({ ...DEFAULT_TIMES, delay: 30_000 })],
    ['with attempts in the call itself', fc.constant({ ...DEFAULT_TIMES, delay: 0 })],
    ['with any other delays, validities, leads and backoffs', times],
  ])('%s, from any millisecond on, and leave no orphans', (_what, anyTimes) => {
    check(
      fc.property(start, anyTimes, fc.array(command, { minLength: 1, maxLength: 40 }), (now, options, commands) => {
        const model = new Model(now, options)
        const subject = new Subject(now, options)
        for (const command of commands) {
          expect(subject.perform(command)).toBe(model.perform(command))
          expect(subject.readState()).toEqual(readModelState(model))
          subject.expectNoOrphans()
        }
        for (const name of subject.ids.keys()) subject.perform({ call: 'delete', name })
        expect(subject.gateway.clock.advanceToNext()).toBe(false)
        subject.expectNoOrphans()
      }),
      { numRuns: limitCases(100) },
    )
  })
})
