// Runs ngrok's official clients, unmodified, against a served gateway. Each client creates, reads, lists over two
// pages, changes and deletes a resource of each of its families. Each field that it shows must equal the gateway's
// response, and each kind of error must arrive. The language `terraform` checks the Terraform provider, and `operator`
// makes the calls of ngrok's operator for Kubernetes. `node tools/clients.mjs [--one] [language…]` runs all versions, or one
// of each. Needs a build.
import assert from 'node:assert/strict'
import { manualClock } from '../dist/index.js'
import { createNgrok } from '../dist/ngrok.js'
import { serve } from '../dist/node.js'
import { FAMILIES, MODULES, texts } from './clients/bodies.mjs'
import { pickKnownFields, removeBlanks } from './clients/compare.mjs'
import { MissingError, OPERATORS, startClient, VERSIONS } from './clients/drivers.mjs'
import { checkOperator } from './clients/operator.mjs'
import { checkTerraform, PROVIDER } from './clients/terraform.mjs'

const KEY = 'the key of the client'
/** A key of the right form: the gateway has another error for other forms. */
const UNKNOWN_KEY = `${'1'.repeat(27)}_${'a'.repeat(21)}`

/** The checks of one client in one version, with a gateway of its own. */
class Session {
  families = 0
  calls = 0
  fields = 0
  errors = 0

  constructor(language, client, gateway, url) {
    Object.assign(this, { language, client, gateway, url })
  }

  async send(line) {
    this.calls++
    const reply = await this.client.send({ url: this.url, key: KEY, ...line })
    if (reply.failure) throw new Error(`${JSON.stringify(line)}: ${reply.failure}`)
    return reply
  }

  async expectAnswer(line) {
    const reply = await this.send(line)
    assert('answer' in reply, `${JSON.stringify(line)} got ${JSON.stringify(reply)}`)
    return reply.answer
  }

  async expectError(line, status, code) {
    const { error } = await this.send(line)
    assert(error, `${JSON.stringify(line)} was not refused`)
    // The Rust client shows no status. The Python client shows only a text for statuses from 500.
    assert.equal(error.status ?? status, status, JSON.stringify(line))
    assert.equal(error.code, code, JSON.stringify(line))
    this.errors++
  }

  /** Returns the body of the gateway's response at a path. */
  async read(path) {
    const headers = { authorization: `Bearer ${KEY}`, 'ngrok-version': '2' }
    const answer = await this.gateway.fetch(`${this.gateway.url}/${path}`, { headers })
    assert.equal(answer.status, 200, path)
    return answer.json()
  }

  /** Makes a call whose result must equal the gateway's response at a path after the call. */
  async expectSame(line, path) {
    const answer = await this.expectAnswer(line)
    await this.compare(answer, path, line.family)
    return answer
  }

  /** Compares each field that a client shows with the gateway's at a path. A blank field equals an absent one. */
  async compare(read, path, where) {
    const truth = await this.read(path)
    for (const [name, value] of Object.entries(read)) {
      if (name === 'token') continue
      this.fields++
      assert.deepEqual(removeBlanks(value), removeBlanks(pickKnownFields(truth[name], value)), `${where}.${name}`)
    }
  }

  async checkFamily(family, { path = family.replace('.', '/'), create, update = { description: 'changed' } }, context) {
    const first = await this.send({ family, call: 'create', body: create(1, context) })
    if (first.unknown) return family === 'endpoints' ? this.checkAgents() : undefined
    assert(first.answer, `${family}: ${JSON.stringify(first)}`)
    const ids = [first.answer.id]
    for (const n of [2, 3])
      ids.unshift((await this.expectAnswer({ family, call: 'create', body: create(n, context) })).id)
    const [id] = ids
    if ('token' in first.answer) assert.match(first.answer.token, /^\w{27}_\w{21}$/)
    await this.expectSame({ family, call: 'get', id }, `${path}/${id}`)
    const before = this.gateway.requests.count({ method: 'GET' })
    const listed = await this.expectAnswer({ family, call: 'list', limit: '2' })
    assert(this.gateway.requests.count({ method: 'GET' }) >= before + 2, `${family} was listed by one page`)
    const own = listed.filter((each) => ids.includes(each.id))
    assert.deepEqual(idsOf(own), ids, `${family} in a list`)
    for (const each of own) await this.compare(each, `${path}/${each.id}`, family)
    const changed = await this.expectSame({ family, call: 'update', id, body: update }, `${path}/${id}`)
    const [[name, value]] = Object.entries(update)
    assert.deepEqual(removeBlanks(changed[name]), removeBlanks(value), `${family}.${name} after a change`)
    for (const each of ids) await this.expectAnswer({ family, call: 'delete', id: each })
    await this.expectError({ family, call: 'get', id }, 404, 'ERR_NGROK_90404')
    await this.expectError({ family, call: 'delete', id }, 404, 'ERR_NGROK_90404')
    this.families++
  }

