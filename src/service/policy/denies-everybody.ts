import { examinePolicy } from './check.ts'
import { readText } from './text.ts'
import { everybodyDenied } from './warnings/everybody-denied.ts'
import { readPolicy } from './warnings/warning.ts'

/** Returns whether a traffic policy denies every visitor: by a rule without conditions, before any rule that answers some of them. */
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
