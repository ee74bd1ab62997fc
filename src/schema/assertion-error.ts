/** Thrown by the `assert…` functions of a gateway: what a test expected is not so. */
export class AssertionError extends Error {
  // Of what is called AssertionError, Jest shows the values that it compared.
  override readonly name = 'GatewayAssertionError'
}

/** Throws an {@link AssertionError} with what was found, if anything was. */
export function assertNone(found: string | undefined): void {
  if (found !== undefined) throw new AssertionError(found)
}
