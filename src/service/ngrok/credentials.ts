import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import * as owned from './owned.ts'
import { byOwner, newToken, ownerRow } from './owned-records.ts'
import { ACCOUNT_USER } from './shared.ts'

const errors = kit.declareErrors({
  credential_default: kit.entry(
    637,
    400,
    "{id} is its owner's default authtoken. A default authtoken cannot be deleted.",
  ),
  credential_limit_reached_older: kit.tooMany(602),
  credential_limit_reached: kit.tooMany(615),
  credential_limit_acl: kit.tooMany(620),
})

const table = parts.columns(
  {
    ...owned.heading,
    name: 'credentials',
    prefix: 'cr',
    what: 'credential',
    tableFields: ['id', 'acl', 'owner_id'],
    filterable: [...owned.heading.filterable, 'acl'],
    errors: { ...owned.errors, ...errors },
    limits: kit.accountLimits({
      credentials: {
        what: 'credentials',
        reached: errors.credential_limit_reached,
        older: errors.credential_limit_reached_older,
      },
      acl: { ...owned.aclLimit, reached: errors.credential_limit_acl },
    }),
    title: 'Credential',
    sentence: 'A credential, whose authtoken agents use to connect.',
  },
  {
    token: owned.tokenColumn,
    acl: owned.aclColumn,
    ...owned.ownerColumns,
    precomputed_token: owned.precomputedTokenColumn,
    // True for the owner's default authtoken, which cannot be deleted.
    is_default: parts.column({ kept: v.boolean(), shown: false, first: false }),
  },
  { indexes: { owner: byOwner } },
)

/** The credentials, indexed by the ID of their owner. */
export const credentials = table.records

/** The record of a credential. A snapshot without secrets has no token. */
export type CredentialRecord = kit.RecordOf<typeof table.kind>

const OF_ACCOUNT = { owner_id: ACCOUNT_USER, owner_email: '', scim_user_id: '', acl: [] }

/** Creates a credential from a request body. By default, the account's user owns it, and it has no ACL. */
export function newCredential(
  tx: kit.Transaction,
  body: Parameters<typeof table.newRecord>[1] = OF_ACCOUNT,
  is_default = false,
): CredentialRecord {
  const credential = { ...table.newRecord(tx, body), is_default }
  return tx.put(credentials, { ...credential, token: newToken(tx, credential.id) })
}

const defaultCredential = kit.declaration({
  schema: kit.named(
    v.object({
      default: kit.documented(
        v.literal(true),
        "True for the account's default authtoken, which no operation can create.",
      ),
    }),
    'CredentialDeclaration',
    'Declares a credential that no operation can create.',
  ),
  response: table.kind.shape,
  run(tx) {
    const credential = newCredential(tx, OF_ACCOUNT, true)
    return { ...tx.show(table.rules.view, credential), token: credential.token ?? null }
  },
})

/** Credentials: the authtokens of agents. */
export const credentialFamily = kit.resource(
  { ...table.kind, declares: { credential: defaultCredential } },
  {
    ...table.rules,
    create: {
      errors: owned.ownerErrors,
      run: (tx, body) => newCredential(tx, { ...body, owner_id: owned.readOwner(tx, body) }),
      once: ({ token = null }) => ({ token }),
    },
    update: owned.defineOwnedUpdate(credentials, table.kind.updateBody),
    delete: {
      errors: [errors.credential_default],
      before(_tx, credential) {
        if (credential.is_default) kit.refuse(errors.credential_default, { id: credential.id })
      },
    },
    references: [ownerRow(credentials, owned.errors.owner_not_found)],
  },
)
