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
      '{field} is {received}, which the service itself uses. Send your own name, or one below a domain of the service.',
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
    '{field} is {received}, which conflicts with {taken} of another account (option takenDomains). Send a name that is neither below it nor a wildcard that covers it.',
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
    '{received} belongs to the service. A certificate management policy is allowed on custom domains only.',
  ),
  certificate_on_service_domain: ofField(
    440,
    400,
    '{received} belongs to the service. An uploaded certificate is allowed on custom domains only.',
  ),
  domain_name_and_domain: only(
    ({ fieldAliases }) => Object.hasOwn(fieldAliases, 'reserved_domains'),
    entry(449, 400, '{field} and {other} were both sent. They are the same field. Send only {other}.'),
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
