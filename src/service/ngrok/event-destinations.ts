import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { targetErrors } from './event-targets/errors.ts'
import { KINDS, target, targetShape, targetView } from './event-targets/index.ts'
import { descriptionAndMetadata, FILTERABLE } from './shared.ts'

export const errors = kit.declareErrors({
  event_format_invalid: kit.field(235, 400, '"json"'),
  event_destination_limit_reached: kit.tooMany(5102),
  event_target_kind_fixed: kit.ofField(
    5108,
    400,
    '{field} has another kind of target. Allowed: {kind}, as before. Create a new destination for another one.',
  ),
  event_destination_in_use: kit.entry(
    5112,
    400,
    '{id} is a destination of the event subscription {subscription}. Take it off there before you delete it.',
  ),
  event_destination_limit_none: kit.tooMany(5128),
})

const record = v.object({ ...kit.recordHead('ed', descriptionAndMetadata()), format: v.string(), target })

/** The event destinations. */
export const destinations = kit.collection<kit.Frozen<v.InferOutput<typeof record>>>({
  name: 'event_destinations',
  schema: record,
})

const FORMAT = 'The format of the events: `json`, the only one.'
const TARGET = `Where the events go, and how the service signs in there: one of ${KINDS}.`

const format = v.pipe(v.string(), v.toLowerCase(), v.picklist(['json']), kit.refusedAs(errors.event_format_invalid))

/** Event destinations: where the events of subscriptions go. fauxgate sends none. */
export const eventDestinations = kit.resource(
  {
    name: 'event_destinations',
    prefix: 'ed',
    what: 'event destination',
    filterable: FILTERABLE,
    errors: { ...errors, ...targetErrors },
    limits: kit.accountLimits({
      event_destinations: {
        what: 'event destinations',
        none: errors.event_destination_limit_none,
        reached: errors.event_destination_limit_reached,
        plans: { free: 0, hobbyist: 0 },
      },
    }),
    collection: destinations,
    shape: kit.named(
      v.object({
        ...kit.resourceHead,
        format: kit.documented(v.string(), FORMAT),
        target: kit.documented(targetShape, `${TARGET} The others are null.`),
      }),
      'EventDestination',
      'A place outside the service that gets events.',
    ),
    ...parts.defineBodies('EventDestination', 'an event destination', {
      create: {
        ...descriptionAndMetadata(),
        format: kit.documented(v.optional(format, ''), FORMAT, { isRequired: true, json: { enum: ['json'] } }),
        target: kit.documented(v.optional(target, {}), TARGET, { isRequired: true }),
      },
      update: {
        ...descriptionAndMetadata(),
        format: kit.documented(v.optional(format), FORMAT, { json: { enum: ['json'] } }),
        target: kit.documented(v.optional(target), `${TARGET} It must be of the same kind as before.`),
      },
      examples: [{ format: 'json', target: { datadog: { api_key: 'a key', ddsite: 'datadoghq.eu' } } }],
    }),
  },
  {
    view: (destination, wire) => ({
      ...kit.viewHead(destination, wire, '/event_destinations'),
      format: destination.format,
      target: targetView(destination.target),
    }),
    create: {
      run: (tx, { format, target, ...rest }) =>
        tx.put(destinations, { ...kit.newHead(tx, 'ed', rest), format, target }),
    },
    update: {
      errors: [errors.event_target_kind_fixed],
      run(tx, before, { format = before.format, target = before.target, ...rest }) {
        const [kind = ''] = Object.keys(before.target)
        if (!Object.hasOwn(target, kind))
          kit.refuse(errors.event_target_kind_fixed, { field: 'target', received: kit.quote(target), kind })
        return tx.put(destinations, { ...before, ...kit.described(rest, before), format, target })
      },
    },
  },
)
