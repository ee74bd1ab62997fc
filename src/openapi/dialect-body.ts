import { groupOf, type Operation } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { listExtraFields } from '../schema/documentation.ts'
import { mapValues, pick } from '../schema/values.ts'
import type { JsonSchema } from './json-schema.ts'

type Fields = Readonly<Record<string, JsonSchema>>

/**
 * Returns a body's schema in a dialect. It is without the fields of other services. It has the dialect's names for fields, the
 * fields that it ignores, the ids that may repeat the path's, and the envelope around it.
 */
export function bodyIn(dialect: CommonDialect, operation: Operation, json: JsonSchema): JsonSchema {
  const own = withoutExtras(operation, dialect, json)
  const fields: Fields = {
    ...ownFields(operation, dialect, own),
    ...aliasesOf(operation, dialect, own),
    ...ignoredBy(operation, dialect),
  }
  const body = { ...own, properties: { ...fields, ...idsOf(operation) }, ...requiredOf(operation, dialect, own) }
  if (!operation.wrappable || dialect.moduleEnvelope === null) return body
  return withEnvelope(operation, dialect.moduleEnvelope, body)
}

function withoutExtras({ name, body }: Operation, { extraFields }: CommonDialect, json: JsonSchema): JsonSchema {
  const known = extraFields[name] ?? []
  const foreign = (body ? listExtraFields(body) : []).filter((field) => !known.includes(field))
  return { ...json, properties: pick(json.properties ?? {}, (field) => !foreign.includes(field)) }
}

/** Returns the dialect's other names of the fields that a body has, with the schemas of the fields. */
function namesIn(operation: Operation, { fieldAliases }: CommonDialect, { properties = {} }: JsonSchema) {
  return Object.entries(fieldAliases[groupOf(operation)] ?? {}).flatMap(([alias, field]) => {
    const json = properties[field]
    return json ? [{ alias, field, json }] : []
  })
}

/** Returns the fields of a body. A field with another name may be empty if the other name is used. */
function ownFields(operation: Operation, dialect: CommonDialect, body: JsonSchema): Fields {
  const named = namesIn(operation, dialect, body).map(({ field, json }) => [field, orEmpty(json)])
  return { ...body.properties, ...Object.fromEntries(named) }
}

/** Lets a text be empty or null too. Other values may be null already. */
function orEmpty(json: JsonSchema): JsonSchema {
  const { type, pattern } = json
  return type === 'string' ? { ...json, type: ['string', 'null'], ...(pattern && { pattern: `^$|${pattern}` }) } : json
}

function aliasesOf(operation: Operation, dialect: CommonDialect, body: JsonSchema): Fields {
  const labels = dialect.labelAliases[groupOf(operation)] ?? []
  const aliases = namesIn(operation, dialect, body).map(({ alias, field, json }) => {
    const another = `Another name of \`${field}\`.`
    const below = operation.otherNames?.labelsBelow?.(dialect)
    if (below === undefined || !labels.includes(alias)) return [alias, { ...json, description: another }]
    const { pattern: _, ...anyText } = json
    const label = `A text without a dot is completed to that label below \`${below}\`.`
    return [alias, { ...anyText, description: `${another} ${label}` }]
  })
  return Object.fromEntries(aliases)
}

/** Returns the required fields. Of a field with another name, either name is enough. */
function requiredOf(
  operation: Operation,
  dialect: CommonDialect,
  body: JsonSchema,
): Pick<JsonSchema, 'required' | 'if' | 'else'> {
  const { required = [] } = body
  const choice = namesIn(operation, dialect, body).find(({ field }) => required.includes(field))
  if (!choice) return {}
  return {
    required: required.filter((name) => name !== choice.field),
    if: needing([choice.alias]),
    else: needing([choice.field]),
  }
}

/** Makes the condition that some fields are sent. Linters want the fields listed beside it. */
function needing(required: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(required.map((name) => [name, {}]))
  return { required, properties, additionalProperties: true }
}

function ignoredBy(operation: Operation, { ignoredFields }: CommonDialect): Fields {
  const names = [...(ignoredFields[groupOf(operation)] ?? []), ...(ignoredFields[operation.name] ?? [])]
  return Object.fromEntries(names.map((name) => [name, { description: 'Accepted, and without effect.' }]))
}

function idsOf({ ids }: Operation): Fields {
  return mapValues(ids, () => ({ type: ['string', 'null'], description: "The path's own id, if it is sent at all." }))
}

/** Makes a body whose fields may also be inside one field, beside nothing but the ids. */
function withEnvelope(operation: Operation, envelope: string, module: JsonSchema): JsonSchema {
  const { required = [], properties, ...rest } = module
  const { title: _, ...inside } = { ...module, description: 'The same fields, as some clients send them.' }
  return {
    ...rest,
    properties: { ...properties, [envelope]: inside },
    if: needing([envelope]),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
    then: { propertyNames: { enum: [envelope, ...Object.keys(operation.ids)] } },
    ...(required.length > 0 && { else: needing(required) }),
  }
}
