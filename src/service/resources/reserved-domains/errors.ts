import { emptyUpdate } from '../../../core/schema/empty-update.ts'
import { declareErrors, entry, type FieldFacts, field, ofField, only } from '../../../core/schema/errors.ts'
import { MANAGED_KEY_TYPES } from '../../x509/order.ts'
import { domainDialect, refusesNames } from './dialect.ts'

export const errors = declareErrors({
  domain_region_invalid: field(400, 400),
  domain_taken: entry(
    413,
    409,
    (it: { field: string; domain: string; id: string }) =>
      `The domain ${it.domain} is already reserved, as ${it.id}. Each name can be reserved only once.`,
  ),
  domain_of_company: only(
    refusesNames('domain_of_company'),
    ofField(
      404,
      400,
      (it) => `${it.field} is ${it.received}, which belongs to the company of the service. Send a name of your own.`,
    ),
  ),
  domain_of_service: only(
    refusesNames('domain_of_service'),
    ofField(
      450,
      400,
      (it) =>
        `${it.field} is ${it.received}, which the service uses itself. Send a name of your own, or one below a domain of the service.`,
    ),
  ),
  domain_taken_elsewhere: ofField(
    414,
    400,
    (it) =>
      `${it.field} is ${it.received}, which another account has reserved (option takenDomains). Send another name.`,
  ),
  domain_conflicts_elsewhere: ofField(
    417,
    400,
    (it: FieldFacts & { taken: string }) =>
      `${it.field} is ${it.received}, which conflicts with ${it.taken} of another account (option takenDomains). ` +
      'Send a name that is not below that one, and no wildcard for it.',
  ),
  domain_dev: only(
    (dialect) => domainDialect(dialect).devDomainBase !== null,
    entry(
      458,
      400,
      (it: { id: string; domain: string }) =>
        `${it.id} is the dev domain ${it.domain} of the account, which cannot be deleted.`,
    ),
  ),
  certificate_and_policy: ofField(
    434,
    400,
    (it) =>
      `certificate_id is ${it.received} and certificate_management_policy was sent too. Only one of them is allowed.`,
  ),
  authority_invalid: field(435, 400, (it: { authority: string }) => `"${it.authority}"`),
  certificate_managed: entry(
    436,
    400,
    (it: { id: string }) =>
      `${it.id} has an active certificate management policy. Detach the policy, which also removes its certificate.`,
  ),
  policy_on_service_domain: ofField(
    439,
    400,
    (it) => `${it.received} belongs to the service. A certificate management policy is allowed on custom domains only.`,
  ),
  certificate_on_service_domain: ofField(
    440,
    400,
    (it) => `${it.received} belongs to the service. An uploaded certificate is allowed on custom domains only.`,
  ),
  domain_name_and_domain: only(
    ({ fieldAliases }) => Object.hasOwn(fieldAliases, 'reserved_domains'),
    entry(
      449,
      400,
      (it: { field: string; other: string }) =>
        `${it.field} and ${it.other} were both sent. They name the same field: send ${it.other} only.`,
    ),
  ),
  private_key_type_invalid: field(1909, 400, () => MANAGED_KEY_TYPES.map((type) => `"${type}"`).join(' or ')),
  certificate_not_found: ofField(
    1965,
    404,
    (it) => `${it.field} is ${it.received}, which does not exist. Name an uploaded TLS certificate.`,
  ),
  certificate_not_uploaded: ofField(
    90410,
    400,
    (it) => `${it.field} is ${it.received}, which was issued automatically. Name an uploaded TLS certificate.`,
  ),
  domain_update_empty: emptyUpdate(422),
})
