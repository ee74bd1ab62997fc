/** Thrown by the `assert…` functions of a gateway if what a test expects is not so. */
export class AssertionError extends Error {
  // The build shortens the names of classes, and Node prints them.
  static override get name(): string {
    return 'GatewayAssertionError'
  }
  // Jest shows compared values for errors named AssertionError.
  override readonly name = 'GatewayAssertionError'
}

export function assertNoProblem(found: string | undefined): void {
  if (found !== undefined) throw new AssertionError(found)
}
