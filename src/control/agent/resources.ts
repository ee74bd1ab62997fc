/** The metrics of a tunnel. Only the requests that passed through are counted; everything else is 0. */
export interface AgentMetrics {
  readonly conns: Readonly<
    Record<'count' | 'gauge' | 'rate1' | 'rate5' | 'rate15' | 'p50' | 'p90' | 'p95' | 'p99', number>
  >
  readonly http: Readonly<Record<'count' | 'rate1' | 'rate5' | 'rate15' | 'p50' | 'p90' | 'p95' | 'p99', number>>
}

/**
 * A tunnel, as the agent shows it.
 *
 * @experimental
 */
export interface AgentTunnel {
  /** The name, which identifies the tunnel in the agent's API. */
  readonly name: string
  /** The ID that the agent gives the tunnel: 32 hexadecimal digits, unlike its ID in the REST API. */
  readonly ID: string
  /** The path of the tunnel. */
  readonly uri: string
  /** The URL of its endpoint; "" for a labeled tunnel, and until the agent knows the URL. */
  readonly public_url: string
  /** The scheme of the URL. */
  readonly proto: string
  /** The upstream that the agent forwards to, and whether the agent records requests. */
  readonly config: { readonly addr: string; readonly inspect: boolean }
  /** The number of requests that passed through. */
  readonly metrics: AgentMetrics
}

/** An endpoint, as the agent shows it. */
export interface AgentEndpoint {
  readonly name: string
  readonly uri: string
  readonly url: string
  readonly upstream: { readonly url: string; readonly protocol: string }
  readonly inspect: boolean
  readonly traffic_policy: string
  readonly pooling_enabled: boolean
  readonly metrics?: AgentMetrics
}

interface Message {
  readonly proto: string
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** The bytes of the message in Base64. */
  readonly raw: string
}

/** A captured request, as the agent shows it. */
export interface AgentRequest {
  readonly uri: string
  readonly id: string
  readonly tunnel_name: string
  readonly remote_addr: string
  readonly start: string
  /** The duration, in ns. */
  readonly duration: number
  readonly request: Message & { readonly method: string; readonly uri: string }
  readonly response: (Message & { readonly status: string; readonly status_code: number }) | null
}
