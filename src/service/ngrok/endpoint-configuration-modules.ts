import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { ipErrors, ipRestrictionModule } from './edge-modules/ip-restriction.ts'
import { authorityErrors, authorityIdErrors, mutualTlsModule } from './edge-modules/mutual-tls.ts'
import { choiceErrors, tlsErrors, tlsTerminationModule } from './edge-modules/tls-termination.ts'
import { makeTwins, refuseWithTwins } from './endpoint-configuration-errors.ts'
import { defineModule, moduleFields, type Owner } from './modules.ts'
import { headerErrors, headersModule } from './route-modules.ts'
import { oauthModule, providerErrors } from './route-oauth.ts'
import { oidcErrors, oidcModule, requireOneSignIn, samlErrors, samlModule, signInErrors } from './route-sign-in.ts'
import { descriptionAndMetadata, refuseUnless, responseFields } from './shared.ts'

const TYPES = ['http', 'https', 'tcp'] as const

/** The errors of endpoint configurations that edges do not have. */
export const configurationErrors = kit.declareErrors({
  auth_provider_unknown: kit.field(1612, 400, '"agent"'),
  configuration_type_missing: kit.entry(1620, 400, `type is missing. Send one of ${TYPES.join(', ')}.`),
  configuration_module_unsupported: kit.ofField(
    1621,
    400,
    "{field} was sent for an endpoint configuration of type {type}, which doesn't have this module.",
  ),
  configuration_type_invalid: kit.field(1622, 400, TYPES.join(', ')),
  modules_without_termination: kit.entry(
    1662,
    400,
    'terminate_at is "upstream", and these modules need TLS to be terminated at the edge: {names}. Disable them.',
  ),
  configuration_description_too_long: parts.tooLong(1673),
  configuration_metadata_too_long: parts.tooLong(1674),
  mutual_tls_without_termination: kit.entry(
    1694,
    400,
    'mutual_tls needs TLS to be terminated at the edge, but terminate_at is "upstream". Disable one of them.',
  ),
})

const record = v.object({ ...kit.recordHead('ec', descriptionAndMetadata()), type: parts.oneOfThese(TYPES) })

/** The record of an endpoint configuration. */
export type ConfigurationRecord = kit.Frozen<v.InferOutput<typeof record>>

/** The endpoint configurations created by operations. */
export const configurations = kit.collection<ConfigurationRecord>({ name: 'endpoint_configurations', schema: record })

/** The nouns for a configuration. */
export const CONFIGURATION = 'endpoint configuration'

const OWNER: Owner & { readonly article: 'an' } = {
  name: 'endpoint_configuration',
  title: 'EndpointConfiguration',
  path: '/endpoint_configurations/{id}',
  ids: { id: 'ec' },
  what: CONFIGURATION,
  article: 'an',
}

const basicAuthFields = {
  enabled: parts.enabled,
  auth_provider_id: v.optional(
    kit.documented(
      v.pipe(
        v.string(),
        refuseUnless(configurationErrors.auth_provider_unknown, (id) => id === 'agent' || id === ''),
      ),
      'The component that checks user names and passwords. Only `agent` is supported.',
    ),
    'agent',
  ),
  realm: v.optional(kit.documented(v.string(), 'The realm in the WWW-Authenticate header; "" for `ngrok`.'), ''),
  allow_options: v.optional(kit.documented(v.boolean(), 'True if OPTIONS requests need no password.'), false),
}

/** Gives the family of a module the name that the direct API uses. */
const named = <const Direct extends string, F extends object>(direct: Direct, family: F) => ({ ...family, direct })

/** The families of all modules, by their fields in a configuration. */
const all = {
  basic_auth: named(
    'endpointConfigurationBasicAuth',
    defineModule(OWNER, {
      segment: 'basic_auth',
      title: 'BasicAuth',
      what: 'basic auth',
      errors: configurationErrors,
      body: v.object(basicAuthFields),
      example: { realm: 'the office' },
      shape: kit.named(
        v.object(responseFields(basicAuthFields)),
        'EndpointConfigurationBasicAuth',
        'Requires a user name and a password.',
      ),
      view: (body) => body,
    }),
  ),
  circuit_breaker: named(
    'endpointConfigurationCircuitBreaker',
    defineModule(OWNER, {
      ...parts.circuitBreakerModule,
      title: 'CircuitBreaker',
      example: { tripped_duration: 30, error_threshold_percentage: 0.2 },
      view: (body) => body,
    }),
  ),
  compression: named(
    'endpointConfigurationCompression',
    defineModule(OWNER, {
      ...parts.compressionModule,
      title: 'Compression',
      example: { enabled: true },
      view: (body) => body,
    }),
  ),
  ip_policy: named(
    'endpointConfigurationIpPolicy',
    ipRestrictionModule(OWNER, { segment: 'ip_policy', title: 'IpPolicy', what: 'IP policy' }),
  ),
  mutual_tls: named('endpointConfigurationMutualTls', mutualTlsModule(OWNER)),
  oauth: named('endpointConfigurationOauth', oauthModule(OWNER)),
  oidc: named('endpointConfigurationOidc', oidcModule(OWNER)),
  request_headers: named('endpointConfigurationRequestHeaders', headersModule(OWNER, 'request', 'RequestHeaders')),
  response_headers: named('endpointConfigurationResponseHeaders', headersModule(OWNER, 'response', 'ResponseHeaders')),
  saml: named('endpointConfigurationSaml', samlModule(OWNER)),
  tls_termination: named('endpointConfigurationTlsTermination', tlsTerminationModule(OWNER)),
  webhook_validation: named(
    'endpointConfigurationWebhookValidation',
    defineModule(OWNER, {
      ...parts.webhookModule,
      segment: 'webhook_validation',
      title: 'WebhookValidation',
      what: 'webhook validation',
      example: { provider: 'github', secret: 'a shared secret' },
      view: (body) => body,
    }),
  ),
}

