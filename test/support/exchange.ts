import type { Gateway, HttpRequest, HttpResponse } from '../../src/index.ts'

type RequestParts = Partial<Omit<HttpRequest, 'header' | 'rawHeaders'>> & {
  readonly headers?: Readonly<Record<string, string>>
}

/** Passes a request to a gateway like a transport, with the required headers. */
export function exchange(gateway: Gateway, { headers = {}, ...request }: RequestParts): HttpResponse {
  const sent: Readonly<Record<string, string>> = {
    authorization: 'Bearer key',
    [gateway.dialect.versionHeader.toLowerCase()]: '2',
    'content-type': 'application/json',
    ...headers,
  }
  const header = (name: string) => sent[name] ?? null
  const rawHeaders = Object.entries(sent).flat()
  return gateway.transport.exchange({
    method: 'POST',
    url: '/reserved_addrs',
    body: '',
    header,
    rawHeaders,
    ...request,
  })
}
