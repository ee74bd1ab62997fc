/** The causes of failed requests, by error code. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved, or there is no network'],
  [/ECONNREFUSED/, 'nothing is listening at this address'],
  [/ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|CONNECT_TIMEOUT/, 'the host cannot be reached'],
  [/ECONNRESET|UND_ERR_SOCKET/, 'the server ended the connection'],
  [/ALTNAME/, 'its certificate is for another host'],
  [/ALERT|UNSUPPORTED_PROTOCOL|NO_CIPHER/, 'the server rejected the TLS connection'],
  [/SSL|EPROTO/, 'this port does not use TLS'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [
    /CERT|SELF_SIGNED|ISSUER/,
    'its certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with its root certificate',
  ],
  [/HEADERS_OVERFLOW/, 'the headers of the response are too large'],
  [/^HPE_|HTTPParserError/, 'the response is not HTTP'],
]

interface NetworkError {
  readonly code?: string
  readonly name?: string
  readonly message?: string
}

/** Describes why `fetch` received no response. Omits messages from other programs, because they may quote a header. */
export function describeNetworkError(error: unknown): string {
  // Errors from fetch contain the reason in their cause.
  const { code, name, message } = ((error as { readonly cause?: unknown }).cause ?? error) as NetworkError // A failed `fetch` threw it.
  // A port that the Fetch standard blocks, such as 1, has no code.
  if (message === 'bad port') return '`fetch` blocks this port; choose another one'
  const reason = code ?? name ?? 'unknown reason'
  const known = REASONS.find(([pattern]) => pattern.test(reason))?.[1]
  return known === undefined ? reason : `${known} (${reason})`
}
