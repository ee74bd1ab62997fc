import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { lazy } from '../../src/core/schema/values.ts'
import type { CallableFamilies as Families } from '../../src/gateway/direct/direct-api.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import type { Dialect, Gateway } from '../../src/index.ts'
import type { Answer } from './client.ts'

/** The parts of a request that the document describes. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** The JSON that was sent, if any was. */
  readonly json: unknown
}

/**
 * Lists the differences between a response and the OpenAPI document of the gateway's dialect. There are none if the path has
 * no such operation, or if a fault may have changed the response.
 */
export function findDifferences(gateway: Gateway, request: SentRequest, answer: Answer, families?: Families): string[] {
  const id = answer.headers.get(gateway.dialect.operationIdHeader)
  const entry = gateway.requests.last()
  if (entry?.operationId === id && entry?.fault) return []
  const operation = documentFor(gateway.dialect, families).operationAt(request, gateway.url)
  if (!operation) return []
  return [...operation.answerProblems(answer, request.method), ...operation.requestProblems(request, answer)]
}

/** Lists the differences of a body from the OpenAPI document of the gateway's dialect. */
export function findBodyProblems(gateway: Gateway, request: SentRequest): string[] {
  const operation = documentFor(gateway.dialect).operationAt(request, gateway.url)
  if (!operation) throw new Error(`${request.method} ${request.url} is not documented.`)
  return operation.bodyProblems(request)
}

const documents = new WeakMap<object, { dialect: Dialect; document: ReturnType<typeof createDocument> }>()

function documentFor(dialect: Dialect, families?: Families) {
  const known = documents.get(families ?? dialect)
  if (known?.dialect === dialect) return known.document
  const document = createDocument(dialect, families)
  documents.set(families ?? dialect, { dialect, document })
  return document
}

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as JSON
type Json = any

function createDocument(dialect: Dialect, families: Families = {}) {
  // Most tests call no control over HTTP.
  const [service, controls] = (['service', 'controls'] as const).map((part) =>
    lazy(() => createPart(dialect, families, part)),
  )
  return {
    operationAt: (request: SentRequest, base: string) => service?.()(request, base) ?? controls?.()(request, base),
  }
}

function createPart(dialect: Dialect, families: Families, part: 'service' | 'controls') {
  const document: Json = closed(JSON.parse(JSON.stringify(openApi(dialect, { families, part }))))
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  ajv.addFormat('uri', (text) => URL.canParse(text))
  ajv.addFormat('double', { type: 'number', validate: Number.isFinite })
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
  ajv.addSchema({ $id: 'document', ...document })
  const validators = new Map<string, ValidateFunction>()
  const problems = (pointer: string[], value: unknown) => {
    const $ref = `document#/${pointer.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    const validate = validators.get($ref) ?? ajv.compile({ $ref })
    validators.set($ref, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`)
  }
  const routes = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return ({ method, url }: SentRequest, base: string) => {
    const pathname = url.slice(url.startsWith(base) ? base.length : 0).replace(/[?#].*$/s, '')
    const path = routes.find(({ pattern }) => pattern.test(pathname))?.path
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    if (path === undefined || !document.paths[path][verb]) return undefined
    return operationOf(document, ['paths', path, verb], problems)
  }
}

const JSON_SCHEMA = ['content', 'application/json', 'schema']

function operationOf(document: Json, pointer: string[], problems: (pointer: string[], value: unknown) => string[]) {
  const item = pointer.reduce((part, name) => part[name], document)
  return {
    answerProblems({ status, headers, text, body }: Answer, method: string): string[] {
      // The option `emptyJsonOnDelete`.
      if (item.responses[204] && status === 200 && text === '{}') return []
      const shared: string[] | undefined = item.responses[status]?.$ref?.split('/').slice(1)
      const place = shared ?? [...pointer, 'responses', String(status)]
      const response = place.reduce((part, name) => part[name], document)
      if (!response) return [`the status ${status} is not documented`]
      const missing = Object.keys(response.headers ?? {}).filter((name) => !headers.has(name))
      const found = missing.map((name) => `the header ${name} is missing`)
      if (method === 'HEAD') return found
      if (!response.content) return text === '' ? found : [...found, 'a body is not documented']
      const type = headers.get('content-type') ?? ''
      if (!response.content[type]) return [...found, `the content type "${type}" is not documented`]
      if (type !== 'application/json') return found
      const { examples } = response.content[type]
      const codes = Object.keys(examples ?? {}).map((key) => document.components.examples[key].value.error_code)
      if (examples && !codes.includes(body.error_code)) found.push(`the error ${body.error_code} is not documented`)
      return [...found, ...problems([...place, ...JSON_SCHEMA], body)]
    },
    /** Lists the differences of a successful request from the document. */
    requestProblems({ url, json }: SentRequest, { status }: Answer): string[] {
      if (status >= 300) return []
      const names = [...new URL(url).searchParams.keys()]
      const parameters = (item.parameters ?? [])
        .map(({ $ref = '', ...own }: Json) => document.components.parameters[$ref.split('/').at(-1)] ?? own)
        .filter((each: Json) => each.in === 'query')
        .flatMap((each: Json) => [each.name, ...(each['x-aliases'] ?? [])])
      const unknown = names
        .filter((name) => !parameters.includes(name))
        .map((name) => `the parameter ${name} is not documented`)
      return [...unknown, ...this.bodyProblems({ json })]
    },
    bodyProblems({ json }: Pick<SentRequest, 'json'>): string[] {
      if (json === undefined || !item.requestBody) return []
      return problems([...pointer, 'requestBody', ...JSON_SCHEMA], json)
    },
  }
}

/** Changes a document so that objects allow only the fields that it names. */
function closed(document: Json): Json {
  const walk = (part: Json): void => {
    if (typeof part !== 'object' || part === null) return
    const isObject = part.type === 'object' || part.type?.includes?.('object')
    if (isObject && part.properties && part.additionalProperties === undefined) part.additionalProperties = false
    for (const inner of Object.values(part)) walk(inner)
  }
  walk(document)
  return document
}
