import * as v from 'valibot'
import { domainName } from '../../provisioning/domain-names.ts'
import { domainMetadata, resolvesTo } from '../../provisioning/domain-records.ts'
import { documented, named } from '../../schema/documentation.ts'
import { rule } from '../../schema/rule.ts'
import { blankIsAbsent, description, extra, oneOf, reference, region } from '../../schema/schema.ts'
import { MANAGED_KEY_TYPES } from '../../x509/order.ts'
import { domainDialect } from './dialect.ts'
import { errors } from './errors.ts'
import { AUTHORITY, DEPRECATED, DOMAIN, KEY_TYPE, REGION } from './fields.ts'

// What passes the rule is a text.
const authority = documented(
  v.pipe(
    v.optional(v.unknown(), ''),
    rule([errors.authority_invalid], (received, report, { dialect }) => {
      const { authority } = domainDialect(dialect)
      if (received !== authority) report(errors.authority_invalid, { authority })
    }),
  ) as v.GenericSchema<string>,
  AUTHORITY,
  { json: (dialect) => ({ type: 'string', enum: [domainDialect(dialect).authority] }), isRequired: true },
)

/** The policy in a body. */
export const policyBody = named(
  v.object({
    authority,
    private_key_type: v.optional(
      documented(oneOf(MANAGED_KEY_TYPES, errors.private_key_type_invalid), KEY_TYPE, {
        json: (dialect) => ({ default: domainDialect(dialect).defaultPrivateKeyType }),
        rules: 'domain-certificates#same-policy',
      }),
    ),
  }),
  'ReservedDomainCertPolicyBody',
  'The policy to put in force.',
)
const certificateId = reference('cert', 'The id of the uploaded TLS certificate to use; not together with a policy.')
const managementPolicy = documented(
  v.optional(policyBody),
  'How certificates are issued automatically; not together with a certificate.',
  { rules: 'domain-certificates#one-or-the-other' },
)
const httpEndpointConfigurationId = reference('ec', 'The id of the endpoint configuration to link for HTTP.')
const httpsEndpointConfigurationId = reference('ec', 'The id of the endpoint configuration to link for HTTPS.')

/** What a reserved domain is created with. */
export const createBody = named(
  v.object({
    domain: documented(domainName, DOMAIN, { rules: 'domain-names#grammar' }),
    region: region(errors.domain_region_invalid, REGION, DEPRECATED),
    description,
    metadata: domainMetadata,
    certificate_id: certificateId,
    certificate_management_policy: managementPolicy,
    http_endpoint_configuration_id: extra(httpEndpointConfigurationId),
    https_endpoint_configuration_id: extra(httpsEndpointConfigurationId),
    resolves_to: extra(v.optional(resolvesTo)),
  }),
  'ReservedDomainCreate',
  'What a reserved domain is created with.',
)

/** A domain's own name, which says nothing new: it is read where the dialect has it, and not offered by the types. */
// So its type is that of what nobody can give.
const ownName = extra(
  v.optional(
    documented(v.pipe(v.string(), blankIsAbsent()), "The domain's own name, which cannot be changed.", {
      isUnoffered: true,
    }),
  ),
) as unknown as v.OptionalSchema<v.GenericSchema<never, string>, undefined>

/** What is changed of a reserved domain. */
export const updateBody = named(
  v.object({
    description,
    metadata: domainMetadata,
    certificate_id: certificateId,
    certificate_management_policy: managementPolicy,
    http_endpoint_configuration_id: httpEndpointConfigurationId,
    https_endpoint_configuration_id: httpsEndpointConfigurationId,
    resolves_to: extra(v.optional(resolvesTo)),
    domain: ownName,
  }),
  'ReservedDomainUpdate',
  'What is changed of a reserved domain: at least one field.',
)
