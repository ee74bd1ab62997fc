import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendTexts, createBackend } from './backends.ts'
import { type TunnelRecord, tunnels } from './session-records.ts'
import { defineBodies, descriptionAndMetadata } from './shared.ts'

/** The service has these limits too, but does not publish them. */
const MAX_LABELS = 100
const MAX_LABEL_LENGTH = 255

const labelLengthError = (number: number, what: string) =>
  kit.field(number, 400, () => `a label whose ${what} has 1 to ${MAX_LABEL_LENGTH} characters`)

const errors = kit.declareErrors({
  group_labels_too_many: kit.ofField(
    6508,
    400,
    (it: parts.FieldFacts & { count: number }) =>
      `${it.field} has ${it.count} labels. At most ${MAX_LABELS} are allowed.`,
  ),
  group_label_key_invalid: labelLengthError(6509, 'key'),
  group_label_value_invalid: labelLengthError(6510, 'value'),
  group_label_with_equals: kit.field(6531, 400, () => 'a label without "=" in its key and its value'),
})

type Labels = Readonly<Record<string, string>>

const hasValidLength = (text: string) => text.length > 0 && text.length <= MAX_LABEL_LENGTH

/** The labels of a group. `v.record` would drop keys such as `__proto__`. */
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

const record = v.object({ ...kit.recordHead('bkdtg', descriptionAndMetadata()), labels })

type TunnelGroupRecord = kit.Frozen<v.InferOutput<typeof record>>

/** The tunnel group backends. */
export const tunnelGroups = kit.collection<TunnelGroupRecord>({
  name: 'tunnel_group_backends',
  schema: record,
})

/** Tells whether a tunnel is in a group: the group has labels, and the tunnel has each label of the group. */
export function isInGroup({ labels }: TunnelRecord, { labels: required }: TunnelGroupRecord): boolean {
  const all = Object.entries(required)
  return (
    labels !== null &&
    all.length > 0 &&
    all.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  )
}

const PATH = '/backends/tunnel_group'

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    labels: kit.documented(v.record(v.string(), v.string()), 'The labels that a tunnel must have.'),
    tunnels: kit.documented(v.array(kit.ref), 'The tunnels with these labels that are online, newest first.'),
  }),
  'TunnelGroupBackend',
  'A backend that sends traffic to all tunnels that have its labels.',
)

const fields = { ...backendTexts, labels: v.optional(labels) }

const bodies = defineBodies('TunnelGroupBackend', 'a tunnel group backend', {
  create: fields,
  update: fields,
  examples: [{ labels: { team: 'web' } }, { labels: { team: 'web', version: '2' } }],
})

/** Tunnel group backends (rules: backends#tunnel-groups). */
export const tunnelGroupBackends = kit.resource(
  {
    name: 'tunnel_group_backends',
    path: PATH,
    items: 'backends',
    prefix: 'bkdtg',
    what: 'tunnel group backend',
    filterable: [],
    errors: { ...backendErrors, ...errors },
    limits: kit.accountLimits({
      tunnel_group_backends: { what: 'tunnel group backends', none: backendErrors.backends_not_allowed },
    }),
    collection: tunnelGroups,
    shape,
    ...bodies,
  },
  {
    view: (record, wire) => ({ ...kit.viewHead(record, wire, PATH), labels: record.labels, tunnels: [] }),
    related(tx, group) {
      const matching = [...tx.newestFirst(tunnels)].filter((each) => isInGroup(each, group))
      return { tunnels: matching.map(({ id }) => kit.refTo(tx.wire, '/tunnels', id)) }
    },
    create: { run: (tx, { labels = {}, ...rest }) => createBackend(tx, tunnelGroups, 'bkdtg', rest, { labels }) },
    update: {
      run: (tx, group, { labels = group.labels, ...rest }) =>
        tx.put(tunnelGroups, { ...group, ...kit.described(rest, group), labels }),
    },
    delete: backendDeletion,
  },
)
