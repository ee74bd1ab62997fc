import { dialectFamilies } from '../gateway/dialect-families.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { AnyOptions } from '../gateway/options.ts'
import { type DialectName, dialects } from '../resources/dialects.ts'
import { initOf } from './asker.ts'
import { type Difference, differencesOf } from './differ.ts'
import { answerOf } from './exchange.ts'
import type { RecordedExchange, Recording } from './har.ts'
import { IdMap } from './id-map.ts'
import { ID_IN_TEXT, idsIn } from './ids.ts'
import { changedPath } from './texts.ts'

/** A difference that is known, with the reason why it stays. */
export interface KnownDifference {
  /** The method and the path below the base URL, with `*` for anything, such as `GET /ip_policies/*`. */
  readonly request: string
  /** The place of the difference, with `*` for anything, such as `body.msg`. */
  readonly at: string
  /** The reason why the difference stays. */
  readonly reason: string
}

/** What a replay found. */
export interface ReplayReport {
  /** The number of exchanges that were compared. */
  readonly compared: number
  /** The exchanges with differences. */
  readonly differing: readonly ReplayedExchange[]
  /** Exchanges that were not compared, with the reason. */
  readonly skipped: readonly { readonly request: string; readonly reason: string }[]
  /** Known differences that excuse nothing. */
  readonly unused: readonly KnownDifference[]
  /** What to know about the recording, such as its age. */
  readonly warnings: readonly string[]
}

/** An exchange whose recorded answer is not that of fauxgate. */
export interface ReplayedExchange {
  /** The number of the exchange in the recording, from 1. */
  readonly number: number
  /** The method and the path of the request. */
  readonly request: string
  /** The differences of the answer. */
  readonly differences: readonly Difference[]
}

const DAY_MS = 86_400_000
/** The age, in whole days, from which on a recording warns. */
const OLD_DAYS = 181

/**
 * Sends the requests of a recording to a fresh gateway, with the clock at their times and the ids of its own, and compares its
 * answers with the recorded ones. Nothing answers from a recording, and nothing of it is sent anywhere else.
 * @throws Error if the dialect of the recording is unknown.
 */
export async function replay(
  { facts, exchanges }: Recording,
  { now, known = [] }: { readonly now: number; readonly known?: readonly KnownDifference[] },
): Promise<ReplayReport> {
  const dialect = dialects[facts.dialect as DialectName] // Checked in the next line.
  if (!dialect)
    throw new Error(
      `The recording has the dialect ${JSON.stringify(facts.dialect)}. Allowed: ${Object.keys(dialects).join(', ')}.`,
    )
  let at = exchanges[0]?.at ?? 0
  const options: AnyOptions = {
    dialect,
    families: dialectFamilies[facts.dialect as DialectName], // The same name.
    clock: { now: () => at },
    baseUrl: facts.url,
    seed: 'replay',
  }
  const gateway = createGateway(options)
  const ids = new IdMap()
  /** Lists of which the gateway lacks something: pages of these have other things. */
  const incomplete = new Set<string>()
  /** What the service had, whether the gateway has it or not. */
  const there = new Set(exchanges.flatMap(({ response }) => (response.status < 300 ? idsIn(response.text) : [])))
  const used = new Set<KnownDifference>()
  const differing: ReplayedExchange[] = []
  const skipped: { request: string; reason: string }[] = []
  for (const [index, exchange] of exchanges.entries()) {
    const { request, response } = exchange
    const name = `${request.method} ${request.path}`
    const reason = reasonToSkip(exchange, ids, incomplete, there)
    if (reason !== undefined) {
      if (request.method === 'POST' && response.status < 300) incomplete.add(request.path)
      skipped.push({ request: name, reason })
      continue
    }
    // Time does not go back, whatever a recording says.
    at = Math.max(at, exchange.at || 0)
    const own = (text: string) => text.replaceAll(ID_IN_TEXT, (id) => ids.expectedFor(id) ?? id)
    const { body } = request
    const mapped = { ...request, path: changedPath(request.path, own), ...(body !== undefined && { body: own(body) }) }
    const init = initOf(mapped, 'replay', dialect.versionHeader)
    const expected = await answerOf(await gateway.fetch(facts.url + mapped.path, init))
    const sides = {
      ids,
      expectedBase: facts.url,
      receivedBase: facts.url,
      operationIdHeader: dialect.operationIdHeader.toLowerCase(),
      isForeign: (id: string) => ids.expectedFor(id) === undefined,
      hasForeign: true,
    }
    const left = differencesOf(expected, response, sides).filter((each) => {
      const excuse = known.find((one) => matches(one.request, name) && matches(one.at, each.at))
      if (excuse) used.add(excuse)
      return !excuse
    })
    if (left.length > 0) differing.push({ number: index + 1, request: name, differences: left })
  }
  const unused = known.filter((each) => !used.has(each))
  return {
    compared: exchanges.length - skipped.length,
    differing,
    skipped,
    unused,
    warnings: warningsOf(exchanges, now),
  }
}

function warningsOf(exchanges: readonly RecordedExchange[], now: number): readonly string[] {
  if (exchanges.length === 0) return []
  const newest = Math.max(...exchanges.map(({ at }) => at || 0))
  const days = Math.floor((now - newest) / DAY_MS)
  return days >= OLD_DAYS ? [`the recording is ${days} days old; record it again to see what is still true`] : []
}

/** Returns whether a replay shows what it should: something was compared, and nothing differs that is not known. */
export function isFine({ compared, differing, unused }: ReplayReport): boolean {
  return compared > 0 && differing.length === 0 && unused.length === 0
}

/** Says why an exchange cannot be compared. */
function reasonToSkip(
  { request, response }: RecordedExchange,
  ids: IdMap,
  incomplete: ReadonlySet<string>,
  there: ReadonlySet<string>,
): string | undefined {
  const { status } = response
  if (request.binary !== undefined || response.binary !== undefined) return 'a body that is no text was not kept'
  const hasOwnKey = request.headers?.authorization !== null
  if ((status === 401 || status === 403) && hasOwnKey) return `the answer ${status} is about the key`
  if (status === 402 || status === 408 || status === 429 || status >= 500) return `the answer ${status} says nothing`
  if (/_pem"|"public_key"\s*:\s*"(?!ssh-(ed25519|rsa) )/.test(request.body ?? ''))
    return 'the request had a key or a certificate, which are replaced'
  const [path = '', query = ''] = request.path.split('?')
  const lacking = (text: string) => idsIn(text).find((id) => ids.expectedFor(id) === undefined)
  const missing = lacking(path.replaceAll('/', '\n'))
  const isThere = missing !== undefined && there.has(missing)
  if (status >= 400 && (status === 404 || !isThere)) return undefined
  if (incomplete.has(path) && /(^|&)(limit|before_?id)=/i.test(query))
    return 'the pages of a list that is not whole here'
  const unknown = missing ?? lacking(`${changedPath(request.path, (text) => `${text}\n`)}\n${request.body ?? ''}`)
  return unknown === undefined ? undefined : `it names ${unknown}, which nothing in the recording made`
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
