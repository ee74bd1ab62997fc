// Calls every method of a client at least once, without a list of methods: the client's driver lists them, and a request
// to another gateway shows the operation of each. The documented examples have the requests. See tools/clients.mjs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'

const readJson = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/** The operations of the service, such as `GET /vaults/{id}`, each with a pattern of its requests. */
const OPERATIONS = Object.entries(readJson('../../dist/openapi.ngrok.json').paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => {
    const name = `${method.toUpperCase()} ${path}`
    return { name, pattern: new RegExp(`^${name.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }
  }),
)

/** Returns the operation of a request, with the values in its path. Undefined if the service does not have it. */
function findOperation(method, path) {
  for (const { name, pattern } of OPERATIONS) {
    const match = pattern.exec(`${method} ${path}`)
    if (match) return { name, values: { ...match.groups } }
  }
}

/** The requests of the documented examples, in their order, each with the id of what it creates. */
const EXAMPLES = readJson('../evidence/examples.har').log.entries.map(({ request, response }) => ({
  method: request.method,
  path: new URL(request.url).pathname,
  body: request.postData && JSON.parse(request.postData.text),
  creates: request.method === 'POST' && response.content.text ? JSON.parse(response.content.text).id : undefined,
}))

/** Further requests: those without examples, and reads of an edge with a route that has a module. */
const FURTHER = [
  ['POST /backends/static', { address: 'example.com:80' }, 'bkdsc_1'],
  ['GET /backends/static/bkdsc_1'],
  ['POST /edges/https', {}, 'edghts_1'],
  ['POST /edges/https/edghts_1/routes', { match_type: 'path_prefix', match: '/' }, 'edghtsrt_1'],
  ['PUT /edges/https/edghts_1/routes/edghtsrt_1/backend', { enabled: true, backend_id: 'bkdsc_1' }],
  ['PATCH /edges/https/edghts_1/routes/edghtsrt_1', { match: '/blog' }],
  ['GET /edges/https/edghts_1'],
  ['POST /ai_gateway_api_keys', { description: 'made by a client' }, 'aigk_1'],
  ['GET /ai_gateway_api_keys'],
  ['GET /ai_gateway_api_keys/aigk_1'],
  ['PATCH /ai_gateway_api_keys/aigk_1', { description: 'changed' }],
  [
    'POST /ai_gateway_provider_keys',
    { ai_gateway_api_key_id: 'aigk_1', provider_id: 'openai', value: 'a key for the provider' },
    'aigpk_1',
  ],
  ['GET /ai_gateway_provider_keys'],
  ['GET /ai_gateway_provider_keys/aigpk_1'],
  ['PATCH /ai_gateway_provider_keys/aigpk_1', { description: 'changed' }],
  ['DELETE /ai_gateway_provider_keys/aigpk_1'],
  ['DELETE /ai_gateway_api_keys/aigk_1'],
  ['GET /app/sessions'],
  ['GET /app/sessions/as_1'],
  ['DELETE /app/sessions/as_1'],
  ['GET /app/users'],
  ['GET /app/users/au_1'],
  ['DELETE /app/users/au_1'],
].map(([name, body, creates]) => ({ method: name.split(' ')[0], path: name.split(' ')[1], body, creates }))

/** Creates the resources that no call of the service creates. Returns their ids by those in the requests. */
function declareOthers({ declare }) {
  const user = declare.applicationUser({})
  return [
    ['au_1', user.id],
    ['as_1', declare.applicationSession({ user: user.id }).id],
  ]
}

/** Only agents create tunnels and their sessions. tools/clients.mjs checks these. */
const OF_AGENTS = /^\/(tunnels|tunnel_sessions)\b/

/**
 * Finds the methods of a client by their operations. A driver leaves out what a method does not take, so that one body
 * has the values of all paths.
 */
async function findMethods(session) {
  const listed = await session.expectAnswer({ family: '', call: 'methods' })
  const gateway = createNgrok()
  const server = await serve(gateway)
  const body = { edge_id: 'x', subscription_id: 'x', type: 'x' }
  const found = []
  try {
    for (const [family, calls] of Object.entries(listed)) {
      for (const call of calls) {
        gateway.requests.clear()
        const reply = await session.client.send({
          url: server.url,
          key: 'any',
          family,
          call,
          id: 'x',
          limit: '1',
          body,
        })
        const sent = gateway.requests.last()
        assert(sent, `${family}.${call} sent no request, but ${JSON.stringify(reply)}`)
        const request = `${sent.method} ${sent.path}`
        found.push({ family, call, request, operation: findOperation(sent.method, sent.path)?.name })
      }
    }
  } finally {
    await server.close()
  }
  return found
}

/** Returns the line of a call: the client takes an id and the values in the path with the fields of the body. */
function formatLine({ family, call }, { method, body }, { id, ...values }) {
  const fields = method === 'PUT' ? { module: body } : body
  const isEmpty = Object.keys({ ...values, ...fields }).length === 0
  return { family, call, id, limit: '100', ...(!isEmpty && { body: { ...values, ...fields } }) }
}

/**
 * Fields that not all clients send: those of endpoint configurations are old, the Java client sends times as numbers, which
 * the service rejects, and the TypeScript client changes maps.
 */
const isUnsent = (language, name, value) =>
  name.endsWith('endpoint_configuration_id') ||
  (language === 'java' && name === 'valid_until') ||
  (language === 'typescript' && /"[^"]*[A-Z-][^"]*":/.test(JSON.stringify(value)))

/** Compares a body with the request that arrived. The TypeScript client sends the name of a module with its fields. */
function compareWithRequest(session, body, received, where) {
  const sent = Object.entries(body).filter(([name, value]) => !isUnsent(session.language, name, value))
  session.compareFields(Object.fromEntries(sent), received?.module ?? received ?? {}, where)
}

/** Compares a response with the responses that the gateway gave for it: several for the pages of a list. */
function compareWithResponses(session, answer, responses, where) {
  if (responses.every((each) => each === null || Object.keys(each).length === 0)) return
  if (!Array.isArray(answer)) return session.compareFields(answer, responses[0], where)
  const items = responses.flatMap((each) => Object.values(each).find(Array.isArray))
  assert.equal(answer.length, items.length, where)
  for (const [n, item] of items.entries()) session.compareFields(answer[n], item, where)
}

/** Makes a request with each method of its operation. Returns the last response, or that of the gateway without a method. */
async function makeRequest(session, methods, request) {
  const { name, values } = findOperation(request.method, request.path)
  const callsOf = (operation) => methods.filter((method) => method.operation === operation)
  let answer
  for (const method of callsOf(name)) {
    session.gateway.requests.clear()
    answer = await session.expectAnswer(formatLine(method, request, values))
    const entries = session.gateway.requests.all()
    const where = `${method.family}.${method.call}`
    compareWithRequest(session, request.body ?? {}, entries[0].request, `${where} sent`)
    compareWithResponses(
      session,
      answer,
      entries.map(({ response }) => response),
      where,
    )
  }
  if (callsOf(name).length === 0) answer = await session.request(request)
  if (request.method === 'DELETE') {
    const code = name.includes('/sources/') ? 'ERR_NGROK_5125' : 'ERR_NGROK_90404'
    for (const method of callsOf(name.replace('DELETE', 'GET')))
      await session.expectError(formatLine(method, { method: 'GET' }, values), 404, code)
  }
  return answer
}

/**
 * Calls every method of a client except those of agents, and compares each response with the gateway's response. Returns the
 * methods of the client.
 */
export async function callEveryMethod(session) {
  const methods = await findMethods(session)
  const ids = new Map(declareOthers(session.gateway))
  const rename = (text) => text.replace(/\b[a-z0-9]+_\w+/g, (id) => ids.get(id) ?? id)
  for (const { creates, ...example } of [...EXAMPLES, ...FURTHER]) {
    if (OF_AGENTS.test(example.path)) continue
    const answer = await makeRequest(session, methods, JSON.parse(rename(JSON.stringify(example))))
    if (creates) ids.set(creates, answer.id)
  }
  return methods
}
