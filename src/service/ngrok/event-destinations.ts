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
    'The kind of {field} cannot change. Allowed: {kind}, as before. To use another kind, create a new destination.',
  ),
  event_destination_in_use: kit.entry(
    5112,
    400,
    '{id} is a destination of the event subscription {subscription}. Remove it there before you delete it.',
  ),
  event_destination_limit_none: kit.tooMany(5128),
})

const FORMAT = 'The format of the events. Only `json` is supported.'
const TARGET = `The target of the events, with its credentials: exactly one of ${KINDS}.`

const format = v.pipe(v.string(), v.toLowerCase(), v.picklist(['json']), kit.refusedAs(errors.event_format_invalid))

const table = parts.columns(
  {
    name: 'event_destinations',
    prefix: 'ed',
    what: 'event destination',
    tableFields: ['id', 'format', 'target'],
    filterable: FILTERABLE,
    errors: { ...errors, ...targetErrors },
    limit: {
      none: errors.event_destination_limit_none,
      reached: errors.event_destination_limit_reached,
      plans: { free: 0, hobbyist: 0 },
    },
    texts: descriptionAndMetadata(),
    title: 'EventDestination',
    sentence: 'A destination for events outside the service.',
    examples: [{ format: 'json', target: { datadog: { api_key: 'a key', ddsite: 'datadoghq.eu' } } }],
  },
  {
    format: parts.column({
      create: kit.documented(v.optional(format, ''), FORMAT, { isRequired: true, json: { enum: ['json'] } }),
      update: kit.documented(v.optional(format), FORMAT, { json: { enum: ['json'] } }),
      kept: parts.oneOfThese(['json']),
      shown: kit.documented(v.string(), FORMAT),
    }),
    target: parts.column({
      create: kit.documented(v.optional(target, {}), TARGET, { isRequired: true }),
      update: kit.documented(v.optional(target), `${TARGET} Its kind cannot change.`),
      kept: target,
      shown: kit.documented(targetShape, `${TARGET} The others are null.`),
      show: targetView,
    }),
  },
)

/** The event destinations. */
export const destinations = table.records

/** Event destinations, which receive the events of subscriptions. The `destinations` option sets a URL for each kind. */
export const eventDestinations = kit.resource(table.kind, {
  ...table.rules,
  update: {
    errors: [errors.event_target_kind_fixed],
    run(tx, before, body) {
      const { target = before.target } = body
      const [kind = ''] = Object.keys(before.target)
      if (!Object.hasOwn(target, kind))
        kit.refuse(errors.event_target_kind_fixed, { field: 'target', received: kit.quote(target), kind })
      return tx.put(destinations, table.changed(before, body))
    },
  },
})