  /** Lists and reads three existing resources, if the client knows their family. */
  async readThree(family) {
    const { unknown, answer } = await this.send({ family, call: 'list', limit: '2' })
    if (unknown) return
    assert.equal(answer.length, 3, family)
    for (const { id } of answer) await this.expectSame({ family, call: 'get', id }, `${family}/${id}`)
    this.families++
  }

  /** Reads the endpoints of agents: older clients cannot create any. */
  async checkAgents() {
    this.gateway.declare.tunnelSession({ metadata: 'm', endpoints: [texts, texts, texts].map((each) => ({ ...each })) })
    await this.readThree('endpoints')
  }

  async checkModule({ family, at, path, module }) {
    const item = 'edge_id' in at ? { family, body: at } : { family, ...at }
    const put = await this.send({ family, call: 'replace', body: { ...at, module } })
    if (put.unknown) return
    await this.compare(put.answer, path, family)
    await this.expectSame({ ...item, call: 'get' }, path)
    const truth = await this.read(path)
    for (const [field, value] of Object.entries(module)) assert.deepEqual(truth[field], value, field)
    await this.expectAnswer({ ...item, call: 'delete' })
    await this.expectError({ ...item, call: 'get' }, 404, 'ERR_NGROK_90404')
    this.families++
  }

  /** Makes the calls of routes, which have no list. */
  async checkRoutes() {
    const family = 'edges.https_routes'
    const edge_id = this.gateway.httpsEdges.create(texts).id
    const module = { enabled: true, backend_id: this.gateway.tunnelGroupBackends.create(texts).id }
    const body = { edge_id, match_type: 'path_prefix', match: '/', ...texts, compression: { enabled: true } }
    const created = await this.send({ family, call: 'create', body })
    if (created.unknown) return
    assert(created.answer, JSON.stringify(created))
    const at = { edge_id, id: created.answer.id }
    const path = `edges/https/${edge_id}/routes/${at.id}`
    await this.expectSame({ family, call: 'get', body: at }, path)
    const replaceBackend = { family: 'edge_modules.https_edge_route_backend', call: 'replace', body: { ...at, module } }
    assert.equal((await this.expectAnswer(replaceBackend)).backend.id, module.backend_id)
    const change = { ...at, match_type: 'exact_path', match: '/blog', ...texts }
    const changed = await this.expectSame({ family, call: 'update', body: change }, path)
    assert.deepEqual([changed.match, changed.backend.backend.id], ['/blog', module.backend_id])
    const [route] = (await this.expectAnswer({ family: 'edges.https', call: 'get', id: edge_id })).routes
    await this.compare(route, path, family)
    await this.expectAnswer({ family, call: 'delete', body: at })
    await this.expectError({ family, call: 'get', body: at }, 404, 'ERR_NGROK_90404')
    this.families++
  }

  async checkSessions() {
    const { declare, endpoints } = this.gateway
    for (const { id } of this.gateway.tunnelSessions.list().tunnel_sessions) declare.end(id)
    const agent = { metadata: 'm', update: '3.40.0' }
    for (let n = 0; n < 3; n++) declare.tunnelSession({ ...agent, endpoints: [{ metadata: 'm' }] })
    const family = 'tunnel_sessions'
    for (const each of ['tunnels', family]) await this.readThree(each)
    const [{ id }] = this.gateway.tunnelSessions.list().tunnel_sessions
    // Its commands send an id that is no JSON, which the service refuses too.
    if (this.language === 'typescript') return this.expectError({ family, call: 'stop', id }, 400, 'ERR_NGROK_213')
    await this.expectAnswer({ family, call: 'update', id })
    await this.expectError({ family, call: 'update', id }, 400, 'ERR_NGROK_809')
    await this.expectAnswer({ family, call: 'restart', id })
    const [again] = (await this.expectAnswer({ family, call: 'list', limit: '9' })).filter((each) => each.id !== id)
    assert.equal(again.agent_version, '3.40.0')
    for (const each of idsOf(this.gateway.tunnelSessions.list().tunnel_sessions))
      await this.expectAnswer({ family, call: 'stop', id: each })
    assert.equal(endpoints.list({ filter: "obj.type == 'agent'" }).endpoints.length, 0)
    const lost = declare.tunnelSession({ reachable: false })
    await this.expectError({ family, call: 'stop', id: lost.id }, 503, 'ERR_NGROK_810')
    await this.expectError({ family, call: 'restart', id: again.id }, 404, 'ERR_NGROK_90404')
  }

