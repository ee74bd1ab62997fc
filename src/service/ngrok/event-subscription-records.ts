import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { EVENT_TYPES } from './event-types.ts'
import { descriptionAndMetadata, FILTERABLE, refuseUnless } from './shared.ts'

export const SOURCES = 'The event types.'

export const sourceErrors = kit.declareErrors({
  event_type_invalid: kit.field(238, 400, `one of ${EVENT_TYPES.join(', ')}`),
  event_source_not_found: kit.entry(5125, 404, '{id} has no source {type}.'),
  event_type_twice: kit.field(5127, 400, 'each event type once'),
})

const TYPE = 'The event type, such as `ip_policy_created.v0`.'

const type = v.pipe(
  v.string(),
  refuseUnless(sourceErrors.event_type_invalid, (name) => EVENT_TYPES.includes(name)),
)

/** A source in a body. */
export const sourceBody = kit.named(
  v.object({ type: kit.documented(v.optional(type, ''), TYPE, { isRequired: true, json: { enum: EVENT_TYPES } }) }),
  'EventSourceBody',
  'An event type.',
  { json: { examples: [{ type: 'ip_policy_updated.v0' }] } },
)

/** A source in a response. */
export const sourceShape = kit.named(
  v.object({ type: kit.documented(v.string(), TYPE), uri: kit.resourceHead.uri }),
  'EventSource',
  'An event type in a subscription.',
)

type Shown = kit.Frozen<v.InferOutput<typeof sourceShape>>

/** Returns a source in the form for a response. */
export function sourceView(wire: kit.Wire, id: string, type: string): Shown {
  return { type, uri: `${wire.url}/event_subscriptions/${id}/sources/${type}` }
}

/** The maximum number of destinations of one subscription. */
const MAX_DESTINATIONS = 5

export const errors = kit.declareErrors({
  event_destination_unknown: kit.field(5103, 400, 'the IDs of event destinations that exist'),
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

const DESTINATIONS = `The event destinations that receive the events, at most ${MAX_DESTINATIONS}.`

export const table = parts.columns(
  {
    name: 'event_subscriptions',
    prefix: 'esb',
    what: 'event subscription',
    tableFields: ['id', 'sources', 'destinations'],
    filterable: FILTERABLE,
    errors: { ...errors, ...sourceErrors },
    limit: {
      none: errors.event_subscription_limit_none,
      reached: errors.event_subscription_limit_reached,
      plans: { free: 0, hobbyist: 0 },
    },
    texts: descriptionAndMetadata(),
    title: 'EventSubscription',
    sentence: 'The event types that a set of destinations receives.',
    examples: [{ sources: [{ type: 'ip_policy_created.v0' }], destination_ids: ['ed_1'] }, { description: 'new' }],
  },
  {
    sources: parts.column({
      create: v.optional(kit.documented(sources, SOURCES), []),
      update: v.optional(kit.documented(sources, `${SOURCES} They replace the previous ones.`)),
      shown: kit.documented(v.array(sourceShape), SOURCES),
    }),
    source_types: parts.column({ kept: v.array(parts.oneOfThese(EVENT_TYPES)), shown: false }),
    /** The filters and fields of sources that a test declared, by type. */
    source_settings: parts.column({
      kept: v.exactOptional(
        v.record(
          v.string(),
          v.object({ filter: v.exactOptional(v.string()), fields: v.exactOptional(v.array(v.string())) }),
        ),
      ),
      shown: false,
    }),
    destination_ids: parts.column({
      create: v.optional(kit.documented(destinationIds, DESTINATIONS), []),
      update: v.optional(kit.documented(destinationIds, `${DESTINATIONS} They replace the previous ones.`)),
      kept: v.array(kit.idOf('ed')),
      shown: false,
    }),
    destinations: parts.column({ shown: kit.documented(v.array(kit.ref), DESTINATIONS) }),
  },
  { indexes: { destination: ({ destination_ids }) => destination_ids } },
)

export type SubscriptionRecord = kit.RecordOf<typeof table.kind>

/** The event subscriptions. */
export const subscriptions = table.records

/** Returns a subscription with different sources. Removing a source also removes its declarations. */
export function withSourceTypes(record: SubscriptionRecord, source_types: readonly string[]): SubscriptionRecord {
  const { source_settings, ...rest } = record
  const kept = Object.entries(source_settings ?? {}).filter(([type]) => source_types.includes(type))
  return { ...rest, source_types, ...(kept.length > 0 && { source_settings: Object.fromEntries(kept) }) }
}
