import { groupOf, type Operation } from '../../core/operation/operation.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { listExtraFields } from '../../core/schema/schema-parts.ts'
import { mapValues, omit } from '../../core/schema/values.ts'
import type { JsonSchema } from './json-schema.ts'

type Fields = Readonly<Record<string, JsonSchema>>

/**
 * Adapts the schema of a body to a dialect. Removes the fields of other services. Adds the dialect's aliases, the fields that it ignores,
 * the IDs from the path, and the envelope.
 */
export function adaptBody(dialect: CommonDialect, operation: Operation, json: JsonSchema): JsonSchema {
  const own = omitExtras(operation, dialect, json)
  const fields: Fields = {
    ...createOwnFields(operation, dialect, own),
    ...createAliases(operation, dialect, own),
    ...createIgnoredFields(operation, dialect),
  }
  const body = {
    ...own,
    properties: { ...fields, ...createIdFields(operation) },
    ...createRequired(operation, dialect, own),
  }
  if (!operation.wrappable || dialect.moduleEnvelope === null) return body
  return addEnvelope(operation, dialect.moduleEnvelope, body)
}

function omitExtras({ name, body }: Operation, { extraFields }: CommonDialect, json: JsonSchema): JsonSchema {
  const known = extraFields[name] ?? []
  const foreign = (body ? listExtraFields(body) : []).filter((field) => !known.includes(field))
  return { ...json, properties: omit(json.properties ?? {}, foreign) }
}

/** Lists the dialect's aliases of a body's fields, with the fields' schemas. */
function listAliases(operation: Operation, { fieldAliases }: CommonDialect, { properties = {} }: JsonSchema) {
  return Object.entries(fieldAliases[groupOf(operation)] ?? {}).flatMap(([alias, field]) => {
    const json = properties[field]
    return json ? [{ alias, field, json }] : []
  })
}

/** Returns a body's fields. A field with an alias may be empty, because a request can use the alias instead. */
function createOwnFields(operation: Operation, dialect: CommonDialect, body: JsonSchema): Fields {
  const named = listAliases(operation, dialect, body).map(({ field, json }) => [field, allowEmpty(json)])
  return { ...body.properties, ...Object.fromEntries(named) }
}

/** Also allows a string to be empty or null. Other values can already be null. */
function allowEmpty(json: JsonSchema): JsonSchema {
  const { type, pattern } = json
  return type === 'string' ? { ...json, type: ['string', 'null'], ...(pattern && { pattern: `^$|${pattern}` }) } : json
}

function createAliases(operation: Operation, dialect: CommonDialect, body: JsonSchema): Fields {
  const labels = dialect.labelAliases[groupOf(operation)] ?? []
  const aliases = listAliases(operation, dialect, body).map(({ alias, field, json }) => {
    const another = `An alias of \`${field}\`.`
    const below = operation.otherNames?.labelsBelow?.(dialect)
    if (below === undefined || !labels.includes(alias)) return [alias, { ...json, description: another }]
    const { pattern: _, ...anyText } = json
    const label = `A string without a dot is treated as a label under \`${below}\`.`
    return [alias, { ...anyText, description: `${another} ${label}` }]
  })
  return Object.fromEntries(aliases)
}

/** Returns the required fields. If a field has aliases, the field or one alias is required. */
function createRequired(
  operation: Operation,
  dialect: CommonDialect,
  body: JsonSchema,
): Pick<JsonSchema, 'required' | 'if' | 'else'> {
  const { required = [] } = body
  const aliases = listAliases(operation, dialect, body)
  const field = aliases.find((each) => required.includes(each.field))?.field
  if (field === undefined) return {}
  const conditions = aliases.filter((each) => each.field === field).map(({ alias }) => createCondition([alias]))
  const [condition = {}, ...others] = conditions
  return {
    required: required.filter((name) => name !== field),
    if: others.length === 0 ? condition : { anyOf: conditions },
    else: createCondition([field]),
  }
}

/** Creates the condition that some fields are sent. Linters require the condition to list these fields. */
function createCondition(required: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(required.map((name) => [name, {}]))
  return { required, properties, additionalProperties: true }
}

function createIgnoredFields(operation: Operation, { ignoredFields }: CommonDialect): Fields {
  const names = [...(ignoredFields[groupOf(operation)] ?? []), ...(ignoredFields[operation.name] ?? [])]
  return Object.fromEntries(names.map((name) => [name, { description: 'Accepted, but has no effect.' }]))
}

function createIdFields({ ids }: Operation): Fields {
  return mapValues(ids, () => ({
    type: ['string', 'null'],
    description: 'The ID in the path.',
  }))
}

/** Also allows the fields of a body inside an envelope if there are only IDs next to the envelope. */
function addEnvelope(operation: Operation, envelope: string, module: JsonSchema): JsonSchema {
  const { required = [], properties, ...rest } = module
  const { title: _, ...inside } = { ...module, description: 'The same fields, in the form that some clients send.' }
  return {
    ...rest,
    properties: { ...properties, [envelope]: inside },
    if: createCondition([envelope]),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
    then: { propertyNames: { enum: [envelope, ...Object.keys(operation.ids)] } },
    ...(required.length > 0 && { else: createCondition(required) }),
  }
}
