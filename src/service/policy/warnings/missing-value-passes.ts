import { cut } from '../../../core/schema/text.ts'
import { checkOf, isDenial, placeOf } from './holes.ts'
import { pageOf } from './pages.ts'
import type { Finding, Hole, ReadPolicy, Warning } from './warning.ts'

export const missingValuePasses: Warning = {
  id: 'missing-value-passes',
  about: 'A rule denies requests with a wrong token, but requests without a token pass.',
  reason:
    'A rule applies only if all of its conditions are true. `hasReqHeader` is false for a request without the header, which anyone can omit.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#hasreqheaderstring---bool',
  wrong: `on_http_request:
  - expressions: ["hasReqHeader('x-token') && getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!hasReqHeader('x-token') || getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  find: findPassing,
}

/** The names of values that only authorized clients know. */
const CREDENTIAL = /auth|token|secret|key|password|passwd|credential|session|signature/i
/** The names of headers that may legitimately be omitted and that do not identify the client. */
const STANDARD =
  /^'(?:accept|access-control-|cache-control|connection|content-|date|dnt|expect|forwarded|if-|origin|pragma|range|referer|sec-|te|upgrade|user-agent|via|x-forwarded-|x-requested-with)/

function findPassing(policy: ReadPolicy): readonly Finding[] {
  // Another check may cover the requests without the value.
  if (policy.rules.some(checkOf)) return []
  return policy.holes().flatMap((hole) => {
    const { rule, subject, isAllowList, fails } = hole
    if (!isAllowList || fails || !isDenial(rule) || !isCredential(hole)) return []
    return {
      ...placeOf(hole),
      docs: pageOf(subject, 'has'),
      what: `denies requests with a wrong value, but lets requests without ${cut(subject.source)} pass`,
      hint: `Write ${subject.guard} || before it, and remove the test that the value exists.`,
    }
  })
}

/** Returns whether a value is a credential, judging by its name or because it is compared with a secret or with only one string. */
function isCredential({ rule, subject, compared }: Hole): boolean {
  const { name } = subject
  if (name === undefined) return false
  const [only = '', ...others] = compared
  if (CREDENTIAL.test(name) || [only, ...others].some((each) => each.startsWith('secrets.get('))) return true
  const isOneText = only.startsWith("'") && others.length === 0
  return isOneText && !STANDARD.test(name) && rule.actions.some(({ config }) => isForbidden(config.status_code))
}

/**
 * Returns whether a denial's status means that the client is not authorized. Other statuses, such as 400, mean that the request is
 * malformed.
 */
function isForbidden(status: unknown): boolean {
  return status === undefined || status === 401 || status === 403
}
