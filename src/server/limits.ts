/** The limits on a request's head, which Node's parser enforces. */
export const HEAD_LIMITS = { bytes: 16_384, seconds: 20 }

/** The limits of the servers for the API and for the agent's API. Node enforces them, and by default checks every 30 s. */
export const SERVER_LIMITS = {
  maxHeaderSize: HEAD_LIMITS.bytes,
  headersTimeout: HEAD_LIMITS.seconds * 1000,
  /** The maximum time between the first and the last byte of a request. */
  requestTimeout: 60_000,
  /**
   * Longer than clients keep a connection open for their next request (Go: 90 s), so that requests do not arrive on a connection that is
   * closing.
   */
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 5000,
}
