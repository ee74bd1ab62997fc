import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { endSessionsOf } from './session-records.ts'
import { ACCOUNT_USER, descriptionAndMetadata } from './shared.ts'

/** The prefixes of a user's id, one for each path. Records have the first one. */
export const PREFIXES = ['bot', 'service'] as const

const user = v.object({
  id: parts.ownId(PREFIXES[0]),
  created_at: parts.instant,
  name: v.string(),
  active: v.boolean(),
})

/** A bot user, which is also a service user. */
export type BotUserRecord = kit.Frozen<v.InferOutput<typeof user>>

/** The bot users, which are also the service users. */
export const users = kit.collection<BotUserRecord>({
  name: 'bot_users',
  schema: user,
  indexes: { name: ({ name }) => name },
})

/** Returns the user with an id of either prefix. */
export function findUser(records: parts.OtherRecords, id: string): BotUserRecord | undefined {
  const prefix = PREFIXES.find((each) => id.startsWith(`${each}_`))
  return prefix && records.get(users, PREFIXES[0] + id.slice(prefix.length))
}

const ownedHead = (prefix: string) => ({ ...kit.recordHead(prefix, descriptionAndMetadata()), owner_id: v.string() })
const token = v.exactOptional(v.pipe(v.string(), kit.secret))

const credential = v.object({
  ...ownedHead('cr'),
  acl: v.array(v.string()),
  /** True for the owner's default authtoken, which cannot be deleted. */
  is_default: v.boolean(),
  token,
})

/** The record of a credential. A snapshot without secrets has no token. */
export type CredentialRecord = kit.Frozen<v.InferOutput<typeof credential>>

/** The credentials, indexed by the id of their owner. */
export const credentials = kit.collection<CredentialRecord>({
  name: 'credentials',
  schema: credential,
  indexes: { owner: ownerKey },
})

const sshCredential = v.object({ ...ownedHead('sshcr'), acl: v.array(v.string()), public_key: v.string() })

/** The record of an SSH credential. */
export type SshCredentialRecord = kit.Frozen<v.InferOutput<typeof sshCredential>>

/** The SSH credentials, indexed by the id of their owner and by their key material. */
export const sshCredentials = kit.collection<SshCredentialRecord>({
  name: 'ssh_credentials',
  schema: sshCredential,
  indexes: { owner: ownerKey, material: ({ public_key }) => parts.keyMaterial(public_key) ?? null },
})

const apiKey = v.object({ ...ownedHead('ak'), token })

/** The API keys, indexed by the id of their owner. A snapshot without secrets has no token. */
export const apiKeys = kit.collection<kit.Frozen<v.InferOutput<typeof apiKey>>>({
  name: 'api_keys',
  schema: apiKey,
  indexes: { owner: ownerKey },
})

/** A record that a user owns. */
export interface Owned {
  readonly id: string
  readonly owner_id: string
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

function ownerKey({ owner_id }: Pick<Owned, 'owner_id'>): string {
  return owner_id.slice(owner_id.indexOf('_') + 1)
}

/** Reports an owner that does not exist. */
export function reportMissingOwner(
  { owner_id }: Owned,
  others: parts.OtherRecords,
  report: parts.ReportRelation,
): void {
  if (owner_id !== ACCOUNT_USER && !findUser(others, owner_id)) report(['owner_id'], owner_id, 'an owner that exists')
}

/** Makes a token: the characters of its id, then 21 random ones. */
export function newToken(tx: kit.Transaction, id: string): string {
  const characters = tx.newId('token')
  return `${id.slice(id.indexOf('_') + 1)}_${characters.slice(-21)}`
}

/** Creates a credential. */
export function newCredential(
  tx: kit.Transaction,
  facts: Pick<CredentialRecord, 'owner_id' | 'acl' | 'is_default'>,
  body: object = {},
): CredentialRecord {
  const head = kit.newHead(tx, 'cr', body)
  return tx.put(credentials, { ...head, ...facts, token: newToken(tx, head.id) })
}

const OWNED: readonly kit.Collection<Owned & object>[] = [credentials, sshCredentials, apiKeys]

/** Deletes everything that a user owns, and ends the sessions of the credentials. */
export function removeOwned(tx: kit.Transaction, user: { readonly id: string }): void {
  const key = ownerKey({ owner_id: user.id })
  for (const each of OWNED) {
    for (const record of tx.findAll(each, 'owner', key)) {
      endSessionsOf(tx, record)
      tx.remove(each, record)
    }
  }
}
