import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { flag, text } from '../fields.ts'

export const compressResponse = action({
  type: 'compress-response',
  about: 'Compresses the response with an algorithm that the client accepts.',
  page: 'compress-response',
  phases: ['on_http_response'],
  config: {
    algorithms: {
      kind: 'list',
      item: {
        kind: 'text',
        choices: ['gzip', 'deflate', 'br', 'compress'],
        choiceNumber: 2214,
        about: 'An algorithm.',
      },
      isUnique: true,
      default: ['gzip', 'deflate', 'br', 'compress'],
      about: 'The algorithms that may be used. This gateway does not compress with `compress`.',
    },
  },
  variable: 'compress',
  sets: {
    already_compressed: flag('Whether the response was already compressed.'),
    negotiated_algorithm: text('The algorithm that was used.'),
  },
  decisions: [DECISIONS.compression, DECISIONS.uncompressed],
  run({ algorithms }, visit) {
    const { response, request } = visit
    const isCompressed = response?.headers.get('content-encoding') !== undefined
    const none = { already_compressed: isCompressed, negotiated_algorithm: '' }
    if (isCompressed) return { did: 'found the response already compressed', sets: none, isIdle: true }
    // HEAD and 304 have the headers that GET would return (RFC 9110, sections 9.3.2 and 15.4.5).
    const isHead = response?.status === (request.method === 'HEAD' ? 200 : 304)
    const hasBody = response?.stream || (isHead && response?.headers.get('content-length') !== '0')
    if (!response || !hasBody) return { did: 'found no body to compress', sets: none, isIdle: true }
    const unchanged = { sets: none, isIdle: true, decision: DECISIONS.uncompressed }
    if (response.status === 206) return { did: 'left a partial response unchanged', ...unchanged }
    if ([request, response].some(({ headers }) => listOf(headers.get('cache-control')).includes('no-transform')))
      return { did: 'left the response unchanged, because of no-transform', ...unchanged }
    // A cache must not serve this response to a client that accepts other codings, even if it passes unchanged (RFC 9110, section
    // 12.5.5).
    const varies = listOf(response.headers.get('vary'))
    if (!varies.includes('accept-encoding') && !varies.includes('*')) response.headers.append('vary', 'Accept-Encoding')
    const accepted = rankEncodings(request.headers.get('accept-encoding'), algorithms)
    const isTie = rankEncodings(request.headers.get('accept-encoding'), [...algorithms].reverse())[0] !== accepted[0]
    const isDecided = isTie || response.headers.get('etag')?.startsWith('"')
    for (const algorithm of accepted) {
      const compressor = visit.compressor(algorithm)
      if (!compressor) continue
      response.changeBody(response.stream?.pipeThrough(compressor) ?? null, algorithm)
      const sets = { ...none, negotiated_algorithm: algorithm }
      return {
        did: `compressed with ${algorithm}`,
        sets,
        facts: { algorithm },
        ...(isDecided && { decision: DECISIONS.compression }),
      }
    }
    const did =
      accepted.length > 0
        ? `left the response unchanged: this gateway cannot compress with ${accepted.join(', ')}`
        : 'found no algorithm that the client accepts'
    return { did, sets: none, isIdle: true }
  },
})

/** Returns the names in a list header, in lowercase. */
function listOf(header = ''): readonly string[] {
  return header
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
}

/**
 * Returns the algorithms that a client accepts, in order of preference (RFC 9110, section 12.5.3). Ties are in the order of `algorithms`.
 */
function rankEncodings(accepted: string | undefined, algorithms: readonly string[]): readonly string[] {
  const weights = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0]
    }),
  )
  const weigh = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const identity = weights.get('identity') ?? 0
  return algorithms.filter((name) => weigh(name) > 0 && weigh(name) >= identity).sort((a, b) => weigh(b) - weigh(a))
}
