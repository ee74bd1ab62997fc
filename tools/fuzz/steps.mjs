// The steps of a case, as plain JSON, and the options of the gateway that runs the steps.
import fc from 'fast-check'
import { CALLS, CONTROLS, FAMILIES, OPERATIONS, token } from './operations.mjs'
import { edit, mutation, oddValue, oneOf, orMutated, textEdits, UNKNOWN_IDS } from './values.mjs'

const PREFIXES = [...FAMILIES.keys()]
const FIELDS = [
  'id uri created_at description metadata domain region addr certificate certificate.id backends not_after key_usages',
  'certificate_management_policy.authority subject_common_name issued_at subject_alternative_names.dns_names unknown',
  'certificate_management_status.provisioning_job.error_code',
].flatMap((line) => line.split(' '))
const LITERALS = [
  `"a" "" 'us' 1 -1 0.5 null true "2026-01-01T00:00:00Z" timestamp("2026-01-01T00:00:00Z") timestamp(time.now)`,
  `timestamp(time.now).add("7d") timestamp("9/4/2025") ["a","b"] "\\u0041"`,
].flatMap((line) => line.split(' '))
const field = fc.constantFrom(...FIELDS).map((name) => `obj.${name}`)
const literal = fc.constantFrom(...LITERALS)
const call = fc.constantFrom('size()', 'startsWith("a")', 'contains("b")', 'endsWith("")')
const compare = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in')
const { filter } = fc.letrec((tie) => ({
  operand: oneOf(
    [4, field],
    [4, literal],
    [1, fc.tuple(field, call).map((parts) => parts.join('.'))],
    [1, field.map((name) => `timestamp(${name}).subtract("24h")`)],
  ),
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(tie('operand'), compare, tie('operand')).map((parts) => parts.join(' ')),
    tie('operand'),
    fc.tuple(tie('filter'), fc.constantFrom('&&', '||'), tie('filter')).map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('filter').map((inner) => `!(${inner})`),
  ),
}))
const page = fc.record(
  { limit: fc.constantFrom('1', '2', '100'), before_id: fc.oneof(...PREFIXES.map((prefix) => token(prefix, 1))) },
  { requiredKeys: [] },
)

/** The query of a list as JSON. A text becomes a part of the URL unchanged. */
const listQuery = oneOf(
  [6, fc.constant({})],
  [3, fc.record({ filter })],
  [1, fc.tuple(filter, textEdits).map(([text, edits]) => ({ filter: edit(text, edits) }))],
  [2, page],
  [1, fc.constantFrom('limit=0', 'limit=1&limit=2', 'limit=%', 'a=b', '=', '&&')],
  [1, fc.string({ maxLength: 8 })],
).map((query) => JSON.stringify(query))

