import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

/** The fields of application users that a test can declare. */
const person = {
  provider: v.string(),
  provider_url: v.string(),
  provider_user_id: v.string(),
  username: v.string(),
  email: v.string(),
  name: v.string(),
}

const user = v.object({
  id: kit.idOf('au'),
  created_at: parts.instant,
  last_active: parts.instant,
  last_login: parts.instant,
  ...person,
})

/** A person who has signed in to an endpoint. */
export type ApplicationUserRecord = kit.Frozen<v.InferOutput<typeof user>>

/** The people who signed in to endpoints. */
export const applicationUserRecords = kit.collection<ApplicationUserRecord>({
  name: 'application_users',
  schema: user,
  indexes: { person: ({ provider, provider_user_id }) => `${provider} ${provider_user_id}` },
  // Visits create these, not the code under test, so they are not leftovers.
  isAttached: () => true,
})

const session = v.object({
  id: kit.idOf('as'),
  created_at: parts.instant,
  last_active: parts.instant,
  expires_at: parts.scheduledTime,
  due: v.nullable(parts.made(v.object({ at: kit.dueTime, order: kit.sequenceNumber }))),
  user_id: kit.idOf('au'),
  public_url: v.string(),
  user_agent: v.string(),
  ip_address: v.string(),
  country_code: v.nullable(v.string()),
  endpoint_id: v.nullable(kit.idOf('ep')),
  edge_id: v.nullable(kit.idOf('edghts')),
  route_id: v.nullable(kit.idOf('edghtsrt')),
})

/** An application user's session at an endpoint. */
export type ApplicationSessionRecord = kit.Frozen<v.InferOutput<typeof session>>

/** The sessions, indexed by user. A session ends at its due time. */
export const applicationSessionRecords = kit.collection<ApplicationSessionRecord>({
  name: 'application_sessions',
  schema: session,
  indexes: { user: ({ user_id }) => user_id },
  isAttached: () => true,
  due: ({ due }) => due,
})
