import { circuitBreaker } from './circuit-breaker.ts'
import { compression } from './compression.ts'
import { reservedAddrs } from './reserved-addrs.ts'
import { reservedDomains } from './reserved-domains/reserved-domains.ts'
import { tlsCertificates } from './tls-certificates.ts'
import { trafficPolicy } from './traffic-policy.ts'
import { webhookVerification } from './webhook-verification.ts'
import { weightedBackends } from './weighted-backends.ts'

/**
 * The table of all resource families. Each family is a property of the direct API, and each of its operations is a route in the HTTP
 * handler.
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

/** The name of an operation in a table of families, such as `reserved_domains.create` for `reservedDomains.create`. */
export type NameIn<Families extends Record<string, { operations: object }>> = {
  [Family in keyof Families &
    string]: `${SnakeCase<Family>}.${SnakeCase<keyof Families[Family]['operations'] & string>}`
}[keyof Families & string]

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Text

/** The key of an error in a table of families. */
export type ErrorKeyIn<F extends Readonly<Record<string, { readonly errors: object }>>> = {
  [Name in keyof F]: keyof F[Name]['errors']
}[keyof F] &
  string
