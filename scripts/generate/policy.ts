// Generates the JSON Schema of traffic policies.
import { createPolicySchema } from './policy-schema.ts'

export default function policy(): Map<string, string> {
  return new Map([['policy.schema.json', `${JSON.stringify(createPolicySchema())}\n`]])
}
