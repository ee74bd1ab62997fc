import type * as v from 'valibot'
import { isFiltered } from '../operation/list.ts'
import { groupOf, type Operation } from '../operation/operation.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { documentationOf, listForeignFields, listRequiredExtraFields, listSchemas } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { idPattern } from '../schema/ids.ts'
import { formatIdStart } from '../schema/text.ts'
import { mapValues, pick } from '../schema/values.ts'
import { bodyIn } from './dialect-body.ts'
import {
  jsonContent,
  type OperationItem,
  type Parameter,
  type RequestBodyItem,
  type ResponseItem,
  refTo,
} from './document.ts'
import { errorResponses } from './errors.ts'
import { type Conversion, definitionsIn, type JsonSchema, jsonSchemaOf, wholeOf } from './json-schema.ts'
import { plain } from './plain.ts'

type AnySchema = v.GenericSchema

export type Describing = ReturnType<typeof describingOf>

/**
 * Returns the conversions of a document, for bodies and for responses, and the names of the operations' bodies. A body that is
 * also a field of another body has a second name there.
 */
export function describingOf(bodies: readonly AnySchema[], answers: readonly AnySchema[], dialect: CommonDialect) {
  const shown = definitionsIn(answers)
  // A body has a name of its own even if a response has the same schema, because a body refuses unknown fields.
  const names = Object.entries(definitionsIn(bodies)).map(
    ([name, schema]) => [Object.hasOwn(shown, name) ? `${name}Body` : name, schema] as const,
  )
  const inside = insideOthers(bodies)
  const sent = names.map(([name, schema]) => [inside.has(schema) ? `${name.replace(/Body$/, '')}Fields` : name, schema])
  const conversions: { readonly sent: Conversion; readonly answered: Conversion } = {
    sent: { dialect, place: 'body', definitions: Object.fromEntries(sent) },
    answered: { dialect, place: 'answer', definitions: shown },
  }
  return { dialect, ...conversions, bodyNames: new Map(names.map(([name, schema]) => [schema, name])) }
}

/** Returns the bodies that are fields of others too: there, they have neither the ids of a path nor an envelope. */
function insideOthers(bodies: readonly AnySchema[]): ReadonlySet<AnySchema> {
  const below = new Set(bodies.flatMap((body) => [...listSchemas([body])].filter((schema) => schema !== body)))
  return new Set(bodies.filter((body) => below.has(body)))
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
    description: descriptionOf(operation, describing.dialect),
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

interface Summed {
  readonly summary: string
  readonly status: number
  readonly body?: AnySchema | undefined
  readonly response?: AnySchema | undefined
  readonly wrappable?: boolean
}

/** Describes in sentences what an operation does, takes and returns. */
export function descriptionOf(
  { summary, body, status, response, wrappable }: Summed,
  { moduleEnvelope }: CommonDialect,
): string {
  const taken = body && documentationOf(body).sentence
  const answered = (response && documentationOf(response).sentence) ?? (response ? 'JSON.' : 'no body.')
  return [
    `${summary}.`,
    ...(taken === undefined ? [] : [`Body: ${taken}`]),
    ...(wrappable && moduleEnvelope !== null ? [`The fields may also be inside \`${moduleEnvelope}\`.`] : []),
    `Response ${status}: ${answered}`,
  ].join(' ')
}

function pathParameters({ ids }: Operation): Parameter[] {
  return Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description: `An id that starts with ${formatIdStart(prefix).replaceAll('"', '`')}.`,
    schema: { type: 'string', pattern: idPattern(prefix) },
  }))
}

function queryParameters(operation: Operation, { dialect, answered }: Describing): Parameter[] {
  if (!operation.query) return []
  const { properties = {} } = jsonSchemaOf(operation.query, { ...answered, place: 'query' })
  return Object.entries(properties)
    .filter(([name]) => name !== 'filter' || isFiltered(operation, dialect))
    .map(([name, json]) => {
      const aliases = Object.entries(dialect.queryAliases).flatMap(([alias, own]) => (own === name ? [alias] : []))
      const also = aliases.map((alias) => ` Also as \`${alias}\`.`).join('')
      const parameter = queryParameter(name, { ...json, description: `${json.description ?? ''}${also}` })
      return aliases.length === 0 ? parameter : { ...parameter, 'x-aliases': aliases }
    })
}

export function queryParameter(name: string, json: JsonSchema, required = false): Parameter {
  const { description = '', ...schema } = plain(json)
  return { name, in: 'query', required, description, schema }
}

function bodyOf(operation: Operation, { sent, bodyNames }: Describing): Pick<OperationItem, 'requestBody'> {
  if (!operation.body) return {}
  return { requestBody: requestBody(bodySchema(operation, sent), bodyNames.get(operation.body)) }
}

export function requestBody(json: JsonSchema, name: string | undefined): RequestBodyItem {
  const required = (json.required ?? json.else?.required ?? []).length > 0
  return { required, content: jsonContent(name === undefined ? plain(json) : refTo('schemas', name)) }
}

function bodySchema(operation: Operation, sent: Conversion): JsonSchema {
  return bodyIn(sent.dialect, operation, wholeOf(operation.body as AnySchema, sent)) // It has one.
}

export function answerItem(schema: AnySchema | undefined, mediaType: string, { answered }: Describing): ResponseItem {
  const headers = { [answered.dialect.operationIdHeader]: refTo('headers', 'operationId') }
  if (!schema) return { description: 'Done; there is no body.', headers }
  const { sentence = 'The response.' } = documentationOf(schema)
  return { description: sentence, headers, content: { [mediaType]: { schema: plain(jsonSchemaOf(schema, answered)) } } }
}

export function answerSchemas({ dialect, answered }: Describing): Schemas {
  return mapValues(answered.definitions, (schema) => {
    const { properties = {}, ...json } = wholeOf(schema, answered)
    const foreign = listForeignFields(schema, dialect)
    const always = listRequiredExtraFields(schema, dialect)
    const required = always.length > 0 && { required: [...(json.required ?? []), ...always] }
    return { ...json, ...required, properties: pick(properties, (field) => !foreign.includes(field)) }
  })
}

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns the schemas of bodies, and of everything in them that has a name.
 * @throws Error if two operations, whose bodies are not the same, have one name for them.
 */
export function bodySchemas(operations: readonly Operation[], { sent, bodyNames }: Describing): Schemas {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const name = operation.body && bodyNames.get(operation.body)
    if (name === undefined) continue
    const json = bodySchema(operation, sent)
    if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(json)) {
      throw new Error(`The body of ${operation.name} is not that of the other operation with a body ${name}.`)
    }
    schemas[name] = json
  }
  for (const [name, schema] of Object.entries(sent.definitions)) schemas[name] ??= wholeOf(schema, sent)
  return schemas
}
