import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, FILTERABLE } from './shared.ts'
import { key } from './ssh-certificate-records.ts'

const CURVES = parts.keysOf(parts.SSH_CURVES)
const SIZES = [2048, 4096] as const
const DEFAULTS = { type: 'ed25519', curve: 'nistp256', bits: 2048 } as const

export const errors = kit.declareErrors({
  ssh_key_type_invalid: kit.field(1936, 400),
  ssh_authority_description_too_long: parts.tooLong(1937),
  ssh_authority_metadata_too_long: parts.tooLong(1938),
  ssh_key_size_invalid: kit.field(1939, 400, SIZES.join(' or ')),
  ssh_key_size_unused: kit.ofField(
    1940,
    400,
    '{field} was sent for a key of type {type}. Only rsa keys have this field.',
  ),
  ssh_curve_invalid: kit.field(1941, 400),
  ssh_curve_unused: kit.ofField(
    1942,
    400,
    '{field} was sent for a key of type {type}. Only ecdsa keys have this field.',
  ),
  ssh_authority_limit_none: kit.tooMany(1953),
  ssh_authority_limit_reached: kit.tooMany(1956),
  ssh_authority_in_use: kit.entry(1964, 400, '{id} has signed certificates, such as {certificate}. Delete them first.'),
})

/** Creates the schema of a string from a list of choices. An empty string counts as absent. */
function choice<const T extends readonly string[], E extends parts.FieldError<string, { allowed: string }>>(
  choices: T,
  error: E,
  sentence: string,
) {
  const allowed = choices.join(', ')
  const read = v.pipe(v.string(allowed), parts.blankIsAbsent(), v.picklist(choices, allowed), kit.refusedAs(error))
  return v.optional(kit.documented(read, sentence, { json: { enum: ['', ...choices] } }))
}

const table = parts.columns(
  {
    name: 'ssh_certificate_authorities',
    prefix: 'sshca',
    what: 'SSH certificate authority',
    tableFields: ['id', 'key_type', 'public_key'],
    plural: 'SSH certificate authorities',
    filterable: FILTERABLE,
    errors,
    limit: {
      none: errors.ssh_authority_limit_none,
      reached: errors.ssh_authority_limit_reached,
      plans: { free: 0, hobbyist: 0 },
    },
    texts: descriptionAndMetadata({
      description: errors.ssh_authority_description_too_long,
      metadata: errors.ssh_authority_metadata_too_long,
    }),
    keptTexts: descriptionAndMetadata(),
    title: 'SshCertificateAuthority',
    sentence: 'A key that signs SSH certificates.',
  },
  {
    private_key_type: parts.column({
      create: choice(parts.SSH_KEY_TYPES, errors.ssh_key_type_invalid, 'The type of the key. Default: `ed25519`.'),
    }),
    elliptic_curve: parts.column({
      create: choice(CURVES, errors.ssh_curve_invalid, 'The curve of an ECDSA key. Default: `nistp256`.'),
    }),
    key_size: parts.column({
      create: v.optional(
        kit.documented(
          v.pipe(v.picklist([0, ...SIZES]), kit.refusedAs(errors.ssh_key_size_invalid)),
          'The size of an RSA key in bits; 0 means not given. Default: 2048.',
          { json: { enum: [0, ...SIZES] } },
        ),
      ),
    }),
    key: parts.column({ kept: key, shown: false }),
    public_key: parts.column({
      shown: kit.documented(v.string(), 'The public key: one line in OpenSSH format without a comment.'),
    }),
    key_type: parts.column({ shown: kit.documented(v.picklist(parts.SSH_KEY_TYPES), 'The type of the key.') }),
  },
)

/** The SSH certificate authorities. Each key is derived from the authority's sequence number. */
export const sshAuthorities = table.records

const fields = v.object(table.kind.createBody.entries)

const { ssh_curve_unused, ssh_key_size_unused } = errors

const createBody = kit.named(
  v.pipe(
    fields,
    kit.ruleOnWhole<v.InferOutput<typeof fields>, typeof ssh_curve_unused | typeof ssh_key_size_unused>(
      [ssh_curve_unused, ssh_key_size_unused],
      ({ private_key_type = DEFAULTS.type, elliptic_curve, key_size }, report) => {
        const type = String(private_key_type)
        if (elliptic_curve !== undefined && type !== 'ecdsa')
          report(ssh_curve_unused, { type }, { path: ['elliptic_curve'], value: elliptic_curve })
        if (key_size && type !== 'rsa') report(ssh_key_size_unused, { type }, { path: ['key_size'], value: key_size })
      },
    ),
  ),
  'SshCertificateAuthorityCreate',
  'The body that creates an SSH certificate authority.',
  { json: { examples: [{ description: 'the hosts of staging', private_key_type: 'ed25519' }] } },
)

/** SSH certificate authorities: keys that sign host and user certificates. */
export const sshCertificateAuthorities = kit.resource(
  { ...table.kind, createBody },
  {
    ...table.rules,
    view: (authority, wire) => ({
      ...table.rules.view(authority, wire),
      public_key: parts.sshAuthority(wire.authority).ssh.publicKey(authority.key),
      key_type: authority.key.type,
    }),
    create: {
      run(tx, body) {
        const { private_key_type: type = DEFAULTS.type, elliptic_curve: curve = DEFAULTS.curve, key_size } = body
        const key = { type, curve, bits: key_size || DEFAULTS.bits, number: tx.nextOrder() }
        return tx.put(sshAuthorities, table.newRecord(tx, body, { key }))
      },
    },
  },
)
