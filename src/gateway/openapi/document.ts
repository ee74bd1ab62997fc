import { mapValues, pick } from '../../core/schema/values.ts'
import type { WithEvidence } from './evidence.ts'
import type { JsonSchema } from './json-schema.ts'

/** An OpenAPI 3.1 document, limited to the parts of the format that fauxgate uses. */
export interface OpenApiDocument {
  /** The OpenAPI version. */
  readonly openapi: '3.1.0'
  /** The title, version, authors, and license. */
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
  /** The security requirements of every operation. */
  readonly security: readonly SecurityRequirement[]
  /** The operations, by path. */
  readonly paths: Readonly<Record<string, PathItem>>
  /** The parts that operations reference by name: schemas, parameters, headers, error examples, responses. */
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly examples: Readonly<Record<string, Example>>
    readonly responses: Readonly<Record<string, ResponseItem>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
  /** The sources of evidence: URLs or names. Each `x-fauxgate-evidence` refers to them by zero-based index. */
  readonly 'x-fauxgate-sources': readonly string[]
}

type ComponentKind = Exclude<keyof OpenApiDocument['components'], 'securitySchemes'>

/** The security schemes that a request must all satisfy; an empty object allows any request. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** A reference within the document. */
export interface Reference {
  readonly $ref: string
}

/** The operations of a path, by lowercase method. */
export type PathItem = Readonly<Record<string, OperationItem>>

export interface OperationItem extends WithEvidence {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
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
  /** Other names of the parameter. A request may use only one of its names, so the others are not separate parameters. */
  readonly 'x-aliases'?: readonly string[]
}

export type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, Reference>> }>
>

/** The error for a rejected request. */
export interface Example extends WithEvidence {
  /** The error code. */
  readonly summary: string
  readonly value: {
    readonly error_code: string
    readonly status_code: number
    readonly msg: string
    readonly details: Readonly<Record<string, string>>
  }
}

export function createJsonContent(schema: JsonSchema): Content {
  return { 'application/json': { schema } }
}

/** Creates a reference to one of the components. */
export function createReference(kind: ComponentKind, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}

type Paths = Readonly<Record<string, PathItem>>

/**
 * Moves responses and parameters that occur more than once to the components. A component's name contains the status of a response, or the
 * location and the name of a parameter. If a name is taken, a number is appended.
 */
export function shareParts(paths: Paths) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const responses = createComponents(
    'responses',
    operations.flatMap(({ responses }) => Object.entries(responses).map(([status, item]) => [`Status${status}`, item])),
  )
  const parameters = createComponents(
    'parameters',
    operations.flatMap(({ parameters = [] }) => parameters.map((each) => [formatName(each), each])),
  )
  const shared = ({ parameters: own, ...operation }: OperationItem): OperationItem => ({
    ...operation,
    ...(own && { parameters: own.map(parameters.refOr) }),
    responses: mapValues(operation.responses, responses.refOr),
  })
  return {
    paths: mapValues(paths, (path) => mapValues(path, shared)),
    responses: responses.components,
    parameters: parameters.components,
  }
}

function formatName(parameter: Parameter | Reference): string {
  return '$ref' in parameter ? '' : `${parameter.in}_${parameter.name}`
}

/** Creates components for the parts that occur more than once. `refOr` returns the reference to a part, or the part itself. */
function createComponents<Part extends object>(
  kind: ComponentKind,
  parts: readonly (readonly [name: string, part: Part | Reference])[],
) {
  const uses = new Map<string, { readonly name: string; readonly isRepeated: boolean }>()
  for (const [name, part] of parts) {
    const json = JSON.stringify(part)
    uses.set(json, { name: uses.get(json)?.name ?? name, isRepeated: uses.has(json) && !('$ref' in part) })
  }
  const numbers = new Map<string, number>()
  const names = new Map<string, string>()
  for (const [json, { name, isRepeated }] of uses) {
    if (!isRepeated) continue
    const number = (numbers.get(name) ?? 0) + 1
    numbers.set(name, number)
    names.set(json, number === 1 ? name : `${name}_${number}`)
  }
  const components: Readonly<Record<string, Part>> = Object.fromEntries(
    [...names].map(([json, name]) => [name, JSON.parse(json)]),
  )
  const refOr = (part: Part | Reference) => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : createReference(kind, name)
  }
  return { components, refOr }
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** Returns the schemas that part of a document refers to, directly or through another schema. */
export function pickUsed(part: unknown, schemas: Schemas): Schemas {
  const used = new Set(listNames(part))
  for (const name of used) for (const inner of listNames(schemas[name])) used.add(inner)
  return pick(schemas, (name) => used.has(name))
}

function listNames(part: unknown): string[] {
  const references = (JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)
  return [...references].map(([, name = '']) => name)
}
