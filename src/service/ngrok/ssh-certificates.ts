import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata } from './shared.ts'
import { errors as authorityErrors, sshAuthorities } from './ssh-certificate-authorities.ts'
import { type SshCertificateRecord, sshHostRecords, sshUserRecords } from './ssh-certificate-records.ts'

const DAY = 86_400_000

const errors = kit.declareErrors({
  timestamp_invalid: kit.field(241, 400, 'an RFC 3339 time, such as "2026-01-01T00:00:00Z"'),
  ssh_public_key_invalid: kit.field(
    1934,
    400,
    `one line in OpenSSH format: the key type (${parts.ALGORITHMS.join(', ')}), a space, and the base64-encoded key`,
  ),
  ssh_public_key_unsupported: kit.field(1950, 400, `a key of type ${parts.ALGORITHMS.join(', ')}`),
  ssh_public_key_missing: kit.field(1952, 400, 'the public key to sign, one line in OpenSSH format'),
})

const noAuthority = (number: number) => kit.field(number, 400, 'the ID of an SSH certificate authority that exists')
const noDuration = (number: number) =>
  kit.ofField(number, 400, '{field} is {received}. Allowed: a time after valid_after.')

const hostErrors = kit.declareErrors({
  ssh_host_description_too_long: parts.tooLong(1945),
  ssh_host_metadata_too_long: parts.tooLong(1946),
  ssh_host_authority_unknown: noAuthority(1949),
  ssh_host_limit_reached: kit.tooMany(1958),
  ssh_host_duration_invalid: noDuration(1963),
})

const userErrors = kit.declareErrors({
  ssh_user_description_too_long: parts.tooLong(1947),
  ssh_user_metadata_too_long: parts.tooLong(1948),
  ssh_user_authority_unknown: noAuthority(1951),
  ssh_user_limit_reached: kit.tooMany(1960),
  ssh_user_duration_invalid: noDuration(1962),
})

const { ssh_public_key_invalid, ssh_public_key_missing, ssh_public_key_unsupported } = errors

const public_key = v.pipe(
  v.string(),
  kit.rule([ssh_public_key_invalid, ssh_public_key_missing, ssh_public_key_unsupported], (line, report) => {
    if (line === '') report(ssh_public_key_missing, {})
    else if (/^(ssh-dss|sk-\S+) /.test(line)) report(ssh_public_key_unsupported, {})
    else if (parts.keyMaterial(line) === undefined) report(ssh_public_key_invalid, {})
  }),
)

const time = (sentence: string) =>
  v.optional(
    kit.documented(
      v.pipe(
        v.string(),
        parts.blankIsAbsent(),
        parts.readBy<string, number, typeof errors.timestamp_invalid>([errors.timestamp_invalid], (text, report) => {
          return parts.recordedMs(text) ?? report(errors.timestamp_invalid, {})
        }),
      ),
      sentence,
      { json: { format: 'date-time' } },
    ),
  )

const PUBLIC_KEY = 'The certified public key: one line in OpenSSH format. Responses repeat it as sent.'
const AUTHORITY = 'The ID of the SSH certificate authority that signs the certificate.'
const CRITICAL = 'The critical options, such as `force-command`.'
const EXTENSIONS = 'The extensions, such as `permit-pty`.'
const CERTIFICATE = 'The certificate: one line in OpenSSH format, for a file whose name ends in `-cert.pub`.'
const AFTER = 'The start of the validity period.'
const UNTIL = 'The end of the validity period, which OpenSSH calls valid_before.'

const options = v.record(v.string(), v.string())
const textList = v.array(v.string())

/** The response fields common to both kinds of certificates. */
const sharedShape = (principals: string) => ({
  ...kit.resourceHead,
  public_key: kit.documented(v.string(), PUBLIC_KEY),
  key_type: kit.documented(v.picklist(parts.SSH_KEY_TYPES), 'The type of the certified key.'),
  ssh_certificate_authority_id: kit.documented(v.string(), AUTHORITY),
  principals: kit.documented(textList, principals),
  valid_after: kit.documented(kit.time, AFTER),
  valid_until: kit.documented(kit.time, UNTIL),
  certificate: kit.documented(v.string(), CERTIFICATE),
})

