/** A handshake of TLS that fails: one side rejects the other. `code` is that of Node's error. */
export class TlsFailure extends Error {
  override readonly name: string = 'TlsFailure'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
