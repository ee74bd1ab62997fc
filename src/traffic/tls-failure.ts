/** Thrown for a failed TLS handshake, in which one side rejects the other. `code` is the code of Node's error. */
export class TlsFailure extends Error {
  override readonly name: string = 'TlsFailure'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
