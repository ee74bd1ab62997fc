import { describe, expect, test } from 'vitest'
import { ngrok, standard } from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'

/** The words of JSON Schema that say something here, those about it, and one of ours. */
const WORDS = [
  ...['$ref', 'type', 'enum', 'const', 'anyOf', 'allOf', 'not', 'items', 'properties', 'required', 'format', 'pattern'],
  ...['additionalProperties', 'propertyNames', 'minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'contentMediaType'],
  ...['default', 'title', 'description', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'x-refused-as'],
]

type Schema = Readonly<Record<string, unknown>>

/** A schema with all that are inside it. */
function* schemasIn(schema: unknown): Generator<Schema> {
  if (typeof schema !== 'object' || schema === null) return
  yield schema as Schema
  const { properties, anyOf, allOf, not, items, additionalProperties } = schema as Record<string, object>
  const inner = [...Object.values(properties ?? {}), ...Object.values(anyOf ?? {}), ...Object.values(allOf ?? {})]
  for (const each of [...inner, not, items, additionalProperties]) yield* schemasIn(each)
}

/** Everything in a document with the path that leads there, but for the values that it shows. */
function* partsOf(part: unknown, path: readonly string[] = []): Generator<[readonly string[], Schema]> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield [path, part as Schema]
  for (const [name, inner] of Object.entries(part))
    if (!['example', 'examples', 'default'].includes(name)) yield* partsOf(inner, [...path, name])
}

/** What stands under these names is for people to read. */
const NAMED_IN = ['properties', 'parameters', 'headers', 'responses', 'schemas', 'tags']

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components } = openApi(dialect)
  const all = Object.values(components.schemas).flatMap((schema) => [...schemasIn(schema)])

  const document = openApi(dialect)
  const parts = [...partsOf(JSON.parse(JSON.stringify(document)))]
  /** An error is described by its message, a body in two forms by each of them. */
  const needsNone = ([, part]: (typeof parts)[number]) => '$ref' in part || 'anyOf' in part || 'allOf' in part
  const ofErrors = ([path]: (typeof parts)[number]) =>
    path[1] === 'schemas' && 'allOf' in (components.schemas[path[2] ?? ''] ?? {})

  test('everything is described, by sentences, and every operation by a line', () => {
    const named = parts.filter(([path]) => NAMED_IN.includes(path.at(-2) ?? '') && path.at(-3) !== 'properties')
    const silent = named.filter((each) => !needsNone(each) && !ofErrors(each) && !('description' in each[1]))
    expect(silent.map(([path]) => path.join('/'))).toEqual([])
    const said = parts.flatMap(([, { description }]) => (typeof description === 'string' ? [description] : []))
    expect(said.length).toBeGreaterThan(400)
    expect(said.filter((text) => !/^[A-Z`"'].*[.:]$/s.test(text))).toEqual([])
    const lines = parts.flatMap(([, { summary }]) => (typeof summary === 'string' ? [summary] : []))
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.filter((text) => !/^[A-Z].*\w$/.test(text))).toEqual([])
  })

  test('answers that occur more than once are called by their status, and numbered from the second on', () => {
    const numbers = new Map<string, number[]>()
    for (const name of Object.keys(components.responses)) {
      const [, status = '', number = '1'] = /^Status(\d{3})(?:_(\d+))?$/.exec(name) ?? []
      numbers.set(status, [...(numbers.get(status) ?? []), Number(number)])
    }
    expect([...numbers.keys()].every((status) => status !== '')).toBe(true)
    for (const each of numbers.values()) expect(each).toEqual(each.map((_, at) => at + 1))
    expect(Math.max(...[...numbers.values()].map(({ length }) => length))).toBeGreaterThan(2)
  })

  test('what it refers to is there, and what must be sent is a field', () => {
    const refs = parts.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    const at = (ref: string) =>
      ref
        .split('/')
        .slice(1)
        .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document)
    expect(refs.length).toBeGreaterThan(500)
    expect([...new Set(refs)].filter((ref) => !ref.startsWith('#/components/') || at(ref) === undefined)).toEqual([])
    const fieldsOf = ({ properties }: Schema) => Object.keys(properties ?? {})
    const wanting = parts.filter(([, part]) => Array.isArray(part.required) && 'properties' in part)
    expect(wanting.length).toBeGreaterThan(30)
    for (const [path, part] of wanting)
      expect([path, fieldsOf(part)]).toEqual([path, expect.arrayContaining(part.required as string[])])
  })

  test('every operation has a name of its own, a group that is described, the version, and answers for all', () => {
    const operations = parts.filter(([path]) => path[0] === 'paths' && path.length === 3)
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length)
    const groups = document.tags.map(({ name }) => name)
    const version = { $ref: '#/components/parameters/version' }
    for (const [[, url = '', method], { tags, parameters, responses }] of operations) {
      const own = [method, url]
      expect([own, tags]).toEqual([own, [expect.any(String)]])
      expect([own, groups]).toEqual([own, expect.arrayContaining(tags as string[])])
      const statuses = Object.keys(responses as object)
      expect([own, statuses[0]]).toEqual([own, expect.stringMatching(/^20[014]$/)])
      expect([own, statuses.some((status) => /^4\d\d$/.test(status))]).toEqual([own, true])
      const wanted = url.startsWith('/_fauxgate/') ? [] : [version]
      expect([own, parameters ?? []]).toEqual([own, expect.arrayContaining(wanted)])
    }
  })

  test('schemas are made of the words of JSON Schema', () => {
    expect(all.length).toBeGreaterThan(500)
    expect([...new Set(all.flatMap(Object.keys))].filter((word) => !WORDS.includes(word))).toEqual([])
  })

  test('a body has the fields that are named and no others; an answer may come to have more', () => {
    const { ReservedDomainCreate: body, ReservedDomain: answer } = components.schemas
    expect([body?.additionalProperties, answer?.additionalProperties]).toEqual([false, undefined])
  })

  test('an error repeats the id that stands in the header', () => {
    const { schemas, headers } = JSON.parse(JSON.stringify(components))
    expect(schemas.Error.properties.details.properties.operation_id).toMatchObject(headers.operationId.schema)
  })
})
