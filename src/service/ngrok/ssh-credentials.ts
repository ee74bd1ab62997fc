import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import * as owned from './owned.ts'
import { byOwner, ownerRow } from './owned-records.ts'
import { defineUnique } from './shared.ts'

const KEY_FORM =
  `one line in OpenSSH format: the key type (${parts.ALGORITHMS.join(', ')}), a space, the base64-encoded key, ` +
  'and optionally a comment'

const errors = kit.declareErrors({
  ssh_key_taken: kit.ofField(
    609,
    400,
    'public_key has the same key material as {id}. Send a key that no other SSH credential has.',
  ),
  ssh_key_missing: kit.ofField(611, 400, `{field} is missing. Send ${KEY_FORM}.`),
  ssh_key_invalid: kit.field(612, 400, KEY_FORM),
  ssh_limit_none: kit.tooMany(607),
  ssh_limit_reached_older: kit.tooMany(608),
  ssh_limit_reached: kit.tooMany(617),
  ssh_limit_acl: kit.tooMany(622),
})

const public_key = kit.documented(
  v.pipe(
    v.string(),
    kit.rule([errors.ssh_key_missing, errors.ssh_key_invalid], (text, report) => {
      if (text === '') report(errors.ssh_key_missing, {})
      else if (parts.keyMaterial(text) === undefined) report(errors.ssh_key_invalid, {})
    }),
  ),
  `The public key, ${KEY_FORM}. Responses repeat it as sent.`,
  { isRequired: true },
)

const table = parts.columns(
  {
    ...owned.heading,
    name: 'ssh_credentials',
    prefix: 'sshcr',
    what: 'SSH credential',
    tableFields: ['id', 'acl', 'owner_id'],
    filterable: [...owned.heading.filterable, 'acl'],
    errors: { ...owned.errors, ...errors },
    limits: kit.accountLimits({
      ssh_credentials: {
        what: 'SSH credentials',
        none: errors.ssh_limit_none,
        reached: errors.ssh_limit_reached,
        older: errors.ssh_limit_reached_older,
      },
      acl: { ...owned.aclLimit, reached: errors.ssh_limit_acl },
    }),
    title: 'SshCredential',
    sentence: 'A public key that can start tunnels over SSH.',
  },
  {
    public_key: parts.column({ create: v.optional(public_key, ''), kept: v.string(), shown: public_key }),
    acl: owned.aclColumn,
    ...owned.ownerColumns,
  },
  { indexes: { owner: byOwner, material: ({ public_key }) => parts.keyMaterial(public_key) ?? null } },
)

/** The SSH credentials, indexed by owner ID and by key material. */
export const sshCredentials = table.records

/** The record of an SSH credential. */
export type SshCredentialRecord = kit.RecordOf<typeof table.kind>

const unique = defineUnique(sshCredentials, 'material', {
  field: 'public_key',
  error: errors.ssh_key_taken,
  allowed: 'a public key in OpenSSH format that no other SSH credential has',
})

/** SSH credentials: public keys that can start tunnels over SSH. */
export const sshCredentialFamily = kit.resource(table.kind, {
  ...table.rules,
  create: {
    errors: [...owned.ownerErrors, errors.ssh_key_taken],
    run(tx, body) {
      const credential = table.newRecord(tx, { ...body, owner_id: owned.readOwner(tx, body) })
      return tx.put(sshCredentials, unique.requireUnique(tx, credential))
    },
  },
  update: owned.defineOwnedUpdate(sshCredentials, table.kind.updateBody),
  references: [ownerRow(sshCredentials, owned.errors.owner_not_found)],
  relations: unique.relations,
})