/** The body fields common to both kinds of certificates. */
const sharedBody = (principals: string, lifetime: string) => ({
  ssh_certificate_authority_id: kit.documented(v.optional(v.string(), ''), AUTHORITY, { isRequired: true }),
  public_key: kit.documented(v.optional(public_key, ''), PUBLIC_KEY, { isRequired: true }),
  principals: v.optional(kit.documented(textList, principals), []),
  valid_after: time(`${AFTER} Default: now.`),
  valid_until: time(`${UNTIL} Default: ${lifetime} after now.`),
})

type Kind = 'host' | 'user'

/** Returns the response for a certificate. The authority signs the certificate each time it is read. */
function viewOf(kind: Kind, record: SshCertificateRecord, wire: kit.Wire) {
  const { public_key, principals, valid_after, valid_until } = record
  const { algorithm } = parts.readPublicKey(public_key)
  return {
    ...kit.viewHead(record, wire, `/ssh_${kind}_certificates`),
    public_key,
    key_type: parts.keyTypeOf(algorithm),
    ssh_certificate_authority_id: record.authority_id,
    principals,
    valid_after: kit.timestamp(valid_after),
    valid_until: kit.timestamp(valid_until),
    certificate: parts.sshAuthority(wire.authority).ssh.certify(record.key, { kind, ...record }),
  }
}

interface Sent extends Pick<kit.ResourceRecord, 'description' | 'metadata'> {
  readonly ssh_certificate_authority_id: string
  readonly public_key: string
  readonly principals: readonly string[]
  readonly valid_after?: number | undefined
  readonly valid_until?: number | undefined
}

interface KindRules {
  readonly prefix: string
  /** The default validity, in ms. */
  readonly lifetime: number
  readonly unknown: typeof hostErrors.ssh_host_authority_unknown | typeof userErrors.ssh_user_authority_unknown
  readonly duration: typeof hostErrors.ssh_host_duration_invalid | typeof userErrors.ssh_user_duration_invalid
}

/** Creates the record of a certificate from the fields of a body. */
function order(
  tx: kit.Transaction,
  { ssh_certificate_authority_id: id, public_key, principals, valid_after = tx.now, valid_until, ...rest }: Sent,
  { prefix, lifetime, unknown, duration }: KindRules,
) {
  const authority = tx.get(sshAuthorities, id)
  if (!authority) return kit.refuse(unknown, { field: 'ssh_certificate_authority_id', received: kit.quote(id) })
  const until = valid_until ?? Math.min(tx.now + lifetime, parts.LATEST_TIME)
  if (Math.floor(until / 1000) <= Math.floor(valid_after / 1000))
    kit.refuse(duration, { field: 'valid_until', received: kit.timestamp(until) })
  return {
    ...kit.newHead(tx, prefix, rest),
    authority_id: id,
    key: authority.key,
    public_key,
    principals,
    valid_after,
    valid_until: until,
    number: tx.nextOrder(),
  }
}

/** Creates the reference row for the authority of a kind of certificate. */
function authorityRow(holder: kit.Collection<SshCertificateRecord>, { unknown }: KindRules) {
  return parts.referenceOf(holder, {
    field: 'authority_id',
    sent: 'ssh_certificate_authority_id',
    shown: 'ssh_certificate_authority_id',
    to: parts.targetOf('an SSH certificate authority', sshAuthorities),
    index: 'authority',
    missing: unknown,
    deletion: parts.refused(authorityErrors.ssh_authority_in_use, (id, { id: certificate }: SshCertificateRecord) => ({
      id,
      certificate,
    })),
    rules: 'ngrok-families#ssh-certificates',
  })
}

const EXAMPLE_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMdsm12ZpaVNO+OUUG4Q5L0CTZBvuQpDC29ZSv4fAwFb'
const HOSTS = 'The host names and addresses. If empty, the certificate is valid for every host.'
const USERS = 'The user names that the holder may sign in with. If empty, the certificate is valid for every user.'

