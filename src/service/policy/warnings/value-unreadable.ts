import { cut } from '../../../core/schema/text.ts'
import { placeOf } from './holes.ts'
import { sourceOf } from './symbolic.ts'
import type { Warning } from './warning.ts'

/** The functions that fail, and the check of their values. */
const CHECKS: readonly (readonly [RegExp, string])[] = [
  [/json\.decode|decodeJson/, '!….isJson()'],
  [/\.(?:substring|charAt)\(/, 'size(…) < 8'],
]
const MATCHES = "!….matches('^[0-9]{1,18}$')"

export const valueUnreadable: Warning = {
  id: 'value-unreadable',
  about:
    'A condition that should be true fails for some values that the client may send, such as a string that is not a number, or a number that is too large.',
  reason:
    '`int`, `timestamp`, `json.decode`, and others fail for other strings, `int` for numbers that are too large, and `substring` for short strings. A rule whose condition fails does not apply.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/expressions/',
  wrong: `on_http_request:
  - expressions: ["!hasReqHeader('x-age') || int(getReqHeader('x-age')[0]) < 18"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!hasReqHeader('x-age') || !getReqHeader('x-age')[0].matches('^[0-9]{1,3}$') || int(getReqHeader('x-age')[0]) < 18"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    policy.holes().flatMap((hole) => {
      const { subject, isUnreadable, fails } = hole
      // A missing value has its own warning.
      if (!isUnreadable || fails || subject.base !== undefined) return []
      const source = cut(subject.source)
      const [, check = MATCHES] = CHECKS.find(([name]) => name.test(sourceOf(subject.test))) ?? []
      return {
        ...placeOf(hole),
        what: `fails for some values of ${source} that a client may send; for those, the rule is skipped`,
        hint: `Check its format first, for example with ${check} ||.`,
      }
    }),
}
