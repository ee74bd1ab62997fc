import * as v from 'valibot'
import { collection, type Frozen, instant, type OtherRecords, ownId } from '../kit/index.ts'

/** The prefixes of a user's id on the two paths; records have the first. */
export const PREFIXES = ['bot', 'service'] as const

const record = v.object({ id: ownId(PREFIXES[0]), created_at: instant, name: v.string(), active: v.boolean() })

/** A bot user, who is a service user too. */
export type UserRecord = Frozen<v.InferOutput<typeof record>>

/** The bot users, who are the service users too. */
export const users = collection<UserRecord>({
  name: 'bot_users',
  key: ({ id }) => id,
  schema: record,
  indexes: { name: ({ name }) => name },
})

/** Returns the user with an id of either prefix. */
export function userWith(records: OtherRecords, id: string): UserRecord | undefined {
  return records.get(users, PREFIXES[0] + id.slice(id.indexOf('_')))
}
