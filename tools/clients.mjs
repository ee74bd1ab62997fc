// Runs ngrok's official clients, unmodified, against a served gateway. Each client calls all its methods. It also
// creates, lists over two pages, changes and deletes three resources of each family in `FAMILIES`. Each field that it
// shows must equal the gateway's response, and each kind of error must arrive. The language `terraform` checks the
// Terraform provider, and `operator` makes the calls of ngrok's operator for Kubernetes. `node tools/clients.mjs [--one]
// [language…]` runs all versions, or one of each. Needs a build.
import assert from 'node:assert/strict'
import { manualClock } from '../dist/index.js'
import { createNgrok } from '../dist/ngrok.js'
import { serve } from '../dist/node.js'
import { FAMILIES, texts } from './clients/bodies.mjs'
import { pickKnownFields, removeBlanks } from './clients/compare.mjs'
import { MissingError, OPERATORS, startClient, VERSIONS } from './clients/drivers.mjs'
import { callEveryMethod } from './clients/every-method.mjs'
import { checkOperator } from './clients/operator.mjs'
import { checkTerraform, PROVIDER } from './clients/terraform.mjs'

const KEY = 'the key of the client'
/** A key of the right form: the gateway has another error for other forms. */
const UNKNOWN_KEY = `${'1'.repeat(27)}_${'a'.repeat(21)}`

/** The checks of one client in one version, with its own gateway. */
class Session {
  calls = 0
  fields = 0
  errors = 0
  /** The methods that returned a response, such as `vaults.create`. */
  answered = new Set()

  constructor(language, client, gateway, url) {
    Object.assign(this, { language, client, gateway, url })
  }

  async send(line) {
    this.calls++
    const reply = await this.client.send({ url: this.url, key: KEY, ...line })
    if (reply.failure) throw new Error(`${JSON.stringify(line)}: ${reply.failure}`)
    if ('answer' in reply) this.answered.add(`${line.family}.${line.call}`)
    return reply
  }

  async expectAnswer(line) {
    const reply = await this.send(line)
    assert('answer' in reply, `${JSON.stringify(line)} got ${JSON.stringify(reply)}`)
    return reply.answer
  }

  async expectError(line, status, code) {
    const { error } = await this.send(line)
    assert(error, `${JSON.stringify(line)} was not rejected`)
    // The Rust client shows no status. The Python client shows only a text for statuses from 500.
    assert.equal(error.status ?? status, status, JSON.stringify(line))
    assert.equal(error.code, code, JSON.stringify(line))
    this.errors++
  }

  /** Makes a request without the client, and returns the body of the gateway's response. */
  async request({ method = 'GET', path, body }) {
    const headers = { authorization: `Bearer ${KEY}`, 'ngrok-version': '2', 'content-type': 'application/json' }
    const answer = await this.gateway.fetch(`${this.gateway.url}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    assert(answer.ok, `${method} ${path}: ${answer.status}`)
    return answer.status === 204 ? undefined : answer.json()
  }

  read(path) {
    return this.request({ path: `/${path}` })
  }

  /** Makes a call whose result must equal the gateway's response at a path after the call. */
  async expectSame(line, path) {
    const answer = await this.expectAnswer(line)
    await this.compare(answer, path, line.family)
    return answer
  }

  /** Compares each field that a client shows with the gateway's at a path. A blank field equals an absent one. */
  async compare(read, path, where) {
    this.compareFields(read, await this.read(path), where)
  }

  compareFields(read, truth, where) {
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
  }

  /** Lists and reads three existing resources, if the client knows their family. */
  async readThree(family) {
    const { unknown, answer } = await this.send({ family, call: 'list', limit: '2' })
    if (unknown) return
    assert.equal(answer.length, 3, family)
    for (const { id } of answer) await this.expectSame({ family, call: 'get', id }, `${family}/${id}`)
  }

  /** Reads the endpoints of agents: older clients cannot create any. */
  async checkAgents() {
    this.gateway.declare.tunnelSession({ metadata: 'm', endpoints: [texts, texts, texts].map((each) => ({ ...each })) })
    await this.readThree('endpoints')
  }

  async checkSessions() {
    const { declare, endpoints } = this.gateway
    for (const { id } of this.gateway.tunnelSessions.list().tunnel_sessions) declare.end(id)
    const agent = { metadata: 'm', update: '3.40.0' }
    for (let n = 0; n < 3; n++) declare.tunnelSession({ ...agent, endpoints: [{ metadata: 'm' }] })
    const family = 'tunnel_sessions'
    for (const each of ['tunnels', family]) await this.readThree(each)
    const [{ id }] = this.gateway.tunnelSessions.list().tunnel_sessions
    await this.expectAnswer({ family, call: 'update', id })
    await this.expectError({ family, call: 'update', id }, 400, 'ERR_NGROK_809')
    if (this.language === 'typescript') return this.checkRefusedCommands(family, id)
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

  /** The TypeScript client sends an id that is not JSON, which the service rejects too. */
  async checkRefusedCommands(family, id) {
    for (const call of ['restart', 'stop']) {
      await this.expectError({ family, call, id }, 400, 'ERR_NGROK_213')
      this.answered.add(`${family}.${call}`)
    }
  }

  /** Expects each kind of error: for the body, the key, a resource in use, too many requests, and the service. */
  async checkErrors() {
    const create = { family: 'credentials', call: 'create', body: { ...texts, acl: ['nonsense'] } }
    await this.expectError(create, 400, 'ERR_NGROK_600')
    await this.expectError({ ...create, key: 'another' }, 403, 'ERR_NGROK_202')
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
  // The clock has the time of the documented examples. It does not move: a slow client would find the certificate of its
  // domain in lists.
  const gateway = createNgrok({ keys: [KEY], emptyJsonOnDelete, clock: manualClock('2025-09-04T10:11:37Z') })
  const server = await serve(gateway)
  const client = startClient(language, version)
  try {
    if (typeof client === 'string') {
      console.warn(`!!! The ${language} client ${version} was left out: ${client} !!!`)
      return false
    }
    const session = new Session(language, client, gateway, server.url)
    const methods = await callEveryMethod(session)
    gateway.reset()
    gateway.reservedDomains.create({ ...texts, domain: 'example.com' })
    const policy = gateway.ipPolicies.create(texts).id
    const addrs = [1, 2, 3].map(() => gateway.reservedAddrs.create(texts).addr)
    const vault = gateway.vaults.create({ ...texts, name: 'of-secrets' }).id
    for (const [family, parts] of Object.entries(FAMILIES))
      await session.checkFamily(family, parts, { policy, vault, addrs })
    await session.checkSessions()
    await session.checkErrors()
    const missed = methods.filter(({ family, call }) => !session.answered.has(`${family}.${call}`))
    assert.deepEqual(missed, [], 'methods without a response')
    assert.equal(methods.length, expected, 'the number of methods')
    const families = new Set(methods.map(({ family }) => family)).size
    const { calls, fields, errors } = session
    console.log(`${language} ${version}: all ${expected} methods of ${families} families`)
    console.log(`  ${calls} calls, ${fields} fields, ${errors} errors`)
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
