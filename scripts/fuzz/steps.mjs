// The steps of a case, as plain JSON, and the options of the gateway that they are done on.
import fc from 'fast-check'
import { CALLS, CONTROLS, FAMILIES, OPERATIONS, token } from './operations.mjs'
import { mutation, oddValue, sometimesMutated, textEdits, UNKNOWN_IDS } from './values.mjs'

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
const { filter } = fc.letrec((tie) => ({
  operand: fc.oneof(
    { weight: 4, arbitrary: field },
    { weight: 4, arbitrary: literal },
    {
      weight: 1,
      arbitrary: fc
        .tuple(field, fc.constantFrom('size()', 'startsWith("a")', 'contains("b")', 'endsWith("")'))
        .map((parts) => parts.join('.')),
    },
    { weight: 1, arbitrary: field.map((name) => `timestamp(${name}).subtract("24h")`) },
  ),
  filter: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(tie('operand'), fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in'), tie('operand'))
      .map((parts) => parts.join(' ')),
    tie('operand'),
    fc.tuple(tie('filter'), fc.constantFrom('&&', '||'), tie('filter')).map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('filter').map((inner) => `!(${inner})`),
  ),
}))
const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.record({ filter }) },
  { weight: 1, arbitrary: fc.tuple(filter, textEdits).map(([text, edits]) => ({ filter: text, edits })) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        limit: fc.constantFrom('1', '2', '100'),
        before_id: fc.oneof(...FAMILIES.map(([prefix]) => token(prefix, 1))),
      },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      raw: fc.oneof(
        fc.constantFrom('limit=0', 'limit=1&limit=2', 'limit=%', 'a=b', '=', '&&'),
        fc.string({ maxLength: 8 }),
      ),
    }),
  },
)

const rarely = (usual, other) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
const headers = fc.record({
  authorization: rarely('Bearer @@secret:9@@', fc.constantFrom(null, '', 'Bearer', 'Basic a', 'Bearer other')),
  version: rarely('2', fc.constantFrom(null, '', '1', '2, 2', '3')),
  type: rarely(
    'application/json',
    fc.constantFrom(null, '', 'text/plain', 'application/json; charset=utf-8', 'APPLICATION/JSON'),
  ),
  origin: rarely(null, fc.constantFrom('https://example.com', 'null', 'http://localhost:1')),
})
const pathEdit = rarely(
  null,
  fc.oneof(fc.constantFrom('/', '//', '/..', '%2F', '%', '%E0', ';a', '\u0000', '.json'), fc.string({ maxLength: 5 })),
)
const methodEdit = rarely(
  null,
  fc.constantFrom('HEAD', 'OPTIONS', 'get', 'BREW', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', ''),
)
const odd = rarely(null, fc.constantFrom(...UNKNOWN_IDS, '@@huge:300@@', '%2e%2e', '__proto__'))
const rawBody = rarely(
  null,
  fc.oneof(
    oddValue,
    fc.constantFrom('', ' ', '{', '{"a":1,}', '\ufeff{}', '{}x', '"@@huge:1100000@@"'),
    fc.string({ maxLength: 10 }),
  ),
)

const request = fc.constantFrom(...OPERATIONS).chain(({ family, method, path, ids, body }) =>
  fc.record({
    kind: fc.constant('request'),
    family: fc.constant(family),
    via: fc.constantFrom('exchange', 'exchange', 'exchange', 'fetch'),
    method: fc.constant(method),
    path: fc.constant(path),
    ids: fc.tuple(...ids.map((type) => token(type))),
    body: body ? sometimesMutated(body) : rarely('', fc.constantFrom('{}', '{"a":1}')),
    query: method === 'GET' && ids.length === 0 ? query : rarely({}, query),
    headers,
    odd: fc.record({ path: pathEdit, method: methodEdit, id: odd, body: body ? rawBody : fc.constant(null) }),
  }),
)

const direct = fc.constantFrom(...OPERATIONS).chain(({ family, name, ids, body }) =>
  fc.record({
    kind: fc.constant('direct'),
    family: fc.constant(family),
    name: fc.constant(name),
    ids: fc.tuple(...ids.map((type) => token(type))),
    odd: rarely(null, oddValue),
    body: body ? fc.oneof({ weight: 12, arbitrary: sometimesMutated(body) }, oddValue) : fc.constant(null),
    query: name === 'list' ? query : fc.constant({}),
  }),
)

const control = fc.constantFrom(...CONTROLS).chain(({ method, path, body, query }) =>
  fc.record({
    kind: fc.constant('control'),
    method: fc.constant(method),
    path: fc.constant(path),
    body: body
      ? fc.oneof(
          { weight: 12, arbitrary: sometimesMutated(body) },
          rawBody.map((text) => text ?? '{}'),
        )
      : fc.constant(''),
    query: query ? sometimesMutated(query) : fc.constant('{}'),
    host: rarely('127.0.0.1:4747', fc.constantFrom('example.com', '', 'localhost', '[::1]:1', '127.0.0.1.example.com')),
    odd: fc.record({ path: pathEdit, method: methodEdit }),
  }),
)

const call = fc
  .constantFrom(...CALLS)
  .chain(({ place, args }) =>
    fc.record({ kind: fc.constant('call'), place: fc.constant(place), args: sometimesMutated(args) }),
  )

const clock = fc.record({
  kind: fc.constant('clock'),
  how: fc.constantFrom('advance', 'advance', 'advanceToNext', 'advanceTo', 'set'),
  value: fc.constantFrom(
    '1ms',
    '30s',
    '1h',
    '30d',
    '60d',
    1,
    999,
    '2026-01-01T00:00:00.900Z',
    '2027-01-01T00:00:00Z',
    '-1s',
    'soon',
    null,
    1e20,
  ),
})

/** Texts alone: test/x509 changes the bytes in them. */
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
  mutations: fc.oneof({ weight: 6, arbitrary: fc.tuple(mutation) }, fc.array(mutation, { maxLength: 3 })),
})

const KINDS = {
  request: [30, request],
  direct: [14, direct],
  control: [8, control],
  call: [5, call],
  clock: [4, clock],
  certificate: [6, certificate],
  restore: [5, restore],
}

/** The options of a gateway. */
export const options = fc.record({
  dialect: fc.constantFrom('standard', 'ngrok', 'ngrok'),
  clock: rarely('manual', fc.constant('system')),
  references: rarely('any', fc.constant('declared')),
  unknownActions: fc.constantFrom('refuse', 'accept'),
  emptyJsonOnDelete: fc.boolean(),
  keepBackendsOnPatch: fc.boolean(),
  dns: fc.constantFrom('off', 'simulated'),
  provisioningDelay: fc.constantFrom('30s', 0),
  journalSize: fc.constantFrom(1000, 0, 3),
  rateLimit: rarely(false, fc.constantFrom(true, { requests: 3, window: '1s' })),
  addressesPerRegion: fc.constantFrom(2_000_000, 2),
  account: fc.constantFrom(
    ...[undefined, undefined, undefined, { plan: 'free' }, { plan: 'hobbyist' }, { plan: 'paygo' }],
    { limits: { reserved_domains: [3, { max: 1, window: '1h' }], weighted_backends: { max: 1, window: '30s' } } },
  ),
})

/** Steps of some kinds; of all where none is named. */
export const stepsOf = (kinds = Object.keys(KINDS)) =>
  fc.oneof(...kinds.map((kind) => ({ weight: KINDS[kind][0], arbitrary: KINDS[kind][1] })))
