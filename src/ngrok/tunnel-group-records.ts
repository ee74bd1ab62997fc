import * as v from 'valibot'
import {
  anyObject,
  collection,
  declareErrors,
  documented,
  type FieldFacts,
  type Frozen,
  field,
  ofField,
  recordHead,
  rule,
} from '../kit/index.ts'
import type { TunnelRecord } from './session-records.ts'
import { texts } from './shared.ts'

/** The service has such limits and does not tell its numbers. */
const MOST_LABELS = 100
const LONGEST_LABEL = 255

const length = (number: number, what: string) =>
  field(number, 400, () => `a label whose ${what} has 1 to ${LONGEST_LABEL} characters`)

export const labelErrors = declareErrors({
  group_labels_too_many: ofField(
    6508,
    400,
    (it: FieldFacts & { count: number }) => `${it.field} has ${it.count} labels. At most ${MOST_LABELS} are allowed.`,
  ),
  group_label_key_invalid: length(6509, 'key'),
  group_label_value_invalid: length(6510, 'value'),
  group_label_with_equals: field(6531, 400, () => 'a label without "=" in its key and its value'),
})

type Labels = Readonly<Record<string, string>>

const isOfLength = (text: string) => text.length > 0 && text.length <= LONGEST_LABEL

/** The labels of a group. Its own rule keeps keys such as `__proto__`. */
export const labels = documented(
  v.pipe(
    anyObject<Labels>('an object of labels'),
    rule(Object.values(labelErrors), (map, report) => {
      const all = Object.entries(map)
      if (all.length > MOST_LABELS) return report(labelErrors.group_labels_too_many, { count: all.length })
      for (const [key, value] of all) {
        const at = { path: [key], value }
        if (!isOfLength(key)) report(labelErrors.group_label_key_invalid, {}, at)
        else if (typeof value !== 'string' || !isOfLength(value)) report(labelErrors.group_label_value_invalid, {}, at)
        else if (`${key}${value}`.includes('=')) report(labelErrors.group_label_with_equals, {}, at)
      }
    }),
  ),
  'The labels that a tunnel must have, such as `{ team: "web" }`.',
  { json: { additionalProperties: { type: 'string' } }, rules: 'backends#tunnel-groups' },
)

const record = v.object({ ...recordHead('bkdtg', texts()), labels })

/** A tunnel group backend. */
export type TunnelGroupRecord = Frozen<v.InferOutput<typeof record>>

/** The tunnel group backends. */
export const tunnelGroups = collection<TunnelGroupRecord>({
  name: 'tunnel_group_backends',
  key: ({ id }) => id,
  schema: record,
})

/** Returns whether a tunnel is in a group: it has each label of the group, which has one at least. */
export function isInGroup({ labels: had }: TunnelRecord, { labels: wanted }: TunnelGroupRecord): boolean {
  const all = Object.entries(wanted)
  return had !== null && all.length > 0 && all.every(([key, value]) => Object.hasOwn(had, key) && had[key] === value)
}
