import type { OpenApiDocument, OperationItem } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'

/** One operation of the service, as the OpenAPI document has it. */
export interface ServiceOperation {
  readonly name: string
  readonly method: string
  /** With its ids in braces. */
  readonly path: string
  readonly summary: string
  /** The schema of the body, where there is one. */
  readonly body: JsonSchema | undefined
}

/** A family of resources: everything that the page knows of it comes from the OpenAPI document. */
export interface ServiceFamily {
  readonly name: string
  readonly description: string
  /** The path of one resource, with its ids in braces. */
  readonly itemPath: string
  readonly list: ServiceOperation | undefined
  /** The key of the items in a list's answer. */
  readonly items: string
  readonly get: ServiceOperation | undefined
  readonly create: ServiceOperation | undefined
  readonly update: ServiceOperation | undefined
  readonly remove: ServiceOperation | undefined
  /** Whatever else there is to do with one resource. */
  readonly actions: readonly ServiceOperation[]
  /** The fields of a resource, in their order. */
  readonly fields: Readonly<Record<string, JsonSchema>>
}

/** The service behind the page, read from its OpenAPI document. */
export class Service {
  readonly families: readonly ServiceFamily[]
  readonly operations: readonly ServiceOperation[]

  constructor(readonly document: OpenApiDocument) {
    const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/_fauxgate/'))
    const all = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, item]) => ({ item, operation: this.#operation(method, path, item) })),
    )
    this.operations = all.map(({ operation }) => operation)
    this.families = document.tags.flatMap(({ name, description }) => {
      const own = all.filter(({ item }) => item.tags.includes(name))
      return own.length === 0 ? [] : [this.#family(name, description, own)]
    })
  }

  /** The header that tells the version, with its value. */
  get versionHeader(): Record<string, string> {
    const { name, schema } = this.document.components.parameters.version ?? {}
    return name ? { [name]: String(schema?.enum?.[0] ?? '') } : {}
  }

  /** A schema in the place of the reference to it, or of the choice between it and null. */
  resolved(schema: JsonSchema | undefined): JsonSchema {
    if (!schema) return {}
    if (schema.$ref) return this.resolved(this.document.components.schemas[schema.$ref.split('/').pop() ?? ''])
    const choice = schema.anyOf?.find(({ type }) => type !== 'null')
    return choice
      ? { ...this.resolved(choice), ...(schema.description && { description: schema.description }) }
      : schema
  }

  /** The family whose resources stand at a path, and the operation's ids there. */
  operationNamed(name: string | null): ServiceOperation | undefined {
    return this.operations.find((each) => each.name === name)
  }

  #operation(method: string, path: string, item: OperationItem): ServiceOperation {
    const body = item.requestBody?.content['application/json']?.schema
    return { name: item.operationId, method: method.toUpperCase(), path, summary: item.summary, body }
  }

  #family(
    name: string,
    description: string,
    own: readonly { readonly item: OperationItem; readonly operation: ServiceOperation }[],
  ): ServiceFamily {
    const named = (end: string) => own.find(({ operation }) => operation.name === `${name}.${end}`)
    const [list, get] = [named('list'), named('get')]
    const usual = ['list', 'get', 'create', 'update', 'replace', 'delete'].map((each) => `${name}.${each}`)
    const page = this.#answered(list?.item).properties ?? {}
    return {
      name,
      description,
      itemPath: get?.operation.path ?? '',
      list: list?.operation,
      items: Object.keys(page).find((key) => this.resolved(page[key]).type === 'array') ?? '',
      get: get?.operation,
      create: named('create')?.operation,
      update: (named('update') ?? named('replace'))?.operation,
      remove: named('delete')?.operation,
      actions: own.flatMap(({ operation }) => (usual.includes(operation.name) ? [] : [operation])),
      fields: this.#answered(get?.item).properties ?? {},
    }
  }

  #answered(item: OperationItem | undefined): JsonSchema {
    const answer = item?.responses['200']
    const whole =
      answer && '$ref' in answer ? this.document.components.responses[answer.$ref.split('/').pop() ?? ''] : answer
    return this.resolved(whole && 'content' in whole ? whole.content?.['application/json']?.schema : undefined)
  }
}

/** A path with ids in the places of their names. */
export function filledPath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''))
}

/** The names of the ids in a path. */
export function idsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** The ids of a path by a template of it, or undefined where it is none of that template. */
export function idsOf(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`).exec(path)?.groups
}
