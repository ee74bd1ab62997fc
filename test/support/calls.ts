import fc from 'fast-check'
import type { Operation } from '../../src/core/operation/operation.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import type { Dialect, Gateway, GatewayError, HttpRequest } from '../../src/index.ts'
import { families } from '../../src/service/resources/index.ts'
import { upload } from './pem.ts'

/** One call of an operation, through the direct API or over HTTP. */
export interface Call {
  readonly family: string
  readonly verb: string
  readonly method: string
  /** The path with its ids. `{0}` is the id of an existing resource, chosen by `which`. */
  readonly path: string
  readonly prefix: string | null
  readonly which: number
  readonly input: Readonly<Record<string, unknown>> | undefined
}

/** The result of a call, the same for both kinds of call. */
export interface Outcome {
  readonly status: number
  /** The response as JSON; that of an error without its operation id. */
  readonly json: string | null
}

export const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const ROUTE_PATH = `/edges/https/${ROUTE.edge_id}/routes/${ROUTE.id}`

const text = fc.constantFrom('', 'd', 'ü')
const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] })
const region = fc.constantFrom('us', 'eu', '', 'mars')
const reference = (...ids: string[]) => fc.constantFrom('', ...ids, 'nonsense')
const policy = optional({
  authority: fc.constantFrom('letsencrypt', 'letsencrypt', 'other'),
  private_key_type: fc.constantFrom('rsa', 'ecdsa', '', 'dsa'),
})
const certificate = fc.constantFrom('', '{cert}', '{cert}', 'cert_gone')
const endpoint = reference('ec_1', 'ec_2')
const described = { description: text, metadata: text }
const weights = fc.dictionary(
  fc.constantFrom('bkdhr_1', 'bkdhr_2', '{bkdwd}', 'rd_1'),
  fc.constantFrom(0, 5, 10_000, -1),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
)

/** Bodies and queries of each operation. Some fields exist only in some dialects. */
const INPUTS = {
  reservedAddrs: {
    create: optional({ ...described, region, endpoint_configuration_id: endpoint }),
    update: optional({ ...described, endpoint_configuration_id: endpoint }),
  },
  reservedDomains: {
    create: optional({
      ...described,
      domain: fc.constantFrom(
        'a.example.com',
        'B.example.com',
        '*.c.example.com',
        'a.gateway.test',
        'a.ngrok.io',
        'a_b.c',
      ),
      name: fc.constantFrom('', 'label', 'n.example.com'),
      region,
      certificate_id: certificate,
      certificate_management_policy: policy,
      http_endpoint_configuration_id: endpoint,
      error_redirect_url: fc.constantFrom('', 'https://example.com/e', 'x'),
      resolves_to: fc.array(fc.record({ value: text }), { maxLength: 2 }),
    }),
    update: optional({
      ...described,
      certificate_id: certificate,
      certificate_management_policy: policy,
      http_endpoint_configuration_id: endpoint,
      https_endpoint_configuration_id: endpoint,
      error_redirect_url: fc.constantFrom('', 'https://example.com/e', 'x'),
      resolves_to: fc.array(fc.record({ value: text }), { maxLength: 2 }),
      domain: fc.constantFrom('a.example.com', 'label.ngrok.io'),
    }),
  },
  weightedBackends: {
    create: optional({ ...described, backends: weights }),
    update: optional({ ...described, backends: weights }),
  },
  tlsCertificates: {
    create: optional({
      ...described,
      certificate_pem: fc.constantFrom(upload('ed25519').certificate_pem, ''),
      private_key_pem: fc.constantFrom(upload('ed25519').private_key_pem, 'x'),
    }),
    update: optional(described),
  },
  compression: { replace: optional({ enabled: fc.boolean() }) },
  webhookVerification: {
    replace: optional({
      enabled: fc.boolean(),
      provider: fc.constantFrom('github', 'SNS', '', 'pigeon'),
      secret: fc.constantFrom('', 's'),
    }),
  },
  circuitBreaker: {
    replace: optional({
      tripped_duration: fc.constantFrom(1, 0),
      num_buckets: fc.constantFrom(1, 128, 129),
      volume_threshold: fc.constantFrom(0, 7),
      error_threshold_percentage: fc.constantFrom(0, 0.5, 1, 2),
    }),
  },
  trafficPolicy: {
    replace: optional({
      enabled: fc.boolean(),
      inbound: fc.array(
        optional({
          name: text,
          expressions: fc.array(fc.constantFrom('true', '('), { maxLength: 1 }),
          actions: fc.array(
            fc.record({ type: fc.constantFrom('deny', 'log', 'oauth', 'x') }, { requiredKeys: ['type'] }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 2 },
      ),
    }),
  },
}

const query = optional({
  limit: fc.constantFrom(1, 2, 100, 0),
  before_id: fc.constantFrom('{rd}', '{ra}', '', 'rd_gone'),
  filter: fc.constantFrom('obj.description == "d"', 'obj.id != ""', 'obj.'),
})

type Shape = Omit<Call, 'which' | 'input'> & { inputs: fc.Arbitrary<Call['input']> }

/** Every operation, including those of single dialects. */
const SHAPES: readonly Shape[] = Object.entries(families).flatMap(([family, { operations }]) =>
  Object.entries<Operation>(operations).map(([verb, { method, path, ids }]): Shape => {
    const own: Readonly<Record<string, Shape['inputs']>> | undefined = INPUTS[family as keyof typeof INPUTS] // A family without inputs is read only.
    const inputs = own?.[verb] ?? (verb === 'list' ? query : fc.constant(undefined))
    const isModule = path.startsWith('/edges')
    const filledIn = isModule ? path.replace(/.*(?=\/)/, ROUTE_PATH) : path.replace('{id}', '{0}')
    return { family, verb, method, path: filledIn, prefix: isModule ? null : (ids.id ?? null), inputs }
  }),
)

/** Any calls, most of them creations. In an input, `{rd}` and the like are the id of the newest such resource. */
export const calls: fc.Arbitrary<Call> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SHAPES.filter(({ verb }) => verb === 'create')) },
    { weight: 5, arbitrary: fc.constantFrom(...SHAPES) },
  )
  .chain(({ inputs, ...call }) =>
    fc.record({ which: fc.nat({ max: 5 }), input: inputs }).map((drawn) => ({ ...call, ...drawn })),
  )

