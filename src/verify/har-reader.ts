import { formatCount } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import { type DialectName, dialectNames, dialects } from '../service/resources/dialects.ts'
import { type ApiRequest, tryParseJson } from './exchange.ts'
import { ABSENT_HEADER, type RecordedExchange, type Recording, type RecordingInfo } from './har.ts'
import { type EntryHead, readExchange, readHead } from './har-entry.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a HAR file: a recording from fauxgate or from another program, such as a browser or a proxy. An entry that cannot be compared says
 * why. @throws Error that states what is missing.
 */
export function parseHar(text: string, file: string): Recording {
  const har = tryParseJson(text)
  if (har === undefined) throw new Error(`${file} is not JSON. Allowed: a HAR 1.2 file.`)
  const log = isObject(har) ? har.log : undefined
  if (!isObject(log))
    throw new Error(`${file} contains no log. Allowed: a HAR 1.2 file, such as one from "fauxgate record --to URL".`)
  const entries = Array.isArray(log.entries) ? log.entries : []
  const heads = entries.map((each, index) => readHead(each, index + 1))
  return isObject(log._fauxgate) ? readOwnRecording(log._fauxgate, heads, file) : readOtherRecording(log, heads, file)
}

/** Reads a recording written by fauxgate. */
function readOwnRecording(info: Json, heads: readonly EntryHead[], file: string): Recording {
  if (info.format !== 1)
    throw new Error(
      `${file} has format version ${JSON.stringify(info.format)}; only 1 is supported. Update fauxgate, or record it again with this version.`,
    )
  const { client = '', version = '', dialect = '', url = '', replaced = [] } = info as Partial<RecordingInfo> // fauxgate wrote them.
  if (!/^https?:\/\//.test(String(url)) || !URL.canParse(String(url)))
    throw new Error(`${file} contains the url ${JSON.stringify(url)}. Allowed: an http or https URL.`)
  const headersOf = ({ headers }: EntryHead) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === ABSENT_HEADER ? null : value]))
  return {
    info: { format: 1, client, version, dialect, url, replaced },
    exchanges: heads.map((head) => readBelow(url, head, headersOf(head), false)),
  }
}

/** Reads a HAR file from another program: the requests to the host whose responses look like this API's. */
function readOtherRecording(log: Json, heads: readonly EntryHead[], file: string): Recording {
  const first = heads.find((each) => dialectOf(each) !== undefined)
  const dialect = first && dialectOf(first)
  if (!dialect || !first.url) throw new Error(`${file} contains no request to this API: ${reasonWithoutApi(heads)}.`)
  const { origin } = first.url
  const ofApi = heads.filter(
    (head) => head.url?.origin === origin && head.method !== 'OPTIONS' && dialectOf(head) === dialect,
  )
  const { name = 'Another program', version = '' } = isObject(log.creator) ? log.creator : {}
  const leftOut = heads.length - ofApi.length
  return {
    info: { format: 1, client: '', version: '', dialect, url: origin, replaced: [] },
    exchanges: ofApi
      .map((head) => readBelow(origin, head, apiHeaders(head, dialect), true))
      .sort((one, other) => one.at - other.at),
    warnings: [
      `${`${name} ${version}`.trim()} wrote the file: the client and its version are unknown; no secrets were replaced`,
      ...(leftOut > 0 ? [`${formatCount(leftOut, 'request')} left out, because they are not for this API`] : []),
    ],
  }
}

const dialectHeaders = ({ versionHeader, operationIdHeader }: (typeof dialects)[DialectName]) => [
  versionHeader,
  operationIdHeader,
]

/** Returns the dialect whose headers a request or its response contains. Returns undefined for a request without a URL. */
function dialectOf({ url, headers, responseHeaders }: EntryHead): DialectName | undefined {
  const names = new Set([...Object.keys(headers), ...Object.keys(responseHeaders)])
  return (
    url && dialectNames.find((name) => dialectHeaders(dialects[name]).some((each) => names.has(each.toLowerCase())))
  )
}

function reasonWithoutApi(heads: readonly EntryHead[]): string {
  const headers = Object.values(dialects).flatMap(dialectHeaders)
  const hosts = [...new Set(heads.flatMap(({ url }) => url?.host || []))]
  const named = `${hosts.slice(0, 3).join(', ')}${hosts.length > 3 ? ', …' : ''}`
  return `none includes the header ${headers.join(', ')}. ${named === '' ? 'No hosts are named' : `The hosts are ${named}`}`
}

/** Returns the headers that the API reads. Without `authorization` in the file, a replay sends the usual key. */
function apiHeaders({ headers, entry: { request } }: EntryHead, dialect: DialectName): ApiRequest['headers'] {
  const version = dialects[dialect].versionHeader.toLowerCase()
  const { authorization, 'content-type': type } = headers
  const hasBody = isObject(request) && isObject(request.postData)
  return {
    [version]: headers[version] ?? null,
    ...(authorization !== undefined && { authorization }),
    ...(hasBody && { 'content-type': type ?? null }),
  }
}

/** Reads an exchange, with the path of its request under a base URL. */
function readBelow(
  base: string,
  head: EntryHead,
  headers: ApiRequest['headers'],
  isForeign: boolean,
): RecordedExchange {
  const href = head.url?.href ?? ''
  return readExchange(head, href.startsWith(base) ? href.slice(base.length) : href, headers, isForeign)
}
