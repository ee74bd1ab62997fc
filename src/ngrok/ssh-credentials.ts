import * as v from 'valibot'
import {
  accountLimits,
  declareErrors,
  described,
  documented,
  field,
  named,
  newHead,
  ofField,
  quote,
  refuse,
  resource,
  resourceHead,
  rule,
  tooMany,
  viewHead,
} from '../kit/index.ts'
import { ownerRelation, sshCredentials } from './credential-records.ts'
import {
  acl,
  aclLimit,
  errors as ownedErrors,
  ownedFields,
  ownedTexts,
  owner_id,
  ownerErrors,
  ownerIn,
  requireChange,
} from './owned.ts'
import { endSessionsOf } from './session-records.ts'
import { FILTERABLE } from './shared.ts'
import { ALGORITHMS, keyMaterial } from './ssh-key.ts'

const FORM = `one line of OpenSSH: ${ALGORITHMS.join(', ')}, then the key of that algorithm in base64, and a comment if you like`

const errors = declareErrors({
  ssh_key_taken: ofField(
    609,
    400,
    (it: { id: string }) => `public_key has the key material of ${it.id}. Send a key that no other SSH credential has.`,
  ),
  ssh_key_missing: ofField(611, 400, (it) => `${it.field} is missing. Send ${FORM}.`),
  ssh_key_invalid: field(612, 400, () => FORM),
  ssh_limit_none: tooMany(607),
  ssh_limit_reached_older: tooMany(608),
  ssh_limit_reached: tooMany(617),
  ssh_limit_acl: tooMany(622),
})

const limits = accountLimits({
  ssh_credentials: {
    what: 'SSH credentials',
    none: errors.ssh_limit_none,
    reached: errors.ssh_limit_reached,
    older: errors.ssh_limit_reached_older,
  },
  acl: { ...aclLimit, reached: errors.ssh_limit_acl },
})

const public_key = documented(
  v.pipe(
    v.string(),
    rule([errors.ssh_key_missing, errors.ssh_key_invalid], (text, report) => {
      if (text === '') report(errors.ssh_key_missing, {})
      else if (keyMaterial(text) === undefined) report(errors.ssh_key_invalid, {})
    }),
  ),
  `The public key, ${FORM}. Answers repeat it as sent.`,
  { isRequired: true },
)

/** SSH credentials: public keys that may open tunnels over SSH. */
export const sshCredentialFamily = resource(
  {
    name: 'ssh_credentials',
    path: '/ssh_credentials',
    items: 'ssh_credentials',
    prefix: 'sshcr',
    what: 'SSH credential',
    filterable: [...FILTERABLE, 'owner_id', 'acl'],
    errors: { ...ownedErrors, ...errors },
    limits,
    collection: sshCredentials,
    shape: named(
      v.object({ ...resourceHead, public_key, acl, owner_id }),
      'SshCredential',
      'A public key that may open tunnels over SSH.',
    ),
    createBody: named(
      v.object({ ...ownedFields, acl: v.optional(acl, []), public_key: v.optional(public_key, '') }),
      'SshCredentialCreate',
      'The body that creates an SSH credential.',
    ),
    updateBody: named(
      v.object({ ...ownedTexts, acl: v.optional(acl) }),
      'SshCredentialUpdate',
      'The changes of an SSH credential: at least one field.',
    ),
  },
  {
    view: (credential, wire) => ({
      ...viewHead(credential, wire, '/ssh_credentials'),
      public_key: credential.public_key,
      acl: credential.acl,
      owner_id: credential.owner_id,
    }),
    create: {
      errors: [...ownerErrors, errors.ssh_key_taken],
      run(tx, { owner_id, acl, public_key, ...body }) {
        const owner = ownerIn(tx, owner_id)
        const other = tx.find(sshCredentials, 'material', keyMaterial(public_key) ?? '')
        if (other) {
          refuse(errors.ssh_key_taken, { field: 'public_key', received: quote(public_key), id: other.id })
        }
        return tx.put(sshCredentials, { ...newHead(tx, 'sshcr', body), owner_id: owner, acl, public_key })
      },
    },
    update: {
      errors: [ownedErrors.owned_update_empty],
      run(tx, credential, body) {
        requireChange(body)
        const changed = { ...credential, ...described(body, credential), acl: body.acl ?? credential.acl }
        return tx.put(sshCredentials, changed)
      },
    },
    delete: { before: endSessionsOf },
    relations(credential, others, report) {
      ownerRelation(credential, others, report)
      const { id, public_key } = credential
      const material = keyMaterial(public_key)
      if (material === undefined || others.find(sshCredentials, 'material', material)?.id !== id) {
        report(['public_key'], public_key, 'a public key that no other SSH credential has')
      }
    },
  },
)
