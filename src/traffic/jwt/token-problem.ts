import type { Decision } from '../../service/policy/decisions.ts'

/** A reason to reject a request, with the number of its error. The message repeats no token and no claim. */
export class TokenProblem extends Error {
  constructor(
    readonly number: number,
    message: string,
    readonly decision?: Decision,
  ) {
    super(message)
  }
}
