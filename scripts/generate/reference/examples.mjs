// Creates the examples of the service reference: each operation as curl and as a direct call, after running both.
import { operationsOf } from '../../operations.mjs'

/** The order of methods: creations, then reads, then changes. */
const ORDER = ['post', 'put', 'get', 'patch', 'delete']

/** Returns the examples of a document's operations, by their names. The gateways have a route for its modules. */
export async function createExamples(document, { createNgrok, manualClock, upload }) {
  const createExampleGateway = () => {
    const gateway = createNgrok({ seed: 'reference', clock: manualClock('2026-01-01T00:00:00Z') })
    gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
    return gateway
  }
  const [direct, served] = [createExampleGateway(), createExampleGateway()]
  const created = {}
  const examples = {}
  for (const operation of sortOperations(operationsOf(document), document, upload)) {
    const { operationId } = operation
    const input = createInput(operation, document, created, upload)
    const { url, init } = createRequest(operation, input, document)
    const response = await served.fetch(url, init)
    const text = await response.text()
    if (response.status >= 400)
      throw new Error(
        `The example of ${operationId} is refused: ${text}\nGive its body another: named(v.object({ … }), '…', '…', { json: { examples: [{ … }] } }).`,
      )
    const call = formatCall(operationId, input, upload)
    const result = new Function('gateway', 'upload', `return ${call}`)(direct, upload)
    const json = text === '' ? undefined : JSON.parse(text)
    if (JSON.stringify(json) !== JSON.stringify(result)) throw new Error(`The two examples of ${operationId} differ.`)
    if (operation.method === 'post') created[findPrefix(json.id)] = json.id
    examples[operationId] = { curl: formatCurl(url, init, input.body === upload), call, status: response.status, json }
  }
  return examples
}

/** Sorts operations: resources that refer to others are created last and removed first, and a part before the whole. */
function sortOperations(operations, document, upload) {
  const known = operations.flatMap(({ parameters }) =>
    parameters.map(({ schema }) => `"${findPrefix(schema.pattern)}_1"`),
  )
  const refers = ({ body = {} }) => known.some((id) => JSON.stringify(body).includes(id))
  const referring = operations
    .filter((each) => each.method === 'post' && refers(createInput(each, document, {}, upload)))
    .map(({ tags }) => tags[0])
  // A POST below an id needs the resource with the id.
  const rank = ({ method, path }) => ORDER.indexOf(method === 'post' && path.includes('{') ? 'put' : method)
  const turn = ({ method, tags }) => (referring.indexOf(tags[0]) + 1) * (method === 'delete' ? -1 : 1)
  return operations.sort((a, b) => rank(a) - rank(b) || turn(a) - turn(b) || b.path.length - a.path.length)
}

/** Creates the ids, the body and the query of an example. The ids are of created resources, or unknown ones. */
function createInput({ parameters = [], requestBody }, document, created, upload) {
  const inPlace = (place) => parameters.filter((each) => each.in === place)
  const ids = inPlace('path').map(({ name, schema }) => [name, createSample(schema, document, created)])
  const query = inPlace('query').filter(({ schema }) => schema.examples)
  const schema = requestBody && resolve(requestBody.content['application/json'].schema, document)
  return {
    ids: Object.fromEntries(ids),
    query: query.length > 0 && Object.fromEntries(query.map(({ name, schema }) => [name, schema.examples[0]])),
    body:
      schema &&
      (schema.properties?.certificate_pem
        ? createUpload(schema, document, upload)
        : createSample(schema, document, created)),
  }
}

/** Creates a body, with a real certificate if one is required. */
const createUpload = (schema, document, upload) =>
  schema.required?.includes('certificate_pem') ? upload : createSample(schema, document)

/** Returns a part of a document; for a reference, its target. */
const resolve = (part, document) =>
  part.$ref
    ? part.$ref
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name], document)
    : part

/** Creates a value of a schema: its example, or the required fields and those with examples. */
export function createSample(schema, document, created = {}) {
  const {
    examples,
    enum: values,
    type,
    anyOf,
    properties,
    pattern,
    items,
    minItems,
    minimum,
    minLength = 0,
    ...more
  } = resolve(schema, document)
  if (examples) return examples[0]
  if (values) return values[0]
  if (anyOf) return createSample(anyOf[0], document, created)
  if (properties) {
    const sampleFields = Object.entries(properties).filter(
      ([name, each]) => more.required?.includes(name) || each.examples,
    )
    return Object.fromEntries(sampleFields.map(([name, each]) => [name, createSample(each, document, created)]))
  }
  const [kind] = [type].flat()
  if (kind === 'array') return minItems ? [createSample(items, document, created)] : []
  if (kind === 'object') return {}
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  const prefix = findPrefix(pattern)
  return prefix ? (created[prefix] ?? `${prefix}_1`) : 'text'.padEnd(minLength, '-text')
}

/** Returns the prefix of an id, or of the pattern of an id. */
const findPrefix = (text) => /(?:^|\^)([a-z]+)_/.exec(text)?.[1]

function createRequest({ path, method }, { ids, body, query }, { servers, components }) {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name])
  const headers = { Authorization: 'Bearer <API key>', [components.parameters.version.name]: '2' }
  if (body) headers['Content-Type'] = 'application/json'
  const init = { method: method.toUpperCase(), headers, ...(body && { body: JSON.stringify(body) }) }
  return { url: `${servers[0].url}${at}${query ? `?${new URLSearchParams(query)}` : ''}`, init }
}

function formatCurl(url, { method, headers, body }, isUpload) {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body ? [`--data ${isUpload ? '@upload.json' : `'${body.replaceAll("'", "'\\''")}'`}`] : []),
  ]
  return lines.join(' \\\n  ')
}

function formatCall(name, { ids, body, query }, upload) {
  const [family, verb] = name.split('.').map((part) => part.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()))
  const names = Object.keys(ids)
  const input = body ?? (query || undefined)
  const args = [
    ...(names.length === 0 ? [] : [formatLiteral(names.length === 1 ? ids[names[0]] : ids)]),
    ...(input === undefined ? [] : [input === upload ? 'upload' : formatLiteral(input)]),
  ]
  return `gateway.${family}.${verb}(${args.join(', ')})`
}

/** Formats a value as people write it in JavaScript. */
function formatLiteral(value) {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([name, each]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${formatLiteral(each)}`,
  )
  return `{ ${fields.join(', ')} }`
}
