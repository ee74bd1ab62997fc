import { circuitBreaker } from './circuit-breaker.ts'
import { compression } from './compression.ts'
import { reservedAddrs } from './reserved-addrs.ts'
import { reservedDomains } from './reserved-domains.ts'
import { tlsCertificates } from './tls-certificates.ts'
import { trafficPolicy } from './traffic-policy.ts'
import { webhookVerification } from './webhook-verification.ts'
import { weightedBackends } from './weighted-backends.ts'

/**
 * The table of all resource families. The direct API has one property for each, the HTTP handler one route for each
 * of their operations.
 */
export const families = {
  reservedAddrs,
  reservedDomains,
  weightedBackends,
  tlsCertificates,
  webhookVerification,
  trafficPolicy,
  circuitBreaker,
  compression,
}
