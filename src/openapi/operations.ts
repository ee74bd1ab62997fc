import type * as v from 'valibot'
import { isFiltered } from '../operation/list.ts'
import { groupOf, type Operation } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { alwaysShownOf, documentationOf, extraFieldsOf, foreignFieldsOf } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { idPattern } from '../schema/ids.ts'
import { idStart } from '../schema/text.ts'
import {
  jsonContent,
  type OperationItem,
  type Parameter,
  type RequestBodyItem,
  type ResponseItem,
  refTo,
} from './document.ts'
import { errorResponses } from './errors.ts'
import {
  type Conversion,
  definitionOf,
  definitionsIn,
  type JsonSchema,
  jsonSchemaOf,
  nameOf,
  wholeOf,
} from './json-schema.ts'

type AnySchema = v.GenericSchema

/** The conversions of a document: of bodies, and of answers. */
export interface Describing {
  readonly dialect: CommonDialect
  readonly sent: Conversion
  readonly answered: Conversion
}

export function describingOf(
  bodies: readonly AnySchema[],
  answers: readonly AnySchema[],
  dialect: CommonDialect,
): Describing {
  const shown = definitionsIn(answers)
  // What is sent has a name of its own also where the schema is the same: there, unknown fields are refused.
  const sent = Object.entries(definitionsIn(bodies)).map(([name, schema]) => [
    Object.hasOwn(shown, name) ? `${name}Body` : name,
    schema,
  ])
  return {
    dialect,
    sent: { dialect, place: 'body', definitions: Object.fromEntries(sent) },
    answered: { dialect, place: 'answer', definitions: shown },
  }
}

export function operationItem(
  operation: Operation,
  describing: Describing,
  errors: readonly CatalogueError[],
): OperationItem {
  const { name, summary } = operation
  return {
    operationId: name,
    tags: [groupOf(operation)],
    summary,
    parameters: [
      ...pathParameters(operation),
      refTo('parameters', 'version'),
      ...queryParameters(operation, describing),
    ],
    ...bodyOf(operation, describing),
    responses: {
      [operation.status]: answerItem(operation.response, 'application/json', describing),
      ...errorResponses(errors, describing.dialect),
    },
  }
}

function pathParameters({ ids }: Operation): Parameter[] {
  return Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description: `An id that starts with ${idStart(prefix).replaceAll('"', '`')}.`,
    schema: { type: 'string', pattern: idPattern(prefix) },
  }))
}

function queryParameters(operation: Operation, { dialect, answered }: Describing): Parameter[] {
  if (!operation.query) return []
  const { properties = {} } = jsonSchemaOf(operation.query, { ...answered, place: 'query' })
  const parameters = Object.entries(properties)
    .filter(([name]) => name !== 'filter' || isFiltered(operation, dialect))
    .map(([name, json]) => queryParameter(name, json))
  const aliases = Object.entries(dialect.queryAliases).flatMap(([alias, name]) => {
    const json = properties[name]
    return json ? [queryParameter(alias, { ...json, description: `Another name of \`${name}\`.` })] : []
  })
  return [...parameters, ...aliases]
}

export function queryParameter(name: string, { description = '', ...schema }: JsonSchema, required = false): Parameter {
  return { name, in: 'query', required, description, schema }
}

function bodyOf(operation: Operation, { sent }: Describing): Pick<OperationItem, 'requestBody'> {
  if (!operation.body) return {}
  return { requestBody: requestBody(bodySchema(operation, sent), nameOf(operation.body, sent)) }
}

export function requestBody(json: JsonSchema, name: string | undefined): RequestBodyItem {
  const required = (json.required?.length ?? 0) > 0 || json.anyOf !== undefined
  return { required, content: jsonContent(name === undefined ? json : refTo('schemas', name)) }
}

function bodySchema(operation: Operation, sent: Conversion): JsonSchema {
  return bodyIn(sent.dialect, operation, wholeOf(operation.body as AnySchema, sent)) // It has one.
}

export function answerItem(schema: AnySchema | undefined, mediaType: string, { answered }: Describing): ResponseItem {
  const headers = { [answered.dialect.operationIdHeader]: refTo('headers', 'operationId') }
  if (!schema) return { description: 'Done; there is no body.', headers }
  const { sentence = 'The answer.' } = documentationOf(schema)
  return { description: sentence, headers, content: { [mediaType]: { schema: jsonSchemaOf(schema, answered) } } }
}

export function answerSchemas({ dialect, answered }: Describing): Schemas {
  return Object.fromEntries(
    Object.entries(answered.definitions).map(([name, schema]) => {
      const { properties = {}, ...json } = definitionOf(name, answered)
      const foreign = foreignFieldsOf(schema, dialect)
      const left = Object.entries(properties).filter(([field]) => !foreign.includes(field))
      const always = alwaysShownOf(schema, dialect)
      const required = always.length > 0 && { required: [...(json.required ?? []), ...always] }
      return [name, { ...json, ...required, properties: Object.fromEntries(left) }]
    }),
  )
}

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Everything in a body that has a name.
 * @throws Error where two operations, whose bodies are not the same, have one name for them.
 */
export function bodySchemas(operations: readonly Operation[], { sent }: Describing): Schemas {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const name = operation.body && nameOf(operation.body, sent)
    if (name === undefined) continue
    const json = bodySchema(operation, sent)
    if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(json)) {
      throw new Error(`The body of ${operation.name} is not that of the other operation with a body ${name}.`)
    }
    schemas[name] = json
  }
  for (const name of Object.keys(sent.definitions)) schemas[name] ??= definitionOf(name, sent)
  return schemas
}

type Fields = Readonly<Record<string, JsonSchema>>

/**
 * A body's schema as a dialect has it: without the fields that are other services', with its own names for fields, the
 * fields that it ignores, the ids that may repeat the path's, and the envelope around it.
 */
function bodyIn(dialect: CommonDialect, operation: Operation, json: JsonSchema): JsonSchema {
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
