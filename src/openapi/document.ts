import type { JsonSchema } from './json-schema.ts'

/** An OpenAPI 3.1 document, as far as fauxgate writes one. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.0'
  /** What the document is of. */
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  /** Where the service is. */
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  /** The groups of operations: one per family, and the controls. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** What lets a request in, unless its operation says otherwise. */
  readonly security: readonly SecurityRequirement[]
  /** The operations, by path. */
  readonly paths: Readonly<Record<string, PathItem>>
  /** What operations refer to by name: schemas, parameters, headers, examples. */
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, ResponseItem>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

/** The names of the security schemes that together let a request in; none lets any in. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** What a reference to a part of the document looks like. */
export interface Reference {
  readonly $ref: string
}

/** The operations of a path, by method in lower case. */
export type PathItem = Readonly<Record<string, OperationItem>>

/** One operation of a path. */
export interface OperationItem {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly SecurityRequirement[]
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
}

/** What a body can be, by media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

/** The content of a body that is JSON. */
export function jsonContent(schema: JsonSchema): Content {
  return { 'application/json': { schema } }
}

/** The reference to a part of the components. */
export function refTo(kind: 'schemas' | 'headers' | 'parameters' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}

type Paths = Readonly<Record<string, PathItem>>

/** Paths whose responses that occur more than once are references, and these responses by name. */
export function withSharedResponses(paths: Paths): {
  readonly paths: Paths
  readonly responses: Readonly<Record<string, ResponseItem>>
} {
  const repeated = repeatedIn(paths)
  const shared = (item: ResponseItem | Reference) => {
    const name = repeated.get(JSON.stringify(item))
    return name === undefined ? item : refTo('responses', name)
  }
  return {
    paths: mapValues(paths, (path) =>
      mapValues(path, (operation) => ({ ...operation, responses: mapValues(operation.responses, shared) })),
    ),
    responses: Object.fromEntries([...repeated].map(([json, name]) => [name, JSON.parse(json)])),
  }
}

/** The names of the responses that occur more than once, by their JSON: the status, and a number from the second on. */
function repeatedIn(paths: Paths): ReadonlyMap<string, string> {
  const times = new Map<string, { readonly status: string; count: number }>()
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [status, item] of Object.entries(responses)) {
      const seen = times.get(JSON.stringify(item)) ?? { status, count: 0 }
      seen.count++
      times.set(JSON.stringify(item), seen)
    }
  }
  const names = new Map<string, string>()
  const numbers = new Map<string, number>()
  for (const [json, { status, count }] of times) {
    if (count === 1) continue
    const number = (numbers.get(status) ?? 0) + 1
    numbers.set(status, number)
    names.set(json, number === 1 ? `Status${status}` : `Status${status}_${number}`)
  }
  return names
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** The schemas that a part of the document refers to, and those that these refer to: a dialect may leave out a whole field. */
export function usedFrom(part: unknown, schemas: Schemas): Schemas {
  const used = new Set<string>()
  const left = namesIn(part)
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (used.has(name)) continue
    used.add(name)
    left.push(...namesIn(schemas[name]))
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

function namesIn(part: unknown): string[] {
  const references = (JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)
  return [...references].map(([, name = '']) => name)
}