/** Fills the ids of a gateway into a call. */
export function fillIds(call: Call, ids: readonly string[]): { call: Call; id: string } {
  const ofPrefix = (prefix: string) => ids.filter((id) => id.startsWith(`${prefix}_`))
  const own = call.prefix === null ? [] : ofPrefix(call.prefix)
  const id = own[call.which % Math.max(own.length, 1)] ?? `${call.prefix}_gone`
  const json = JSON.stringify(call.input)?.replace(
    /\{(cert|bkdwd|rd|ra)\}/g,
    (_, prefix) => ofPrefix(prefix).at(-1) ?? `${prefix}_1`,
  )
  return { call: { ...call, path: call.path.replace('{0}', id), input: json && JSON.parse(json) }, id }
}

/** Lists the fields of the bodies and queries of a dialect, by operation, such as `reservedAddrs.create`. */
export function listFields(dialect: Dialect): ReadonlyMap<string, readonly string[]> {
  const { paths, components } = openApi(dialect)
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return new Map(
    operations.map(({ operationId, requestBody, parameters = [] }) => {
      const { schema } = requestBody?.content['application/json'] ?? {}
      const whole = schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
      const { module: _, ...properties } = whole?.properties ?? {}
      const queried = parameters.flatMap((each) =>
        'in' in each && each.in === 'query' ? [each.name, ...(each['x-aliases'] ?? [])] : [],
      )
      const name = operationId.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      return [name, [...Object.keys(properties), ...queried]]
    }),
  )
}

type Filler = (field: string) => null | ''

/** Returns the call with a value of `filler` in every field that it omits. */
export function fillOmittedFields(call: Call, fields: ReadonlyMap<string, readonly string[]>, filler: Filler): Call {
  const names = fields.get(`${call.family}.${call.verb}`) ?? []
  if (names.length === 0) return call
  const nothing = (each: readonly string[]) => Object.fromEntries(each.map((name) => [name, filler(name)]))
  const sent: Record<string, unknown> = { ...nothing(names), ...call.input }
  const policy = sent.certificate_management_policy
  if (policy) sent.certificate_management_policy = { ...nothing(['private_key_type', 'authority']), ...policy }
  return { ...call, input: sent }
}

/** Makes a call through the direct API. */
export function callDirectly(gateway: Gateway, { family, verb, input, path, prefix }: Call, id: string): Outcome {
  const api = gateway as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>
  const ofResource = prefix === null ? [] : [id]
  const ids = path.startsWith(ROUTE_PATH) ? [ROUTE] : ofResource
  try {
    const result = api[family]?.[verb]?.(...ids, ...(input === undefined ? [] : [input]))
    const status = result === undefined ? 204 : verb === 'create' ? 201 : 200
    return { status, json: JSON.stringify(result) ?? null }
  } catch (error) {
    const { code, status, message, details } = error as GatewayError
    return { status, json: JSON.stringify({ error_code: code, status_code: status, msg: message, details }) }
  }
}

/** Creates the HTTP request of a call. */
export function createHttpRequest(
  { method, path, input }: Call,
  { versionHeader }: Pick<Dialect, 'versionHeader'>,
): HttpRequest {
  const isRead = method === 'GET'
  const search = isRead && input ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
  const body = isRead || input === undefined ? '' : JSON.stringify(input)
  const headers: Record<string, string> = {
    authorization: 'Bearer key',
    [versionHeader.toLowerCase()]: '2',
    'content-type': 'application/json',
  }
  return { method, url: path + search, header: (name) => headers[name] ?? null, body }
}

/** Makes a call over HTTP. */
export function callOverHttp(gateway: Gateway, call: Call): Outcome {
  const answer = gateway.transport.exchange(createHttpRequest(call, gateway.dialect))
  if (answer.status < 400) return { status: answer.status, json: answer.body }
  const { details, ...rest } = JSON.parse(answer.body as string)
  const { operation_id: _, ...own } = details
  return { status: answer.status, json: JSON.stringify({ ...rest, details: own }) }
}
