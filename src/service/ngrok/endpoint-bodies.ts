import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { hideSecretsOfPolicy } from '../policy/index.ts'
import { BINDINGS } from './endpoint-records.ts'
import { urlErrors } from './endpoint-url.ts'
import { BINDING, POLICY, POOLING, URL_SENTENCE } from './endpoint-view.ts'
import { descriptionAndMetadata, refuseIfEmpty } from './shared.ts'

const inUseError = (number: number, status: number) =>
  kit.entry(number, status, '{id} is used by the endpoint {endpoint}. Delete the endpoint first.')

/** The errors for endpoint limits, which also apply to edges. */
export const endpointLimitErrors = kit.declareErrors({
  endpoint_limit_cloud_none: kit.tooMany(18008),
  endpoint_limit_cloud_reached: kit.tooMany(18010),
  endpoint_limit_pooling_none: kit.tooMany(18019),
  endpoint_limit_pool_reached: kit.tooMany(18020),
  endpoint_limit_online_reached: kit.tooMany(18021),
  endpoint_limit_tls_reached: kit.tooMany(312),
})

export const errors = {
  ...endpointLimitErrors,
  ...kit.declareErrors({
    endpoint_type_invalid: kit.field(248, 400),
    domain_in_use: inUseError(446, 400),
    endpoint_binding_invalid: kit.field(15005, 400, `one of ${BINDINGS.join(', ')}`),
    endpoint_binding_repeated: kit.field(15006, 400, 'each binding once'),
    endpoint_update_empty: parts.emptyUpdate(18004),
    endpoint_policy_missing: kit.ofField(18011, 400, '{field} is missing. Send a traffic policy in JSON or YAML.'),
    endpoint_description_too_long: parts.tooLong(18012),
    endpoint_metadata_too_long: parts.tooLong(18013),
    endpoint_url_missing: kit.ofField(18015, 400, '{field} is missing. Send a URL such as "https://app.example.com".'),
    endpoint_not_cloud: kit.entry(
      90440,
      400,
      '{id} is of type {type}. Only cloud endpoints can be changed or deleted here.',
    ),
    address_in_use: inUseError(90441, 409),
  }),
}

const url = kit.documented(v.pipe(v.string(), refuseIfEmpty(errors.endpoint_url_missing)), URL_SENTENCE, {
  json: { examples: ['https://app.example.com'] },
})
const trafficPolicy = kit.documented(
  v.pipe(v.string(), refuseIfEmpty(errors.endpoint_policy_missing), parts.shownAs(hideSecretsOfPolicy)),
  POLICY,
)
const isRequired = parts.facts<string>({ isRequired: true })

const bindings = kit.documented(
  v.pipe(
    v.array(v.string()),
    kit.rule(
      [errors.endpoint_binding_invalid, errors.endpoint_binding_repeated, urlErrors.endpoint_binding_not_fitting],
      (sent, report) => {
        if (!sent.every((each) => BINDINGS.some((known) => known === each))) report(errors.endpoint_binding_invalid, {})
        else if (new Set(sent).size < sent.length) report(errors.endpoint_binding_repeated, {})
        else if (sent.length > 1) report(urlErrors.endpoint_binding_not_fitting, { allowed: 'one binding' })
      },
    ),
    v.transform(([binding]) => BINDINGS.find((known) => known === binding)),
  ),
  `${BINDING} Default: \`internal\` for hosts under \`.internal\`, else \`public\`.`,
  { json: { maxItems: 1 } },
)

const fields = {
  bindings: v.optional(bindings),
  ...descriptionAndMetadata({
    description: errors.endpoint_description_too_long,
    metadata: errors.endpoint_metadata_too_long,
  }),
}
const pooling = kit.documented(v.boolean(), POOLING)

export const endpointBodies = parts.defineBodies('Endpoint', 'a cloud endpoint', {
  create: {
    url: v.optional(v.pipe(url, isRequired), ''),
    type: v.optional(
      kit.documented(
        v.pipe(parts.oneOfThese(['cloud']), kit.refusedAs(errors.endpoint_type_invalid)),
        'The type of the endpoint. Only `cloud`, the default, is allowed.',
      ),
    ),
    traffic_policy: v.optional(v.pipe(trafficPolicy, isRequired), ''),
    pooling_enabled: v.optional(pooling, false),
    ...fields,
  },
  update: {
    url: v.optional(url),
    traffic_policy: v.optional(trafficPolicy),
    pooling_enabled: v.optional(pooling),
    ...fields,
  },
  note: '; at least one field is required',
})

/** The limits of endpoints, whether operations create them or tests declare them (rules: account#declaring). */
export const endpointLimits = kit.accountLimits({
  cloud_endpoints: {
    what: 'cloud endpoints',
    // A body that creates an endpoint may have no type.
    counts: ({ type = 'cloud' }) => type === 'cloud',
    none: errors.endpoint_limit_cloud_none,
    reached: errors.endpoint_limit_cloud_reached,
  },
  pooling: {
    what: 'endpoints in a pool',
    counts: ({ pooling_enabled }) => pooling_enabled === true,
    each: 'place',
    isChangeable: true,
    none: errors.endpoint_limit_pooling_none,
    reached: errors.endpoint_limit_pool_reached,
  },
  endpoints: {
    what: 'online endpoints',
    reached: errors.endpoint_limit_online_reached,
    plans: { free: 3, hobbyist: 3 },
  },
  tls_endpoints: {
    what: 'endpoints with the scheme tls',
    counts: ({ url }) => typeof url === 'string' && url.startsWith('tls:'),
    isChangeable: true,
    reached: errors.endpoint_limit_tls_reached,
    plans: { free: 0 },
  },
})
