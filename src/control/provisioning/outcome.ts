import * as v from 'valibot'
import { facts } from '../../core/schema/facts.ts'
import { isObject } from '../../core/schema/values.ts'
import {
  failedAttempt,
  numberedError,
  OUTCOMES,
  type Outcome,
  PROVISIONING_ERRORS,
} from '../../service/provisioning/outcomes.ts'

const DETAILS_ALLOWED =
  'a numbered error such as "ERR_NGROK_26014", or an object with DNS_ERROR or INTERNAL_ERROR as outcome, and ' +
  'optionally error (such as "ERR_NGROK_26014"), message (at most 1000 characters) and retriesAfter ("30m", or ' +
  '"-5m" for the past)'

/** Returns a description of the allowed outcomes. For an object, it describes the allowed values of its first invalid field. */
function describeAllowed(names: readonly string[]): (issue: { readonly input: unknown }) => string {
  return ({ input }) => {
    const [wrong] = (isObject(input) && v.safeParse(failedAttempt, input).issues) || []
    const name = String(wrong?.path?.[0]?.key ?? '')
    if (!wrong || name === '') return `${names.join(', ')}, or ${DETAILS_ALLOWED}`
    if (!['outcome', 'error', 'message', 'retriesAfter'].includes(name)) return `an object without ${name}`
    if (name === 'outcome') return `an object whose outcome is ${PROVISIONING_ERRORS.join(' or ')}`
    return `an object whose ${name} is ${wrong.type === 'string' ? 'a string' : wrong.message}`
  }
}

export const outcomeName = v.picklist(OUTCOMES, OUTCOMES.join(', '))

/** An outcome's name alone, or an error with its details. */
export const outcome: v.GenericSchema<Outcome> = v.pipe(
  v.union([outcomeName, numberedError, failedAttempt], describeAllowed(OUTCOMES)),
  facts({ type: 'Outcome', imports: { Outcome: 'service/provisioning/outcomes.ts' } }),
  v.metadata({ typed: `${OUTCOMES.join(', ')}, or a numbered error such as "ERR_NGROK_26014"` }),
)

/** The outcome of an attempt that fails. */
export const failedOutcome = v.union(
  [v.picklist(PROVISIONING_ERRORS), numberedError, failedAttempt],
  describeAllowed(PROVISIONING_ERRORS),
)
