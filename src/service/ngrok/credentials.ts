import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import * as owned from './owned.ts'
import { type CredentialRecord, credentials, newCredential, ownerRow } from './owned-records.ts'
import { ACCOUNT_USER, FILTERABLE } from './shared.ts'

const errors = kit.declareErrors({
  credential_default: kit.entry(637, 400, '{id} is the default authtoken of its owner, which cannot be deleted.'),
  credential_limit_reached_older: kit.tooMany(602),
  credential_limit_reached: kit.tooMany(615),
  credential_limit_acl: kit.tooMany(620),
})

const limits = kit.accountLimits({
  credentials: {
    what: 'credentials',
    reached: errors.credential_limit_reached,
    older: errors.credential_limit_reached_older,
  },
  acl: { ...owned.aclLimit, reached: errors.credential_limit_acl },
})

const shape = kit.named(
  v.object({ ...kit.resourceHead, token: owned.token, acl: owned.acl, owner_id: owned.owner_id }),
  'Credential',
  'A credential with the authtoken that agents connect with.',
)

const view: kit.View<CredentialRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (credential, wire) => ({
  ...kit.viewHead(credential, wire, '/credentials'),
  token: null,
  acl: credential.acl,
  owner_id: credential.owner_id,
})

const defaultCredential = kit.declaration({
  schema: kit.named(
    v.object({
      default: kit.documented(v.literal(true), "True: the account's default authtoken, which no operation makes."),
    }),
    'CredentialDeclaration',
    'Declares a credential that no operation makes.',
  ),
  response: shape,
  run(tx) {
    const credential = newCredential(tx, { owner_id: ACCOUNT_USER, acl: [], is_default: true })
    return { ...tx.show(view, credential), token: credential.token ?? null }
  },
})

const bodies = parts.defineBodies('Credential', 'a credential', {
  create: { ...owned.createFields, acl: v.optional(owned.acl, []), precomputed_token: owned.precomputedToken },
  update: { ...owned.updateFields, acl: v.optional(owned.acl) },
  note: ': at least one field',
})

/** Credentials: the authtokens of agents. */
export const credentialFamily = kit.resource(
  {
    name: 'credentials',
    prefix: 'cr',
    what: 'credential',
    filterable: [...FILTERABLE, 'owner_id', 'acl'],
    errors: { ...owned.errors, ...errors },
    limits,
    collection: credentials,
    declares: { credential: defaultCredential },
    shape,
    ...bodies,
  },
  {
    view,
    create: {
      errors: owned.ownerErrors,
      run(tx, sent) {
        const { owner_id, acl, ...body } = owned.takeOwner(tx, sent)
        return newCredential(tx, { owner_id, acl, is_default: false }, body)
      },
      once: ({ token = null }) => ({ token }),
    },
    update: owned.defineOwnedUpdate(credentials, bodies.updateBody),
    delete: {
      errors: [errors.credential_default],
      before(_tx, credential) {
        if (credential.is_default) kit.refuse(errors.credential_default, { id: credential.id })
      },
    },
    references: [ownerRow(credentials, owned.errors.owner_not_found)],
  },
)
