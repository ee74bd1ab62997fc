import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { ACCOUNT_USER } from './shared.ts'

/** The prefixes of a user's ID. A user keeps the prefix of the path that created it (rules: ngrok-families#users). */
export const PREFIXES = ['bot', 'service'] as const

const [ofKeys] = PREFIXES

const user = v.object({
  id: v.union(PREFIXES.map(parts.ownId), `"${ofKeys}_" or "service_", and 27 letters and digits`),
  created_at: parts.instant,
  name: v.string(),
  active: v.boolean(),
})

/** A bot user. Bot users and service users are the same users under two names. */
export type BotUserRecord = kit.Frozen<v.InferOutput<typeof user>>

/** The bot users, which are the same as the service users. */
export const users = kit.collection<BotUserRecord>({
  name: 'bot_users',
  schema: user,
  // One prefix for all, so that the keys sort in creation order.
  key: ({ id }) => ownerKey(id),
  indexes: { name: ({ name }) => name },
})

/** Returns the user whose ID has either prefix. */
export function findUser(records: parts.OtherRecords, id: string): BotUserRecord | undefined {
  return records.get(users, ownerKey(id))
}

/** Returns the key of the user whose ID has either prefix. Returns any other ID unchanged. */
export function ownerKey(id: string): string {
  const prefix = PREFIXES.find((each) => id.startsWith(`${each}_`))
  return prefix === undefined ? id : ofKeys + id.slice(prefix.length)
}

export const ownerTarget: parts.Target = {
  what: 'a user',
  collections: [users.name],
  has: (records, id) => id === ACCOUNT_USER || findUser(records, id) !== undefined,
}

/** Creates the row for the owner of records in the table of references. */
export function ownerRow<R extends { readonly owner_id: string }>(
  holder: kit.Collection<R>,
  missing: parts.CatalogueError,
) {
  return parts.referenceOf(holder, {
    field: 'owner_id',
    sent: 'owner_id',
    shown: 'owner_id',
    to: ownerTarget,
    ids: ({ owner_id }) => [ownerKey(owner_id)],
    index: 'owner',
    missing,
    deletion: 'cascades',
    rules: 'ngrok-families#users',
  })
}

/** A record that belongs to a user. */
export interface Owned {
  readonly id: string
  readonly owner_id: string
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

/** Returns the key of the owner, for the index of records by owner. */
export function byOwner({ owner_id }: Pick<Owned, 'owner_id'>): string {
  return ownerKey(owner_id)
}

/** Creates a token: the characters of the ID, followed by 21 random characters. */
export function newToken(tx: kit.Transaction, id: string): string {
  const characters = tx.newId('token')
  return `${id.slice(id.indexOf('_') + 1)}_${characters.slice(-21)}`
}
