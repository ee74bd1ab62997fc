import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../../src/index.ts'

/** The allowed keywords of schemas: those of JSON Schema, and the extensions of fauxgate. */
const WORDS = [
  ...['$ref', 'type', 'enum', 'const', 'anyOf', 'allOf', 'not', 'items', 'properties', 'required', 'format', 'pattern'],
  ...['if', 'then', 'else'],
  ...['additionalProperties', 'propertyNames', 'minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'contentMediaType'],
  ...['title', 'description', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'x-refused-as', 'x-fauxgate-evidence'],
]

type Schema = Readonly<Record<string, unknown>>

/** Lists a schema and all schemas inside it. */
function* listSchemas(schema: unknown): Generator<Schema> {
  if (typeof schema !== 'object' || schema === null) return
  yield schema as Schema
  const { properties, anyOf, allOf, not, items, additionalProperties } = schema as Record<string, object>
  const inner = [...Object.values(properties ?? {}), ...Object.values(anyOf ?? {}), ...Object.values(allOf ?? {})]
  for (const each of [...inner, not, items, additionalProperties]) yield* listSchemas(each)
}

/** Lists every object in a document with its path, except for the values of examples. */
function* listParts(part: unknown, path: readonly string[] = []): Generator<[readonly string[], Schema]> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield [path, part as Schema]
  for (const [name, inner] of Object.entries(part))
    if (!['example', 'examples', 'default'].includes(name)) yield* listParts(inner, [...path, name])
}

/** The names of objects whose members must have a description. */
const NAMED_IN = ['properties', 'parameters', 'headers', 'responses', 'schemas', 'tags']

const DOCUMENTS = [
  { of: 'the dialect standard', document: openApi(standard) },
  { of: 'the dialect ngrok', document: openApi(ngrok, { families: ngrokFamilies }) },
  { of: 'the controls', document: openApi(ngrok, { families: ngrokFamilies, part: 'controls' }) },
]

/** The names of objects whose members need none: a field can have such a name, and conditions repeat fields. */
const IN_BETWEEN = ['properties', 'if', 'else']

