import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { documentationOf } from '../../core/schema/documentation.ts'
import { isErrorOf } from '../../core/schema/errors.ts'
import type { Facts, JsonFacts } from '../../core/schema/facts.ts'
import { general } from '../../core/schema/general-errors.ts'
import { listErrors, listSchemas, partsOf } from '../../core/schema/schema-parts.ts'
import { lazy, omit } from '../../core/schema/values.ts'
import type { Evidence, WithEvidence } from './evidence.ts'

/** A JSON Schema (2020-12), as used in OpenAPI 3.1. */
export interface JsonSchema
  extends Omit<JsonFacts, 'additionalProperties' | 'propertyNames'>,
    WithEvidence<Readonly<Record<string, Evidence>>> {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly propertyNames?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly not?: JsonSchema
  readonly if?: JsonSchema
  readonly then?: JsonSchema
  readonly else?: JsonSchema
  /** The error keys for invalid values. The document contains an example of each. */
  readonly 'x-refused-as'?: readonly string[]
}

export interface Conversion {
  readonly dialect: CommonDialect
  /** The location of the values. In a body, `null` means "not given", and unknown fields are rejected. */
  readonly place: 'body' | 'query' | 'response'
  /** The named schemas that the document refers to, with their names. */
  readonly names: ReadonlyMap<AnySchema, string>
  /** Returns the named schemas in full, by name. Converting all schemas together is fast. */
  readonly whole: () => Readonly<Record<string, JsonSchema>>
}

type AnySchema = v.GenericSchema
type Json = ReturnType<typeof toJsonSchema>
type Config = NonNullable<Parameters<typeof toJsonSchema>[1]>

/** The steps of pipes that JSON Schema cannot express. The facts of a schema describe their effect. */
const SKIPPED_STEPS = ['raw_check', 'raw_transform', 'transform', 'to_lower_case', 'to_upper_case', 'trim', 'check']

/** Creates a conversion that refers to these named schemas. */
export function createConversion(
  dialect: CommonDialect,
  place: Conversion['place'],
  definitions: Readonly<Record<string, AnySchema>>,
): Conversion {
  const names = new Map(Object.entries(definitions).map(([name, schema]) => [schema, name]))
  const conversion: Conversion = {
    dialect,
    place,
    names,
    // Valibot's type is that of an older JSON Schema.
    whole: lazy(() => toJsonSchemaDefs(definitions, createConfig(conversion)) as Readonly<Record<string, JsonSchema>>),
  }
  return conversion
}

/**
 * Converts a schema to JSON Schema, based on its pipe steps and its facts. A named schema is converted to a reference.
 * @throws Error for a schema without facts that JSON Schema can't express.
 */
export function convert(schema: AnySchema, conversion: Conversion): JsonSchema {
  const name = conversion.names.get(schema)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  // `toJsonSchema` converts all definitions that it receives, so only the used ones are passed.
  const used = [...listSchemas([schema])].flatMap((each) => {
    const known = conversion.names.get(each)
    return known === undefined ? [] : [[known, each] as const]
  })
  const config = { ...createConfig(conversion), definitions: Object.fromEntries(used) }
  const { $schema: _, $defs: __, ...json } = toJsonSchema(schema, config)
  return json as JsonSchema // Valibot's type is that of an older JSON Schema.
}

function asValibotJson(json: object): Json {
  return json as Json // Valibot passes the value on unchanged.
}

/** Converts a schema in full, even if other schemas refer to it by name. */
export function convertWhole(schema: AnySchema, conversion: Conversion): JsonSchema {
  const name = conversion.names.get(schema)
  return (name !== undefined && conversion.whole()[name]) || convert(schema, conversion)
}

function createConfig(conversion: Conversion): Config {
  const { dialect, place } = conversion
  return {
    target: 'draft-2020-12',
    // Several schemas in a pipe count as one. The code below rejects what JSON Schema can't express.
    errorMode: 'ignore',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideAction: ({ valibotAction, jsonSchema, errors }) => {
      // Only the steps created by documentation.ts have these facts.
      const { type, metadata } = valibotAction as { type: string; metadata?: { facts?: Facts } }
      if (metadata) {
        const facts = readJsonFacts(metadata.facts, dialect)
        // Other metadata does not belong in JSON Schema. A type in the facts replaces a choice of schemas.
        const replaced = [...(facts.type ? ['anyOf'] : []), ...(facts.listed ? ['enum'] : [])]
        const others = omit({ ...jsonSchema }, [...Object.keys(metadata), ...replaced])
        return asValibotJson({ ...others, ...facts })
      }
      if (errors && !SKIPPED_STEPS.includes(type)) throw new Error(errors.join(' '))
      return undefined
    },
    overrideSchema: ({ valibotSchema, jsonSchema, errors }) => {
      const { type, entries, wrapped } = partsOf(valibotSchema)
      if (type === 'custom') return {}
      if (type === 'non_optional' && wrapped) return asValibotJson(convert(wrapped, conversion))
      if (errors) throw new Error(errors.join(' '))
      const json = jsonSchema as JsonSchema // Valibot's type is that of an older JSON Schema.
      if (entries) return asValibotJson(createObjectSchema(entries, json, { place, dialect }))
      if (type === 'nullable') return asValibotJson(allowNull(json.anyOf?.[0] ?? {}))
      // In JSON Schema, keys are always strings.
      if (type === 'record') return asValibotJson(omit({ ...json }, ['propertyNames']))
      return undefined
    },
  }
}

