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

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components } = openApi(dialect)
  const all = Object.values(components.schemas).flatMap((schema) => [...schemasIn(schema)])

  test('schemas are made of the words of JSON Schema', () => {
    expect(all.length).toBeGreaterThan(500)
    expect([...new Set(all.flatMap(Object.keys))].filter((word) => !WORDS.includes(word))).toEqual([])
  })

  test('what has a default allows it', () => {
    const withDefault = all.filter((schema) => 'default' in schema)
    expect(withDefault.length).toBeGreaterThan(5)
    expect(withDefault.filter((schema) => schema.default === undefined || schema.default === null)).toEqual([])
  })

  test('a body has the fields that are named and no others; an answer may come to have more', () => {
    const { ReservedDomainCreate: body, ReservedDomain: answer } = components.schemas
    expect([body?.additionalProperties, answer?.additionalProperties]).toEqual([false, undefined])
  })

  test('the key is sent as a bearer token', () => {
    expect(components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
  })

  test('an error repeats the id that stands in the header', () => {
    const { schemas, headers } = JSON.parse(JSON.stringify(components))
    expect(schemas.Error.properties.details.properties.operation_id).toMatchObject(headers.operationId.schema)
  })
})
