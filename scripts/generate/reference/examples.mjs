// The examples of the service reference: each operation as curl and as a direct call, carried out both ways.
import { operationsOf } from '../../operations.mjs'

/** First what creates, then what reads, then what changes. */
const ORDER = ['post', 'put', 'get', 'patch', 'delete']

/** Returns the examples of a document's operations, by their names. */
export async function examplesOf(document, { createGateway, manualClock, upload }) {
  const open = () => createGateway({ seed: 'reference', clock: manualClock('2026-01-01T00:00:00Z') })
  const [direct, served] = [open(), open()]
  const created = {}
  const examples = {}
  for (const operation of inOrder(operationsOf(document), document, upload)) {
    const { operationId } = operation
    const sent = sentOf(operation, document, created, upload)
    const { url, init } = requestOf(operation, sent, document)
    const response = await served.fetch(url, init)
    const text = await response.text()
    if (response.status >= 400)
      throw new Error(
        `The example of ${operationId} is refused: ${text}\nGive its body another: named(v.object({ … }), '…', '…', { json: { examples: [{ … }] } }).`,
      )
    const call = callOf(operationId, sent, upload)
    const result = new Function('gateway', 'upload', `return ${call}`)(direct, upload)
    const json = text === '' ? undefined : JSON.parse(text)
    if (JSON.stringify(json) !== JSON.stringify(result)) throw new Error(`The two examples of ${operationId} differ.`)
    if (operation.method === 'post') created[prefixIn(json.id)] = json.id
    examples[operationId] = { curl: curlOf(url, init, sent.body === upload), call, status: response.status, json }
  }
  return examples
}

/** Sorts operations: resources that refer to others are created last and removed first, and a part before the whole. */
function inOrder(operations, document, upload) {
  const known = operations.flatMap(({ parameters }) =>
    parameters.map(({ schema }) => `"${prefixIn(schema.pattern)}_1"`),
  )
  const refers = ({ body = {} }) => known.some((id) => JSON.stringify(body).includes(id))
  const referring = operations
    .filter((each) => each.method === 'post' && refers(sentOf(each, document, {}, upload)))
    .map(({ tags }) => tags[0])
  // A post below an id needs what is created.
  const rank = ({ method, path }) => ORDER.indexOf(method === 'post' && path.includes('{') ? 'put' : method)
  const turn = ({ method, tags }) => (referring.indexOf(tags[0]) + 1) * (method === 'delete' ? -1 : 1)
  return operations.sort((a, b) => rank(a) - rank(b) || turn(a) - turn(b) || b.path.length - a.path.length)
}

/** Returns the ids, the body and the query of an example. An id is that of a created resource, or any of the right prefix. */
function sentOf({ parameters = [], requestBody }, document, created, upload) {
  const inPlace = (place) => parameters.filter((each) => each.in === place)
  const ids = inPlace('path').map(({ name, schema }) => [name, sampleOf(schema, document, created)])
  const query = inPlace('query').filter(({ schema }) => schema.examples)
  const schema = requestBody && resolved(requestBody.content['application/json'].schema, document)
  return {
    ids: Object.fromEntries(ids),
    query: query.length > 0 && Object.fromEntries(query.map(({ name, schema }) => [name, schema.examples[0]])),
    body:
      schema &&
      (schema.properties?.certificate_pem ? uploadFor(schema, document, upload) : sampleOf(schema, document, created)),
  }
}

/** Returns a body with a real certificate where it must have one. */
const uploadFor = (schema, document, upload) =>
  schema.required?.includes('certificate_pem') ? upload : sampleOf(schema, document)

/** Returns a part of a document, or what it refers to. */
const resolved = (part, document) =>
  part.$ref
    ? part.$ref
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name], document)
    : part

/** Returns a value of a schema: an example of it, or what it must have and the examples of what it can have. `created` has ids by prefix. */
export function sampleOf(schema, document, created = {}) {
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
  } = resolved(schema, document)
  if (examples) return examples[0]
  if (values) return values[0]
  if (anyOf) return sampleOf(anyOf[0], document, created)
  if (properties) {
    const shown = Object.entries(properties).filter(([name, each]) => more.required?.includes(name) || each.examples)
    return Object.fromEntries(shown.map(([name, each]) => [name, sampleOf(each, document, created)]))
  }
  const [kind] = [type].flat()
  if (kind === 'array') return minItems ? [sampleOf(items, document, created)] : []
  if (kind === 'object') return {}
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  const prefix = prefixIn(pattern)
  return prefix ? (created[prefix] ?? `${prefix}_1`) : 'text'.padEnd(minLength, '-text')
}

/** The prefix of an id, or of the pattern of one. */
const prefixIn = (text) => /(?:^|\^)([a-z]+)_/.exec(text)?.[1]

function requestOf({ path, method }, { ids, body, query }, { servers, components }) {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name])
  const headers = { Authorization: 'Bearer <API key>', [components.parameters.version.name]: '2' }
  if (body) headers['Content-Type'] = 'application/json'
  const init = { method: method.toUpperCase(), headers, ...(body && { body: JSON.stringify(body) }) }
  return { url: `${servers[0].url}${at}${query ? `?${new URLSearchParams(query)}` : ''}`, init }
}

function curlOf(url, { method, headers, body }, isUpload) {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body ? [`--data ${isUpload ? '@upload.json' : `'${body.replaceAll("'", "'\\''")}'`}`] : []),
  ]
  return lines.join(' \\\n  ')
}

function callOf(name, { ids, body, query }, upload) {
  const [family, verb] = name.split('.').map((part) => part.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()))
  const names = Object.keys(ids)
  const sent = body ?? (query || undefined)
  const given = [
    ...(names.length === 0 ? [] : [literal(names.length === 1 ? ids[names[0]] : ids)]),
    ...(sent === undefined ? [] : [sent === upload ? 'upload' : literal(sent)]),
  ]
  return `gateway.${family}.${verb}(${given.join(', ')})`
}

/** Returns a value as people write it in JavaScript. */
function literal(value) {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([name, each]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(each)}`,
  )
  return `{ ${fields.join(', ')} }`
}
