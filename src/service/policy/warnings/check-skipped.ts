import { cut } from '../../../core/schema/text.ts'
import { checkOf, isDenial, placeOf } from './holes.ts'
import { pageOf } from './pages.ts'
import type { Finding, ReadPolicy, Warning } from './warning.ts'

export const checkSkipped: Warning = {
  id: 'check-skipped',
  about: 'A check such as `basic-auth` runs only for requests that have a value, so requests without it pass.',
  reason:
    'A rule applies only if all of its conditions are true. `hasReqHeader` is false for a request without the header, which anyone can omit.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#hasreqheaderstring---bool',
  wrong: `on_http_request:
  - expressions: ["hasReqHeader('authorization')"]
    actions: [{ type: basic-auth, config: { credentials: ['ada:correct horse'] } }]
`,
  right: `on_http_request:
  - actions: [{ type: basic-auth, config: { credentials: ['ada:correct horse'] } }]
`,
  find: findSkipped,
}

function findSkipped(policy: ReadPolicy): readonly Finding[] {
  // A rule for all requests may deny or check the requests without the value.
  const isClosed = policy.rules.some((rule) => rule.conditions.length === 0 && (checkOf(rule) ?? isDenial(rule)))
  if (isClosed) return []
  return policy.holes().flatMap((hole) => {
    const { rule, subject, isNeeded } = hole
    const check = checkOf(rule)
    if (!isNeeded || check === undefined || subject.base !== undefined) return []
    const { guard, source } = subject
    const which = guard.endsWith(source) ? `for which ${cut(guard)}, which` : `without ${cut(source)}, which`
    return {
      ...placeOf(hole),
      docs: pageOf(subject, 'has'),
      what: `is false for a request ${which} then passes without ${check}`,
      hint: `Remove this test, or add a rule that denies requests if ${subject.guard}.`,
    }
  })
}
