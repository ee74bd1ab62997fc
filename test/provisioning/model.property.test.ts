import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { refusalOf } from '../support/client.ts'
import { upload } from '../support/pem.ts'
import { NEW_YEAR, openManual } from '../support/provisioning.ts'
import { type Command, type Kind, Model } from './model.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const AUTHORITY = 'letsencrypt'
const NOBODY = 'rd_000000000000000000000000000'

const name = fc.constantFrom('a.example.com', 'b.example.com', '*.c.example.com')
const kind = fc.constantFrom<Kind[]>('rsa', 'ecdsa')
const outcome = fc.constantFrom('success' as const, 'INTERNAL_ERROR' as const, 'DNS_ERROR' as const)
const ms = fc.oneof(
  fc.constantFrom(0, 1, 29_999, 30_000, MINUTE, 60 * MINUTE, 30 * DAY, 60 * DAY),
  fc.nat(5 * MINUTE),
  fc.nat(5 * DAY),
  fc.nat(100 * DAY),
)
const tls = fc.constantFrom<('rsa' | 'ecdsa' | 'upload' | null)[]>('rsa', 'ecdsa', 'upload', null)
const outcomes = fc.array(outcome, { maxLength: 4 })
const plain = fc.constantFrom(
  'upload' as const,
  'detach certificate' as const,
  'detach policy' as const,
  'delete' as const,
)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ call: fc.constant('create' as const), name, tls }) },
  { weight: 3, arbitrary: fc.record({ call: fc.constant('policy' as const), name, kind }) },
  { weight: 3, arbitrary: fc.record({ call: plain, name }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('attempt' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ call: fc.constant('script' as const), name: fc.option(name, { nil: undefined }), outcomes }),
  },
  { weight: 6, arbitrary: fc.record({ call: fc.constant('advance' as const), ms }) },
)

/** The gateway under test, called by the names of the model. */
class Subject {
  readonly ids = new Map<string, string>()
  readonly gateway: Gateway<ManualClock>
  readonly uploaded: string

  constructor(provisioningDelay: number) {
    this.gateway = openManual({ provisioningDelay })
    this.uploaded = this.gateway.tlsCertificates.create(upload()).id
  }

  perform(command: Command): string {
    return refusalOf(() => this.#run(command))
  }

  #run(command: Command): unknown {
    const { reservedDomains, provisioning, clock } = this.gateway
    if (command.call === 'advance') return clock.advance(command.ms)
    if (command.call === 'script') {
      return provisioning.script(command.outcomes, command.name === undefined ? {} : { domain: command.name })
    }
    if (command.call === 'create') {
      const { id } = reservedDomains.create({ domain: command.name, ...this.#tls(command.tls) })
      return this.ids.set(command.name, id)
    }
    const id = this.ids.get(command.name) ?? NOBODY
    switch (command.call) {
      case 'policy':
        return reservedDomains.update(id, this.#tls(command.kind))
      case 'upload':
        return reservedDomains.update(id, this.#tls('upload'))
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

  #tls(tls: Kind | 'upload' | null) {
    if (tls === null) return {}
    if (tls === 'upload') return { certificate_id: this.uploaded }
    return { certificate_management_policy: { authority: AUTHORITY, private_key_type: tls } }
  }

  /** Every domain as clients see it, by name. */
  seen() {
    return byName(
      this.gateway.reservedDomains.list().reserved_domains.map((domain) => {
        const { certificate, certificate_management_policy: policy, certificate_management_status: status } = domain
        const used = certificate && this.gateway.tlsCertificates.get(certificate.id)
        const job = status?.provisioning_job
        return {
          name: domain.domain,
          policy: policy?.private_key_type ?? null,
          certificate:
            used && (used.id === this.uploaded ? 'uploaded' : { kind: used.private_key_type, issued: used.issued_at }),
          renews: status?.renews_at ?? null,
          job: job ? { code: job.error_code, started: job.started_at, retries: job.retries_at } : null,
        }
      }),
    )
  }

  /** Checks that each automatic certificate is in use by exactly one domain, and that there are no others. */
  expectNoOrphans(): void {
    const all = this.gateway.tlsCertificates.list().tls_certificates.map(({ id }) => id)
    const used = this.gateway.reservedDomains
      .list()
      .reserved_domains.flatMap(({ certificate }) => certificate?.id ?? [])
    const automatic = used.filter((id) => id !== this.uploaded)
    expect([...automatic, this.uploaded].sort()).toEqual(all.sort())
  }
}

/** Every domain as the model has it, by name. */
function expected(model: Model) {
  const shown = (time: number) => new Date(time).toISOString().replace(/\.\d+Z/, 'Z')
  const shownOrNull = (time: number | null) => (time === null ? null : shown(time))
  return byName(
    [...model.domains].map(([name, { policy, certificate, renews, job }]) => ({
      name,
      policy,
      certificate:
        certificate === null || certificate === 'uploaded'
          ? certificate
          : { kind: certificate.kind, issued: shown(certificate.issued) },
      renews: shownOrNull(renews),
      job: job && { code: job.code, started: shown(job.started), retries: shownOrNull(job.retries) },
    })),
  )
}

function byName<T extends { name: string }>(domains: T[]): T[] {
  return domains.sort((a, b) => (a.name < b.name ? -1 : 1))
}

describe('Domains and their certificates do what decisions.md says, call by call', () => {
  test.each([30_000, 0])('with a provisioning delay of %i ms, and leave no orphans', { timeout: 30_000 }, (delay) => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 60 }), (commands) => {
        const model = new Model(Date.parse(NEW_YEAR), delay)
        const subject = new Subject(delay)
        for (const command of commands) {
          expect(subject.perform(command)).toBe(model.perform(command))
          expect(subject.seen()).toEqual(expected(model))
          subject.expectNoOrphans()
        }
        for (const name of subject.ids.keys()) subject.perform({ call: 'delete', name })
        expect(subject.gateway.clock.advanceToNext()).toBe(false)
        subject.expectNoOrphans()
      }),
      { seed: 20_260_101, numRuns: 250 },
    )
  })
})
