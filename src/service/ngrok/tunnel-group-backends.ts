import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendHeading, declareBackend } from './backends.ts'
import { type TunnelRecord, tunnels } from './session-records.ts'

/** The service's own limits are unpublished. */
const MAX_LABELS = 100
const MAX_LABEL_LENGTH = 255

const labelLengthError = (number: number, what: string) =>
  kit.field(number, 400, `a label whose ${what} has 1 to ${MAX_LABEL_LENGTH} characters`)

const errors = kit.declareErrors({
  group_labels_too_many: kit.ofField(6508, 400, `{field} has {count} labels. At most ${MAX_LABELS} are allowed.`),
  group_label_key_invalid: labelLengthError(6509, 'key'),
  group_label_value_invalid: labelLengthError(6510, 'value'),
  group_label_with_equals: kit.field(6531, 400, 'a label whose key and value contain no "="'),
})

type Labels = Readonly<Record<string, string>>

const hasValidLength = (text: string) => text.length > 0 && text.length <= MAX_LABEL_LENGTH

/** The labels of a group. Not a `v.record`, which would drop keys such as `__proto__`. */
const labels = kit.documented(
  v.pipe(
    parts.anyObject<Labels>('an object of labels'),
    kit.rule(Object.values(errors), (map, report) => {
      const all = Object.entries(map)
      if (all.length > MAX_LABELS) return report(errors.group_labels_too_many, { count: all.length })
      for (const [key, value] of all) {
        const at = { path: [key], value }
        if (!hasValidLength(key)) report(errors.group_label_key_invalid, {}, at)
        else if (typeof value !== 'string' || !hasValidLength(value)) report(errors.group_label_value_invalid, {}, at)
        else if (`${key}${value}`.includes('=')) report(errors.group_label_with_equals, {}, at)
      }
    }),
  ),
  'The labels that a tunnel must have, such as `{ team: "web" }`.',
  { json: { additionalProperties: { type: 'string' } }, rules: 'backends#tunnel-groups' },
)

const table = parts.columns(
  {
    ...backendHeading,
    name: 'tunnel_group_backends',
    path: '/backends/tunnel_group',
    prefix: 'bkdtg',
    what: 'tunnel group backend',
    tableFields: ['id', 'labels', 'tunnels'],
    errors: { ...backendErrors, ...errors },
    title: 'TunnelGroupBackend',
    sentence: 'A backend that sends traffic to all tunnels that have its labels.',
    examples: [{ labels: { team: 'web' } }, { labels: { team: 'web', version: '2' } }],
  },
  {
    labels: parts.column({
      sent: labels,
      shown: kit.documented(v.record(v.string(), v.string()), 'The labels that a tunnel must have.'),
      first: {},
    }),
    tunnels: parts.column({
      shown: kit.documented(v.array(kit.ref), 'The online tunnels that have these labels, newest first.'),
    }),
  },
)

/** The tunnel group backends. */
export const tunnelGroups = table.records

/** Returns whether a tunnel is in a group: the group has labels, and the tunnel has all of them. */
export function isInGroup({ labels }: TunnelRecord, { labels: required }: { readonly labels: Labels }): boolean {
  const all = Object.entries(required)
  return (
    labels !== null &&
    all.length > 0 &&
    all.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  )
}

/** Tunnel group backends (rules: backends#tunnel-groups). */
export const tunnelGroupBackends = kit.resource(table.kind, {
  ...table.rules,
  view: (group, wire) => ({ ...table.rules.view(group, wire), tunnels: [] }),
  related(tx, group) {
    const matching = [...tx.newestFirst(tunnels)].filter((each) => isInGroup(each, group))
    return { tunnels: matching.map(({ id }) => kit.refTo(tx.wire, '/tunnels', id)) }
  },
  create: { run: (tx, body) => tx.put(tunnelGroups, declareBackend(tx, table.newRecord(tx, body))) },
  delete: backendDeletion,
})