const orRarely = (usual, other) => oneOf([20, fc.constant(usual)], [1, other])
const headers = fc.record({
  authorization: orRarely('Bearer @@secret:9@@', fc.constantFrom(null, '', 'Bearer', 'Basic a', 'Bearer other')),
  version: orRarely('2', fc.constantFrom(null, '', '1', '2, 2', '3')),
  type: orRarely(
    'application/json',
    fc.constantFrom(null, '', 'text/plain', 'application/json; charset=utf-8', 'APPLICATION/JSON'),
  ),
  origin: orRarely(null, fc.constantFrom('https://example.com', 'null', 'http://localhost:1')),
  host: orRarely('127.0.0.1:4747', fc.constantFrom('example.com', '', 'localhost', '[::1]:1', '127.0.0.1.example.com')),
})
const pathEdit = orRarely(
  null,
  fc.oneof(fc.constantFrom('/', '//', '/..', '%2F', '%', '%E0', ';a', '\u0000', '.json'), fc.string({ maxLength: 5 })),
)
const methodEdit = orRarely(
  null,
  fc.constantFrom('HEAD', 'OPTIONS', 'get', 'BREW', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', ''),
)
const odd = orRarely(null, fc.constantFrom(...UNKNOWN_IDS, '@@huge:300@@', '%2e%2e', '__proto__'))
const rawBody = orRarely(
  null,
  fc.oneof(
    oddValue,
    fc.constantFrom('', ' ', '{', '{"a":1,}', '\ufeff{}', '{}x', '"@@huge:1100000@@"'),
    fc.string({ maxLength: 10 }),
  ),
)

const drawRequest = (operations) =>
  fc.constantFrom(...operations).chain(({ family, method, path, name, ids, body, query }) => {
    const isControl = family === 'controls'
    const otherQuery = isControl ? orMutated(query) : orRarely('{}', listQuery)
    const drawn = fc.record({
      via: isControl ? fc.constant('exchange') : fc.constantFrom('exchange', 'exchange', 'exchange', 'fetch'),
      ids: fc.tuple(...ids.map((type) => token(type))),
      body: body ? orMutated(body) : orRarely('', fc.constantFrom('{}', '{"a":1}')),
      query: name === 'list' ? listQuery : otherQuery,
      headers,
      odd: fc.record({ path: pathEdit, method: methodEdit, id: odd, body: body ? rawBody : fc.constant(null) }),
    })
    return drawn.map((parts) => ({ kind: 'request', family, method, path, ...parts }))
  })

/** Draws the ids of a call. The ids of a part of an edge are one object. */
function drawIds(ids) {
  const [first, second] = ids.map((type) => token(type).map((text) => JSON.stringify(text)))
  if (!second) return first ? [first] : []
  return [fc.tuple(first, second).map(([edge, id]) => `{"edge_id":${edge},"id":${id}}`)]
}

const direct = fc.constantFrom(...OPERATIONS).chain(({ family, name, ids, body }) => {
  const args = [
    ...drawIds(ids).map((id) => oneOf([20, id], [1, oddValue])),
    ...(body ? [oneOf([12, orMutated(body)], [1, oddValue])] : []),
    ...(name === 'list' ? [oneOf([12, listQuery], [1, oddValue])] : []),
  ]
  return fc.tuple(...args).map((texts) => ({ kind: 'call', place: `${family}.${name}`, args: `[${texts.join()}]` }))
})

const control = fc
  .constantFrom(...CALLS)
  .chain(([place, args]) => orMutated(args).map((text) => ({ kind: 'call', place, args: text })))

const MOVES = ['advance', 'advance', 'advance', 'advanceToNext', 'advanceTo', 'set']
const TIMES = ['1ms', '30s', '1h', '30d', '60d', 1, 999, '2026-01-01T00:00:00.900Z', '2027-01-01T00:00:00Z']
const clock = fc.record({
  kind: fc.constant('call'),
  place: fc.constantFrom(...MOVES.map((name) => `clock.${name}`)),
  args: fc.constantFrom(...[...TIMES, '-1s', 'soon', null, 1e20].map((value) => JSON.stringify([value]))),
})

/** Changes of the texts only: test/service/x509 changes the bytes in certificates. */
const certificate = fc.record({
  kind: fc.constant('certificate'),
  pair: fc.nat({ max: 7 }),
  part: fc.constantFrom('certificate_pem', 'private_key_pem'),
  text: textEdits,
})

const restore = fc.record({
  kind: fc.constant('restore'),
  via: fc.constantFrom('direct', 'direct', 'http'),
  privateKeys: fc.boolean(),
  mutations: oneOf([6, fc.tuple(mutation)], [1, fc.array(mutation, { maxLength: 3 })]),
})

/** The options of a gateway. */
export const options = fc.record({
  dialect: fc.constantFrom('standard', 'ngrok', 'ngrok'),
  clock: orRarely('manual', fc.constant('system')),
  references: orRarely('any', fc.constant('declared')),
  unknownActions: fc.constantFrom('refuse', 'accept'),
  emptyJsonOnDelete: fc.boolean(),
  keepBackendsOnPatch: fc.boolean(),
  dns: fc.constantFrom('off', 'simulated'),
  provisioningDelay: fc.constantFrom('30s', 0),
  journalSize: fc.constantFrom(1000, 0, 3),
  rateLimit: orRarely(false, fc.constantFrom(true, { requests: 3, window: '1s' })),
  addressesPerRegion: fc.constantFrom(2_000_000, 2),
  account: fc.constantFrom(
    ...[undefined, undefined, undefined, { plan: 'free' }, { plan: 'hobbyist' }, { plan: 'paygo' }],
    { limits: { reserved_domains: [3, { max: 1, window: '1h' }], weighted_backends: { max: 1, window: '30s' } } },
  ),
})

/** Steps of all kinds. */
export const steps = oneOf(
  [30, drawRequest(OPERATIONS)],
  [8, drawRequest(CONTROLS)],
  [14, direct],
  [5, control],
  [4, clock],
  [6, certificate],
  [5, restore],
)
