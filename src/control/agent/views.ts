import { utf8Bytes, utf8Text } from '../../core/schema/platform.ts'
import type { Redaction } from '../../core/schema/secret-fields.ts'
import { redactText } from '../../core/schema/secret-texts.ts'
import { timestamp } from '../../core/schema/time.ts'
import { joinBytes } from '../../traffic/body.ts'
import { toBase64 } from '../../traffic/webhooks/encoding.ts'
import type { ControlHost } from '../control.ts'
import { redactHeaders, redactQuery } from '../journal/redact.ts'
import { createRedaction } from '../traffic/journal.ts'
import type { Captured, CapturedBody, CapturedRequests } from './captured.ts'
import type { AgentEndpoint, AgentRequest, AgentTunnel } from './resources.ts'
import type { OpenTunnel } from './tunnels.ts'

const TIMES = { rate1: 0, rate5: 0, rate15: 0, p50: 0, p90: 0, p95: 0, p99: 0 }

/** Returns a tunnel's counts. Rates and durations are 0, because time doesn't pass in a test (rules: agent#metrics). */
function viewMetrics({ tunnel }: OpenTunnel, captured: CapturedRequests): AgentTunnel['metrics'] {
  const count = captured.countOf(tunnel.id)
  return { conns: { count, gauge: 0, ...TIMES }, http: { count, ...TIMES } }
}

const isInspected = ({ tunnel, endpoint }: OpenTunnel): boolean =>
  tunnel.inspect !== false && /^https?:/.test(endpoint?.url ?? '')

export function viewTunnel(open: OpenTunnel, captured: CapturedRequests): AgentTunnel {
  const { name, tunnel, endpoint, hasUrl } = open
  const url = endpoint?.url ?? ''
  return {
    name,
    // (rules: agent#tunnels)
    ID: [...utf8Bytes(tunnel.id.slice(-16))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    uri: `/api/tunnels/${encodeURIComponent(name)}`,
    public_url: hasUrl ? url : '',
    proto: url.split(':')[0] ?? '',
    // (rules: agent#addresses)
    config: { addr: tunnel.forwards_to.replace(/^(tcp|tls):\/\//, ''), inspect: isInspected(open) },
    metrics: viewMetrics(open, captured),
  }
}

/** Returns an endpoint in the form used in lists, or undefined for a labeled tunnel. */
export function viewEndpoint(open: OpenTunnel): AgentEndpoint | undefined {
  const { name, tunnel, endpoint, hasUrl } = open
  if (!endpoint) return undefined
  const { url, upstream_protocol, traffic_policy, pooling_enabled } = endpoint
  return {
    name,
    uri: `/api/endpoints/${encodeURIComponent(name)}`,
    url: hasUrl ? url : '',
    upstream: { url: tunnel.forwards_to, protocol: upstream_protocol ?? url.split(':')[0] ?? '' },
    inspect: isInspected(open),
    traffic_policy: traffic_policy ?? '',
    pooling_enabled,
  }
}

/** Returns an endpoint with its metrics. */
export function viewEndpointDetail(open: OpenTunnel, captured: CapturedRequests): AgentEndpoint | undefined {
  const endpoint = viewEndpoint(open)
  return endpoint && { ...endpoint, metrics: viewMetrics(open, captured) }
}

const PROTO = 'HTTP/1.1'

/** Returns a captured request without secrets (rules: agent#requests). */
export function viewRequest(captured: Captured, { withoutKeys }: ControlHost): AgentRequest {
  const { id, tunnel, ip, at, method, url, headers, body, response, secrets } = captured
  const redaction = createRedaction({ url, headers, responseHeaders: response?.headers ?? [], secrets }, withoutKeys)
  const [path = '', query] = url.slice(new URL(url).origin.length).split(/\?(.*)/s)
  const uri =
    redactText(path, redaction.redactor) + (query === undefined ? '' : `?${redactQuery(query, [], redaction)}`)
  return {
    uri: `/api/requests/http/${id}`,
    id,
    tunnel_name: tunnel.name,
    remote_addr: ip,
    start: timestamp(at),
    duration: ((response?.at ?? at) - at) * 1_000_000,
    request: { method, proto: PROTO, ...viewMessage(`${method} ${uri} ${PROTO}`, headers, body, redaction), uri },
    response: response ? viewResponse(response, redaction) : null,
  }
}

function viewResponse({ status, headers, body }: NonNullable<Captured['response']>, redaction: Redaction) {
  const line = `${status} ${REASONS[status] ?? ''}`.trim()
  const message = viewMessage(`${PROTO} ${line}`, headers, body, redaction)
  return { status: line, status_code: status, proto: PROTO, ...message }
}

/** Returns the headers of a message, and the message in Base64. */
function viewMessage(start: string, sent: Captured['headers'], { parts }: CapturedBody, redaction: Redaction) {
  // A map, because visitors can send a header such as `__proto__`.
  const headers = new Map<string, string[]>()
  for (const [name, value] of sent) {
    const shown = Object.values(redactHeaders([name, value], redaction))
    const canonical = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    headers.set(canonical, [...(headers.get(canonical) ?? []), ...shown])
  }
  const lines = [...headers].flatMap(([name, values]) => values.map((value) => `${name}: ${value}\r\n`))
  const head = utf8Bytes(`${start}\r\n${lines.join('')}\r\n`)
  return {
    headers: Object.fromEntries(headers),
    raw: toBase64(joinBytes([head, redactBytes(joinBytes(parts), redaction)])),
  }
}

function redactBytes(bytes: Uint8Array, { redactor }: Redaction): Uint8Array {
  try {
    return utf8Bytes(redactText(utf8Text(bytes), redactor))
  } catch {
    // An empty string, so it can't contain a secret from a header.
    return bytes
  }
}

/** The reason phrases of common statuses, as sent in HTTP/1.1. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}
