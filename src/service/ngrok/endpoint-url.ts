import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  type BINDINGS,
  type EndpointPlace,
  type EndpointRecord,
  findOtherEndpoint,
  findReservation,
  hasDedicatedIps,
  parseUrl,
  SCHEMES,
  type UrlParts,
} from './endpoint-records.ts'
import { cardErrors, findLack } from './own-places.ts'

/** Declares the error for a URL that another online endpoint uses. */
export const urlTakenError = (number: number, allowed: string) =>
  kit.ofField(
    number,
    400,
    (it: parts.FieldFacts & { id: string }) =>
      `${it.field} is ${it.received}, where ${it.id} is already online. Allowed: ${allowed}.`,
  )

/** The errors for an endpoint's URL. */
export const urlErrors = {
  ...cardErrors,
  ...kit.declareErrors({
    endpoint_url_unparsable: kit.field(249, 400, (it: { readonly punycode?: string | undefined }) =>
      it.punycode === undefined
        ? 'a URL with only a scheme, a host, and an optional port, such as "https://app.example.com" or "tcp://1.tcp.ngrok.io:12345"'
        : `a URL whose host is in Punycode: "${it.punycode}"`,
    ),
    endpoint_not_internal: kit.field(9029, 400, 'a host under ".internal" with the binding internal'),
    endpoint_too_many_labels: kit.field(9031, 400, 'at most 5 labels before ".internal"'),
    endpoint_url_path: kit.field(9037, 400, 'a URL without a path'),
    endpoint_url_slash: kit.field(9038, 400, 'a URL without a trailing "/"'),
    endpoint_port_missing: kit.field(18003, 400, 'a URL with a port, such as "tcp://1.tcp.ngrok.io:12345"'),
    endpoint_scheme_fixed: kit.field(18005, 400, 'a URL with the scheme {scheme}, which cannot change'),
    endpoint_not_reserved: kit.field(
      18006,
      400,
      'a host that is a reserved domain or a subdomain of one; for tcp, a reserved address',
    ),
    endpoint_binding_not_fitting: kit.field(18007, 400),
    endpoint_url_taken: urlTakenError(18009, 'another URL, or pooling_enabled for both endpoints'),
    endpoint_other_not_pooled: urlTakenError(18016, 'another URL, or pooling_enabled for the other endpoint too'),
    endpoint_not_pooled: urlTakenError(18017, 'another URL, or pooling_enabled as for the other endpoint'),
    endpoint_kubernetes_scheme: kit.field(
      18018,
      400,
      'a URL whose scheme is http, tcp or tls with the binding kubernetes',
    ),
    endpoint_scheme_invalid: kit.field(
      18022,
      400,
      `a URL whose scheme is ${SCHEMES.slice(0, -1).join(', ')} or ${SCHEMES.at(-1)}`,
    ),
    endpoint_port_not_allowed: kit.field(
      18023,
      400,
      'with the binding public, no port, 80 for http, or 443 for https and tls; other ports need a domain with dedicated IPs',
    ),
  }),
}

type Binding = (typeof BINDINGS)[number]

/**
 * Returns the place of the URL of a cloud endpoint. Throws an error for an invalid URL, or for a public URL that the account may not use.
 */
export function resolveReservedPlace(tx: kit.Transaction, text: string, sent: Binding | undefined): EndpointPlace {
  const place = resolvePlace(tx, text, sent)
  const lack = findLack(tx, place)
  const { endpoint_card_missing, endpoint_not_reserved } = urlErrors
  const error = lack?.what === 'card' ? endpoint_card_missing : endpoint_not_reserved
  if (lack) kit.refuse(error, { field: 'url', received: kit.quote(text) })
  return place
}

