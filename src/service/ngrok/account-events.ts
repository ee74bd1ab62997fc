/** The events of the account: which record change causes which event, and the destinations of events. */
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { apiKeys } from './api-keys.ts'
import { credentials } from './credentials.ts'
import { destinations } from './event-destinations.ts'
import { subscriptions } from './event-subscription-records.ts'
import { EVENT_TYPES, FILTERABLE, fieldsOf, KINDS } from './event-types.ts'
import { findUser } from './owned-records.ts'
import { NO_KEY } from './self.ts'
import { type SessionRecord, sessions } from './session-records.ts'
import { ACCOUNT_ID, ACCOUNT_USER, EMAIL } from './shared.ts'
import { sshCredentials } from './ssh-credentials.ts'

/** The events of ngrok's account (rules: events#account). */
export const eventRules: parts.EventRules = {
  subscriptions,
  accountId: ACCOUNT_ID,
  types: EVENT_TYPES,
  fieldsOf,
  filterable: Object.keys(FILTERABLE),
  ofChange(tx, change) {
    const { collection, before, after, view } = change
    const kind = parts.lookUp(KINDS, collection.name)
    const record = after ?? before
    // A provisioning attempt that a test makes is the service's own work, like one that falls due.
    if (change.operation === 'control' && (kind === 'domain' || kind === 'tls_certificate')) return undefined
    if (kind !== undefined && view && record) {
      const type = `${kind}_${before ? (after ? 'updated' : 'deleted') : 'created'}.v0`
      return { type, read: () => ({ object: tx.show(view, record), principal: principalOf(tx, change) }) }
    }
    const session = isSession(change, record) && Boolean(before) !== Boolean(after) ? record : undefined
    if (!session) return undefined
    const type = after ? 'agent_session_start.v0' : 'agent_session_stop.v0'
    const stop = after ? undefined : describeStop(tx, change, session)
    const read = () => ({ object: showSession(tx, session, stop), principal: principalOfAgent(tx, change, session) })
    return { type, read }
  },
  routesOf(tx, type) {
    const found = [...tx.newestFirst(subscriptions)].reverse().filter(({ source_types }) => source_types.includes(type))
    return found.flatMap(({ id: subscription, destination_ids, source_settings }) => {
      const source = source_settings?.[type] ?? {}
      return destination_ids.map((destination) => ({ subscription, destination, source }))
    })
  },
  targetOf(tx, destination) {
    const { target } = tx.get(destinations, destination) ?? {}
    if (!target) return undefined
    const [kind = ''] = Object.keys(target)
    const { api_key, service, ddtags } = target.datadog ?? {}
    const added = { ...(service !== undefined && { service }), ...(ddtags !== undefined && { ddtags }) }
    return { kind, headers: api_key === undefined ? {} : { 'dd-api-key': api_key }, added }
  },
}

function isSession({ collection }: parts.RecordedChange, record: object | undefined): record is SessionRecord {
  return collection.name === sessions.name && record !== undefined
}

function describeStop(tx: kit.Transaction, { operation }: parts.RecordedChange, session: SessionRecord): string {
  if (!findCredential(tx, session)) return 'The credential of the agent was deleted.'
  if (operation === 'tunnel_sessions.stop') return 'The API stopped the agent.'
  return operation === 'tunnel_sessions.restart' ? 'The API restarted the agent.' : 'The agent disconnected.'
}

function findCredential(tx: kit.Transaction, { credential_id }: SessionRecord) {
  return tx.get(credentials, credential_id) ?? tx.get(sshCredentials, credential_id)
}

/** Returns the user and the key that made a change. Changes without a request count as made by the user in the dashboard. */
function principalOf(tx: kit.Transaction, change: parts.RecordedChange) {
  const { operation, caller } = change
  if (operation === 'control' || caller?.isInspector)
    return { ...userOf(tx, ACCOUNT_USER), source: 'Dashboard', credential: null }
  const { id, owner_id } = findKey(tx, change)
  return { ...userOf(tx, owner_id), source: 'API', credential: kit.refTo(tx.wire, '/api_keys', id) }
}

function principalOfAgent(tx: kit.Transaction, { deleted }: parts.RecordedChange, session: SessionRecord) {
  const { credential_id } = session
  const { owner_id } = { ...NO_KEY, ...(findCredential(tx, session) ?? deleted(credential_id)) }
  return { ...userOf(tx, owner_id), source: 'API', credential: showCredential(tx, credential_id) }
}

/** Returns the API key that a request was sent with, or else the key that `/self` showed before the change. */
function findKey(tx: kit.Transaction, { caller, after, deleted }: parts.RecordedChange) {
  const [, characters = ''] = /^Bearer +([0-9A-Za-z]{27})_/i.exec(caller?.header('authorization') ?? '') ?? []
  const id = `ak_${characters}`
  const earlier = [...tx.newestFirst(apiKeys)].filter((key) => key !== after)
  return { ...NO_KEY, ...(tx.get(apiKeys, id) ?? deleted(id) ?? earlier.at(-1)) }
}

function userOf(tx: kit.Transaction, id: string) {
  return { id, subject: findUser(tx, id)?.name ?? EMAIL }
}

function showCredential(tx: kit.Transaction, id: string) {
  return kit.refTo(tx.wire, id.startsWith('sshcr_') ? '/ssh_credentials' : '/credentials', id)
}

/** Returns a session in the form used in its events. Facts known only to the real network are null. */
function showSession(tx: kit.Transaction, session: SessionRecord, stop: string | undefined) {
  const { id, credential_id, ip, region, agent_version, metadata, os, transport, started_at } = session
  return {
    session: kit.refTo(tx.wire, '/tunnel_sessions', id),
    credential: showCredential(tx, credential_id),
    agent_ip: ip,
    ingress_server_ip: null,
    region,
    ingress_hostname: null,
    user_agent: transport === 'ssh' ? '' : `ngrok/${agent_version}`,
    metadata: metadata ?? '',
    os,
    arch: null,
    transport: transport === 'ssh' ? transport : 'muxado',
    started_at: kit.timestamp(started_at),
    expires_at: null,
    stopped_at: stop === undefined ? null : kit.timestamp(tx.now),
    deprecated: { upcoming_minimum_version: null, upcoming_enforcement_date: null, message: null },
    error: stop ?? '',
  }
}
