import * as v from 'valibot'
import { isManual, readClock } from '../core/engine/clock.ts'
import type { ManualClock } from '../core/engine/manual-clock.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { oneOfThese, optionsOf, readOptions, textOption } from '../core/schema/options.ts'
import { isObject } from '../core/schema/values.ts'
import type { Gateway } from '../gateway/types.ts'
import type { ReservedDomain } from '../generated/resources.ts'
import { type Outcome, PROVISIONING_ERRORS, type ProvisioningError } from '../service/provisioning/outcomes.ts'
import type { RouteIds } from '../service/resources/route-module.ts'
import { certificatePair, type Pair } from './certificates.ts'
import { jobOf, requireGateway } from './matched-domain.ts'

type Certificate = ReturnType<Gateway['tlsCertificates']['get']>
type WeightedBackend = ReturnType<Gateway['weightedBackends']['get']>
type CircuitBreaker = ReturnType<Gateway['circuitBreaker']['get']>

/** The domain that a builder reserves. */
export interface DomainOptions {
  /** The name to reserve. Default: `app.example.com`. */
  readonly domain?: string
}

/** The domain that a builder reserves, and the error that the domain's attempts fail with. */
export interface FailingOptions extends DomainOptions {
  /** The error of each attempt. Default: `DNS_ERROR`. */
  readonly error?: ProvisioningError
}

const DAY = 86_400_000
const WEEK = 7 * DAY

const domain = /* @__PURE__ */ v.optional(textOption, 'app.example.com')
const domainOptions = optionsOf({ domain })
const failingOptions = optionsOf({ domain, error: v.optional(oneOfThese(PROVISIONING_ERRORS), 'DNS_ERROR') })
const rolloutOptions = optionsOf({
  weights: v.optional(
    v.custom<Readonly<Record<string, number>>>(isObject, 'an object with IDs as keys and weights as values'),
    {
      bkdhr_stable: 90,
      bkdhr_canary: 10,
    },
  ),
})

const routeIds = optionsOf({ edge_id: textOption, id: textOption }, 'an object with edge_id and id')

/** A reserved domain and its certificate. */
export interface DomainWithCertificate {
  /** The domain, already using the certificate. */
  readonly domain: ReservedDomain
  /** Its certificate. */
  readonly certificate: Certificate
}

/**
 * Reserves a domain with a newly issued automatic certificate, without advancing the clock.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { issuedDomain } from 'fauxgate/testing'
 * const { domain, certificate } = issuedDomain(createNgrok())
 * console.log(certificate.subject_common_name === domain.domain) // true
 * ```
 * @throws GatewayError if the API rejects the domain. All builders throw it.
 */
export function issuedDomain(gateway: Gateway, options: DomainOptions = {}): DomainWithCertificate {
  requireGateway('issuedDomain received', gateway)
  const { domain } = readOptions(domainOptions, options)
  return withCertificate(gateway, reserveAndAttempt(gateway, domain, 'success'))
}

/**
 * Reserves a domain whose first provisioning attempt has just failed, by default with `DNS_ERROR`. The next attempt has
 * no scripted outcome. To make all attempts fail, use `gateway.provisioning.failAlways`.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { failedDomain } from 'fauxgate/testing'
 * const domain = failedDomain(createNgrok(), { error: 'DNS_ERROR' })
 * console.log(domain.certificate_management_status?.provisioning_job?.error_code) // DNS_ERROR
 * ```
 */
export function failedDomain(gateway: Gateway, options: FailingOptions = {}): ReservedDomain {
  requireGateway('failedDomain received', gateway)
  const { domain, error } = readOptions(failingOptions, options)
  return reserveAndAttempt(gateway, domain, error)
}

/**
 * Reserves a domain whose renewal keeps failing, by default with `DNS_ERROR`, and whose certificate expires in a week. Advances the clock,
 * usually by 83 days. `gateway.provisioning.clear({ domain })` lets the renewal succeed.
 *
 * @example
 * ```ts
 * import { manualClock } from 'fauxgate'
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { expiringDomain } from 'fauxgate/testing'
 * const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
 * const { certificate } = expiringDomain(gateway)
 * console.log((Date.parse(certificate.not_after) - gateway.clock.now) / 86_400_000) // 7
 * ```
 */
export function expiringDomain(gateway: Gateway<ManualClock>, options: FailingOptions = {}): DomainWithCertificate {
  requireGateway('expiringDomain received', gateway)
  if (!isManual(gateway.clock)) {
    throw atCaller(
      new TypeError(
        'expiringDomain received a gateway whose clock it cannot advance. Allowed: a gateway with a manualClock().',
      ),
    )
  }
  const { domain: name, error } = readOptions(failingOptions, options)
  const { domain, certificate } = issuedDomain(gateway, { domain: name })
  gateway.provisioning.failAlways(error, { domain: domain.domain })
  gateway.clock.advanceTo(Date.parse(certificate.not_after) - WEEK)
  return withCertificate(gateway, gateway.reservedDomains.get(domain.id))
}

