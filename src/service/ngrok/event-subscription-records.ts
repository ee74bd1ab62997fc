import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata } from './shared.ts'

/** The kinds of resources whose creations, changes and deletions are events. */
const WITH_LIFE = [
  'api_key',
  'certificate_authority',
  'domain',
  'event_destination',
  'event_subscription',
  'ip_policy',
  'ip_policy_rule',
  'ip_restriction',
  'secret',
  'ssh_certificate_authority',
  'ssh_host_certificate',
  'ssh_public_key',
  'ssh_user_certificate',
  'tcp_address',
  'tls_certificate',
  'tunnel_credential',
  'vault',
]

/** The types of events that a subscription can have as its sources. */
export const EVENT_TYPES: readonly string[] = [
  ...WITH_LIFE.flatMap((kind) => ['created', 'updated', 'deleted'].map((change) => `${kind}_${change}.v0`)),
  'agent_session_start.v0',
  'agent_session_stop.v0',
  'http_request_complete.v0',
  'tcp_connection_closed.v0',
]

const record = v.object({
  ...kit.recordHead('esb', descriptionAndMetadata()),
  source_types: v.array(parts.oneOfThese(EVENT_TYPES)),
  destination_ids: v.array(kit.idOf('ed')),
})

export type SubscriptionRecord = kit.Frozen<v.InferOutput<typeof record>>

/** The event subscriptions. */
export const subscriptions = kit.collection<SubscriptionRecord>({
  name: 'event_subscriptions',
  schema: record,
  indexes: { destination: ({ destination_ids }) => destination_ids },
})
