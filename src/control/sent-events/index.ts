import * as v from 'valibot'
import { requireFunction } from '../../core/schema/arguments.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { optionsOf, readCallOptions } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import type { SentEvent, SentEventFilter } from '../../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { sentEvent } from './item.ts'

const filterFields = {
  type: v.exactOptional(documented(v.string(), 'Only events of this type, such as `ip_policy_created.v0`.')),
  destination: v.exactOptional(documented(v.string(), 'Only events for the event destination with this ID.')),
}

const filter = named(optionsOf(filterFields), 'SentEventFilter', 'The fields that events must have.')

const list = controlCall({
  method: 'GET',
  path: '/sent-events',
  summary: "List the account's recent events, oldest first",
  commands: [{ name: 'sent-events', example: '--type ip_policy_created.v0' }],
  from: 'query',
  schema: v.object(filterFields),
  response: v.array(sentEvent),
  errors: [general.field_invalid],
  run: (host, wanted) => listEvents(host, wanted),
})

/**
 * The last 1,000 events that the account has sent to its event destinations: resource changes, agent sessions, and traffic. An event is
 * sent only if a subscription that has a destination lists its type as a source.
 *
 * @example
 * ```ts
 * const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
 * gateway.eventSubscriptions.create({ sources: [{ type: 'ip_policy_created.v0' }], destination_ids: [id] })
 * gateway.ipPolicies.create({ description: 'offices' })
 * gateway.sentEvents.list({ type: 'ip_policy_created.v0' })[0]?.object // the IP policy, as the API shows it
 * ```
 *
 * @experimental
 */
export interface SentEvents {
  /**
   * Returns the events, oldest first, each in the form in which its destination receives it, with the destination and the delivery status.
   * @throws GatewayError `field_invalid` for an unknown event type
   */
  list(filter?: SentEventFilter): readonly SentEvent[]
  /**
   * Calls the function with each new event. Returns a function that ends the subscription. Exceptions from the function are printed but not
   * propagated.
   */
  subscribe(subscriber: (event: SentEvent) => void): () => void
  /** Resolves once no request to a URL in the `destinations` option is pending or due. Later retries don't count. */
  idle(): Promise<void>
}

export interface SentEventsMember {
  /** The events that the account has sent to its event destinations. */
  readonly sentEvents: SentEvents
}

export const sentEvents: Control<SentEventsMember> = {
  calls: [list],
  types: [filter],
  members: (host) => ({
    sentEvents: {
      list: (wanted = {}) => listEvents(host, readCallOptions(filter, wanted)),
      subscribe(subscriber) {
        requireFunction('subscriber', subscriber)
        return host.events?.subscribe(subscriber) ?? (() => undefined)
      },
      async idle() {
        await host.events?.deliveries.idle()
      },
    },
  }),
}

function listEvents({ events }: ControlHost, { type, destination }: SentEventFilter): readonly SentEvent[] {
  if (type !== undefined && events && !events.rules.types.includes(type)) {
    const allowed = `the type of an event, such as ${nearest(type, events.rules.types) ?? 'ip_policy_created.v0'}`
    refuse(general.field_invalid, { field: 'type', received: quote(type), allowed })
  }
  const all = events?.all() ?? []
  return all.filter(
    (each) => each.event_type === (type ?? each.event_type) && each.destination === (destination ?? each.destination),
  )
}
