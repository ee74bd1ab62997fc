/** The objects of traffic events. Facts that only the real network knows are null unless the visitor specifies them. */
import type { FilterMatcher } from '../../core/operation/events.ts'
import { utf8Length } from '../../core/schema/platform.ts'
import { type Redaction, redact } from '../../core/schema/secret-fields.ts'
import { exactTimestamp } from '../../core/schema/time.ts'
import { isObject, lookUp, writePath } from '../../core/schema/values.ts'
import { DECISIONS } from '../../service/policy/decisions.ts'
import type { VisitorExchange } from '../../traffic/exchange.ts'
import type { TracedAction } from '../../traffic/trace.ts'
import type { VisitSizes } from '../../traffic/visit-meter.ts'
import { redactHeaders, redactQuery } from '../journal/redact.ts'

/** A completed visit, and the secrets that must not appear in any output. */
export interface EndedVisit {
  readonly exchange: VisitorExchange
  readonly sizes: VisitSizes
  readonly redaction: Redaction
  /** Evaluates the filters of event sources. */
  readonly matches: FilterMatcher
}

/**
 * Returns the object of a traffic event, limited to these fields. Each visit is one connection, and its bytes are counted as they would be
 * in HTTP/1.1.
 */
export function describeVisit(visit: EndedVisit, now: number, fields: readonly string[]): object {
  const values = readVisit(visit, now)
  const object = {}
  for (const path of fields) writePath(object, path.split('.'), lookUp(values, path) ?? null)
  return object
}

/** Returns the fields of events by their paths. */
function readVisit({ exchange, sizes, redaction }: EndedVisit, now: number): Readonly<Record<string, unknown>> {
  const { facts, headers, ip, method, status, responseHeaders } = exchange
  const url = new URL(exchange.url)
  const query = redactQuery(url.search.slice(1), [], redaction)
  const path = redact(url.pathname, redaction)
  const deeds = listDeeds(exchange)
  const breaker = decide(deeds, 'circuit-breaker')
  const isHalfOpen = deeds.some(({ decision }) => decision === DECISIONS.halfOpen)
  const { client_id, identity } = factsOf(deeds, 'oauth')
  const user = isObject(identity) ? identity : {}
  return {
    'basic_auth.decision': decide(deeds, 'basic-auth'),
    'basic_auth.username': factsOf(deeds, 'basic-auth').username,
    'circuit_breaker.decision': breaker === 'allow' && isHalfOpen ? 'allow_while_open' : breaker,
    'compression.algorithm': factsOf(deeds, 'compress-response').algorithm ?? 'none',
    'compression.bytes_saved': (sizes.uncompressed ?? sizes.response) - sizes.response,
    'conn.bytes_in': headLength(`${method} ${url.pathname}${url.search} HTTP/1.1`, headers) + sizes.request,
    'conn.bytes_out': status === null ? 0 : headLength(`HTTP/1.1 ${status} `, responseHeaders) + sizes.response,
    'conn.client_ip': ip,
    'conn.end_ts': exactTimestamp(now),
    'conn.server_ip': facts.get('conn.server_ip'),
    'conn.server_name': url.hostname,
    'conn.server_port': Number(url.port) || (/^(https|wss):$/.test(url.protocol) ? 443 : 80),
    'conn.start_ts': exactTimestamp(exchange.at),
    'http.request.body_length': sizes.request,
    'http.request.headers': listHeaders(headers, redaction),
    'http.request.method': method.toLowerCase(),
    'http.request.url.host': url.host,
    'http.request.url.path': path,
    'http.request.url.query': query,
    'http.request.url.raw': `${url.origin}${path}${query === '' ? '' : `?${query}`}`,
    'http.request.url.scheme': url.protocol.slice(0, -1),
    'http.request.user_agent': redact(headers.find(([name]) => name === 'user-agent')?.[1] ?? '', redaction),
    'http.response.body_length': sizes.response,
    'http.response.headers': listHeaders(responseHeaders, redaction),
    'http.response.status_code': status,
    'ip_policy.decision': decide(deeds, 'restrict-ips'),
    ja4_fingerprint: facts.get('conn.tls.ja4_fingerprint'),
    'oauth.app_client_id': client_id,
    'oauth.decision': decide(deeds, 'oauth'),
    'oauth.user.id': user.id,
    'oauth.user.name': user.name,
    'tls.cipher_suite': facts.get('conn.tls.cipher_suite'),
    'tls.client_cert.serial_number': facts.get('conn.tls.client.serial_number'),
    'tls.client_cert.subject.cn': facts.get('conn.tls.client.subject.common_name'),
    'tls.version': facts.get('conn.tls.version'),
    'traffic_policy.logs': listLogs(deeds, redaction),
    'webhook_verification.decision': decide(deeds, 'verify-webhook'),
  }
}

function headLength(first: string, headers: VisitorExchange['headers']): number {
  return utf8Length([first, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'))
}

/** The effect of an action, or of a module that works like one. */
type Deed = Pick<TracedAction, 'type' | 'isEnd' | 'facts' | 'decision'>

function listDeeds({ trace }: VisitorExchange): readonly Deed[] {
  return trace.flatMap((each) =>
    'actions' in each ? each.actions : each.action === undefined ? [] : [{ ...each, type: each.action }],
  )
}

function factsOf(deeds: readonly Deed[], type: string): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...deeds.filter((each) => each.type === type).map(({ facts }) => facts))
}

/** Returns whether checks of a type let the request pass, or null if there were none. */
function decide(deeds: readonly Deed[], type: string): 'allow' | 'block' | null {
  const found = deeds.filter((each) => each.type === type)
  if (found.length === 0) return null
  return found.some(({ isEnd }) => isEnd) ? 'block' : 'allow'
}

/** Returns the data of the `log` actions, as strings. */
function listLogs(deeds: readonly Deed[], redaction: Redaction): readonly object[] {
  return deeds
    .map(({ facts }) => facts?.logs)
    .filter(isObject)
    .map((logs) =>
      Object.fromEntries(Object.entries(logs).map(([name, value]) => [name, redact(toText(value), redaction)])),
    )
}

function toText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each))
}

/** Returns headers as normalized by the service: names such as `User-Agent`, and values as lowercase lists. */
function listHeaders(pairs: VisitorExchange['headers'], redaction: Redaction): Record<string, string[]> {
  const lists = new Map<string, string[]>()
  for (const pair of pairs) {
    for (const [name, value] of Object.entries(redactHeaders(pair, redaction))) {
      const key = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
      lists.set(key, [...(lists.get(key) ?? []), value.toLowerCase()])
    }
  }
  return Object.fromEntries(lists)
}
