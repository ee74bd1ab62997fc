import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { filterProblem } from './event-filter.ts'
import {
  SOURCES,
  type SubscriptionRecord,
  sourceBody,
  sourceErrors,
  sourceShape,
  sourceView,
  subscriptions,
  withSourceTypes,
} from './event-subscription-records.ts'
import { FILTERABLE, fieldsOf } from './event-types.ts'

// The id of a subscription has a different name in the paths of its sources.
const ids = { subscription_id: 'esb' }
const path = '/event_subscriptions/{subscription_id}/sources'

const findSubscription = (tx: kit.Transaction, { subscription_id }: { subscription_id: string }) =>
  kit.required(tx, subscriptions, subscription_id, 'event subscription')

function requireSource(tx: kit.Transaction, at: { subscription_id: string; type: string }): SubscriptionRecord {
  const subscription = findSubscription(tx, at)
  if (!subscription.source_types.includes(at.type))
    kit.refuse(sourceErrors.event_source_not_found, { id: subscription.id, type: kit.quote(at.type) })
  return subscription
}

const withSources = (tx: kit.Transaction, subscription: SubscriptionRecord, source_types: readonly string[]) =>
  tx.put(subscriptions, withSourceTypes(subscription, source_types))

const common = {
  ids: { ...ids, type: parts.ANY_TEXT },
  path: `${path}/{type}`,
  errors: [sourceErrors.event_source_not_found, kit.general.not_found],
}

const listShape = kit.named(
  v.object({ sources: kit.documented(v.array(sourceShape), SOURCES), uri: kit.resourceHead.uri }),
  'EventSourceList',
  'The sources of an event subscription, all on one page.',
)

const operations = {
  list: kit.operation({
    name: 'event_sources.list',
    method: 'GET',
    path,
    status: 200,
    summary: 'List the sources of an event subscription',
    ids,
    response: listShape,
    errors: [kit.general.not_found],
    run(tx, at): kit.Frozen<v.InferOutput<typeof listShape>> {
      const { id, source_types } = findSubscription(tx, at)
      const uri = `${tx.wire.url}/event_subscriptions/${id}/sources`
      return { sources: source_types.map((type) => sourceView(tx.wire, id, type)), uri }
    },
  }),
  create: kit.operationWithBody({
    name: 'event_sources.create',
    method: 'POST',
    path,
    status: 201,
    summary: 'Add a source to an event subscription',
    ids,
    body: sourceBody,
    response: sourceShape,
    errors: [sourceErrors.event_type_twice, kit.general.not_found],
    run(tx, at, { type }) {
      const subscription = findSubscription(tx, at)
      if (subscription.source_types.includes(type))
        kit.refuse(sourceErrors.event_type_twice, { field: 'type', received: kit.quote(type) })
      withSources(tx, subscription, [...subscription.source_types, type])
      return sourceView(tx.wire, subscription.id, type)
    },
  }),
  get: kit.operation({
    ...common,
    name: 'event_sources.get',
    method: 'GET',
    status: 200,
    summary: 'Get a source of an event subscription',
    nouns: { one: 'source', many: 'sources', owner: 'an event subscription' },
    response: sourceShape,
    run: (tx, at) => sourceView(tx.wire, requireSource(tx, at).id, at.type),
  }),
  update: kit.operationWithBody({
    ...common,
    name: 'event_sources.update',
    method: 'PATCH',
    status: 200,
    summary: 'Update a source of an event subscription, which has no changeable fields',
    body: kit.named(v.object({}), 'EventSourceUpdate', 'Empty: the type is in the path.'),
    response: sourceShape,
    run: (tx, at) => sourceView(tx.wire, requireSource(tx, at).id, at.type),
  }),
  delete: kit.operation({
    ...common,
    name: 'event_sources.delete',
    method: 'DELETE',
    status: 204,
    summary: 'Remove a source from an event subscription',
    run(tx, at) {
      const subscription = requireSource(tx, at)
      withSources(
        tx,
        subscription,
        subscription.source_types.filter((type) => type !== at.type),
      )
    },
  }),
}

const declarationFields = kit.named(
  v.object({
    subscription_id: kit.documented(v.string(), 'The ID of the event subscription.'),
    type: kit.documented(
      v.unwrap(sourceBody.entries.type),
      "The event type. If the subscription doesn't have this type, it is added.",
    ),
    filter: v.exactOptional(
      kit.documented(
        v.string(),
        'A CEL expression over `ev`, the event object, that events must match. Default: all events.',
      ),
    ),
    fields: v.exactOptional(
      kit.documented(
        v.array(v.string()),
        'The paths of the fields that the event object contains, such as `http.request.method`. Default: all fields.',
      ),
    ),
  }),
  'EventSourceDeclaration',
  "Declares the filter and the fields of an event source, which only the service's dashboard can set.",
)

/** Rejects settings that the type does not have (rules: events#filters). */
function requireSettings(type: string, filter: string | undefined, fields: readonly string[] | undefined): void {
  const refuse = (field: string, received: string, allowed: string) =>
    kit.refuse(kit.general.field_invalid, { field, received: kit.quote(received), allowed })
  const known = fieldsOf(type)
  const problem = filter === undefined ? undefined : filterProblem(filter)
  const paths = Object.keys(FILTERABLE).map((path) => `ev.${path}`)
  if (filter !== undefined && known.length === 0) refuse('filter', filter, `none, because ${type} has no filter`)
  if (problem !== undefined) refuse('filter', filter ?? '', `a CEL condition over ${paths.join(', ')}. ${problem}`)
  if (fields && known.length === 0) refuse('fields', fields.join(', '), `none, because ${type} has no fields to select`)
  const wrong = fields?.find((each) => !known.includes(each))
  if (wrong !== undefined) refuse('fields', wrong, `some of ${known.join(', ')}`)
}

/** Sets the filter and the fields of a source. */
const eventSource = kit.declaration({
  schema: declarationFields,
  response: sourceShape,
  errors: [kit.general.not_found, kit.general.field_invalid],
  run(tx, { subscription_id, type, filter, fields }) {
    const subscription = findSubscription(tx, { subscription_id })
    requireSettings(type, filter, fields)
    const { source_types, source_settings } = subscription
    tx.put(subscriptions, {
      ...subscription,
      source_types: source_types.includes(type) ? source_types : [...source_types, type],
      source_settings: {
        ...source_settings,
        [type]: { ...(filter !== undefined && { filter }), ...(fields && { fields }) },
      },
    })
    return sourceView(tx.wire, subscription.id, type)
  },
})

/** The sources of event subscriptions, by event type. */
export const eventSources = kit.familyOf({
  operations,
  errors: sourceErrors,
  collections: [],
  declares: { eventSource },
})
