import * as v from 'valibot'
import {
  collection,
  declareErrors,
  type FieldFacts,
  type Frozen,
  field,
  idOf,
  ipBytes,
  ofField,
  oneOfThese,
  recordHead,
  rule,
  tooLong,
} from '../kit/index.ts'
import { texts } from './shared.ts'

const RANGE = 'an address and the length of its prefix, such as "203.0.113.0/24" or "2001:db8::/32"'

export const ruleErrors = declareErrors({
  ip_rule_field_missing: ofField(
    1405,
    400,
    (it: FieldFacts & { allowed: string }) =>
      `A rule needs ${it.field}, which is missing or empty. Allowed: ${it.allowed}.`,
  ),
  ip_rule_cidr_invalid: field(1406, 400, () => RANGE),
  ip_rule_cidr_taken: ofField(
    1408,
    400,
    (it: FieldFacts & { id: string }) =>
      `${it.field} is ${it.received}. Allowed: no range of the same policy's rules, as of ${it.id}.`,
  ),
  ip_rule_cidr_not_first: field(1409, 400, () => 'the first address of the range, with no bit set beyond its prefix'),
  ip_rule_cidr_without_length: field(1413, 400, () => RANGE),
  ip_rule_description_too_long: tooLong(1421),
})

export const ruleTexts = texts({ description: ruleErrors.ip_rule_description_too_long })

/** Reads a range of addresses. Returns its normal form, or the error of a wrong one. */
function readRange(cidr: string) {
  const [address = '', length, ...rest] = cidr.split('/')
  const bytes = ipBytes(address)
  if (!bytes || rest.length > 0) return ruleErrors.ip_rule_cidr_invalid
  if (length === undefined) return ruleErrors.ip_rule_cidr_without_length
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits.length) return ruleErrors.ip_rule_cidr_invalid
  if (bits.includes('1', Number(length))) return ruleErrors.ip_rule_cidr_not_first
  return `${bits}/${length}`
}

export const cidr = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  rule(
    [
      ruleErrors.ip_rule_field_missing,
      ruleErrors.ip_rule_cidr_invalid,
      ruleErrors.ip_rule_cidr_not_first,
      ruleErrors.ip_rule_cidr_without_length,
    ],
    (text, report) => {
      const range = readRange(text)
      if (text === '') report(ruleErrors.ip_rule_field_missing, { allowed: RANGE })
      else if (typeof range !== 'string') report(range, {})
    },
  ),
)

export const ACTIONS = ['allow', 'deny'] as const

const policy = v.object(recordHead('ipp', texts()))

export type PolicyRecord = Frozen<v.InferOutput<typeof policy>>

export const policies = collection<PolicyRecord>({ name: 'ip_policies', key: ({ id }) => id, schema: policy })

const policyRule = v.object({
  ...recordHead('ipr', ruleTexts),
  cidr,
  ip_policy_id: idOf('ipp'),
  action: oneOfThese(ACTIONS),
})

export type RuleRecord = Frozen<v.InferOutput<typeof policyRule>>

/** Returns the unique key of a rule: its policy and its range. */
export function placeOf({ ip_policy_id, cidr }: Pick<RuleRecord, 'ip_policy_id' | 'cidr'>): string {
  return `${ip_policy_id} ${String(readRange(cidr))}`
}

export const rules = collection<RuleRecord>({
  name: 'ip_policy_rules',
  key: ({ id }) => id,
  schema: policyRule,
  indexes: { policy: ({ ip_policy_id }) => ip_policy_id, place: placeOf },
})
