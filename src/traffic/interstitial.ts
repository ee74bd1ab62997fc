import { escapeHtml } from '../core/schema/text.ts'
import { isOnPlanFree } from '../service/ngrok/own-places.ts'
import type { OwnResponse } from '../service/policy/visit.ts'
import type { VisitorRequest } from './message.ts'
import { splitTarget } from './target.ts'
import type { TrafficHost } from './traffic-host.ts'

const NUMBER = 6024

/** The gateway's own path, where the button on the page leads. */
const VISIT_PATH = '/ngrok/visit'

/** The cookie of a visitor who has pressed the button. Its value is the host, which matches what programs set to avoid the page. */
const COOKIE = 'abuse_interstitial'
const SEVEN_DAYS = 7 * 24 * 60 * 60

/**
 * Returns the interstitial page that browsers see on the free plan, or the response to its button (rules: traffic#interstitial-page).
 * Returns undefined for other requests.
 */
export function findInterstitial(host: TrafficHost, request: VisitorRequest): OwnResponse | undefined {
  if (!isOfBrowser(request) || !host.transact(isOnPlanFree)) return undefined
  const { path, query } = splitTarget(request.url)
  const { hostname } = new URL(request.url)
  if (path === VISIT_PATH) return continueAt(new URLSearchParams(query).get('to') ?? '/', hostname)
  return hasVisited(request, hostname) ? undefined : createPage(request, host)
}

/**
 * Returns whether a request is from a browser, that is, a GET request with a browser's User-Agent and without the header that skips the
 * page.
 */
function isOfBrowser({ method, headers }: VisitorRequest): boolean {
  const skips = ['ngrok-skip-browser-warning', 'upgrade'].some((name) => headers.get(name) !== undefined)
  return method === 'GET' && !skips && /^Mozilla\/\d/.test(headers.get('user-agent') ?? '')
}

function hasVisited({ headers }: VisitorRequest, hostname: string): boolean {
  const cookies = (headers.get('cookie') ?? '').split(/[;,] */)
  return cookies.some((each) => each.toLowerCase() === `${COOKIE}=${hostname}`)
}

/** Redirects the visitor to a path on the same host, with the cookie. */
function continueAt(to: string, hostname: string): OwnResponse {
  const location = /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : '/'
  const cookie = `${COOKIE}=${hostname}; Path=/; Max-Age=${SEVEN_DAYS}; HttpOnly; SameSite=Lax`
  return { status: 302, headers: { location, 'set-cookie': cookie } }
}

function createPage({ url }: VisitorRequest, { dialect }: TrafficHost): OwnResponse {
  const { path, query } = splitTarget(url)
  const to = `${VISIT_PATH}?to=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`
  const site = escapeHtml(new URL(url).host)
  const code = `${dialect.errorPrefix}${NUMBER}`
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${site}</title>
<h1>You are about to visit ${site}</h1>
<p>The account of this endpoint is on the free plan. Visit it only if you trust the person who sent you the link.
<p><a href="${escapeHtml(to)}">Visit Site</a>
<p>${code}
`
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', [dialect.errorCodeHeader]: code }, body }
}
