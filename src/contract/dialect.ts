import type { Region } from './regions.ts'

/**
 * What differs between services that follow this API, as data (rules: dialects#data).
 * Two ship, {@link standard} and {@link ngrok}; pass an object of your own to emulate another service.
 *
 * @example
 * ```ts
 * import { createGateway, standard } from 'fauxgate'
 * const gateway = createGateway({ dialect: { ...standard, name: 'acme', errorPrefix: 'ERR_ACME_' } })
 * ```
 */
export interface Dialect {
  /** How people call this dialect. Nothing decides by it. */
  readonly name: string
  /** The base URL of every URI in a response, without a trailing slash. */
  readonly baseUrl: string
  /** The request header that carries the API version. */
  readonly versionHeader: string
  /** The response header that carries the operation id. */
  readonly operationIdHeader: string
  /** What stands before the number in an error's `error_code`. */
  readonly errorPrefix: string
  /** The one certificate authority that a certificate management policy can name. */
  readonly authority: string
  /** `private_key_type` of a policy that names none. */
  readonly defaultPrivateKeyType: 'rsa' | 'ecdsa'
  /** Domains that the service owns, with everything below them. */
  readonly serviceDomains: readonly string[]
  /** Every CNAME target ends with this name. */
  readonly cnameTargetBase: string
  /** The host of a reserved address: `{n}` is a number, `{region}` the region. */
  readonly addressHost: { readonly us: string; readonly elsewhere: string }
  /** What a reserved domain's `region` shows: the region that was set (else null), or always this text. */
  readonly domainRegion: 'as set' | { readonly always: string }
  /**
   * Whether a custom domain that is created with neither a certificate nor a policy gets a policy all the same: that of
   * the dialect's authority and default key type.
   */
  readonly policyByDefault: boolean
  /**
   * Body fields that the API reference does not have and this service does, by operation (`reserved_domains.update`):
   * `endpoint_configuration_id` of `reserved_addrs.create`; `http_endpoint_configuration_id`,
   * `https_endpoint_configuration_id` and `resolves_to` of `reserved_domains.create`; `resolves_to` and `domain` (which
   * cannot be changed) of `reserved_domains.update`.
   */
  readonly extraFields: Readonly<Record<string, readonly string[]>>
  /** Body fields that are accepted and have no effect, by operation or by group of operations (`reserved_domains`). */
  readonly ignoredFields: Readonly<Record<string, readonly string[]>>
  /** Other names of body fields, by group of operations, as `{ alias: field }`. */
  readonly fieldAliases: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * Aliases, by group of operations, whose text may be a bare label, without a dot: it stands for the name that it makes
   * below the first of the service's domains.
   */
  readonly labelAliases: Readonly<Record<string, readonly string[]>>
  /** Other names of query parameters, as `{ alias: parameter }`. */
  readonly queryAliases: Readonly<Record<string, string>>
  /** The key under which the body of a module's PUT may be wrapped beside `edge_id` and `id`, or null for never. */
  readonly moduleEnvelope: string | null
  /** HTTP statuses that differ from the error catalogue's, by the error's key. */
  readonly errorStatuses: Readonly<Partial<Record<string, number>>>
}

/** The dialect with neutral names, and the default (rules: dialects#standard). */
export const standard: Dialect = {
  name: 'standard',
  baseUrl: 'https://api.gateway.test',
  versionHeader: 'Service-Version',
  operationIdHeader: 'Service-Operation-Id',
  errorPrefix: 'ERR_GATEWAY_',
  authority: 'letsencrypt',
  defaultPrivateKeyType: 'rsa',
  serviceDomains: ['gateway.test'],
  cnameTargetBase: 'cname.gateway.test',
  addressHost: { us: '{n}.tcp.gateway.test', elsewhere: '{n}.tcp.{region}.gateway.test' },
  domainRegion: 'as set',
  policyByDefault: false,
  extraFields: {},
  ignoredFields: {},
  fieldAliases: {},
  labelAliases: {},
  queryAliases: {},
  moduleEnvelope: null,
  errorStatuses: {},
}

/** ngrok's REST API, version 2: its official clients work against a gateway with this dialect. */
export const ngrok: Dialect = {
  name: 'ngrok',
  baseUrl: 'https://api.ngrok.com',
  versionHeader: 'Ngrok-Version',
  operationIdHeader: 'Ngrok-Operation-Id',
  errorPrefix: 'ERR_NGROK_',
  authority: 'letsencrypt',
  defaultPrivateKeyType: 'ecdsa',
  serviceDomains: [
    'ngrok.io',
    'ngrok.app',
    'ngrok.dev',
    'ngrok-free.app',
    'ngrok-free.dev',
    'ngrok.pizza',
    'ngrok-free.pizza',
  ],
  cnameTargetBase: 'ngrok-cname.com',
  addressHost: { us: '{n}.tcp.ngrok.io', elsewhere: '{n}.tcp.{region}.ngrok.io' },
  domainRegion: { always: '' },
  policyByDefault: true,
  extraFields: {
    'reserved_addrs.create': ['endpoint_configuration_id'],
    'reserved_domains.create': ['http_endpoint_configuration_id', 'https_endpoint_configuration_id', 'resolves_to'],
    'reserved_domains.update': ['resolves_to', 'domain'],
  },
  ignoredFields: { reserved_domains: ['error_redirect_url'], 'reserved_domains.update': ['region'] },
  fieldAliases: { reserved_domains: { name: 'domain' } },
  labelAliases: { reserved_domains: ['name'] },
  queryAliases: { beforeId: 'before_id' },
  moduleEnvelope: 'module',
  errorStatuses: { auth_missing: 403, auth_unparsable: 403, auth_invalid: 403, domain_taken: 400 },
}

/** The host of the reserved address with number `n` in a region. */
export function addressHost(dialect: Dialect, n: number, region: Region): string {
  const template = region === 'us' ? dialect.addressHost.us : dialect.addressHost.elsewhere
  return template.replace('{n}', String(n)).replace('{region}', region)
}

/** Whether a domain name (lower case) is one that the service owns or lies below one. */
export function isServiceDomain(dialect: Dialect, name: string): boolean {
  return dialect.serviceDomains.some((owned) => name === owned || name.endsWith(`.${owned}`))
}
