import { declareErrors, entry } from '../../schema/errors.ts'

/** The error of a fault that names none, and that of too many faults. */
export const errors = declareErrors({
  too_many_on_order: entry(
    90429,
    409,
    (it: { what: string; most: number }) =>
      `There are ${it.most} ${it.what} on order already, which is the most allowed. Remove some first.`,
  ),
  injected_fault: entry(
    90500,
    503,
    (it: { operation: string }) => `A fault was injected into ${it.operation} by the test.`,
  ),
})