type All = typeof all
type Name = keyof All

const NAMES = Object.keys(all)
const OF_TLS: readonly string[] = ['mutual_tls', 'tls_termination'] satisfies Name[]
/** The modules that do not need access to the content of connections. */
const WITHOUT_TERMINATION: readonly string[] = ['ip_policy', 'tls_termination'] satisfies Name[]

/** The modules that configurations of a type can have. */
const MODULES_OF: Readonly<Record<ConfigurationRecord['type'], readonly string[]>> = {
  http: NAMES.filter((name) => !OF_TLS.includes(name)),
  https: NAMES,
  tcp: ['ip_policy'],
}

/** The combined fields of all modules. */
export const configurationModules = moduleFields(all)

const { twins, inPlaceOf } = makeTwins({
  ...parts.circuitBreakerModule.errors,
  ...parts.webhookModule.errors,
  ...ipErrors,
  ...authorityErrors,
  ...headerErrors,
  ...providerErrors,
  ...oidcErrors,
  ...samlErrors,
  ...signInErrors,
  ...tlsErrors,
})

/** The errors of all configuration modules. */
export const configurationModuleErrors = { ...configurationErrors, ...authorityIdErrors, ...choiceErrors, ...twins }

/** Throws an error for a body with modules that configurations of its type do not have. */
export function requireModulesOf(type: ConfigurationRecord['type'], body: object): void {
  const field = NAMES.find((name) => Object.hasOwn(body, name) && !MODULES_OF[type].includes(name))
  if (field) kit.refuse(configurationErrors.configuration_module_unsupported, { field, received: '', type })
}

/** Throws an error for a configuration in which mutually exclusive modules are enabled. */
export function requireFittingModules(tx: kit.Transaction, { id }: ConfigurationRecord): void {
  const modules = configurationModules.view(tx, { id })
  requireOneSignIn(modules)
  const { tls_termination } = modules
  if (!tls_termination?.enabled || tls_termination.terminate_at !== 'upstream') return
  const enabled = NAMES.filter((name) => isEnabled(Reflect.get(modules, name)))
  if (enabled.includes('mutual_tls')) kit.refuse(configurationErrors.mutual_tls_without_termination, {})
  const names = enabled.filter((name) => !WITHOUT_TERMINATION.includes(name)).join(', ')
  if (names !== '') kit.refuse(configurationErrors.modules_without_termination, { names })
}

const isEnabled = (module: unknown) => parts.isObject(module) && module.enabled === true

/** Returns an operation that rejects requests with the errors of endpoint configurations. */
export const ofConfigurations = <O extends kit.Operation>(operation: O): O => refuseWithTwins(operation, inPlaceOf)

const { configuration_module_unsupported, modules_without_termination, mutual_tls_without_termination } =
  configurationErrors
const { signs_in_twice } = signInErrors

/** Adds the rules of configurations to the operation of a module, which requires a configuration of a suitable type. */
function withRules<O extends kit.Operation>(operation: O, name: string): O {
  const { run } = operation
  const isReplace = operation.method === 'PUT'
  // The configuration itself is looked up first, so the lookup of an edge never fails.
  const errors = (operation.errors ?? []).filter(({ key }) => key !== 'edge_not_found')
  return ofConfigurations({
    ...operation,
    errors: isReplace
      ? [
          ...errors,
          configuration_module_unsupported,
          signs_in_twice,
          modules_without_termination,
          mutual_tls_without_termination,
        ]
      : errors,
    run(tx, ids, input) {
      const configuration = kit.required(tx, configurations, ids.id ?? '', CONFIGURATION)
      if (isReplace) requireModulesOf(configuration.type, { [name]: true })
      const response = run(tx, ids, input)
      if (isReplace) requireFittingModules(tx, configuration)
      return response
    },
  })
}

/** The families of the modules, by name in the direct API. */
type ModuleFamilies = {
  readonly [Field in Name as All[Field]['direct']]: Omit<All[Field], 'direct' | 'errors'> & {
    readonly errors: typeof configurationModuleErrors
  }
}

interface ModuleFamily extends kit.Family {
  readonly direct: string
}

function listFamilies(families: All): ModuleFamilies
function listFamilies(families: Readonly<Record<string, ModuleFamily>>): Readonly<Record<string, object>> {
  const named = Object.entries(families).map(([field, { direct, ...family }]) => {
    const operations = parts.mapValues(family.operations, (operation) => withRules(operation, field))
    return [direct, { ...family, operations, errors: configurationModuleErrors }]
  })
  return Object.fromEntries(named)
}

/** The families of endpoint configuration modules. */
export const endpointConfigurationModules = listFamilies(all)