  /** Expects each kind of error: for the body, the key, a resource in use, too many requests, and the service. */
  async checkErrors() {
    const create = { family: 'credentials', call: 'create', body: { ...texts, acl: ['nonsense'] } }
    await this.expectError(create, 400, 'ERR_NGROK_600')
    await this.expectError({ ...create, key: UNKNOWN_KEY }, 403, 'ERR_NGROK_203')
    const certificate = this.gateway.tlsCertificates.create(FAMILIES.tls_certificates.create())
    this.gateway.reservedDomains.create({ domain: 'in.use.example.com', certificate_id: certificate.id })
    const remove = { family: 'tls_certificates', call: 'delete', id: certificate.id }
    const inUse = await this.send(remove)
    await this.expectError(remove, inUse.error?.status ?? 409, inUse.error?.code)
    assert(inUse.error?.status === undefined || inUse.error.status === 409, JSON.stringify(inUse))
    for (const status of [429, 500]) {
      this.gateway.faults.add({ operation: 'credentials.create', times: 1, status })
      const { error } = await this.send({ ...create, body: texts })
      assert(error && (error.status ?? status) === status, JSON.stringify(error))
      this.errors++
    }
  }
}

const idsOf = (list) => list.map(({ id }) => id)

async function checkClient(language, version, expected) {
  // These two throw at a response without a body: TypeScript at each deletion, Python at each command of a session.
  const emptyJsonOnDelete = ['typescript', 'python'].includes(language)
  // The clock does not move: a slow client would find the certificate of its domain in lists.
  const gateway = createNgrok({ keys: [KEY], emptyJsonOnDelete, clock: manualClock('2026-01-01T00:00:00Z') })
  gateway.reservedDomains.create({ ...texts, domain: 'example.com' })
  const server = await serve(gateway)
  const client = startClient(language, version)
  try {
    if (typeof client === 'string') {
      console.warn(`!!! The ${language} client ${version} was left out: ${client} !!!`)
      return false
    }
    const session = new Session(language, client, gateway, server.url)
    const policy = gateway.ipPolicies.create(texts).id
    const addrs = [1, 2, 3].map(() => gateway.reservedAddrs.create(texts).addr)
    const vault = gateway.vaults.create({ ...texts, name: 'of-secrets' }).id
    for (const [family, parts] of Object.entries(FAMILIES))
      await session.checkFamily(family, parts, { language, policy, vault, addrs })
    for (const module of MODULES) await session.checkModule(module)
    await session.checkRoutes()
    await session.checkSessions()
    await session.checkErrors()
    const { families, calls, fields, errors } = session
    assert.equal(families, expected, 'the number of families')
    console.log(`${language} ${version}: ${families} families, ${calls} calls, ${fields} fields, ${errors} errors`)
    return true
  } finally {
    client.end?.()
    await server.close()
  }
}

async function checkProvider(version) {
  try {
    console.log(`terraform ${version} ${await checkTerraform()}`)
    return true
  } catch (error) {
    if (!(error instanceof MissingError)) throw error
    console.warn(`!!! The Terraform provider ${version} was left out: ${error.message} !!!`)
    return false
  }
}

const args = process.argv.slice(2)
const languages = args.filter((each) => each !== '--one')

/** Runs the versions of a language, or only the first one with `--one`, each with what is known of it. */
async function runVersions(language, versions, check) {
  if (languages.length > 0 && !languages.includes(language)) return
  for (const [version, known] of Object.entries(versions).slice(0, args.includes('--one') ? 1 : undefined)) {
    const started = Date.now()
    try {
      if (await check(version, known)) console.log(`  in ${((Date.now() - started) / 1000).toFixed(1)} s`)
    } catch (error) {
      process.exitCode = 1
      console.error(`${language} ${version} FAILED:`, error)
    }
  }
}

for (const [language, versions] of Object.entries(VERSIONS))
  await runVersions(language, versions, (version, families) => checkClient(language, version, families))
await runVersions('terraform', { [PROVIDER]: undefined }, checkProvider)
await runVersions('operator', OPERATORS, checkOperator)
