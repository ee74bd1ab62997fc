import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import * as owned from './owned.ts'
import { ownerRow, sshCredentials } from './owned-records.ts'
import { defineUnique, FILTERABLE } from './shared.ts'

const KEY_FORM = `one line of OpenSSH: ${parts.ALGORITHMS.join(', ')}, then the key of that algorithm in base64, and a comment if you like`

const errors = kit.declareErrors({
  ssh_key_taken: kit.ofField(
    609,
    400,
    'public_key has the key material of {id}. Send a key that no other SSH credential has.',
  ),
  ssh_key_missing: kit.ofField(611, 400, `{field} is missing. Send ${KEY_FORM}.`),
  ssh_key_invalid: kit.field(612, 400, KEY_FORM),
  ssh_limit_none: kit.tooMany(607),
  ssh_limit_reached_older: kit.tooMany(608),
  ssh_limit_reached: kit.tooMany(617),
  ssh_limit_acl: kit.tooMany(622),
})

const limits = kit.accountLimits({
  ssh_credentials: {
    what: 'SSH credentials',
    none: errors.ssh_limit_none,
    reached: errors.ssh_limit_reached,
    older: errors.ssh_limit_reached_older,
  },
  acl: { ...owned.aclLimit, reached: errors.ssh_limit_acl },
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

const unique = defineUnique(sshCredentials, 'material', {
  field: 'public_key',
  error: errors.ssh_key_taken,
  allowed: 'a public key of OpenSSH that no other SSH credential has',
})

const bodies = parts.defineBodies('SshCredential', 'an SSH credential', {
  create: { ...owned.createFields, acl: v.optional(owned.acl, []), public_key: v.optional(public_key, '') },
  update: { ...owned.updateFields, acl: v.optional(owned.acl) },
  note: ': at least one field',
})

/** SSH credentials: public keys that may open tunnels over SSH. */
export const sshCredentialFamily = kit.resource(
  {
    name: 'ssh_credentials',
    prefix: 'sshcr',
    what: 'SSH credential',
    filterable: [...FILTERABLE, 'owner_id', 'acl'],
    errors: { ...owned.errors, ...errors },
    limits,
    collection: sshCredentials,
    shape: kit.named(
      v.object({ ...kit.resourceHead, public_key, acl: owned.acl, owner_id: owned.owner_id }),
      'SshCredential',
      'A public key that may open tunnels over SSH.',
    ),
    ...bodies,
  },
  {
    view: (credential, wire) => ({
      ...kit.viewHead(credential, wire, '/ssh_credentials'),
      public_key: credential.public_key,
      acl: credential.acl,
      owner_id: credential.owner_id,
    }),
    create: {
      errors: [...owned.ownerErrors, errors.ssh_key_taken],
      run(tx, sent) {
        const { owner_id, acl, public_key, ...body } = owned.takeOwner(tx, sent)
        const credential = { ...kit.newHead(tx, 'sshcr', body), owner_id, acl, public_key }
        return tx.put(sshCredentials, unique.requireUnique(tx, credential))
      },
    },
    update: owned.defineOwnedUpdate(sshCredentials, bodies.updateBody),
    references: [ownerRow(sshCredentials, owned.errors.owner_not_found)],
    relations: unique.relations,
  },
)
