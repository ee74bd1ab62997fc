import type { WithEvidence } from './evidence.ts'
import type { JsonSchema } from './json-schema.ts'

/** An OpenAPI 3.1 document, as far as fauxgate writes one. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.0'
  /** The title, the version, the makers and the license. */
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string; readonly url: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  /** The base URLs of the service. */
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  /** The groups of operations: one per family, or the controls. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The security schemes of every operation. */
  readonly security: readonly SecurityRequirement[]
  /** The operations, by path. */
  readonly paths: Readonly<Record<string, PathItem>>
  /** The parts that operations refer to by name: schemas, parameters, headers, examples of errors, responses. */
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly examples: Readonly<Record<string, Example>>
    readonly responses: Readonly<Record<string, ResponseItem>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

/** The names of the security schemes that together let a request in; none lets any in. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** A reference to a part of the document. */
export interface Reference {
  readonly $ref: string
}

/** The operations of a path, by method in lower case. */
export type PathItem = Readonly<Record<string, OperationItem>>

export interface OperationItem extends WithEvidence {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBodyItem
  readonly responses: Readonly<Record<string, ResponseItem | Reference>>
}

export interface RequestBodyItem {
  readonly required: boolean
  readonly content: Content
}

export interface ResponseItem {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Content
}

export interface Header {
  readonly description: string
  readonly schema: JsonSchema
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly deprecated?: boolean
  readonly schema: JsonSchema
  /** Other names of the parameter, of which a request has one. Typed clients could not tell them apart. */
  readonly 'x-aliases'?: readonly string[]
}

export type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, Reference>> }>
>

/** The error of a refused request. */
export interface Example extends WithEvidence {
  /** The code of the error. */
  readonly summary: string
  readonly value: {
    readonly error_code: string
    readonly status_code: number
    readonly msg: string
    readonly details: Readonly<Record<string, string>>
  }
}

export function jsonContent(schema: JsonSchema): Content {
  return { 'application/json': { schema } }
}

/** The reference to a part of the components. */
export function refTo(kind: 'schemas' | 'examples' | 'headers' | 'parameters' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}

type Paths = Readonly<Record<string, PathItem>>

/** Moves responses that occur more than once to components, named by their status, with a number from the second on. */
export function withSharedResponses(paths: Paths): {
  readonly paths: Paths
  readonly responses: Readonly<Record<string, ResponseItem>>
} {
  const statuses = new Map<string, string[]>()
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [status, item] of Object.entries(responses)) {
      const json = JSON.stringify(item)
      statuses.set(json, [...(statuses.get(json) ?? []), status])
    }
  }
  const names = new Map<string, string>()
  for (const [json, [status, second]] of statuses) {
    if (second === undefined) continue
    const before = [...names.values()].filter((name) => name.split('_')[0] === `Status${status}`).length
    names.set(json, before === 0 ? `Status${status}` : `Status${status}_${before + 1}`)
  }
  const shared = (item: ResponseItem | Reference) => {
    const name = names.get(JSON.stringify(item))
    return name === undefined ? item : refTo('responses', name)
  }
  return {
    paths: mapValues(paths, (path) =>
      mapValues(path, (operation) => ({ ...operation, responses: mapValues(operation.responses, shared) })),
    ),
    responses: Object.fromEntries([...names].map(([json, name]) => [name, JSON.parse(json)])),
  }
}

export function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

type Schemas = Readonly<Record<string, JsonSchema>>

export function usedFrom(part: unknown, schemas: Schemas): Schemas {
  const used = new Set(namesIn(part))
  for (const name of used) for (const inner of namesIn(schemas[name])) used.add(inner)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

function namesIn(part: unknown): string[] {
  const references = (JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)
  return [...references].map(([, name = '']) => name)
}
