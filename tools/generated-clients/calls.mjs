// The calls of a generated client, which together make each operation of a document. They are the documented examples in
// tools/evidence/examples.har, with the exchanges that create what the examples need. Calls from the document follow, for
// families of which an operation has no example.
import { readFileSync } from 'node:fs'
import { operationsOf } from '../../scripts/operations.mjs'
import { createSample } from './sample.mjs'

const EXAMPLES = new URL('../evidence/examples.har', import.meta.url)
const VERBS = ['create', 'replace', 'list', 'get', 'update', 'delete']

/** Returns the parameters that are not in the path, with the version of the API. */
const namedOf = ({ parameters }) =>
  Object.fromEntries(parameters.filter((each) => each.in === 'header').map(({ name }) => [name, '2']))

/** Returns the call of an operation whose ids are the parts of a path. */
function callAt(operation, path) {
  const parts = path.split('/')
  const ids = operation.path.split('/').flatMap((part, n) => (part.startsWith('{') ? [parts[n]] : []))
  return { operation: operation.operationId, ids, named: namedOf(operation) }
}

/** Returns the operation of a method and a path. A path without parameters wins. */
function findOperation(operations, method, path) {
  const parts = path.split('/')
  const isAt = (template) => {
    const names = template.split('/')
    return names.length === parts.length && names.every((name, n) => name.startsWith('{') || name === parts[n])
  }
  const found = operations.filter((each) => each.method === method.toLowerCase() && isAt(each.path))
  return found.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
}

/** Creates the calls of the examples. `id` is what the documented answer calls the created resource. */
function createExampleCalls(operations) {
  const { entries } = JSON.parse(readFileSync(EXAMPLES, 'utf8')).log
  return entries.map(({ request: { method, url, postData }, response }) => {
    const { pathname } = new URL(url)
    const operation = findOperation(operations, method, pathname)
    if (!operation) throw new Error(`The document has no ${method} ${pathname}.`)
    const id = method === 'POST' && response.content.text ? JSON.parse(response.content.text).id : undefined
    return { ...callAt(operation, pathname), ...(postData && { body: JSON.parse(postData.text) }), ...(id && { id }) }
  })
}

/** Creates the calls of families from the document: creations first, and deletions last, the newest resource first. */
function createFamilyCalls(operations, document) {
  const calls = operations.map((operation) => {
    const { operationId, tags, path, parameters, requestBody } = operation
    const verb = operationId.slice(tags[0].length + 1)
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => exampleId(prefixOf(parameters, name)))
    const schema = requestBody?.content['application/json'].schema
    const body = schema && createBody(schema, document)
    const item = operations.find((each) => each.operationId === `${tags[0]}.get`)
    const id = verb === 'create' ? { id: exampleId(prefixOf(item.parameters, 'id')) } : {}
    return { verb, ...callAt(operation, at), ...(body && { body }), ...id }
  })
  return VERBS.flatMap((verb) => {
    const found = calls.filter((each) => each.verb === verb)
    return verb === 'delete' ? found.reverse() : found
  })
}

/** Returns the prefix of the ids that a parameter of a path takes. */
const prefixOf = (parameters, parameter) =>
  /[a-z]+/.exec(parameters.find(({ name }) => name === parameter).schema.pattern)[0]

/** Creates a body. Samples have ids such as `ip_1`, which the dialect ngrok takes for malformed. */
const createBody = (schema, document) =>
  JSON.parse(
    JSON.stringify(createSample(schema, document)).replaceAll(/"([a-z]+)_1"/g, (_, prefix) => `"${exampleId(prefix)}"`),
  )

const exampleId = (prefix) => `${prefix}_2AbCdEfGhIjKlMnOpQrStUvWxYz`

/** Creates the calls that make each operation of the service. */
export function createCalls(document) {
  const operations = operationsOf(document)
  const calls = createExampleCalls(operations)
  const called = new Set(calls.map(({ operation }) => operation))
  const families = new Set(operations.filter((each) => !called.has(each.operationId)).map(({ tags }) => tags[0]))
  const others = operations.filter(({ tags }) => families.has(tags[0]))
  return [...calls, ...createFamilyCalls(others, document)]
}
