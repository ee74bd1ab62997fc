import { emptyUpdate } from '../../../core/schema/empty-update.ts'
import { declareErrors, entry, field, ofField, only } from '../../../core/schema/errors.ts'
import { MANAGED_KEY_TYPES } from '../../x509/order.ts'
import { domainDialect, refusesNames } from './dialect.ts'

export const errors = declareErrors({
  domain_region_invalid: field(400, 400),
  domain_taken: entry(
    413,
    409,
    'The domain {domain} is already reserved, as {id}. Each name can be reserved only once.',
  ),
  domain_of_company: only(
    refusesNames('domain_of_company'),
    ofField(404, 400, '{field} is {received}, which belongs to the company behind the service. Send your own name.'),
  ),
  domain_of_service: only(
    refusesNames('domain_of_service'),
    ofField(
      450,
      400,
      '{field} is {received}, which the service itself uses. Send your own name, or one under a domain of the service.',
    ),
  ),
  domain_taken_elsewhere: ofField(
    414,
    400,
    '{field} is {received}, which another account has reserved (option takenDomains). Send another name.',
  ),
  domain_conflicts_elsewhere: ofField(
    417,
    400,
    "{field} is {received}, which conflicts with another account's {taken} (option takenDomains). Send a name that is not under it and not a wildcard that covers it.",
  ),
  domain_dev: only(
    (dialect) => domainDialect(dialect).devDomainBase !== null,
    entry(458, 400, "{id} is the account's dev domain {domain}. A dev domain cannot be deleted."),
  ),
  certificate_and_policy: ofField(
    434,
    400,
    'certificate_id is {received}, but certificate_management_policy was sent too. Send only one of them.',
  ),
  authority_invalid: field(435, 400, '"{authority}"'),
  certificate_managed: entry(
    436,
    400,
    '{id} has an active certificate management policy. Detach the policy, which also removes its certificate.',
  ),
  policy_on_service_domain: ofField(
    439,
    400,
    '{received} belongs to the service. Only custom domains can have a certificate management policy.',
  ),
  certificate_on_service_domain: ofField(
    440,
    400,
    '{received} belongs to the service. Only custom domains can have an uploaded certificate.',
  ),
  domain_name_and_domain: only(
    ({ fieldAliases }) => Object.hasOwn(fieldAliases, 'reserved_domains'),
    entry(449, 400, '{field} and {other} were both sent, but they are the same field. Send only {other}.'),
  ),
  private_key_type_invalid: field(1909, 400, MANAGED_KEY_TYPES.map((type) => `"${type}"`).join(' or ')),
  certificate_not_found: ofField(
    1965,
    404,
    '{field} is {received}, which does not exist. Send the ID of an uploaded TLS certificate.',
  ),
  certificate_not_uploaded: ofField(
    90410,
    400,
    '{field} is {received}, which was issued automatically. Send the ID of an uploaded TLS certificate.',
  ),
  domain_update_empty: emptyUpdate(422),
})
