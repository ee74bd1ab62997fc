import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import * as parts from '../../parts/index.ts'
import { authorityTarget } from '../certificate-authorities.ts'
import { defineModule, type Owner } from '../modules.ts'
import { refuseUnless } from '../shared.ts'

/** The error for an ID that cannot belong to a certificate authority. */
export const authorityIdErrors = kit.declareErrors({
  certificate_authority_id_invalid: kit.field(228, 400, 'the ID of a certificate authority, which starts with "ca_"'),
})

/** The error for a certificate authority that does not exist. */
export const authorityErrors = kit.declareErrors({
  certificate_authority_not_found: kit.field(7072, 400, 'the ID of a certificate authority that exists'),
})

const authorityIds = kit.documented(
  v.array(
    v.pipe(
      v.string(),
      refuseUnless(authorityIdErrors.certificate_authority_id_invalid, (id) => parts.isIdOf(id, 'ca_')),
    ),
  ),
  'The IDs of the certificate authorities whose certificates clients must present.',
)

const mutualTlsShape = kit.named(
  v.object({
    enabled: v.unwrap(parts.enabled),
    certificate_authorities: kit.documented(v.array(kit.ref), 'The certificate authorities.'),
  }),
  'EdgeMutualTls',
  'The certificate authorities whose certificates clients of an edge must present.',
)

/** Creates the `mutual_tls` module. */
export function mutualTlsModule(owner: Owner) {
  return defineModule(owner, {
    segment: 'mutual_tls',
    title: 'MutualTls',
    what: 'mutual TLS',
    errors: { ...authorityIdErrors, ...authorityErrors },
    body: v.object({ enabled: parts.enabled, certificate_authority_ids: authorityIds }),
    example: { certificate_authority_ids: ['ca_1'] },
    shape: mutualTlsShape,
    view: ({ enabled, certificate_authority_ids: ids }, wire) => ({
      enabled,
      certificate_authorities: ids.map((id) => kit.refTo(wire, '/certificate_authorities', id)),
    }),
    references: [
      {
        sent: 'certificate_authority_ids',
        shown: 'certificate_authorities',
        to: authorityTarget,
        missing: authorityErrors.certificate_authority_not_found,
        deletion: 'dangles',
        rules: 'ngrok-families#certificate-authorities',
      },
    ],
  })
}
