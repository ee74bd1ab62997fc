/** Thrown for a TLS handshake in which one side rejects the other. `code` is Node's error code. */
export class TlsFailure extends Error {
  override readonly name: string = 'TlsFailure'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
