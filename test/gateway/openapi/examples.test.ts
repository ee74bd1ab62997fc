import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { manualClock, ngrok } from '../../../src/index.ts'
import { upload } from '../../support/pem.ts'

const importTool = (path: string) => import(new URL(`../../../${path}`, import.meta.url).href)
const { operationsOf } = await importTool('scripts/operations.mjs')
const { createSample, findPrefix } = await importTool('tools/generated-clients/sample.mjs')

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly pattern?: string; readonly examples?: readonly string[] }
}

interface DocumentedOperation {
  readonly path: string
  readonly method: string
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
}

const document = openApi(ngrok)
const certificate = upload('ed25519')

/** Creations, then reads, then changes. A POST below an id needs the resource with the id. */
const ORDER = ['post', 'put', 'get', 'patch', 'delete']
const rank = ({ method, path }: DocumentedOperation) =>
  ORDER.indexOf(method === 'post' && path.includes('{') ? 'put' : method)
/** A weighted backend refers to other backends: it is created last, and deleted first. */
const turn = ({ method, path }: DocumentedOperation) => (path.includes('weighted') ? (method === 'delete' ? -1 : 1) : 0)
const compare = (a: DocumentedOperation, b: DocumentedOperation) =>
  rank(a) - rank(b) || turn(a) - turn(b) || b.path.length - a.path.length

function createExampleGateway() {
  const gateway = createNgrok({ seed: 'examples', clock: manualClock('2026-01-01T00:00:00Z') })
  gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
  return gateway
}

const toCamelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function createInput({ parameters, requestBody }: DocumentedOperation, created: Record<string, string>) {
  const paths = parameters.filter((each) => each.in === 'path')
  const queries = parameters.filter((each) => each.in === 'query' && each.schema.examples)
  const sample = requestBody && createSample(requestBody.content['application/json'].schema, document, created)
  return {
    ids: Object.fromEntries(paths.map(({ name, schema }) => [name, createSample(schema, document, created) as string])),
    query: Object.fromEntries(queries.map(({ name, schema }) => [name, schema.examples?.[0] ?? ''])),
    body: sample && 'certificate_pem' in sample ? certificate : sample,
  }
}

test('The example of each operation is accepted, and gives the same over HTTP and as a direct call', async () => {
  const [served, direct] = [createExampleGateway(), createExampleGateway()]
  const created: Record<string, string> = {}
  const operations: readonly DocumentedOperation[] = operationsOf(document)
  for (const operation of operations.toSorted(compare)) {
    const { operationId, method, path } = operation
    const { ids, query, body } = createInput(operation, created)
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    const response = await served.fetch(`${served.url}${at}?${new URLSearchParams(query)}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: 'Bearer key',
        'ngrok-version': '2',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, `${operationId}: ${text}`).toBeLessThan(400)
    const [family = '', verb = ''] = operationId.split('.').map(toCamelCase)
    const names = Object.values(ids)
    const args = [names.length > 1 ? ids : names[0], body ?? (Object.keys(query).length > 0 ? query : undefined)]
    // The names of the document are those of the direct API.
    const call = (direct as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[family]?.[verb]
    const result = call?.(...args.filter((each) => each !== undefined))
    expect(text === '' ? undefined : JSON.parse(text), operationId).toEqual(result)
    if (method === 'post') created[findPrefix(JSON.parse(text).id)] = JSON.parse(text).id
  }
  expect(operations.length).toBeGreaterThan(25)
})
