import { formatCount } from '../core/schema/text.ts'
import { type DialectName, dialects, isDialectName } from '../service/resources/dialects.ts'
import { type ComparisonContext, type Difference, differencesOf, differenceText } from './differ.ts'
import type { ApiRequest, ApiResponse } from './exchange.ts'
import type { RecordedExchange, Recording, RecordingInfo } from './har.ts'
import { ID_IN_TEXT, IdMap, idsIn } from './ids.ts'
import { createReferenceGateway, type ReferenceGateway } from './reference.ts'
import { mapPath, matchesWildcards } from './texts.ts'

/** A known difference, with the reason for accepting it. */
export interface KnownDifference {
  /** The method and the path under the base URL, with `*` as a wildcard, such as `GET /ip_policies/*`. */
  readonly request: string
  /** The location of the difference, with `*` as a wildcard, such as `body.msg`. */
  readonly at: string
  /** The reason for accepting the difference. */
  readonly reason: string
}

/** The result of a replay. */
export interface ReplayReport {
  /** The number of exchanges that were compared. */
  readonly compared: number
  /** The exchanges with differences. */
  readonly differing: readonly ReplayedExchange[]
  /** Exchanges that were not compared, and why. */
  readonly skipped: readonly SkippedExchange[]
  /** Known differences that no longer occur. */
  readonly unused: readonly KnownDifference[]
  /** Warnings about the recording, such as its age. */
  readonly warnings: readonly string[]
}

/** An exchange that was not compared. */
export interface SkippedExchange {
  /** The one-based number of the exchange in the recording. */
  readonly number: number
  /** The method and the path of the request. */
  readonly request: string
  readonly reason: string
}

/** An exchange whose recorded response differs from fauxgate's. */
export interface ReplayedExchange {
  /** The one-based number of the exchange in the recording. */
  readonly number: number
  /** The method and the path of the request. */
  readonly request: string
  /** The differences between the responses. */
  readonly differences: readonly Difference[]
}

const DAY_MS = 86_400_000
/** The age, in whole days, at which a recording triggers a warning. */
const OLD_DAYS = 181

/**
 * Sends the requests of a recording to a fresh gateway, at their recorded times and with the gateway's IDs, and compares the
 * responses with the recorded responses. Nothing is sent to any service.
 * @throws Error if the dialect of the recording is unknown.
 */
export async function replay(
  recording: Recording,
  { now, known = [] }: { readonly now: number; readonly known?: readonly KnownDifference[] },
): Promise<ReplayReport> {
  const { exchanges, warnings = [] } = recording
  const replayer = new Replayer(recording)
  const used = new Set<KnownDifference>()
  const differing: ReplayedExchange[] = []
  const skipped: SkippedExchange[] = []
  for (const [index, exchange] of exchanges.entries()) {
    const request = `${exchange.request.method} ${exchange.request.path}`
    const number = exchange.number ?? index + 1
    const result = await replayer.compare(exchange)
    if (typeof result === 'string') {
      skipped.push({ number, request, reason: result })
      continue
    }
    const differences = result.filter((each) => {
      const excuse = known.find((one) => matchesWildcards(one.request, request) && matchesWildcards(one.at, each.at))
      if (excuse) used.add(excuse)
      return !excuse
    })
    if (differences.length > 0) differing.push({ number, request, differences })
  }
  return {
    compared: exchanges.length - skipped.length,
    differing,
    skipped,
    unused: known.filter((each) => !used.has(each)),
    warnings: [...warnings, ...ageWarning(exchanges, now)],
  }
}

/** A fresh gateway to which the requests of a recording are sent one at a time. */
class Replayer {
  readonly #reference: ReferenceGateway
  readonly #context: ComparisonContext
  readonly #ids = new IdMap()
  /** Lists that lack resources in the gateway, so that their pages differ. */
  readonly #incomplete = new Set<string>()
  /** All IDs in the recorded responses, whether or not the gateway has the resources. */
  readonly #recordedIds: ReadonlySet<string>
  #at: number

