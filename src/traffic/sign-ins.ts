import { schedule } from '../core/operation/schedule.ts'
import type { Transaction } from '../core/operation/transaction.ts'
import { LATEST_TIME } from '../core/schema/time.ts'
import { applicationSessionRecords, applicationUserRecords } from '../service/ngrok/application-records.ts'
import type { SignIn } from '../service/policy/visit.ts'
import { signIns } from './records.ts'

/** The place where a person signs in, and the user agent. */
interface Surroundings {
  readonly endpoint: { readonly id: string; readonly url: string; readonly edge_id?: string | null }
  readonly user_agent: string
  readonly ip_address: string
  readonly country_code: string | null
}

const keyOf = ({ provider, provider_user_id }: SignIn['person'], place: string): string =>
  JSON.stringify([place, provider, provider_user_id])

/** Ends a person's session at an endpoint or route as if it had been deleted. */
export function endSession(tx: Transaction, person: SignIn['person'], place: string): void {
  const known = tx.get(signIns, keyOf(person, place))
  const session = known && tx.get(applicationSessionRecords, known.session_id)
  if (session) tx.remove(applicationSessionRecords, session)
}

/**
 * Returns whether a person is signed in to an endpoint or a route. A person who arrives for the first time has just signed in, and is
 * recorded as an application user with a session. After the session has ended, the person must sign in again (rules: traffic#signing-in).
 */
export function continueSession(tx: Transaction, { person, max, idle }: SignIn, at: Surroundings): boolean {
  const key = keyOf(person, at.endpoint.id)
  const known = tx.get(signIns, key)
  const before = known && tx.get(applicationSessionRecords, known.session_id)
  if (known && !before) {
    tx.remove(signIns, known)
    return false
  }
  if (before?.last_active === tx.now) return true
  const user = before
    ? tx.get(applicationUserRecords, before.user_id)
    : tx.find(applicationUserRecords, 'person', `${person.provider} ${person.provider_user_id}`)
  const last_login = before && user ? user.last_login : tx.now
  const { id: user_id } = tx.put(applicationUserRecords, {
    ...{ id: user?.id ?? tx.newId('au'), created_at: user?.created_at ?? tx.now },
    ...person,
    ...{ last_active: tx.now, last_login },
  })
  const created_at = before?.created_at ?? tx.now
  const limits = [...(max ? [created_at + max] : []), ...(idle ? [tx.now + idle] : [])]
  const { at: expires_at, due } = schedule(tx, Math.min(LATEST_TIME + 1, ...limits))
  const { endpoint, ...program } = at
  const isRoute = typeof endpoint.edge_id === 'string'
  const session = tx.put(applicationSessionRecords, {
    ...{ id: before?.id ?? tx.newId('as'), created_at, last_active: tx.now, expires_at, due },
    ...{ user_id, public_url: endpoint.url, ...program },
    endpoint_id: isRoute ? null : endpoint.id,
    edge_id: isRoute ? endpoint.edge_id : null,
    route_id: isRoute ? endpoint.id : null,
  })
  if (!known) tx.put(signIns, { key, session_id: session.id })
  return true
}
