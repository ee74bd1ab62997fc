import { escapeHtml } from '../core/schema/text.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { splitUrl } from '../gateway/http/url.ts'
import { withTransport } from '../gateway/transport.ts'
import type { Gateway } from '../gateway/types.ts'

/** Returns the same gateway, which then also responds to `GET /`, with links to the inspector, the API, and its OpenAPI document. */
export function withFrontPage(gateway: Gateway): Gateway {
  const exchange = (request: HttpRequest): HttpResponse => {
    const { method, url } = request
    const isFront = (method === 'GET' || method === 'HEAD') && splitUrl(url, gateway.url).path === '/'
    if (!isFront) return gateway.transport.exchange(request)
    const isPage = request.header('accept')?.includes('text/html') ?? false
    const type = isPage ? 'text/html' : 'text/plain'
    const body = isPage ? htmlPage(gateway) : plainText(gateway)
    const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }
    return { status: 200, headers, body: method === 'HEAD' ? null : body }
  }
  return withTransport(gateway, { exchange, sibling: (own) => withFrontPage(gateway.transport.sibling(own)) })
}

function links({ url, dialect }: Gateway): readonly (readonly [name: string, address: string])[] {
  return [
    ['what happens', `${url}/_fauxgate/`],
    ['its API', `${url}/reserved_domains, with "Authorization: Bearer …" and "${dialect.versionHeader}: 2"`],
    ['what it can do', `${url}/_fauxgate/openapi.json`],
  ]
}

function title({ dialect }: Gateway): string {
  return `This is fauxgate, an emulated tunnel gateway (${dialect.name}). Nothing here is real.`
}

function plainText(gateway: Gateway): string {
  const lines = links(gateway).map(([name, address]) => `  ${name.padEnd(16)}${address}`)
  return `${title(gateway)}\n\n${lines.join('\n')}\n`
}

function htmlPage(gateway: Gateway): string {
  const rows = links(gateway).map(([name, address]) => `<dt>${name}<dd>${linkUrl(escapeHtml(address))}`)
  return `<!doctype html><meta charset="utf-8"><title>fauxgate</title><p>${escapeHtml(title(gateway))}<dl>${rows.join('')}</dl>\n`
}

function linkUrl(text: string): string {
  return text.replace(/^https?:[^\s,]+/, (url) => `<a href="${url}">${url}</a>`)
}
