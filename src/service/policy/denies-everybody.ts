import { examinePolicy } from './check.ts'
import { toMessage } from './reporter.ts'
import { readText } from './text.ts'
import { everybodyDenied } from './warnings/everybody-denied.ts'
import { readPolicy } from './warnings/warning.ts'

/**
 * Describes the action with which a traffic policy denies every visitor, that is, an unconditional deny rule that comes before any rule that
 * responds to some visitors. Returns undefined if there is none.
 */
export function describeTotalDenial(text: string): string | undefined {
  const { value } = readText(text)
  const policy = readPolicy(value, examinePolicy(value, {}), {})
  for (const { phase, conditions: all, actions } of policy.rules) {
    if (phase === 'on_http_response') break
    const conditions = all.filter(({ tree }) => !(tree?.op === 'value' && tree.args === true))
    for (const each of actions) {
      const { row, config, path } = each
      const [restriction] = everybodyDenied.find({ ...policy, actions: [each], holes: () => [] })
      const denial = restriction ?? (row.type === 'deny' ? { path: [...path, 'type'], ...UNCONDITIONAL } : undefined)
      if (denial && conditions.length === 0) return `${toMessage(denial.path, denial.what)} ${denial.hint}`
      if (!denial && row.ends?.(config)) return undefined
    }
  }
  return undefined
}

const UNCONDITIONAL = {
  what: 'is deny, and its rule applies to all requests',
  hint: 'Add an expression to the rule, or remove the action.',
}
