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
}

function findFamily(ngrok, family) {
  const place = PLACES[family] ?? family
  return place.split('.').reduce((part, name) => part?.[camel(name)], ngrok)
}

/** Returns the names of all methods, by the places of their families in the client. */
function listMethods(place, path = []) {
  if (typeof place !== 'object' || path.at(-1) === 'http_client') return {}
  if (path.length > 0 && 'httpClient' in place) {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(place))
    return { [path.join('.')]: names.filter((name) => !/^(constructor|_.*)$/.test(name)).map(snake) }
  }
  const parts = Object.entries(place).map(([name, part]) => listMethods(part, [...path, snake(name)]))
  return Object.assign({}, ...parts)
}

function renameFields(value, name) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => renameFields(each, name))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), renameFields(each, name)]))
}

/** Returns fields without those whose names the client would change. They are in maps, such as the ids of backends. */
function removeMaps(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(removeMaps)
  const fields = Object.entries(value).filter(([name]) => snake(camel(name)) === name && !name.includes('-'))
  return Object.fromEntries(fields.map(([name, each]) => [name, removeMaps(each)]))
}

function createArguments(method, { id, limit, body }) {
  const [parameters] = /(?<=\().*?(?=\))/.exec(String(method))
  if (parameters.startsWith('beforeId')) return [undefined, limit]
  if (parameters === 'id') return [id]
  return [{ id, ...renameFields(removeMaps(body ?? {}), camel) }]
}

async function handle(request) {
  const ngrok = new Ngrok({ apiToken: request.key, baseUrl: request.url })
  if (request.call === 'methods') return { answer: listMethods(ngrok) }
  const family = findFamily(ngrok, request.family)
  const call = camel(request.call)
  if (typeof family?.[call] !== 'function') return { unknown: true }
  try {
    return { answer: renameFields((await family[call](...createArguments(family[call], request))) ?? null, snake) }
  } catch (error) {
    if (error.statusCode === undefined) return { failure: String(error) }
    return { error: { status: error.statusCode, code: error.errorCode } }
  }
}

for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await handle(JSON.parse(line))))
