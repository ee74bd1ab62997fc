// Calls ngrok's official TypeScript client as the lines of its input describe: see tools/clients/drivers.mjs.
import { createInterface } from 'node:readline'
import { Ngrok } from '@ngrok/ngrok-api'

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The places of families in the client, if they differ from the names of the families. */
const PLACES = {
  'backends.weighted': 'backends.weighted_backends',
  'backends.tunnel_group': 'backends.tunnel_group_backends',
  'backends.failover': 'backends.failover_backends',
  'backends.http_response': 'backends.http_response_backends',
  'backends.static_address': 'backends.static_backends',
  'edges.tcp': 'edges.edges_tcp',
  'edges.tls': 'edges.edges_tls',
  'edges.https': 'edges.edges_https',
  'edges.https_routes': 'edges.edges_https_routes',
}

function findClient(ngrok, family) {
  const module = /^edge_modules\.(?:https_)?(.*)$/.exec(family)
  const path = module ? `edge_modules.${module[1]}_module` : (PLACES[family] ?? family)
  return path.split('.').reduce((part, name) => part?.[camel(name)], ngrok)
}

function renameFields(value, name) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => renameFields(each, name))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), renameFields(each, name)]))
}

function createArguments({ call, id, limit, body }) {
  if (call === 'list') return [undefined, limit]
  if (call === 'update' && body) return [{ id, ...renameFields(body, camel) }]
  return [body ? renameFields(body, camel) : id]
}

async function handle(request) {
  const client = findClient(new Ngrok({ apiToken: request.key, baseUrl: request.url }), request.family)
  if (typeof client?.[request.call] !== 'function') return { unknown: true }
  try {
    return { answer: renameFields((await client[request.call](...createArguments(request))) ?? null, snake) }
  } catch (error) {
    if (error.statusCode === undefined) return { failure: String(error) }
    return { error: { status: error.statusCode, code: error.errorCode } }
  }
}

for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await handle(JSON.parse(line))))
