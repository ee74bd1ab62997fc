// Calls ngrok's official TypeScript client as the lines of its input say: see scripts/clients/drivers.mjs.
import { createInterface } from 'node:readline'
import { Ngrok } from '@ngrok/ngrok-api'

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The names of families that its parts have. */
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

function clientOf(ngrok, family) {
  const module = /^edge_modules\.(?:https_)?(.*)$/.exec(family)
  const path = module ? `edge_modules.${module[1]}_module` : (PLACES[family] ?? family)
  return path.split('.').reduce((part, name) => part?.[camel(name)], ngrok)
}

function renamed(value, name) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => renamed(each, name))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), renamed(each, name)]))
}

function argumentsOf({ call, id, limit, body }) {
  if (call === 'list') return [undefined, limit]
  if (call === 'update' && body) return [{ id, ...renamed(body, camel) }]
  return [body ? renamed(body, camel) : id]
}

async function answerTo(asked) {
  const client = clientOf(new Ngrok({ apiToken: asked.key, baseUrl: asked.url }), asked.family)
  if (typeof client?.[asked.call] !== 'function') return { unknown: true }
  try {
    return { answer: renamed((await client[asked.call](...argumentsOf(asked))) ?? null, snake) }
  } catch (error) {
    if (error.statusCode === undefined) return { failure: String(error) }
    return { error: { status: error.statusCode, code: error.errorCode } }
  }
}

for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await answerTo(JSON.parse(line))))
