import type { OpenApiDocument, OperationItem } from '../gateway/openapi/document.ts'
import type { JsonSchema } from '../gateway/openapi/json-schema.ts'

export interface ServiceOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly body: JsonSchema | undefined
}

export interface ServiceFamily {
  readonly name: string
  readonly description: string
  /** The path of one resource, with the names of its IDs in braces. */
  readonly itemPath: string
  readonly create: ServiceOperation | undefined
  readonly update: ServiceOperation | undefined
  readonly remove: ServiceOperation | undefined
  readonly actions: readonly ServiceOperation[]
  readonly fields: Readonly<Record<string, JsonSchema>>
}

interface DocumentedOperation {
  readonly item: OperationItem
  readonly operation: ServiceOperation
}

/** The gateway's service, read from its OpenAPI document. */
export class Service {
  readonly families: readonly ServiceFamily[]
  readonly operations: readonly ServiceOperation[]

  constructor(readonly document: OpenApiDocument) {
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, item]) => ({ item, operation: toOperation(method, path, item) })),
    )
    this.operations = all.map(({ operation }) => operation)
    this.families = document.tags.flatMap(({ name, description }) => {
      const operations = all.filter(({ item }) => item.tags.includes(name))
      return operations.length === 0 ? [] : [this.#toFamily(name, description, operations)]
    })
  }

  /** The errors in the catalogue: their keys, with an example of each. */
  get errors(): OpenApiDocument['components']['examples'] {
    return this.document.components.examples
  }

  /** Returns the schema that a schema refers to, without the null alternative. */
  resolve(schema: JsonSchema | undefined): JsonSchema {
    if (!schema) return {}
    if (schema.$ref) return this.resolve(this.document.components.schemas[getLastPart(schema.$ref)])
    // A choice without a type or a reference only states which fields are required.
    const choice = schema.anyOf?.find(({ type, $ref, properties, enum: values }) => {
      return (type ?? $ref ?? properties ?? values) !== undefined && type !== 'null'
    })
    const { anyOf: _, ...own } = schema
    return choice ? { ...this.resolve(choice), ...own } : schema
  }

  /** Returns a link to a record if there is a page for it. `above` contains the IDs of the resources that may contain it. */
  linkToRecord(collection: string, key: string, above: readonly string[] = []): string | undefined {
    const family = this.families.find(({ name }) => name === collection)
    const count = listIdNames(family?.itemPath ?? '').length
    const ids = [...above, ...key.split('/')].slice(-count)
    return family && ids.length === count ? `#resources/${collection}/${ids.join('/')}` : undefined
  }

  #toFamily(name: string, description: string, operations: readonly DocumentedOperation[]): ServiceFamily {
    const named = (end: string) => operations.find(({ operation }) => operation.name === `${name}.${end}`)
    const operation = (end: string) => named(end)?.operation
    const usual = ['list', 'get', 'create', 'update', 'replace', 'delete'].map((each) => `${name}.${each}`)
    return {
      name,
      description,
      itemPath: operation('get')?.path ?? '',
      create: operation('create'),
      update: operation('update') ?? operation('replace'),
      remove: operation('delete'),
      actions: operations.flatMap(({ operation: each }) =>
        usual.includes(each.name) || each.method === 'GET' ? [] : [each],
      ),
      fields: this.#responseSchema(named('get')?.item).properties ?? {},
    }
  }

  #responseSchema(item: OperationItem | undefined): JsonSchema {
    const ok = item?.responses['200']
    const response = ok && '$ref' in ok ? this.document.components.responses[getLastPart(ok.$ref)] : ok
    const content = response && 'content' in response ? response.content : undefined
    return this.resolve(content?.['application/json']?.schema)
  }
}

function toOperation(method: string, path: string, item: OperationItem): ServiceOperation {
  const { operationId: name, summary, requestBody } = item
  return { name, method: method.toUpperCase(), path, summary, body: requestBody?.content['application/json']?.schema }
}

function getLastPart(reference: string): string {
  return reference.split('/').pop() ?? ''
}

export function listIdNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Returns the IDs in a filled path, or undefined if it does not match the template. */
export function matchIds(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`).exec(path)?.groups
}