function readJsonFacts(facts: Facts | undefined, dialect: CommonDialect): JsonFacts {
  const json = facts?.json
  return (typeof json === 'function' ? json(dialect) : json) ?? {}
}

function createObjectSchema(
  entries: Readonly<Record<string, AnySchema>>,
  json: JsonSchema,
  { place, dialect }: Pick<Conversion, 'place' | 'dialect'>,
): JsonSchema {
  const required: string[] = []
  const fields = Object.entries(json.properties ?? {}).flatMap(([name, described]) => {
    const schema = entries[name]
    const facts = schema ? documentationOf(schema).facts : []
    if (!schema || facts.some(({ isNoData }) => isNoData)) return []
    const formatted = addNumberFormats(described)
    const property = place === 'response' ? formatted : addRefusals(formatted, schema, dialect)
    if (facts.some(({ isRequired }) => isRequired) && !mayBeAbsent(schema)) {
      required.push(name)
      return [[name, omit({ ...property }, ['default'])]]
    }
    const isOptional = OPTIONAL.includes(schema.type)
    if (!isOptional || (place === 'response' && schema.type !== 'exact_optional')) required.push(name)
    return [[name, isOptional && place === 'body' ? allowNull(property) : property]]
  })
  const properties = Object.fromEntries(fields)
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(place === 'body' && { additionalProperties: false }),
  }
}

/** Returns whether a required field may be absent, as it may in a change: its schema has no default. */
function mayBeAbsent(schema: AnySchema): boolean {
  return OPTIONAL.includes(schema.type) && 'default' in schema && schema.default === undefined
}

function addRefusals(json: JsonSchema, schema: AnySchema, dialect: CommonDialect): JsonSchema {
  const keys = listRefusals(schema, dialect)
  return keys.length === 0 ? json : { ...json, 'x-refused-as': keys }
}

const MAX_INT32 = 2 ** 31 - 1

/** Adds a format to large numbers. Without one, generated clients store numbers in 32 bits, too few for a time in ms. */
function addNumberFormats(json: JsonSchema): JsonSchema {
  const { type, items, anyOf, additionalProperties: values, maximum = 0 } = json
  const types = [type].flat()
  return {
    ...json,
    ...(items && { items: addNumberFormats(items) }),
    ...(anyOf && { anyOf: anyOf.map(addNumberFormats) }),
    ...(typeof values === 'object' && { additionalProperties: addNumberFormats(values) }),
    ...(types.includes('number') && { format: 'double' }),
    ...(types.includes('integer') && maximum > MAX_INT32 && { format: 'int64' }),
  }
}

const OPTIONAL = ['optional', 'exact_optional', 'nullish']

/** Allows null in addition to the values of a schema. The description stays outside of the choice. */
function allowNull(json: JsonSchema): JsonSchema {
  const { type, format, enum: values, const: only, ...others } = json
  if (only === true) return { ...others, type: ['boolean', 'null'], not: { const: false } }
  if (json.$ref || json.anyOf) return allowNullInChoice(json)
  if (type === undefined) return json
  const types = [type].flat()
  // A list of types must not repeat one.
  if (types.includes('null')) return json
  // Generators create a constant for each enum value, and null is not a value of its type.
  if (values) return { ...others, anyOf: [{ type, ...(format && { format }), enum: values }, { type: 'null' }] }
  return { ...json, type: [...types, 'null'] }
}

function allowNullInChoice({ $ref, anyOf = $ref === undefined ? [] : [{ $ref }], ...json }: JsonSchema): JsonSchema {
  return { anyOf: [...anyOf, { type: 'null' }], ...json }
}

/**
 * Returns the keys of a schema's own errors, sorted by number. Omits the errors of its fields and of named schemas inside it, and
 * `field_invalid`, which any field can have.
 */
export function listRefusals(schema: v.GenericSchema, dialect?: CommonDialect): readonly string[] {
  const fields = Object.values(partsOf(schema).entries ?? {})
  const isPart = (inner: v.GenericSchema) => !fields.includes(inner) && documentationOf(inner).name === undefined
  return [...listErrors(schema, isPart)]
    .filter((error) => error !== general.field_invalid && (dialect === undefined || isErrorOf(dialect, error)))
    .sort((a, b) => a.number - b.number)
    .map(({ key }) => key)
}

/**
 * Returns the named schemas among these schemas and inside them, by name.
 * @throws Error if two have the same name.
 */
export function listDefinitions(schemas: readonly AnySchema[]): Record<string, AnySchema> {
  const found = new Map<string, AnySchema>()
  for (const schema of listSchemas(schemas)) {
    const { name } = documentationOf(schema)
    if (name === undefined) continue
    if (found.has(name)) throw new Error(`Two schemas are named ${name}.`)
    found.set(name, schema)
  }
  return Object.fromEntries(found)
}
