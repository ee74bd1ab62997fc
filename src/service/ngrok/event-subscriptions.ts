import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { eventRules } from './account-events.ts'
import { errors as destinationErrors, destinations } from './event-destinations.ts'
import {
  errors,
  type SubscriptionRecord,
  sourceView,
  subscriptions,
  table,
  withSourceTypes,
} from './event-subscription-records.ts'

const typesOf = (sent: readonly { readonly type: string }[]) => sent.map(({ type }) => type)

const destinationRow = parts.referenceOf(subscriptions, {
  field: 'destination_ids',
  sent: 'destination_ids',
  shown: 'destinations',
  to: parts.targetOf('an event destination', destinations),
  index: 'destination',
  missing: errors.event_destination_unknown,
  deletion: parts.refused(
    destinationErrors.event_destination_in_use,
    (id, { id: subscription }: SubscriptionRecord) => ({ id, subscription }),
  ),
  rules: 'ngrok-families#events',
})

/** Event subscriptions: the event types that a list of destinations receives. */
export const eventSubscriptions = kit.resource(table.kind, {
  view: (subscription, wire) => ({
    ...table.rules.view(subscription, wire),
    sources: subscription.source_types.map((type) => sourceView(wire, subscription.id, type)),
    destinations: subscription.destination_ids.map((id) => kit.refTo(wire, '/event_destinations', id)),
  }),
  create: {
    errors: [errors.event_destination_unknown],
    run(tx, body) {
      parts.requireTargets(tx, destinationRow, body.destination_ids)
      return tx.put(subscriptions, table.newRecord(tx, body, { source_types: typesOf(body.sources) }))
    },
  },
  update: {
    errors: [errors.event_destination_unknown],
    run(tx, before, body) {
      parts.requireTargets(tx, destinationRow, body.destination_ids, before)
      const source_types = body.sources ? typesOf(body.sources) : before.source_types
      return tx.put(subscriptions, withSourceTypes(table.changed(before, body), source_types))
    },
  },
  references: [destinationRow],
  events: eventRules,
})
