import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { errors as destinationErrors, destinations } from './event-destinations.ts'
import { SOURCES, sourceBody, sourceErrors, sourceShape, sourceView } from './event-sources.ts'
import { type SubscriptionRecord, subscriptions } from './event-subscription-records.ts'
import { descriptionAndMetadata, FILTERABLE, refuseUnless } from './shared.ts'

/** The most destinations of one subscription. */
const MAX_DESTINATIONS = 5

const errors = kit.declareErrors({
  event_destination_unknown: kit.field(5103, 400, 'the ids of event destinations that exist'),
  event_subscription_limit_none: kit.tooMany(5124),
  event_destinations_too_many: kit.field(5126, 400, `at most ${MAX_DESTINATIONS} destinations`),
  event_subscription_limit_reached: kit.tooMany(5131),
})

const sources = v.pipe(
  v.array(sourceBody),
  refuseUnless(sourceErrors.event_type_twice, (all) => new Set(all.map(({ type }) => type)).size === all.length),
)

const destinationIds = v.pipe(
  v.array(v.string()),
  refuseUnless(errors.event_destinations_too_many, (ids) => ids.length <= MAX_DESTINATIONS),
)

const DESTINATIONS = `The event destinations that get the events, at most ${MAX_DESTINATIONS}.`

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

/** Event subscriptions: the types of events that some destinations get. fauxgate sends no events. */
export const eventSubscriptions = kit.resource(
  {
    name: 'event_subscriptions',
    prefix: 'esb',
    what: 'event subscription',
    filterable: FILTERABLE,
    errors: { ...errors, ...sourceErrors },
    limits: kit.accountLimits({
      event_subscriptions: {
        what: 'event subscriptions',
        none: errors.event_subscription_limit_none,
        reached: errors.event_subscription_limit_reached,
        plans: { free: 0, hobbyist: 0 },
      },
    }),
    collection: subscriptions,
    shape: kit.named(
      v.object({
        ...kit.resourceHead,
        sources: kit.documented(v.array(sourceShape), SOURCES),
        destinations: kit.documented(v.array(kit.ref), DESTINATIONS),
      }),
      'EventSubscription',
      'The types of events that some destinations get.',
    ),
    ...parts.defineBodies('EventSubscription', 'an event subscription', {
      create: {
        ...descriptionAndMetadata(),
        sources: v.optional(kit.documented(sources, SOURCES), []),
        destination_ids: v.optional(kit.documented(destinationIds, DESTINATIONS), []),
      },
      update: {
        ...descriptionAndMetadata(),
        sources: v.optional(kit.documented(sources, `${SOURCES} They replace those before.`)),
        destination_ids: v.optional(kit.documented(destinationIds, `${DESTINATIONS} They replace those before.`)),
      },
      examples: [{ sources: [{ type: 'ip_policy_created.v0' }], destination_ids: ['ed_1'] }, { description: 'new' }],
    }),
  },
  {
    view: (subscription, wire) => ({
      ...kit.viewHead(subscription, wire, '/event_subscriptions'),
      sources: subscription.source_types.map((type) => sourceView(wire, subscription.id, type)),
      destinations: subscription.destination_ids.map((id) => kit.refTo(wire, '/event_destinations', id)),
    }),
    create: {
      errors: [errors.event_destination_unknown],
      run(tx, { sources, destination_ids, ...rest }) {
        parts.requireTargets(tx, destinationRow, destination_ids)
        const head = kit.newHead(tx, 'esb', rest)
        return tx.put(subscriptions, { ...head, source_types: typesOf(sources), destination_ids })
      },
    },
    update: {
      errors: [errors.event_destination_unknown],
      run(tx, before, { sources, destination_ids = before.destination_ids, ...rest }) {
        parts.requireTargets(tx, destinationRow, destination_ids, before)
        const source_types = sources ? typesOf(sources) : before.source_types
        return tx.put(subscriptions, { ...before, ...kit.described(rest, before), source_types, destination_ids })
      },
    },
    references: [destinationRow],
  },
)
