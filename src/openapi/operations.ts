import type * as v from 'valibot'
import type { Operation } from '../operation/operation.ts'
import { errorsOf } from '../operation/operation-errors.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { documentationOf } from '../schema/documentation.ts'
import { foreignFieldsOf } from '../schema/given-values.ts'
import { idPattern } from '../schema/ids.ts'
import { bodyIn } from './bodies.ts'
import { definitionsIn } from './definitions.ts'
import {
  jsonContent,
  type OperationItem,
  type Parameter,
  type RequestBodyItem,
  type ResponseItem,
  refTo,
} from './document.ts'
import { errorResponses } from './errors.ts'
import { type Conversion, definitionOf, type JsonSchema, jsonSchemaOf, nameOf, wholeOf } from './json-schema.ts'

type AnySchema = v.GenericSchema

/** How the operations of a gateway are put into a document: the schemas that have names, of bodies and of answers. */
export interface Describing {
  readonly dialect: CommonDialect
  readonly sent: Conversion
  readonly answered: Conversion
}

/** Gets ready to describe what is sent and what is answered. */
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

/** One operation of the API. */
export function operationItem(operation: Operation, describing: Describing): OperationItem {
  const { name, summary } = operation
  return {
    operationId: name,
    tags: [tagOf(operation)],
    summary,
    parameters: [
      ...pathParameters(operation),
      refTo('parameters', 'version'),
      ...queryParameters(operation, describing),
    ],
    ...bodyOf(operation, describing),
    responses: {
      [operation.status]: successOf(operation, describing),
      ...errorResponses(errorsOf(operation), describing.dialect),
    },
  }
}

/** The group of an operation, such as `reserved_domains`. */
export function tagOf({ name }: Operation): string {
  return name.slice(0, name.indexOf('.'))
}

function pathParameters({ ids }: Operation): Parameter[] {
  return Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description: `An id that starts with \`${prefix}_\`.`,
    schema: { type: 'string', pattern: idPattern(prefix) },
  }))
}

function queryParameters({ query }: Operation, { dialect, answered }: Describing): Parameter[] {
  if (!query) return []
  const { properties = {} } = jsonSchemaOf(query, { ...answered, place: 'query' })
  const parameters = Object.entries(properties).map(([name, json]) => queryParameter(name, json))
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
  const json = bodySchema(operation, sent)
  const name = nameOf(operation.body, sent)
  return { requestBody: requestBody(json, name) }
}

/** A body, by its name where it has one. */
export function requestBody(json: JsonSchema, name: string | undefined): RequestBodyItem {
  const required = (json.required?.length ?? 0) > 0 || json.anyOf !== undefined
  return { required, content: jsonContent(name === undefined ? json : refTo('schemas', name)) }
}

/** The schema of a body, in full. */
export function bodySchema(operation: Operation, sent: Conversion): JsonSchema {
  return bodyIn(sent.dialect, operation, wholeOf(operation.body as AnySchema, sent)) // It has one.
}

function successOf({ response }: Operation, describing: Describing): ResponseItem {
  return answerItem(response, 'application/json', describing)
}

/** A successful answer. */
export function answerItem(schema: AnySchema | undefined, mediaType: string, { answered }: Describing): ResponseItem {
  const headers = { [answered.dialect.operationIdHeader]: refTo('headers', 'operationId') }
  if (!schema) return { description: 'Done; there is no body.', headers }
  const { sentence = 'The answer.' } = documentationOf(schema)
  return { description: sentence, headers, content: { [mediaType]: { schema: jsonSchemaOf(schema, answered) } } }
}

/** Everything in an answer that has a name, as a dialect shows it. */
export function answerSchemas({ dialect, answered }: Describing): Schemas {
  return Object.fromEntries(
    Object.entries(answered.definitions).map(([name, schema]) => {
      const { properties = {}, ...json } = definitionOf(name, answered)
      const foreign = foreignFieldsOf(schema, dialect)
      const left = Object.entries(properties).filter(([field]) => !foreign.includes(field))
      return [name, { ...json, properties: Object.fromEntries(left) }]
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
