import { examinePolicy } from './check.ts'
import { readText } from './text.ts'
import { everybodyDenied } from './warnings/everybody-denied.ts'
import { readPolicy } from './warnings/warning.ts'

/**
 * Returns whether a traffic policy denies every visitor, that is, whether an unconditional deny rule comes before any rule that responds to
 * some visitors.
 */
export function deniesEverybody(text: string): boolean {
  const { value } = readText(text)
  const policy = readPolicy(value, examinePolicy(value, {}), {})
  for (const { phase, conditions: all, actions } of policy.rules) {
    if (phase === 'on_http_response') break
    const conditions = all.filter(({ tree }) => !(tree?.op === 'value' && tree.args === true))
    for (const each of actions) {
      const { row, config } = each
      const denies =
        row.type === 'deny' || everybodyDenied.find({ ...policy, actions: [each], holes: () => [] }).length > 0
      if (denies && conditions.length === 0) return true
      if (!denies && row.ends?.(config)) return false
    }
  }
  return false
}
