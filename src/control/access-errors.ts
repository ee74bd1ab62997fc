import { declareErrors, entry } from '../schema/errors.ts'

/** Who may not use the controls. */
export const errors = declareErrors({
  control_key_missing: entry(
    90401,
    401,
    (it: { header: string }) => `The control API needs its key here. Send it in the header ${it.header}.`,
  ),
  control_key_invalid: entry(
    90402,
    401,
    (it: { header: string }) => `What the header ${it.header} holds is not the control key of this gateway.`,
  ),
  control_forbidden: entry(
    90403,
    403,
    (it: { what: string; received: string }) =>
      `The control API was asked with the ${it.what} ${it.received}. Allowed: this machine's own, such as localhost; ` +
      'any other only with a control key.',
  ),
})
