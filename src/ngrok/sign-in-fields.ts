import * as v from 'valibot'
import { declareErrors, documented, enabled, field, integerFrom, refusedAs, rule } from '../kit/index.ts'
import { answerFields } from './shared.ts'

const YEAR = 365 * 24 * 60 * 60

/** The errors of what all modules that let people sign in have in common. */
export const signInErrors = declareErrors({
  cookie_prefix_invalid: field(7042, 400, () => 'letters, digits and periods'),
  inactivity_timeout_too_long: field(7092, 400, () => `whole seconds from 0 to ${YEAR}, a year`),
})

const cookie_prefix = documented(
  v.pipe(
    v.string(),
    rule([signInErrors.cookie_prefix_invalid], (prefix, report) => {
      if (!/^[0-9A-Za-z.]*$/.test(prefix)) report(signInErrors.cookie_prefix_invalid, {})
    }),
  ),
  'The beginning of the name of the cookie with the session.',
)

/** The fields of a body that lets people sign in. */
export const signInFields = {
  enabled,
  options_passthrough: v.optional(
    documented(v.boolean(), 'True if requests with the method OPTIONS need no session.'),
    false,
  ),
  cookie_prefix: v.optional(cookie_prefix, ''),
  inactivity_timeout: v.optional(
    documented(
      v.pipe(integerFrom(0, YEAR), refusedAs(signInErrors.inactivity_timeout_too_long)),
      'The seconds without a request after which a session ends; 0 for no limit.',
    ),
    0,
  ),
  maximum_duration: v.optional(
    documented(integerFrom(0), 'The longest duration of a session, in seconds; 0 for no limit.'),
    0,
  ),
}

/** The same fields of an answer. */
export const signInShape = answerFields(signInFields)
