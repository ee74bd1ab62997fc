import * as v from 'valibot'
import { accessor } from '../contract/accessor.ts'
import { refuse } from '../contract/errors.ts'
import { requireId } from '../contract/ids.ts'
import { required } from '../contract/resource.ts'
import { certificates } from '../provisioning/certificate-records.ts'
import { type Control, type ControlHost, type Guarded, plainCall } from './control.ts'
import { errors } from './errors.ts'

/** The certificate authority of a gateway, for clients and servers under test. Never put it in a trust store. */
export interface AuthorityApi {
  /** The root certificate, PEM: what a client that meets an automatic certificate has to trust. */
  readonly certificatePem: string
  /**
   * The private key of a TLS certificate, uploaded or automatic, as PEM. The only way by which a key leaves the gateway.
   * @throws GatewayError `id_unparsable` or `id_wrong_prefix` for what is no certificate's id, `not_found` for one that
   * names none, `key_not_kept` for one that came from a snapshot without private keys.
   */
  privateKeyPem(certificateId: string): string
}

const certificate = plainCall({
  method: 'GET',
  path: '/authority.pem',
  summary: "The authority's root certificate",
  answer: v.string(),
  mediaType: 'application/x-pem-file',
  run: (host) => host.authority().certificatePem,
})

/** What a gateway has as `authority`. */
export interface AuthorityMember {
  /** The certificate authority behind automatic certificates. */
  readonly authority: AuthorityApi
}

/** Who makes automatic certificates. */
export const authority: Control<AuthorityMember> = {
  calls: { certificate },
  members: (host, guarded) => ({ authority: direct(host, guarded) }),
}

const withCertificate = /* @__PURE__ */ accessor(
  'certificatePem',
  (host: ControlHost) => host.authority().certificatePem,
)

function direct(host: ControlHost, guarded: Guarded): AuthorityApi {
  const members: Omit<AuthorityApi, 'certificatePem'> = {
    privateKeyPem: (id) =>
      guarded(() =>
        host.transact((tx) => {
          requireId(id, 'cert')
          const { upload, order } = required(tx, certificates, id, 'TLS certificate')
          return upload
            ? (upload.private_key_pem ?? refuse(errors.key_not_kept, { id }))
            : host.authority().issue(order).private_key_pem
        }),
      ),
  }
  return withCertificate(members, host)
}
