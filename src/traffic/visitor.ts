/** A visitor who has signed in, for the actions `oauth`, `openid-connect`, and `saml`. */
export interface Identity {
  /** The visitor's sign-in provider, such as `google`. Default: the action's provider. */
  readonly provider?: string
  readonly email?: string
  readonly name?: string
  readonly id?: string
  readonly [field: string]: unknown
}

/** A visitor: the facts that only a real network would know. */
export interface Visitor {
  /** The visitor's address. Default: `203.0.113.1`. */
  readonly ip?: string
  /** The country of the address, as a two-letter code. It sets `conn.geo.country_code` and similar variables. */
  readonly country?: string
  /**
   * True to accept any certificate, like `curl --insecure`. Default: the visitor rejects expired certificates and certificates for other
   * names.
   */
  readonly insecure?: boolean
  /**
   * The client certificate that the visitor presents for mutual TLS, as PEM, optionally followed by intermediate
   * certificates. Default: none.
   */
  readonly certificate?: string
  /** The identity of a visitor who has signed in. Default: not signed in. */
  readonly identity?: Identity
  /** Other variables by path, such as `{ 'conn.client_ip.is_tor_node': true }`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /**
   * The results of actions that the gateway does not execute, by type, such as `{ 'owasp-crs-request': { decision: 'allow' } }`. A denial
   * takes effect.
   */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The default address of a visitor, which RFC 5737 reserves for documentation. */
export const DEFAULT_IP = '203.0.113.1'

/** Returns a URL that visitors can send requests to, with an HTTP or WebSocket scheme, or undefined for any other string. */
export function parseVisitable(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^(?:http|ws)s?:$/.test(url.protocol) ? url : undefined
}

/** The options for a request through the gateway, in addition to those of `fetch`. */
export interface TrafficInit extends RequestInit {
  /** The visitor: the address, the country, and other facts that only a real network would know. */
  readonly from?: Visitor
  /** The edge that receives the request, instead of the edge that the URL selects. Required in the standard dialect. */
  readonly edge?: string
  /** The edge's route. */
  readonly route?: string
  /** The backend that receives the request. Default: the route's backend. */
  readonly backend?: string
}
