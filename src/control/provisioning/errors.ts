import { declareErrors, entry } from '../../schema/errors.ts'

/** What the controls of provisioning cannot do. */
export const errors = declareErrors({
  nothing_ahead: entry(
    90423,
    409,
    (it: { what: string; received: string; why: string }) =>
      `There is no ${it.what} of ${it.received} to move the clock to: ${it.why}.`,
  ),
})
