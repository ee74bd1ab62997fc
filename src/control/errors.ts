import { counted } from '../contract/counted.ts'
import { declareErrors, entry } from '../contract/errors.ts'

export type { ErrorKey } from '../resources/types/index.ts'

/** The errors of the controls: of who may use them, and of what they cannot do. */
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
  key_not_kept: entry(
    90421,
    400,
    (it: { id: string }) =>
      `The private key of ${it.id} was left out of the snapshot that it came from. Take one with keys.`,
  ),
  clock_not_manual: entry(
    90420,
    400,
    () => 'The clock of this gateway cannot be moved. Allowed: a manual clock, such as --clock manual.',
  ),
  too_many_on_order: entry(
    90429,
    409,
    (it: { what: string; most: number }) =>
      `There are ${it.most} ${it.what} on order already, which is the most allowed. Remove some first.`,
  ),
  clock_move_stopped: entry(
    90422,
    504,
    (it: { seconds: number; reached: string; asked: string }) =>
      `The move was stopped after ${counted(it.seconds, 'second')} of work. The clock stands at ${it.reached}; asked for was ` +
      `${it.asked}. What was due by then has happened: move on from there, or in smaller steps.`,
  ),
  nothing_ahead: entry(
    90423,
    409,
    (it: { what: string; received: string; why: string }) =>
      `There is no ${it.what} of ${it.received} to move the clock to: ${it.why}.`,
  ),
  injected_fault: entry(
    90500,
    503,
    (it: { operation: string }) => `A fault was injected into ${it.operation} by the test.`,
  ),
})
