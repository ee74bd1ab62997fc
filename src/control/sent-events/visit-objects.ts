/** The objects of the events of traffic. What only the real network knows, and a visitor does not say, is null. */
import { utf8Length } from '../../core/schema/platform.ts'
import { type Redaction, redact } from '../../core/schema/secret-fields.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import { DECISIONS } from '../../service/policy/decisions.ts'
import type { VisitorExchange } from '../../traffic/exchange.ts'
import type { VisitSizes } from '../../traffic/visit-meter.ts'
import { redactHeaders, redactQuery } from '../journal/redact.ts'

/** A visit that has ended, and the secrets that no output may show. */
export interface EndedVisit {
  readonly exchange: VisitorExchange
  readonly sizes: VisitSizes
  readonly redaction: Redaction
}

/** Returns the object of `http_request_complete.v0`. */
export function describeRequest({ exchange, sizes, redaction }: EndedVisit): object {
  const { facts, method, status } = exchange
  const url = new URL(exchange.url)
  const query = redactQuery(url.search.slice(1), [], redaction)
  const path = redact(url.pathname, redaction)
  const deeds = listDeeds(exchange)
  const signIn = factsOf(deeds, 'oauth')
  const user = isObject(signIn.identity) ? signIn.identity : {}
  const algorithm = factsOf(deeds, 'compress-response').algorithm
  const fact = (name: string) => facts.get(name) ?? null
  const isHalfOpen = deeds.some(({ decision }) => decision === DECISIONS.halfOpen)
  const breaker = decide(deeds, 'circuit-breaker')
  return {
    backend: { connection_reused: null },
    basic_auth: { decision: decide(deeds, 'basic-auth'), username: factsOf(deeds, 'basic-auth').username ?? null },
    circuit_breaker: { decision: breaker === 'allow' && isHalfOpen ? 'allow_while_open' : breaker },
    compression: {
      algorithm: algorithm ?? 'none',
      bytes_saved: sizes.uncompressed === undefined ? 0 : sizes.uncompressed - sizes.response,
    },
    conn: connectionOf(exchange),
    http: {
      request: {
        body_length: sizes.request,
        headers: listHeaders(exchange.headers, redaction),
        method: method.toLowerCase(),
        url: {
          host: url.host,
          path,
          query,
          raw: `${url.origin}${path}${query === '' ? '' : `?${query}`}`,
          scheme: url.protocol.slice(0, -1),
        },
        user_agent: redact(exchange.headers.find(([name]) => name === 'user-agent')?.[1] ?? '', redaction),
      },
      response: {
        body_length: sizes.response,
        headers: listHeaders(exchange.responseHeaders, redaction),
        status_code: status,
      },
    },
    ip_policy: { decision: decide(deeds, 'restrict-ips') },
    ja4_fingerprint: fact('conn.tls.ja4_fingerprint'),
    oauth: {
      app_client_id: signIn.client_id ?? null,
      decision: decide(deeds, 'oauth'),
      user: { id: user.id ?? null, name: user.name ?? null },
    },
    tls: {
      cipher_suite: fact('conn.tls.cipher_suite'),
      client_cert: {
        serial_number: fact('conn.tls.client.serial_number'),
        subject: { cn: fact('conn.tls.client.subject.common_name') },
      },
      version: fact('conn.tls.version'),
    },
    traffic_policy: { logs: listLogs(deeds, redaction) },
    webhook_verification: { decision: decide(deeds, 'verify-webhook') },
  }
}

/** Returns the object of `tcp_connection_closed.v0`. Each visit is one connection, whose bytes are those of HTTP/1.1. */
export function describeConnection({ exchange, sizes, redaction }: EndedVisit, now: number): object {
  const { method, url, headers, status, responseHeaders, facts } = exchange
  const { pathname, search } = new URL(url)
  const deeds = listDeeds(exchange)
  return {
    conn: {
      bytes_in: headLength(`${method} ${pathname}${search} HTTP/1.1`, headers) + sizes.request,
      bytes_out: status === null ? 0 : headLength(`HTTP/1.1 ${status} `, responseHeaders) + sizes.response,
      ...connectionOf(exchange),
      end_ts: timestamp(now),
    },
    ip_policy: { decision: decide(deeds, 'restrict-ips') },
    ja4_fingerprint: facts.get('conn.tls.ja4_fingerprint') ?? null,
    traffic_policy: { logs: listLogs(deeds, redaction) },
  }
}

function connectionOf({ ip, url, at, facts }: VisitorExchange) {
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === 'https:' || protocol === 'wss:' ? 443 : 80
  return {
    client_ip: ip,
    server_ip: facts.get('conn.server_ip') ?? null,
    server_name: hostname,
    server_port: port === '' ? usual : Number(port),
    start_ts: timestamp(at),
  }
}

function headLength(first: string, headers: VisitorExchange['headers']): number {
  return utf8Length([first, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'))
}

/** A deed of an action, or of a module that works as one. */
interface Deed {
  readonly type: string
  readonly isEnd: boolean
  readonly facts: Readonly<Record<string, unknown>>
  readonly decision: unknown
}

function listDeeds({ trace }: VisitorExchange): readonly Deed[] {
  return trace
    .flatMap((each) =>
      'actions' in each ? each.actions : each.action === undefined ? [] : [{ ...each, type: each.action }],
    )
    .map(({ type, isEnd = false, facts = {}, decision }) => ({ type, isEnd, facts, decision }))
}

function factsOf(deeds: readonly Deed[], type: string): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...deeds.filter((each) => each.type === type).map(({ facts }) => facts))
}

/** Returns whether the checks of a type let the request pass; null if there was none. */
function decide(deeds: readonly Deed[], type: string): 'allow' | 'block' | null {
  const found = deeds.filter((each) => each.type === type)
  if (found.length === 0) return null
  return found.some(({ isEnd }) => isEnd) ? 'block' : 'allow'
}

/** Returns the data of the actions `log`, as texts. */
function listLogs(deeds: readonly Deed[], redaction: Redaction): readonly object[] {
  return deeds
    .map(({ facts }) => facts.logs)
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

/** Returns headers as the service normalizes them: names such as `User-Agent`, and lists of values in lower case. */
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
