/** A visitor who has signed in, for the actions `oauth`, `openid-connect` and `saml`. */
export interface Identity {
  /** The provider at which the visitor signed in, such as `google`. Default: the provider of the action. */
  readonly provider?: string
  readonly email?: string
  readonly name?: string
  readonly id?: string
  readonly [field: string]: unknown
}

/** A visitor: the facts that only the real network knows. */
export interface Visitor {
  /** The address of the visitor. Default: `203.0.113.1`. */
  readonly ip?: string
  /** The country of the address, as two letters. It sets `conn.geo.country_code` and its kind. */
  readonly country?: string
  /** True accepts any certificate, as `curl --insecure` does. Default: the visitor rejects a certificate for another name, or an expired one. */
  readonly insecure?: boolean
  /** The client certificate that the visitor shows, as PEM, for mutual TLS. Intermediate certificates may follow it. Default: none. */
  readonly certificate?: string
  /** The identity of a visitor who has signed in. Default: the visitor has not. */
  readonly identity?: Identity
  /** Other variables by their paths, such as `{ 'conn.client_ip.is_tor_node': true }`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** The results of actions that the gateway does not carry out, by type, such as `{ 'owasp-crs-request': { decision: 'allow' } }`. A denial happens. */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The address of a visitor who has none: one that RFC 5737 reserves for documentation. */
export const DEFAULT_IP = '203.0.113.1'

/** Returns whether visitors can send requests to a URL: it has a scheme of HTTP or of WebSockets. */
export function isVisitable(url: string): boolean {
  return URL.canParse(url) && /^(?:http|ws)s?:$/.test(new URL(url).protocol)
}

/** The options of a request through the gateway, in addition to those of `fetch`. */
export interface TrafficInit extends RequestInit {
  /** The visitor: the address, the country and whatever else only the real network knows. */
  readonly from?: Visitor
  /** The edge that takes the request, instead of that of the URL. The standard dialect needs it. */
  readonly edge?: string
  /** The route of the edge. */
  readonly route?: string
  /** The backend that gets the request. Default: that of the route. */
  readonly backend?: string
}