/**
 * Reserves a domain with an uploaded certificate that is valid for about a year, starting a day before the gateway's time.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { uploadedDomain } from 'fauxgate/testing'
 * const { domain, certificate } = uploadedDomain(createNgrok())
 * console.log(domain.certificate?.id === certificate.id) // true
 * ```
 */
export function uploadedDomain(
  gateway: Gateway,
  options: DomainOptions = {},
): DomainWithCertificate & { readonly pair: Pair } {
  requireGateway('uploadedDomain received', gateway)
  const { domain } = readOptions(domainOptions, options)
  const now = readClock(gateway.clock)
  // If a certificate cannot contain the domain, the API rejects the domain with its own error.
  const names = /^[!-~]{1,253}$/.test(domain) ? [domain] : undefined
  const pair = certificatePair({ names, notBefore: now - DAY, notAfter: now + 365 * DAY })
  return allOrNothing(gateway, ({ reservedDomains, tlsCertificates }) => {
    const certificate = tlsCertificates.create(pair)
    return { domain: reservedDomains.create({ domain, certificate_id: certificate.id }), certificate, pair }
  })
}

/** The child backends of a weighted rollout, and their weights. */
export interface RolloutOptions {
  /** Weights by child backend ID. Default: `{ bkdhr_stable: 90, bkdhr_canary: 10 }`. */
  readonly weights?: Readonly<Record<string, number>>
}

/**
 * Declares the child backends of a rollout, and creates the weighted backend that splits traffic among them.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { weightedRollout } from 'fauxgate/testing'
 * const gateway = createNgrok({ references: 'declared' })
 * console.log(weightedRollout(gateway, { weights: { bkdhr_old: 95, bkdhr_new: 5 } }).backends.bkdhr_new) // 5
 * ```
 */
export function weightedRollout(gateway: Gateway, options: RolloutOptions = {}): WeightedBackend {
  requireGateway('weightedRollout received', gateway)
  const { weights } = readOptions(rolloutOptions, options)
  for (const id of Object.keys(weights)) gateway.declare.backend(id)
  return gateway.weightedBackends.create({ backends: weights })
}

/**
 * Declares an edge with a route whose circuit breaker trips on the first failed request and stays open for ten seconds.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { trippingRoute } from 'fauxgate/testing'
 * const { route, circuitBreaker } = trippingRoute(createNgrok({ references: 'declared' }))
 * console.log(route.id, circuitBreaker.volume_threshold) // edghtsrt_1 1
 * ```
 */
export function trippingRoute(
  gateway: Gateway,
  route: RouteIds = { edge_id: 'edghts_1', id: 'edghtsrt_1' },
): { readonly route: RouteIds; readonly circuitBreaker: CircuitBreaker } {
  requireGateway('trippingRoute received', gateway)
  readOptions(routeIds, route, { whole: 'route' })
  gateway.declare.edge(route.edge_id, { routes: [route.id] })
  const circuitBreaker = gateway.circuitBreaker.replace(route, {
    tripped_duration: 10,
    rolling_window: 10,
    num_buckets: 1,
    volume_threshold: 1,
    error_threshold_percentage: 0.01,
  })
  return { route, circuitBreaker }
}

/** Reserves a managed domain, and runs its first attempt with this outcome. */
function reserveAndAttempt(gateway: Gateway, domain: string, outcome: Outcome): ReservedDomain {
  const { provisioning, dialect } = gateway
  const isScripted = provisioning.pendingOutcomes().some((each) => each.domain === domain.toLowerCase())
  if (isScripted)
    throw atCaller(
      new Error(`Outcomes for ${domain} are already pending. Call this function before you script outcomes.`),
    )
  return allOrNothing(gateway, ({ reservedDomains }) => {
    provisioning.script([outcome], { domain })
    const policy = { authority: dialect.authority }
    const created = reservedDomains.create({ domain, certificate_management_policy: policy })
    // With `provisioningDelay: 0`, the attempt has already run.
    return jobOf(created)?.error_code === null ? provisioning.attempt(created.id) : created
  })
}

/**
 * Makes several calls. If one is rejected, the previous state is restored, except for faults with a predicate, because snapshots do not
 * contain them.
 */
function allOrNothing<T>(gateway: Gateway, calls: (gateway: Gateway) => T): T {
  const before = gateway.snapshot()
  try {
    return calls(gateway)
  } catch (error) {
    gateway.restore(before)
    throw error
  }
}

function withCertificate({ tlsCertificates }: Gateway, domain: ReservedDomain): DomainWithCertificate {
  const { id } = domain.certificate as { id: string } // Every caller passes a domain with a certificate.
  return { domain, certificate: tlsCertificates.get(id) }
}
