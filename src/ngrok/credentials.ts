import * as v from 'valibot'
import {
  accountLimits,
  declaration,
  declareErrors,
  documented,
  entry,
  type Frozen,
  named,
  refuse,
  resource,
  resourceHead,
  tooMany,
  type View,
  viewHead,
} from '../kit/index.ts'
import * as owned from './owned.ts'
import { type CredentialRecord, credentials, newCredential, ownerRelation } from './owned-records.ts'
import { endSessionsOf } from './session-records.ts'
import { ACCOUNT_USER, bodiesOf, FILTERABLE } from './shared.ts'

const errors = declareErrors({
  credential_default: entry(
    637,
    400,
    (it: { id: string }) => `${it.id} is the default authtoken of its owner, which cannot be deleted.`,
  ),
  credential_limit_reached_older: tooMany(602),
  credential_limit_reached: tooMany(615),
  credential_limit_acl: tooMany(620),
})

const limits = accountLimits({
  credentials: {
    what: 'credentials',
    reached: errors.credential_limit_reached,
    older: errors.credential_limit_reached_older,
  },
  acl: { ...owned.aclLimit, reached: errors.credential_limit_acl },
})

const shape = named(
  v.object({ ...resourceHead, token: owned.token, acl: owned.acl, owner_id: owned.owner_id }),
  'Credential',
  'A credential with the authtoken that agents connect with.',
)

const view: View<CredentialRecord, Frozen<v.InferOutput<typeof shape>>> = (credential, wire) => ({
  ...viewHead(credential, wire, '/credentials'),
  token: null,
  acl: credential.acl,
  owner_id: credential.owner_id,
})

const defaultCredential = declaration({
  schema: named(
    v.object({ default: documented(v.literal(true), "True: the account's default authtoken, which no call makes.") }),
    'CredentialDeclaration',
    'Declares a credential that no call makes.',
  ),
  answer: shape,
  run(tx) {
    const credential = newCredential(tx, { owner_id: ACCOUNT_USER, acl: [], is_default: true })
    return { ...tx.show(view, credential), token: credential.token ?? null }
  },
})

/** Credentials: the authtokens of agents. */
export const credentialFamily = resource(
  {
    name: 'credentials',
    path: '/credentials',
    items: 'credentials',
    prefix: 'cr',
    what: 'credential',
    filterable: [...FILTERABLE, 'owner_id', 'acl'],
    errors: { ...owned.errors, ...errors },
    limits,
    collection: credentials,
    declares: { credential: defaultCredential },
    shape,
    ...bodiesOf('Credential', 'a credential', {
      create: { ...owned.createFields, acl: v.optional(owned.acl, []), precomputed_token: owned.precomputedToken },
      update: { ...owned.updateFields, acl: v.optional(owned.acl) },
      note: ': at least one field',
    }),
  },
  {
    view,
    create: {
      errors: owned.ownerErrors,
      run(tx, { owner_id, acl, ...body }) {
        return newCredential(tx, { owner_id: owned.ownerIn(tx, owner_id), acl, is_default: false }, body)
      },
      once: ({ token = null }) => ({ token }),
    },
    update: owned.changeOf(credentials),
    delete: {
      errors: [errors.credential_default],
      before(tx, credential) {
        if (credential.is_default) refuse(errors.credential_default, { id: credential.id })
        endSessionsOf(tx, credential)
      },
    },
    relations: ownerRelation,
  },
)
