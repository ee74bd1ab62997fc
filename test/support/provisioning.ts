import {
  createGateway,
  type Duration,
  type Gateway,
  type GatewayOptions,
  type ManualClock,
  manualClock,
} from '../../src/index.ts'
import { CLOCK_START } from './clock.ts'

export const RSA = { authority: 'letsencrypt', private_key_type: 'rsa' } as const
export const ECDSA = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
export const DOMAIN = 'app.example.com'

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the time that responses show durations after the clock's start: `timeAfter('30s', '5m')`. */
export function timeAfter(...durations: Exclude<Duration, number>[]): string {
  return addDurations(CLOCK_START, ...durations)
}

/** Returns when an event happens that is due durations after the clock's start: at a whole second. */
export function dueAfter(...durations: Exclude<Duration, number>[]): string {
  return addDurations(Math.ceil(CLOCK_START / 1000) * 1000, ...durations)
}

/** Adds durations to a time, and returns it as responses show it; a `-` in front of one subtracts it. */
export function addDurations(
  start: string | number,
  ...durations: (Exclude<Duration, number> | `-${string}`)[]
): string {
  const ms = durations.reduce((sum, duration) => sum + toMs(duration), new Date(start).getTime())
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

function toMs(duration: string): number {
  const [, sign, count, unit] = /^(-?)(\d+)(\w+)$/.exec(duration) as unknown as [0, string, string, 'ms']
  return Number(sign + count) * UNIT_MS[unit]
}

/** Creates a gateway with a manual clock at {@link CLOCK_START} and the same ids in every run. */
export function openManual(options: Omit<GatewayOptions, 'clock'> = {}): Gateway<ManualClock> {
  return createGateway({ seed: 'test', clock: manualClock(CLOCK_START), ...options })
}

/** Creates a gateway with one managed domain, whose job has just started. */
export function openWithDomain(options: Omit<GatewayOptions, 'clock'> = {}, domain: string = DOMAIN) {
  const gateway = openManual(options)
  const { id } = gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
  return { gateway, id, ...createDomainReaders(gateway, id) }
}

/** Creates a gateway with one managed domain, whose certificate was issued at {@link CLOCK_START}. */
export function openWithCertificate(options: Omit<GatewayOptions, 'clock'> = {}, domain: string = DOMAIN) {
  const it = openWithDomain(options, domain)
  if (it.job()) it.gateway.provisioning.attempt(it.id)
  return { ...it, certificate_id: it.certificate() as string }
}

/** Creates a gateway with a simulated zone and a managed domain, whose first attempt is due after 30 s. */
export function openWithZone(domain: string = DOMAIN) {
  const it = openWithDomain({ dns: 'simulated' }, domain)
  const { dns, clock } = it.gateway
  const { cname_target, acme_challenge_cname_target } = it.domain()
  return {
    ...it,
    dns,
    clock,
    target: String(cname_target),
    challenge: acme_challenge_cname_target as string,
    /** Runs the next attempt. Returns `issued`, or the message of its DNS_ERROR. */
    attempt() {
      const job = it.gateway.provisioning.attempt(it.id).certificate_management_status?.provisioning_job
      if (!job) return 'issued'
      if (job.error_code !== 'DNS_ERROR') throw new Error(`The attempt failed with ${job.error_code}.`)
      return job.msg
    },
  }
}

/** Creates functions that read the present state of a domain. */
export function createDomainReaders(gateway: Gateway, id: string) {
  const domain = () => gateway.reservedDomains.get(id)
  return {
    domain,
    status: () => domain().certificate_management_status,
    job: () => domain().certificate_management_status?.provisioning_job,
    /** The id of the certificate in use. */
    certificate: () => domain().certificate?.id ?? null,
  }
}

/** Lists the ids of all TLS certificates, oldest first. */
export function listCertificateIds(gateway: Gateway): string[] {
  return gateway.tlsCertificates
    .list()
    .tls_certificates.map(({ id }) => id)
    .reverse()
}

/** Advances a clock without calling its gateways, like a clock that is only a number. The clock stays at that time. */
export function advanceUnnoticed(clock: ManualClock, duration: Exclude<Duration, number>): void {
  const value = clock.now + toMs(duration)
  Object.defineProperty(clock, 'now', { value })
}
