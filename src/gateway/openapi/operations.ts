import type * as v from 'valibot'
import { hasFilter } from '../../core/operation/list.ts'
import { groupOf, type Operation } from '../../core/operation/operation.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { documentationOf } from '../../core/schema/documentation.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'
import { ANY_TEXT, idPattern } from '../../core/schema/ids.ts'
import { listForeignFields, listRequiredExtraFields, listSchemas } from '../../core/schema/schema-parts.ts'
import { formatIdStart } from '../../core/schema/text.ts'
import { omit } from '../../core/schema/values.ts'
import { adaptBody } from './dialect-body.ts'
import {
  createJsonContent,
  createReference,
  type OperationItem,
  type Parameter,
  type RequestBodyItem,
  type ResponseItem,
} from './document.ts'
import { createErrorResponses } from './errors.ts'
import {
  type Conversion,
  convert,
  convertWhole,
  createConversion,
  type JsonSchema,
  listDefinitions,
} from './json-schema.ts'
import { simplify } from './plain.ts'

type AnySchema = v.GenericSchema

export type Conversions = ReturnType<typeof createConversions>

/**
 * Creates a document's conversions, for bodies (`sent`) and responses (`returned`), and the names of the operations' bodies. A body that is
 * also a field in another body has a second name for the field.
 */
export function createConversions(
  bodies: readonly AnySchema[],
  responses: readonly AnySchema[],
  dialect: CommonDialect,
) {
  const named = listDefinitions(responses)
  // A body and a response with the same schema have different names, because a body rejects unknown fields.
  const names = Object.entries(listDefinitions(bodies)).map(
    ([name, schema]) => [Object.hasOwn(named, name) ? `${name}Body` : name, schema] as const,
  )
  const innerBodies = listInnerBodies(bodies)
  const sent = names.map(([name, schema]) => [
    innerBodies.has(schema) ? `${name.replace(/Body$/, '')}Fields` : name,
    schema,
  ])
  return {
    dialect,
    sent: createConversion(dialect, 'body', Object.fromEntries(sent)),
    returned: createConversion(dialect, 'response', named),
    bodyNames: new Map(names.map(([name, schema]) => [schema, name])),
  }
}

/** Lists the bodies that are also fields of other bodies. As fields, they have neither the IDs of a path nor an envelope. */
function listInnerBodies(bodies: readonly AnySchema[]): ReadonlySet<AnySchema> {
  const below = new Set(bodies.flatMap((body) => [...listSchemas([body])].filter((schema) => schema !== body)))
  return new Set(bodies.filter((body) => below.has(body)))
}

export function createOperationItem(
  operation: Operation,
  conversions: Conversions,
  errors: readonly CatalogueError[],
): OperationItem {
  const { name, summary } = operation
  return {
    operationId: name,
    tags: [groupOf(operation)],
    summary,
    parameters: [
      ...createPathParameters(operation),
      createReference('parameters', 'version'),
      ...createQueryParameters(operation, conversions),
    ],
    ...createBody(operation, conversions),
    responses: {
      [operation.status]: createResponseItem(operation.response, 'application/json', conversions),
      ...createErrorResponses(errors, conversions.dialect),
    },
  }
}

function createPathParameters({ ids }: Operation): Parameter[] {
  return Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description:
      prefix === ANY_TEXT ? 'A string.' : `An ID that starts with ${formatIdStart(prefix).replaceAll('"', '`')}.`,
    schema: { type: 'string', pattern: idPattern(prefix) },
  }))
}

function createQueryParameters(operation: Operation, { dialect, returned }: Conversions): Parameter[] {
  if (!operation.query) return []
  const { properties = {} } = convert(operation.query, { ...returned, place: 'query' })
  return Object.entries(properties)
    .filter(([name]) => name !== 'filter' || hasFilter(operation, dialect))
    .map(([name, json]) => {
      const aliases = Object.entries(dialect.queryAliases).flatMap(([alias, own]) => (own === name ? [alias] : []))
      const also = aliases.map((alias) => ` Also accepted as \`${alias}\`.`).join('')
      const parameter = createQueryParameter(name, { ...json, description: `${json.description ?? ''}${also}` })
      return aliases.length === 0 ? parameter : { ...parameter, 'x-aliases': aliases }
    })
}

export function createQueryParameter(name: string, json: JsonSchema, required = false): Parameter {
  const { description = '', ...schema } = simplify(json)
  return { name, in: 'query', required, description, schema }
}

function createBody(operation: Operation, { sent, bodyNames }: Conversions): Pick<OperationItem, 'requestBody'> {
  if (!operation.body) return {}
  return { requestBody: createRequestBody(createBodySchema(operation, sent), bodyNames.get(operation.body)) }
}

export function createRequestBody(json: JsonSchema, name: string | undefined): RequestBodyItem {
  const required = (json.required ?? json.else?.required ?? []).length > 0
  return {
    required,
    content: createJsonContent(name === undefined ? simplify(json) : createReference('schemas', name)),
  }
}

function createBodySchema(operation: Operation, sent: Conversion): JsonSchema {
  return adaptBody(sent.dialect, operation, convertWhole(operation.body as AnySchema, sent)) // Only operations with a body reach this line.
}

export function createResponseItem(
  schema: AnySchema | undefined,
  mediaType: string,
  { returned }: Conversions,
): ResponseItem {
  const headers = { [returned.dialect.operationIdHeader]: createReference('headers', 'operationId') }
  if (!schema) return { description: 'Done. The response has no body.', headers }
  const { sentence = 'The response.' } = documentationOf(schema)
  return {
    description: sentence,
    headers,
    content: { [mediaType]: { schema: simplify(convert(schema, returned)) } },
  }
}

export function createResponseSchemas({ dialect, returned }: Conversions): Schemas {
  const schemas = [...returned.names].map(([schema, name]) => {
    const { properties = {}, ...json } = convertWhole(schema, returned)
    const foreign = listForeignFields(schema, dialect)
    const always = listRequiredExtraFields(schema, dialect)
    const required = always.length > 0 && { required: [...(json.required ?? []), ...always] }
    return [name, { ...json, ...required, properties: omit(properties, foreign) }] as const
  })
  return Object.fromEntries(schemas)
}

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns the schemas of bodies, and of everything named inside them.
 * @throws Error if two operations with different bodies have the same name for them.
 */
export function createBodySchemas(operations: readonly Operation[], { sent, bodyNames }: Conversions): Schemas {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const name = operation.body && bodyNames.get(operation.body)
    if (name === undefined) continue
    const json = createBodySchema(operation, sent)
    if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(json)) {
      throw new Error(`The body of ${operation.name} differs from the body of the other operation with a body ${name}.`)
    }
    schemas[name] = json
  }
  for (const [schema, name] of sent.names) schemas[name] ??= convertWhole(schema, sent)
  return schemas
}