const hostTexts = descriptionAndMetadata({
  description: hostErrors.ssh_host_description_too_long,
  metadata: hostErrors.ssh_host_metadata_too_long,
})

const hostRules: KindRules = {
  prefix: 'shcrt',
  lifetime: 365 * DAY,
  unknown: hostErrors.ssh_host_authority_unknown,
  duration: hostErrors.ssh_host_duration_invalid,
}

/** SSH host certificates. */
export const sshHostCertificates = kit.resource(
  {
    name: 'ssh_host_certificates',
    prefix: 'shcrt',
    what: 'SSH host certificate',
    tableFields: ['principals', 'valid_until'],
    filterable: [],
    errors: { ...errors, ...hostErrors },
    limit: { reached: hostErrors.ssh_host_limit_reached },
    collection: sshHostRecords,
    shape: kit.named(v.object(sharedShape(HOSTS)), 'SshHostCertificate', 'A host certificate.'),
    ...parts.defineBodies('SshHostCertificate', 'an SSH host certificate', {
      create: { ...hostTexts, ...sharedBody(HOSTS, 'a year') },
      update: hostTexts,
      examples: [
        { ssh_certificate_authority_id: 'sshca_1', public_key: EXAMPLE_KEY, principals: ['server.example.com'] },
      ],
    }),
  },
  {
    view: (record, wire) => viewOf('host', record, wire),
    create: {
      errors: [hostRules.unknown, hostRules.duration],
      run(tx, sent) {
        return tx.put(sshHostRecords, { ...order(tx, sent, hostRules), critical_options: {}, extensions: {} })
      },
    },
    update: { run: (tx, before, body) => tx.put(sshHostRecords, { ...before, ...kit.described(body, before) }) },
    references: [authorityRow(sshHostRecords, hostRules)],
  },
)

const userTexts = descriptionAndMetadata({
  description: userErrors.ssh_user_description_too_long,
  metadata: userErrors.ssh_user_metadata_too_long,
})

const userRules: KindRules = {
  prefix: 'sucrt',
  lifetime: DAY,
  unknown: userErrors.ssh_user_authority_unknown,
  duration: userErrors.ssh_user_duration_invalid,
}

/** The default extensions of a certificate. */
const DEFAULT_EXTENSIONS = { 'permit-pty': '', 'permit-user-rc': '' }

/** SSH user certificates. */
export const sshUserCertificates = kit.resource(
  {
    name: 'ssh_user_certificates',
    prefix: 'sucrt',
    what: 'SSH user certificate',
    tableFields: ['principals', 'valid_until'],
    filterable: [],
    errors: { ...errors, ...userErrors },
    limit: { reached: userErrors.ssh_user_limit_reached },
    collection: sshUserRecords,
    shape: kit.named(
      v.object({
        ...sharedShape(USERS),
        critical_options: kit.documented(options, CRITICAL),
        extensions: kit.documented(options, EXTENSIONS),
      }),
      'SshUserCertificate',
      'A user certificate.',
    ),
    ...parts.defineBodies('SshUserCertificate', 'an SSH user certificate', {
      create: {
        ...userTexts,
        ...sharedBody(USERS, '24 hours'),
        critical_options: v.optional(kit.documented(options, CRITICAL), {}),
        extensions: v.optional(kit.documented(options, EXTENSIONS), DEFAULT_EXTENSIONS),
      },
      update: userTexts,
      examples: [{ ssh_certificate_authority_id: 'sshca_1', public_key: EXAMPLE_KEY, principals: ['root'] }],
    }),
  },
  {
    view: (record, wire) => ({
      ...viewOf('user', record, wire),
      critical_options: record.critical_options,
      extensions: record.extensions,
    }),
    create: {
      errors: [userRules.unknown, userRules.duration],
      run(tx, { critical_options, extensions, ...sent }) {
        return tx.put(sshUserRecords, { ...order(tx, sent, userRules), critical_options, extensions })
      },
    },
    update: { run: (tx, before, body) => tx.put(sshUserRecords, { ...before, ...kit.described(body, before) }) },
    references: [authorityRow(sshUserRecords, userRules)],
  },
)
