import { lazy } from '../../../core/schema/values.ts'
import { examinePolicy } from '../check.ts'
import type { PolicyOptions } from '../options.ts'
import type { PolicyPath, ReportedProblem } from '../problem.ts'
import { MAX_PROBLEMS, toMessage } from '../reporter.ts'
import { addressPrefix } from './address-prefix.ts'
import { anyoneSignsIn } from './anyone-signs-in.ts'
import { bodyNotAllowed } from './body-not-allowed.ts'
import { checkSkipped } from './check-skipped.ts'
import { clientSentAddress } from './client-sent-address.ts'
import { emailPart } from './email-part.ts'
import { encodedPath } from './encoded-path.ts'
import { everybodyDenied } from './everybody-denied.ts'
import { groupUnknown } from './group-unknown.ts'
import { headerValue } from './header-value.ts'
import { headerWithCapitals } from './header-with-capitals.ts'
import { listHoles, placeOf } from './holes.ts'
import { identityHeader } from './identity-header.ts'
import { invalidConstant } from './invalid-constant.ts'
import { invalidRange } from './invalid-range.ts'
import { lengthUnknown } from './length-unknown.ts'
import { missingValue } from './missing-value.ts'
import { missingValuePasses } from './missing-value-passes.ts'
import { negatedValue } from './negated-value.ts'
import { neverEqual } from './never-equal.ts'
import { alwaysTrue, neverTrue } from './never-true.ts'
import { notEnforced } from './not-enforced.ts'
import { notInterpolated } from './not-interpolated.ts'
import { patternOfUrl } from './pattern-of-url.ts'
import { rangeComparedAsText } from './range-compared-as-text.ts'
import { resultNotSet } from './result-not-set.ts'
import { secretUnknown } from './secret-unknown.ts'
import { readStored } from './stored.ts'
import { unlikelyValue } from './unlikely-value.ts'
import { rateLimitUnreachable, ruleUnreachable } from './unreachable.ts'
import { urlNotReachable } from './url-not-reachable.ts'
import { valueUnreadable } from './value-unreadable.ts'
import { variableType } from './variable-type.ts'
import { readPolicy, type Warning } from './warning.ts'
import { wildcard } from './wildcard.ts'

/** The warnings of policies. To add a warning, add its file and its name here. */
export const WARNINGS: readonly Warning[] = [
  rangeComparedAsText,
  addressPrefix,
  clientSentAddress,
  invalidRange,
  negatedValue,
  missingValue,
  missingValuePasses,
  checkSkipped,
  valueUnreadable,
  lengthUnknown,
  encodedPath,
  anyoneSignsIn,
  emailPart,
  identityHeader,
  ruleUnreachable,
  rateLimitUnreachable,
  headerWithCapitals,
  headerValue,
  secretUnknown,
  resultNotSet,
  groupUnknown,
  urlNotReachable,
  notEnforced,
  everybodyDenied,
  bodyNotAllowed,
  patternOfUrl,
  notInterpolated,
  unlikelyValue,
  invalidConstant,
  neverEqual,
  variableType,
  wildcard,
  neverTrue,
  alwaysTrue,
]

/** Checks a parsed policy. Returns its errors and its warnings. */
export function checkWithWarnings(policy: unknown, options: PolicyOptions): readonly ReportedProblem[] {
  const examined = examinePolicy(policy, options)
  const read = readPolicy(policy, examined, options)
  const holes = lazy(() => listHoles(read.rules))
  const warnings = WARNINGS.flatMap(({ id, docs, find }) =>
    find({ ...read, holes }).map(({ path, what, ...more }): ReportedProblem => {
      const severity = more.number === undefined ? 'warning' : 'error'
      return { severity, rule: id, path, message: toMessage(path, what), docs, ...more }
    }),
  )
  return [...examined.problems, ...warnings].slice(0, MAX_PROBLEMS)
}

/** Lists the conditions that fail if a variable of `set-vars` lacks a part, such as a key of a map. There is no warning about them. */
export function listStoredFailures(policy: unknown, options: PolicyOptions): readonly PolicyPath[] {
  const { rules } = readPolicy(policy, examinePolicy(policy, options), options)
  const stored = readStored(rules)
  return stored.size === 0 ? [] : listHoles(rules, stored).flatMap((hole) => (hole.fails ? [placeOf(hole).path] : []))
}
