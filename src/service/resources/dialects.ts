import * as v from 'valibot'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { facts } from '../../core/schema/facts.ts'
import { deepFreeze, keysOf } from '../../core/schema/values.ts'
import type { AddressDialect } from './reserved-addrs.ts'
import type { DomainDialect } from './reserved-domains/dialect.ts'

// (rules: dialects#data)
/**
 * The differences between services that implement this API, as data. {@link standard} and {@link ngrok} are built in. Pass
 * another object to emulate another service.
 *
 * @example
 * ```ts
 * import { createGateway, standard } from 'fauxgate'
 * const gateway = createGateway({ dialect: { ...standard, name: 'acme', errorPrefix: 'ERR_ACME_' } })
 * ```
 */
export interface Dialect extends CommonDialect, AddressDialect, DomainDialect {}

// (rules: dialects#standard)
/** The default dialect, with neutral names. */
export const standard: Dialect = /* @__PURE__ */ deepFreeze({
  name: 'standard',
  baseUrl: 'https://api.gateway.test',
  versionHeader: 'Service-Version',
  operationIdHeader: 'Service-Operation-Id',
  errorCodeHeader: 'service-error-code',
  errorPrefix: 'ERR_GATEWAY_',
  authority: 'letsencrypt',
  defaultPrivateKeyType: 'rsa',
  serviceDomains: ['gateway.test'],
  cnameTargetBase: 'cname.gateway.test',
  acmeChallengeTargetBase: null,
  addressHost: { us: '{n}.tcp.gateway.test', elsewhere: '{n}.tcp.{region}.gateway.test' },
  domainRegion: 'as set',
  policyByDefault: false,
  devDomainBase: null,
  domainNames: 'exact',
  refusedDomains: {},
  extraOperations: [],
  extraFields: {},
  ignoredFields: {},
  fieldAliases: {},
  labelAliases: {},
  queryAliases: {},
  filterFields: 'all',
  textLimits: 'listed',
  moduleEnvelope: null,
  malformedIds: 'refused',
  unknownPaths: 'described',
  errorStatuses: {},
})

const NGROK_DOMAINS = [
  'ngrok.io',
  'ngrok.app',
  'ngrok.dev',
  'ngrok-free.app',
  'ngrok-free.dev',
  'ngrok.pizza',
  'ngrok-free.pizza',
]

/** ngrok's REST API, version 2. ngrok's official clients work against a gateway with this dialect. */
export const ngrok: Dialect = /* @__PURE__ */ deepFreeze({
  name: 'ngrok',
  baseUrl: 'https://api.ngrok.com',
  versionHeader: 'Ngrok-Version',
  operationIdHeader: 'Ngrok-Operation-Id',
  errorCodeHeader: 'ngrok-error-code',
  errorPrefix: 'ERR_NGROK_',
  authority: 'letsencrypt',
  defaultPrivateKeyType: 'ecdsa',
  serviceDomains: NGROK_DOMAINS,
  cnameTargetBase: 'ngrok-cname.com',
  acmeChallengeTargetBase: 'acme-challenge.ngrok-dns.com',
  addressHost: { us: '{n}.tcp.ngrok.io', elsewhere: '{n}.tcp.{region}.ngrok.io', first: 7 },
  domainRegion: { always: '' },
  policyByDefault: true,
  devDomainBase: 'ngrok-free.dev',
  domainNames: 'trimmed',
  refusedDomains: {
    domain_of_company: ['ngrok.com', '*.ngrok.com'],
    domain_of_service: [...NGROK_DOMAINS, 'ngrok-cname.com', '*.ngrok-cname.com', 'tcp.ngrok.io', '*.tcp.ngrok.io'],
    domain_suffix_unreachable: ['*.internal'],
    domain_wildcard_suffix: NGROK_DOMAINS.map((domain) => `*.${domain}`),
  },
  extraOperations: [
    'reserved_addrs.detach_endpoint_configuration',
    'reserved_domains.detach_http_endpoint_configuration',
    'reserved_domains.detach_https_endpoint_configuration',
  ],
  extraFields: {
    'reserved_addrs.create': ['endpoint_configuration_id'],
    reserved_domains: ['error_redirect_url', 'is_dev'],
    'reserved_domains.create': [
      'http_endpoint_configuration_id',
      'https_endpoint_configuration_id',
      'resolves_to',
      'error_redirect_url',
    ],
    'reserved_domains.update': ['resolves_to', 'error_redirect_url', 'domain'],
  },
  ignoredFields: { 'reserved_domains.update': ['region'] },
  fieldAliases: { reserved_domains: { name: 'domain' } },
  labelAliases: { reserved_domains: ['name'] },
  queryAliases: { beforeId: 'before_id' },
  filterFields: 'declared',
  textLimits: 'all',
  moduleEnvelope: 'module',
  malformedIds: 'not found',
  unknownPaths: 'bare',
  errorStatuses: {
    auth_missing: 403,
    auth_unparsable: 403,
    auth_invalid: 403,
    auth_is_authtoken: 400,
    domain_taken: 400,
  },
})

/** The built-in dialects, by name. The command, the sandboxes, and their pages offer them. */
export const dialects = {
  standard,
  ngrok,
} satisfies Readonly<Record<string, Dialect>>

export type DialectName = keyof typeof dialects

export const dialectNames = keysOf(dialects)

export const isDialectName = (name: string): name is DialectName => Object.hasOwn(dialects, name)

/** The schema of a dialect passed by a caller. */
export const dialect = v.pipe(
  v.custom<Dialect>(
    (value) => typeof value === 'object' && value !== null && Object.keys(standard).every((name) => name in value),
    () =>
      "standard, or ngrok from fauxgate (createNgrok from fauxgate/ngrok has ngrok's API), or " +
      `an object such as { ...standard, … } with ${Object.keys(standard).join(', ')}`,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const name of Object.keys(standard)) {
      const [input, ...allowed] = [dataset.value, standard, ngrok].map((each): unknown => Reflect.get(each, name))
      const kinds = new Set(allowed.map(describeKind))
      if (kinds.has(describeKind(input))) continue
      const place = { type: 'object', origin: 'value', input: { ...dataset.value }, key: name, value: input } as const
      addIssue({ message: [...kinds].join(' or '), input, path: [place] })
    }
  }),
  facts({ type: 'Dialect', imports: { Dialect: 'service/resources/dialects.ts' } }),
)

/** Describes a kind of value, such as "an array of strings". */
function describeKind(value: unknown): string {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? 'an array of strings' : 'an array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'true or false' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
