import type { Decision } from '../../service/policy/decisions.ts'

/** A reason to reject a request, with its error number. The message does not repeat tokens or claims. */
export class TokenProblem extends Error {
  constructor(
    readonly number: number,
    message: string,
    readonly decision?: Decision,
  ) {
    super(message)
  }
}
