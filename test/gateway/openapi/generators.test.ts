import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { type OpenApiDocument, openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../../src/index.ts'

interface Part {
  readonly path: string
  readonly schema: Readonly<Record<string, unknown>>
}

const documents = [standard, ngrok].flatMap((dialect) =>
  (['service', 'controls'] as const).map((part) => {
    const families = dialect === ngrok ? ngrokFamilies : {}
    return { name: `${part} of ${dialect.name}`, document: openApi(dialect, { families, part }) }
  }),
)

/** Lists the objects of a document, each with its path. */
function listParts(value: unknown, path: string): Part[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, each]) => listParts(each, `${path}/${name}`))
  return Array.isArray(value) ? inner : [{ path, schema: { ...value } }, ...inner]
}

/** Lists the paths of the parts with a property. */
const listWith = ({ paths, components }: OpenApiDocument, isFound: (part: Part) => boolean) =>
  [...listParts(paths, 'paths'), ...listParts(components, 'components')].filter(isFound).map(({ path }) => path)

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Returns whether a part holds properties: a property can have the name of a word of JSON Schema, such as `title`. */
const isProperties = ({ path }: Part) => path.endsWith('/properties')

// Generators make a type of each title, a constant of each value of an enum, and one type of all further fields of an object.
// Each generator in tools/generated-clients drops or breaks something at one of these.
describe.each(documents)('For generators of clients, in the document of the $name,', ({ document }) => {
  test('a title is the name of its own component', () => {
    const isForeign = ({ path, schema: { title } }: Part) =>
      typeof title === 'string' && path !== `components/schemas/${title}`
    expect(listWith(document, isForeign)).toEqual([])
  })

  test('an enum has no null', () => {
    const hasNull = ({ schema }: Part) => Array.isArray(schema.enum) && schema.enum.includes(null)
    expect(listWith(document, hasNull)).toEqual([])
  })

  test('an object with properties gives its further fields no type', () => {
    const isMixed = (part: Part) =>
      !isProperties(part) && isObject(part.schema.properties) && isObject(part.schema.additionalProperties)
    expect(listWith(document, isMixed)).toEqual([])
  })

  test('there are titles, enums and objects', () => {
    const has = (word: string) => listWith(document, ({ schema }) => schema[word] !== undefined).length
    expect(['title', 'enum', 'properties', 'additionalProperties'].map(has).every((count) => count > 2)).toBe(true)
  })
})

/** The parts that responses have, each with the schema's name in its path. */
function listResponseParts(document: OpenApiDocument): Part[] {
  const found = new Map<string, unknown>()
  const responses = listParts(document.paths, '').filter(({ path }) => /\/responses\/2\d\d$/.test(path))
  const pending: unknown[] = responses.map(({ schema }) => schema)
  while (pending.length > 0) {
    for (const { schema } of listParts(pending.pop(), '')) {
      const { $ref } = schema
      if (typeof $ref !== 'string' || found.has($ref)) continue
      const [, ...steps] = $ref.split('/')
      found.set(
        $ref,
        steps.reduce((value: unknown, step) => Object(value)[step], document),
      )
      pending.push(found.get($ref))
    }
  }
  return [...found].flatMap(([ref, schema]) => listParts(schema, ref.split('/').at(-1) ?? ''))
}

const CLOSED_EVERYWHERE = ['ReservedDomainCertPolicy.private_key_type', 'TLSCertificate.private_key_type']

// A generated client fails on a value that its enum lacks. So an enum of a response is closed only if the reference of the
// service says "one of", "either" or "valid values" of it. Of `region`, `error_code`, the status of a report, the origin of an
// endpoint and the minimum version of TLS it does not, and of the types of IP restrictions it says "currently supported".
test.each([
  [standard, CLOSED_EVERYWHERE],
  [
    ngrok,
    [
      ...CLOSED_EVERYWHERE,
      'EdgeTlsTermination.terminate_at',
      'Endpoint.proto',
      'EndpointConfiguration.type',
      'HttpsEdgeRoute.match_type',
      'IpPolicyRule.action',
      'SshCertificateAuthority.key_type',
      'SshHostCertificate.key_type',
      'SshUserCertificate.key_type',
      'Tunnel.proto',
    ],
  ],
])(
  'In the document of the service, a response has these closed enums alone: %# (rules: fields#open-enums)',
  (dialect, expected) => {
    const document = openApi(dialect, { families: dialect === ngrok ? ngrokFamilies : {}, part: 'service' })
    const parts = listResponseParts(document)
    const closed = parts.filter(({ schema }) => Array.isArray(schema.enum) || schema.const !== undefined)
    const names = closed.map(({ path }) =>
      path.replace(/\/(?:properties|items|anyOf\/\d)(?=\/|$)/g, '').replace('/', '.'),
    )
    expect([...new Set(names)].sort()).toEqual([...expected].sort())
  },
)

test('Known values of an open text are in its description', () => {
  const { components } = openApi(ngrok, { families: ngrokFamilies, part: 'service' })
  const described = ([schema, field]: readonly [string, string]) => {
    const [part] = listParts(components, '').filter(({ path }) => path.endsWith(`/${schema}/properties/${field}`))
    return [part?.schema.type, part?.schema.enum, part?.schema.description]
  }
  expect(described(['ReservedDomainCertJob', 'error_code'])).toEqual([
    ['string', 'null'],
    undefined,
    expect.stringMatching(/ One of `INTERNAL_ERROR`, `DNS_ERROR`\.$/),
  ])
  expect(described(['ReservedAddress', 'region'])).toEqual([
    'string',
    undefined,
    expect.stringContaining(' One of `au`, `eu`'),
  ])
  expect(described(['AbuseReport', 'status'])).toEqual([
    'string',
    undefined,
    expect.stringMatching(/`PENDING`, `PROCESSED`, `PARTIALLY_PROCESSED`\.$/),
  ])
})
