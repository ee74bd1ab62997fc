import { bytesToHex } from '@noble/hashes/utils.js'
import { hashes } from '../../service/x509/hashes.ts'
import { type SignedRequest, sortedEntries, sortedForm } from './request.ts'

/** Returns the form in the body as Twilio signs it: names and values, sorted and concatenated without separators. */
export function formValues(request: SignedRequest): string {
  return sortedForm(request).flat().join('')
}

/** Returns the problem with a body whose hash is in the signed query (Twilio, for JSON bodies). */
export function bodyHashProblem(request: SignedRequest): string | undefined {
  const hash = new URL(request.url).searchParams.get('bodySHA256')
  if (hash === null || hash.toLowerCase() === bytesToHex(hashes.sha256.digest(request.body))) return undefined
  return "The query parameter bodySHA256 is not the body's hash."
}

/** Returns the URL as HubSpot signs it: with these characters decoded, wherever they are. */
export function hubspotUrl({ url }: SignedRequest): string {
  return url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent)
}

/** Returns the text before the body that HubSpot's second version signs. Its first version signs only the body. */
export function hubspotText({ method, url, headers }: SignedRequest): string {
  return headers.get('x-hubspot-signature-version') === 'v2' ? method + url : ''
}

/** Returns the URL without its query. */
export function urlWithoutQuery({ url }: SignedRequest): string {
  return url.replace(/[?#].*$/, '')
}

/** Returns the URL without its path if the path is just a slash. */
export function urlWithoutPath({ url }: SignedRequest): string {
  return url.replace(/^([^:]+:\/\/[^/?#]+)\/(?=[?#]|$)/, '$1')
}

/** Returns the URL without its port. Twilio's libraries take either form. */
export function urlWithoutPort({ url }: SignedRequest): string {
  return url.replace(/^([^:]+:\/\/(?:\[[^\]]*\]|[^/?#:]*)):\d+/, '$1')
}

/** Returns the URL with its port. */
export function urlWithPort(request: SignedRequest): string {
  if (urlWithoutPort(request) !== request.url) return request.url
  return request.url.replace(
    /^([^:]+:\/\/)([^/?#]+)/,
    (_, scheme, host) => `${scheme}${host}:${scheme === 'https://' ? 443 : 80}`,
  )
}

/** Returns the body as Box signs it, if not verbatim: as PHP writes JSON, with slashes and non-ASCII characters escaped. */
export function escapedText({ text }: SignedRequest): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/[\u007f-\uffff]/g, escaped).replace(/(?<!\\)\//g, '\\/')
}

/** Returns the path with its query as Contentful's library signs it: first the query is escaped, then the whole as a URI. */
export function contentfulPath({ url }: SignedRequest): string {
  const [path = '', query] = url.replace(/^[^:]+:\/\/[^/?#]*/, '').split('?')
  return encodeURI(query ? `${path}?${encodeURIComponent(query)}` : path || '/')
}

/** Returns the URL and the form as Plivo signs them in its third version: with a sorted query and a dot between URL and form. */
export function plivoTarget(request: SignedRequest): string {
  const query = sortedEntries(new URL(request.url).searchParams)
    .map((entry) => entry.join('='))
    .join('&')
  const form = formValues(request)
  const target = urlWithoutQuery(request)
  if (form === '') return query === '' ? target : `${target}?${query}`
  return `${target}?${query}${query === '' ? '' : '.'}${form}`
}

/** Returns the headers that Contentful has signed, in its order: `name:value`, separated by semicolons. */
export function contentfulHeaders({ headers }: SignedRequest): string {
  const names = headers.get('x-contentful-signed-headers')?.split(',') ?? []
  return names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^[\w-]+$/.test(name))
    .map((name) => `${name}:${headers.get(name)?.trim() ?? ''}`)
    .join(';')
}

/** Returns the JSON that Hygraph signs: the body as a string, and the environment and the time from the signature header. */
export function hygraphEvent(request: SignedRequest, values: Readonly<Record<string, string>>): string {
  const { environment, timestamp } = values
  return JSON.stringify({ Body: request.text, EnvironmentName: environment, TimeStamp: Number(timestamp) })
}