  constructor({ info, exchanges }: Recording) {
    const dialect = readDialectName(info)
    const { url } = info
    const { operationIdHeader } = dialects[dialect]
    this.#at = exchanges[0]?.at ?? 0
    this.#recordedIds = new Set(
      exchanges.flatMap(({ response }) => (response.status < 300 ? idsIn(response.text) : [])),
    )
    this.#reference = createReferenceGateway(dialect, url, () => this.#at)
    this.#context = {
      ids: this.#ids,
      base: url,
      operationIdHeader: operationIdHeader.toLowerCase(),
      isIgnored: (id) => this.#isUnknown(id),
      hasIgnored: true,
    }
  }

  /** Sends a request to the gateway. Returns the differences from the recorded response, or why it cannot be compared. */
  async compare(exchange: RecordedExchange): Promise<readonly Difference[] | string> {
    if (exchange.missing !== undefined) return exchange.missing
    try {
      return await this.#compare(exchange)
    } catch {
      // The message of another program may quote a header or a body.
      return 'it cannot be sent to a gateway'
    }
  }

  async #compare(exchange: RecordedExchange): Promise<readonly Difference[] | string> {
    const { request, response, at } = exchange
    // Time does not go back, even if the recording's does.
    this.#at = Math.max(this.#at, at)
    let reason = uninformativeReason(exchange) ?? this.#unknownPageReason(request, response)
    if (reason === undefined) {
      const expected = await this.#reference.send(this.#withGatewayIds(request))
      reason = this.#missingResourceReason(request, response, expected)
      if (reason === undefined) return differencesOf(expected, response, this.#context)
    }
    if (request.method === 'POST' && response.status < 300) this.#incomplete.add(request.path)
    return reason
  }

  #isUnknown(id: string): boolean {
    return this.#ids.expectedFor(id) === undefined
  }

  /** Returns the request with the gateway's IDs. */
  #withGatewayIds(request: ApiRequest): ApiRequest {
    const mapped = (text: string) => text.replaceAll(ID_IN_TEXT, (id) => this.#ids.expectedFor(id) ?? id)
    const { body } = request
    return { ...request, path: mapPath(request.path, mapped), ...(body !== undefined && { body: mapped(body) }) }
  }

  /** Returns why a page of a list would contain different items here, or undefined if it would not. */
  #unknownPageReason({ path: whole }: ApiRequest, { status }: ApiResponse): string | undefined {
    const [path = '', query = ''] = whole.split('?')
    if (status >= 400 || query === '') return undefined
    if (this.#incomplete.has(path) && /(^|&)(limit|before_?id)=/i.test(query))
      return 'the pages of a list that is incomplete here'
    const values = [...new URLSearchParams(query).values()].join('\n')
    const unknown = idsIn(values).find((id) => this.#isUnknown(id))
    return unknown === undefined ? undefined : unknownIdReason(unknown)
  }

  /** Describes the resource that is missing from the gateway if the gateway rejects a request that the service accepted. */
  #missingResourceReason(
    { path, body = '' }: ApiRequest,
    { status }: ApiResponse,
    expected: ApiResponse,
  ): string | undefined {
    if (expected.status < 400) return undefined
    if (HAS_KEY.test(body)) return 'the request had a key or a certificate, which may be replaced'
    const named = idsIn(`${path.split('?')[0]?.replaceAll('/', '\n')}\n${body}`)
    const unknown = named.find((id) => this.#isUnknown(id))
    const isRefusedToo = status === 404 || (status >= 400 && !this.#recordedIds.has(unknown ?? ''))
    return unknown === undefined || isRefusedToo ? undefined : unknownIdReason(unknown)
  }
}

function readDialectName({ dialect }: RecordingInfo): DialectName {
  if (isDialectName(dialect)) return dialect
  throw new Error(
    `The recording's dialect is ${JSON.stringify(dialect)}. Allowed: ${Object.keys(dialects).join(', ')}.`,
  )
}

const unknownIdReason = (id: string) => `it refers to ${id}, which nothing in the recording created`

/** A key or certificate in a body. Its placeholder cannot be parsed, whereas other public keys keep their form. */
const HAS_KEY = /_pem"|"public_key"\s*:\s*"(?!ssh-(ed25519|rsa) )/

function ageWarning(exchanges: readonly RecordedExchange[], now: number): readonly string[] {
  if (exchanges.length === 0) return []
  const newest = exchanges.reduce((latest, { at }) => Math.max(latest, at), 0)
  const days = Math.floor((now - newest) / DAY_MS)
  return days >= OLD_DAYS ? [`the recording is ${days} days old; make a new one to see whether it still holds`] : []
}

/** Returns whether a replay passes: something was compared, and only known differences occurred. */
export function hasPassed({ compared, differing, unused }: ReplayReport): boolean {
  return compared > 0 && differing.length === 0 && unused.length === 0
}

/** Returns why a response does not say anything about the operation, or undefined if it does. */
function uninformativeReason({ request, response: { status, binary } }: RecordedExchange): string | undefined {
  if (request.binary !== undefined || binary !== undefined) return 'the text of a body is not in the recording'
  const hasOwnKey = request.headers?.authorization !== null
  if ((status === 401 || status === 403) && hasOwnKey) return `the ${status} response concerns the key`
  const saysNothing = status < 200 || (status >= 300 && status < 400) || status >= 500
  return saysNothing || [402, 408, 429].includes(status) ? `the ${status} response contains no information` : undefined
}

/**
 * Returns the result of a replay as text: each difference, each reason that exchanges were not compared, and the totals.
 */
export function replayText({ compared, differing, skipped, unused }: ReplayReport): string {
  const reasons = new Map<string, number[]>()
  for (const { reason, number } of skipped) {
    const numbers = reasons.get(reason)
    if (numbers) numbers.push(number)
    else reasons.set(reason, [number])
  }
  const lines = [
    ...differing.flatMap(({ number, request, differences }) => [
      `${number}. ${request}`,
      ...differences.map((each) => `  ${differenceText(each, 'recorded')}`),
    ]),
    ...unused.map(
      ({ request, at }) => `The known difference in ${request} at ${at} does not match any difference. Remove it.`,
    ),
    ...[...reasons].map(([reason, numbers]) => `Not compared, ${listNumbers(numbers)}: ${reason}`),
    `${formatCount(compared, 'exchange')} compared, ${differing.length} different.`,
  ]
  return `${lines.join('\n')}\n`
}

/** The maximum number of exchange numbers on one line. */
const MAX_NUMBERS = 10

function listNumbers(numbers: readonly number[]): string {
  const more = numbers.length > MAX_NUMBERS ? ', …' : ''
  return `${formatCount(numbers.length, 'exchange')} (${numbers.slice(0, MAX_NUMBERS).join(', ')}${more})`
}