/** Returns the place of a URL: its binding and its reservation, if any. Throws an error for an invalid URL. */
export function resolvePlace(tx: kit.Transaction, text: string, sent: Binding | undefined): EndpointPlace {
  const sentUrl = { field: 'url', received: kit.quote(text) }
  const sentParts = parseUrl(text) ?? kit.refuse(urlErrors.endpoint_url_unparsable, { ...sentUrl, ...hostFacts(text) })
  const { scheme, host, path, url } = sentParts
  const isInternal = host.endsWith('.internal')
  const binding = sent ?? (isInternal ? 'internal' : 'public')
  if (!SCHEMES.some((each) => each === scheme)) kit.refuse(urlErrors.endpoint_scheme_invalid, sentUrl)
  if (path === '/') kit.refuse(urlErrors.endpoint_url_slash, sentUrl)
  if (path !== '') kit.refuse(urlErrors.endpoint_url_path, sentUrl)
  requireFittingBinding(sentParts, binding, sentUrl)
  if (sentParts.port === '') kit.refuse(urlErrors.endpoint_port_missing, sentUrl)
  if (binding !== 'public') return { url, binding, domain_id: null, tcp_addr_id: null }
  const reservation = findReservation(tx, sentParts)
  const hasUsualPort = scheme === 'tcp' || url === `${scheme}://${host}`
  if (!hasUsualPort && !hasDedicatedIps(tx, reservation)) kit.refuse(urlErrors.endpoint_port_not_allowed, sentUrl)
  return { url, binding, ...reservation }
}

/** Returns the Punycode form of a URL's host, if it needs one. */
const hostFacts = (url: string) => parts.nameFacts(/^[a-z]+:\/\/([^/:]+)/i.exec(url)?.[1] ?? '')

function requireFittingBinding({ scheme, host }: UrlParts, binding: Binding, sentUrl: parts.FieldFacts): void {
  const isInternal = host.endsWith('.internal')
  if (binding === 'internal' && !isInternal) kit.refuse(urlErrors.endpoint_not_internal, sentUrl)
  if (binding === 'internal' && host.split('.').length > 6) kit.refuse(urlErrors.endpoint_too_many_labels, sentUrl)
  if (binding !== 'internal' && isInternal) {
    kit.refuse(urlErrors.endpoint_binding_not_fitting, {
      ...sentUrl,
      allowed: 'a host under ".internal" only with the binding internal',
    })
  }
  if (binding !== 'kubernetes') return
  if (scheme === 'https') kit.refuse(urlErrors.endpoint_kubernetes_scheme, sentUrl)
  if (!/^[^.*]+\.[^.]+$/.test(host)) {
    kit.refuse(urlErrors.endpoint_binding_not_fitting, {
      ...sentUrl,
      allowed: 'a host in the form "name.namespace" with the binding kubernetes',
    })
  }
}

/** Throws an error for a URL whose scheme has changed. */
export function requireScheme(text: string, before: string): void {
  const scheme = String(parseUrl(before)?.scheme)
  const sent = parseUrl(text)?.scheme ?? scheme
  if (sent !== scheme) kit.refuse(urlErrors.endpoint_scheme_fixed, { field: 'url', received: kit.quote(text), scheme })
}

/** Throws an error for a cloud endpoint at a place where another endpoint is online, unless both are pooled. */
export function requireFreePlace(
  tx: kit.Transaction,
  endpoint: Pick<EndpointRecord, 'url' | 'binding' | 'pooling_enabled'>,
  self?: string,
): void {
  const other = findOtherEndpoint(tx, endpoint, self)
  if (!other || (endpoint.pooling_enabled && other.pooling_enabled)) return
  const isOtherUnpooledCloud = other.type === 'cloud' && !other.pooling_enabled
  const error = isOtherUnpooledCloud ? urlErrors.endpoint_url_taken : urlErrors.endpoint_not_pooled
  const facts = { field: 'url', received: kit.quote(endpoint.url), id: other.id }
  kit.refuse(endpoint.pooling_enabled ? urlErrors.endpoint_other_not_pooled : error, facts)
}