describe.each(DOCUMENTS)('In the document of $of', ({ document }) => {
  const { components } = document
  const all = Object.values(components.schemas).flatMap((schema) => [...listSchemas(schema)])

  const parts = [...listParts(JSON.parse(JSON.stringify(document)))]

  test('numbers that 32 bits do not hold have a format', () => {
    const isLarge = ({ type, maximum = 0 }: Schema) =>
      type === 'number' || (type === 'integer' && Number(maximum) >= 2 ** 31)
    const large = parts.filter(([path, part]) => path.includes('schemas') && isLarge(part))
    expect(large.filter(([, part]) => part.format === undefined).map(([path]) => path.join('.'))).toEqual([])
  })

  test('no list of types repeats a type', () => {
    const lists = parts.flatMap(([path, { type }]) => (Array.isArray(type) ? [[path.join('.'), type] as const] : []))
    expect(lists.filter(([, types]) => new Set(types).size < types.length)).toEqual([])
  })

  test('everything has a description of sentences, and every operation also a summary', () => {
    const isNamed = (path: readonly string[]) =>
      NAMED_IN.includes(path.at(-2) ?? '') && !IN_BETWEEN.includes(path.at(-3) ?? '')
    const namedParts = parts.filter(([path]) => isNamed(path))
    const isDescribed = (part: Schema) =>
      '$ref' in part ||
      'description' in part ||
      (Array.isArray(part.anyOf) && part.anyOf.some((each) => '$ref' in each))
    const undescribed = namedParts.filter(([, part]) => !isDescribed(part))
    expect(undescribed.map(([path]) => path.join('/'))).toEqual([])
    const descriptions = parts.flatMap(([, { description }]) => (typeof description === 'string' ? [description] : []))
    expect(descriptions.length).toBeGreaterThan(150)
    expect(descriptions.filter((text) => !/^[A-Z`"'].*[.:]$/s.test(text))).toEqual([])
    const lines = parts.flatMap(([, { summary }]) => (typeof summary === 'string' ? [summary] : []))
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((text) => !/^[A-Z].*\w$/.test(text))).toEqual([])
    expect([...descriptions, ...lines].filter((text) => /\ba (?:[aei]|HTTP|SSH|IP|API)/.test(text))).toEqual([])
  })

  test('responses that occur more than once are named by their status, and numbered from the second on', () => {
    const numbers = new Map<string, number[]>()
    for (const name of Object.keys(components.responses)) {
      const [, status = '', number = '1'] = /^Status(\d{3})(?:_(\d+))?$/.exec(name) ?? []
      numbers.set(status, [...(numbers.get(status) ?? []), Number(number)])
    }
    expect([...numbers.keys()].every((status) => status !== '')).toBe(true)
    for (const each of numbers.values()) expect(each).toEqual(each.map((_, at) => at + 1))
    expect(Math.max(...[...numbers.values()].map(({ length }) => length))).toBeGreaterThan(2)
  })

  test('no parameter and no response occurs twice', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const all = operations.flatMap(({ parameters = [], responses }) => [...parameters, ...Object.values(responses)])
    const texts = all.filter((part) => !('$ref' in part)).map((part) => JSON.stringify(part))
    expect(texts.length).toBeGreaterThan(1)
    expect(new Set(texts).size).toBe(texts.length)
    const names = Object.keys(components.parameters).filter((name) => name !== 'version')
    expect(names.filter((name) => !/^(path|query)_\w+$/.test(name))).toEqual([])
  })

  test('every reference leads to something, and every required name is a field', () => {
    const refs = parts.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    const find = (ref: string) =>
      ref
        .split('/')
        .slice(1)
        .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document)
    expect(refs.length).toBeGreaterThan(300)
    expect([...new Set(refs)].filter((ref) => !ref.startsWith('#/components/') || find(ref) === undefined)).toEqual([])
    const listFields = ({ properties }: Schema) => Object.keys(properties ?? {})
    const withRequired = parts.filter(([, part]) => Array.isArray(part.required) && 'properties' in part)
    expect(withRequired.length).toBeGreaterThan(15)
    for (const [path, part] of withRequired)
      expect([path, listFields(part)]).toEqual([path, expect.arrayContaining(part.required as string[])])
  })

  test('every operation has a unique name, a group with a description, the version, and responses', () => {
    const operations = parts.filter(([path]) => path[0] === 'paths' && path.length === 3)
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length)
    const groups = document.tags.map(({ name }) => name)
    const version = { $ref: '#/components/parameters/version' }
    for (const [[, url = '', method], { tags, parameters, responses }] of operations) {
      const operation = [method, url]
      expect([operation, tags]).toEqual([operation, [expect.any(String)]])
      expect([operation, groups]).toEqual([operation, expect.arrayContaining(tags as string[])])
      const statuses = Object.keys(responses as object)
      expect([operation, statuses[0]]).toEqual([operation, expect.stringMatching(/^20[014]$/)])
      expect([operation, statuses.some((status) => /^4\d\d$/.test(status))]).toEqual([operation, true])
      const expected = url.startsWith('/_fauxgate/') ? [] : [version]
      expect([operation, parameters ?? []]).toEqual([operation, expect.arrayContaining(expected)])
    }
  })

  test('schemas have only allowed keywords', () => {
    expect(all.length).toBeGreaterThan(100)
    expect([...new Set(all.flatMap(Object.keys))].filter((word) => !WORDS.includes(word))).toEqual([])
  })

  test('no `anyOf` is beside a type, and one with null has only types and references', () => {
    const choices = all.filter(({ anyOf }) => anyOf !== undefined)
    expect(choices.filter(({ type }) => type !== undefined)).toEqual([])
    const withNull = choices.filter(({ anyOf }) => JSON.stringify(anyOf).includes('{"type":"null"}'))
    const plain = (schema: object) => '$ref' in schema || 'type' in schema
    expect(withNull.filter(({ anyOf }) => !(anyOf as object[]).every(plain))).toEqual([])
  })

  test('a body has only its named fields, while a response may have more in a later version', () => {
    const { ReservedDomainCreate, ReservedDomain, FaultSpec, ArmedFault } = components.schemas
    const [body, answer] = [ReservedDomainCreate ?? FaultSpec, ReservedDomain ?? ArmedFault]
    expect([body?.additionalProperties, answer?.additionalProperties]).toEqual([false, undefined])
    expect([body, answer]).not.toContain(undefined)
  })

  test('an error repeats the id of the header', () => {
    const { schemas, headers } = JSON.parse(JSON.stringify(components))
    expect(schemas.Error.properties.details.properties.operation_id).toMatchObject(headers.operationId.schema)
  })
})

test('a module inside the body of its edge has neither the ids of a path nor an envelope, unlike its own PUT', () => {
  const { schemas } = openApi(ngrok, { families: ngrokFamilies }).components
  const listFields = (name: string) => Object.keys(schemas[name]?.properties ?? {})
  expect(listFields('RouteBackendBody')).toEqual(['enabled', 'backend_id', 'edge_id', 'id', 'module'])
  expect(listFields('RouteBackendFields')).toEqual(['enabled', 'backend_id'])
  expect(JSON.stringify(schemas.HttpsEdgeRouteCreate)).toContain('#/components/schemas/RouteBackendFields"')
})
