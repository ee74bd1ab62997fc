/** Thrown by the `assert…` functions of a gateway if a test's expectation is not met. */
export class AssertionError extends Error {
  // The build shortens the names of classes, and Node prints them.
  static override get name(): string {
    return 'GatewayAssertionError'
  }
  // Jest shows compared values only for errors named AssertionError.
  override readonly name = 'GatewayAssertionError'
}

export function assertNoProblem(found: string | undefined): void {
  if (found !== undefined) throw new AssertionError(found)
}
