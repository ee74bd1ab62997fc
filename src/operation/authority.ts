/** The certificate authority of a gateway, as far as nothing is issued by it. */
export interface Authority {
  /** The root certificate, PEM: what a client trusts. */
  readonly certificatePem: string
}
