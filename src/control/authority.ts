import * as v from 'valibot'
import { required } from '../core/operation/resource.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { named } from '../core/schema/documentation.ts'
import { declareErrors, entry, refuse } from '../core/schema/errors.ts'
import { requireId } from '../core/schema/ids.ts'
import { moment, optionRow, optionsOf, readOptions } from '../core/schema/options.ts'
import { LATEST_TIME, timestamp } from '../core/schema/time.ts'
import type { ServerCertificateOptions } from '../generated/controls.ts'
import { certificates } from '../service/provisioning/certificate-records.ts'
import { isDnsName, normalizeName } from '../service/provisioning/dns.ts'
import { ipBytes } from '../service/x509/ip.ts'
import { issuing } from '../service/x509/order.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'

const errors = declareErrors({
  key_not_kept: entry(
    90421,
    400,
    'The private key of {id} was omitted from the snapshot that it came from. Take a snapshot with private keys.',
  ),
})

/** A gateway's certificate authority, for clients and servers under test. Never add it to a trust store. */
export interface AuthorityApi {
  /** The root certificate as PEM. A client must trust it to accept automatic certificates. */
  readonly certificatePem: string
  /**
   * Returns the private key of an uploaded or automatic TLS certificate, as PEM. Nothing else exposes private keys.
   * @throws GatewayError `id_unparsable` or `id_wrong_prefix` if the ID is not a certificate ID, `not_found` if there is
   * no such certificate, `key_not_kept` if the certificate came from a snapshot without private keys.
   */
  privateKeyPem(certificateId: string): string
  /**
   * Issues a certificate for a server in your test. Clients that trust the root certificate accept it. The certificate is not a resource of
   * the gateway.
   * @throws TypeError for an unknown option or a value that is not allowed, if there is neither a name nor an IP address, or if `notAfter`
   * is before `notBefore`.
   */
  serverCertificate(options: ServerCertificateOptions): ServerCertificate
}

/** A certificate with its key, in the form in which servers accept them. */
export interface ServerCertificate {
  /** The leaf, followed by the intermediate. */
  readonly certificate_pem: string
  /** PKCS#8, ECDSA on P-256. */
  readonly private_key_pem: string
}

const NAME_ALLOWED = 'a DNS name in ASCII, such as "app.example.com" or "*.example.com"; an address belongs in ips'

const names = v.array(
  v.pipe(
    v.string(NAME_ALLOWED),
    v.check((name) => isDnsName(normalizeName(name)), NAME_ALLOWED),
    v.transform(normalizeName),
  ),
  'an array of DNS names in ASCII',
)

const IP_ALLOWED = 'an IPv4 or IPv6 address'

export const ipAddresses = v.array(
  v.pipe(
    v.string(IP_ALLOWED),
    v.check((ip) => ipBytes(ip) !== undefined, IP_ALLOWED),
  ),
  'an array of IPv4 or IPv6 addresses',
)

const serverOptions = /* @__PURE__ */ named(
  optionsOf({
    names: optionRow(names, 'DNS names, exact or with a leading `*.`.', {
      defaultText: 'none',
    }),
    ips: optionRow(ipAddresses, 'IPv4 and IPv6 addresses.', {
      defaultText: 'none',
    }),
    notBefore: optionRow(moment(0, LATEST_TIME), 'The start of the validity period, in whole seconds.', {
      defaultText: "the gateway's time",
    }),
    notAfter: optionRow(moment(0, LATEST_TIME), 'The end of the validity period, in whole seconds.', {
      defaultText: '90 days later',
    }),
  }),
  'ServerCertificateOptions',
  'The options of a server certificate.',
)

const NINETY_DAYS_MS = 90 * 86_400_000

function serverCertificate({ engine }: ControlHost, options: ServerCertificateOptions): ServerCertificate {
  const read = readOptions(serverOptions, options)
  const { names = [], ips = [], notBefore = engine.now, notAfter = notBefore + NINETY_DAYS_MS } = read
  requireUsableCertificate({ names, ips, notBefore, notAfter })
  return issuing(engine.authority).issueForServer({
    names,
    ips: ips.flatMap((ip) => ipBytes(ip) ?? []),
    not_before: notBefore,
    not_after: notAfter,
  })
}

/** Throws a TypeError if a certificate with these options would cover no host, or would expire before it is valid. */
export function requireUsableCertificate({
  names,
  ips,
  notBefore,
  notAfter,
}: {
  readonly names: readonly string[]
  readonly ips: readonly string[]
  readonly notBefore: number
  readonly notAfter: number
}): void {
  if (names.length + ips.length === 0) {
    throw atCaller(new TypeError('names and ips are both empty. Allowed: at least one name or IP address.'))
  }
  const [start, end] = [timestamp(notBefore), timestamp(notAfter)]
  if (end < start) throw atCaller(new TypeError(`notAfter is ${end}. Allowed: ${start}, which is notBefore, or later.`))
}

const certificate = controlCall({
  method: 'GET',
  path: '/authority.pem',
  summary: "Show the authority's root certificate",
  commands: [{ name: 'root' }],
  response: v.string(),
  mediaType: 'application/x-pem-file',
  run: (host) => host.engine.authority.certificatePem,
})

export interface AuthorityMember {
  /** The certificate authority that issues automatic certificates. */
  readonly authority: AuthorityApi
}

export const authority: Control<AuthorityMember, typeof errors> = {
  errors,
  types: [serverOptions],
  calls: [certificate],
  members: (host) => ({ authority: new Authority(host) }),
}

class Authority implements AuthorityApi {
  readonly #host: ControlHost

  constructor(host: ControlHost) {
    this.#host = host
  }

  get certificatePem(): string {
    return this.#host.engine.authority.certificatePem
  }

  readonly privateKeyPem: AuthorityApi['privateKeyPem'] = (id) =>
    this.#host.transact((tx) => {
      requireId(id, 'cert')
      const { upload, order } = required(tx, certificates, id, 'TLS certificate')
      return upload
        ? (upload.private_key_pem ?? refuse(errors.key_not_kept, { id }))
        : issuing(this.#host.engine.authority).issue(order).private_key_pem
    })

  readonly serverCertificate: AuthorityApi['serverCertificate'] = (options) => serverCertificate(this.#host, options)
}
