import type { Operation } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { extraFieldsOf } from '../schema/given-values.ts'
import type { JsonSchema } from './json-schema.ts'

type Fields = Readonly<Record<string, JsonSchema>>

/**
 * A body's schema as a dialect has it: without the fields that are other services', with its own names for fields, the
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
  return { anyOf: [body, envelopeOf(operation, dialect.moduleEnvelope, body)] }
}

function withoutExtras({ name, body }: Operation, { extraFields }: CommonDialect, json: JsonSchema): JsonSchema {
  const known = extraFields[name] ?? []
  const foreign = (body ? extraFieldsOf(body) : []).filter((field) => !known.includes(field))
  const left = Object.entries(json.properties ?? {}).filter(([field]) => !foreign.includes(field))
  return { ...json, properties: Object.fromEntries(left) }
}

function groupOf({ name }: Operation): string {
  return name.slice(0, name.indexOf('.'))
}

/** The dialect's other names of the fields that a body has, with the schemas of those. */
function namesIn(operation: Operation, { fieldAliases }: CommonDialect, { properties = {} }: JsonSchema): Name[] {
  return Object.entries(fieldAliases[groupOf(operation)] ?? {}).flatMap(([alias, field]) => {
    const json = properties[field]
    return json ? [{ alias, field, json }] : []
  })
}

interface Name {
  readonly alias: string
  readonly field: string
  readonly json: JsonSchema
}

/** The fields of a body; one that has another name may be empty beside it. */
function ownFields(operation: Operation, dialect: CommonDialect, body: JsonSchema): Fields {
  const named = namesIn(operation, dialect, body).map(({ field, json }) => [field, orEmpty(json)])
  return { ...body.properties, ...Object.fromEntries(named) }
}

/** A text that may be empty or null as well; what is no text may be null already. */
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
    const label = `A text without a dot stands for that label below \`${below}\`.`
    return [alias, { ...anyText, description: `${another} ${label}` }]
  })
  return Object.fromEntries(aliases)
}

/** What must be sent: of a field with another name, it or that one. */
function requiredOf(
  operation: Operation,
  dialect: CommonDialect,
  body: JsonSchema,
): Pick<JsonSchema, 'required' | 'anyOf'> {
  const choices = namesIn(operation, dialect, body).filter(({ field }) => body.required?.includes(field))
  if (choices.length === 0) return {}
  const left = body.required?.filter((name) => !choices.some(({ field }) => field === name)) ?? []
  const names = new Set(choices.flatMap(({ alias, field }) => [alias, field]))
  return { required: left, anyOf: [...names].map((name) => ({ required: [...left, name] })) }
}

function ignoredBy(operation: Operation, { ignoredFields }: CommonDialect): Fields {
  const names = [...(ignoredFields[groupOf(operation)] ?? []), ...(ignoredFields[operation.name] ?? [])]
  return Object.fromEntries(names.map((name) => [name, { description: 'Accepted, and without effect.' }]))
}

/** The path's ids, which a body may repeat. */
function idsOf({ ids }: Operation): Fields {
  const name = (id: string) => [
    id,
    { type: ['string', 'null'], description: "The path's own id, if it is sent at all." },
  ]
  return Object.fromEntries(Object.keys(ids).map(name))
}

function envelopeOf(operation: Operation, envelope: string, module: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: `The same in the envelope that some clients send.`,
    properties: { ...idsOf(operation), [envelope]: module },
    required: [envelope],
    additionalProperties: false,
  }
}
