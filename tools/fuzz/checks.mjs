// Checks what must hold after every step, and at the end of a case.
import assert, { AssertionError } from 'node:assert/strict'
import { GatewayError } from '../../dist/index.js'
import { createEmptyGateway, createStore, readAll, recordsOf, sortedStateOf, stateOf } from './gateways.mjs'
import { FAMILIES } from './operations.mjs'

const MAX_ERROR_BYTES = 16 * 1024

/** Matches secrets that can be recognised: an API key, a webhook secret under its name, a private key. */
const LEAK = /PLANTED9|"secret":[^,}]*PLANTED|PRIVATE KEY-----(\\+n)[A-Za-z0-9+/]/

/** The number of HTTP responses with each status. */
export const statuses = {}

/** Checks a response of the API or of its controls. Returns whether it was an error. */
export function checkResponse(gateway, response, method, isFaulty) {
  const { status, headers, body } = response
  const header = gateway.dialect.operationIdHeader
  statuses[status] = (statuses[status] ?? 0) + 1
  assert.match(headers[header] ?? '', /^op_[0-9A-Za-z]{27}$/, `No operation id: ${JSON.stringify(headers)}`)
  if (isFaulty) return false
  // A move of the clock over years of failing attempts is stopped after ten seconds, and says so.
  const isStoppedMove = status === 504 && /_90422"/.test(body)
  // The agent of a session can be declared unreachable.
  const isUnreachable = status === 503 && /_810"/.test(body)
  assert(status < 500 || isStoppedMove || isUnreachable, `Status ${status}: ${body}`)
  if (status < 400) {
    if (body !== null && body !== '' && /json/.test(headers['Content-Type'] ?? '')) JSON.parse(body)
    return false
  }
  if (method === 'HEAD') assert(body === null || body === '', 'A HEAD request has a body in its response.')
  else checkError(gateway, status, body, headers[header])
  return true
}

function checkError({ dialect }, status, body, operationId) {
  const about = `The error ${body}`
  assert(new TextEncoder().encode(body).length <= MAX_ERROR_BYTES, about)
  assert.doesNotMatch(body, LEAK, about)
  const error = JSON.parse(body)
  // A path that ngrok's API does not have.
  const { path } = error.details
  if (dialect.unknownPaths === 'bare' && path !== undefined) {
    assert.deepEqual(error, { status_code: 404, msg: 'Not Found', details: { path } }, about)
    assert.equal(status, 404, about)
    return
  }
  assert.deepEqual(Object.keys(error), ['error_code', 'status_code', 'msg', 'details'], about)
  assert.match(error.error_code, new RegExp(`^${dialect.errorPrefix}\\d{3,5}$`), about)
  assert.equal(error.status_code, status, about)
  assert.match(error.msg, /\S/, about)
  assert.equal(error.details.operation_id, operationId, about)
  for (const detail of Object.values(error.details)) assert.equal(typeof detail, 'string', about)
}

/** Checks that the resource of a successful response can be read again, and is equal. */
export function checkAgain(gateway, value) {
  if (typeof value?.uri !== 'string' || value.id === undefined || gateway.faults.all().length > 0) return
  const member = FAMILIES.get(value.id.replace(/_.*/, ''))
  // Some responses have only the path.
  const [path] = value.uri.split(gateway.url).slice(-1)
  assert(path.startsWith('/'), `The URI ${value.uri} is not of the gateway.`)
  // Abuse reports and routes have no list.
  if (member === undefined) return
  const again = gateway[member].get(value.id)
  // Only the response to a creation has a token.
  const expected = JSON.stringify('token' in again ? { ...value, token: again.token } : value)
  assert.equal(JSON.stringify(again), expected)
}

/** Calls the direct API. Returns whether it threw a GatewayError, or one of the other errors by name. */
export function attempt(gateway, work, others = []) {
  try {
    checkAgain(gateway, work())
    return false
  } catch (error) {
    if (error instanceof AssertionError) throw error
    if (error instanceof GatewayError) {
      assert.doesNotMatch(JSON.stringify([error.message, error.details]), LEAK)
      return true
    }
    if (others.includes(error.name)) return true
    throw error
  }
}

/** Checks that a gateway with the same state still works: reads, moves of the clock, and deletions succeed. */
export function checkUsable(gateway, options) {
  const twin = createEmptyGateway({ ...options, clock: 'manual' })
  twin.restore(gateway.snapshot({ privateKeys: true }))
  assert.equal(stateOf(twin), stateOf(gateway), 'A restored snapshot is another state.')
  readAll(twin)
  if (twin.clock.now < Date.UTC(9998, 0)) twin.clock.advance('70d')
  twin.clock.advanceToNext()
  readAll(twin)
  for (const prefix of ['ep', 'secret', 'vault', 'bot', 'ipp', 'k8sop', 'rd', 'cert', 'ra']) {
    for (const each of recordsOf(twin, prefix)) {
      const isForeign = each.is_dev || (prefix === 'ep' && each.type !== 'cloud')
      if (!isForeign) twin[FAMILIES.get(prefix)].delete(each.id)
    }
  }
  twin.reset()
}

/** Checks that the state is the same after a snapshot, its JSON and its export are restored, and after its store is opened again. */
export function checkReopened(gateway, store, options) {
  const state = sortedStateOf(gateway)
  const open = (more) => createEmptyGateway({ ...options, ...more })
  const requireSame = (other, what) => assert.equal(sortedStateOf(other), state, `${what} has another state.`)
  const restored = (snapshot) => {
    const other = open()
    other.restore(snapshot)
    return other
  }
  const copy = (snapshot) => JSON.parse(JSON.stringify(snapshot))
  requireSame(restored(gateway.snapshot()), 'A gateway with the snapshot')
  requireSame(restored(copy(gateway.snapshot({ privateKeys: true }))), 'A gateway with the JSON of the snapshot')
  const header = (name) => ({ host: 'localhost', 'content-type': 'application/json' })[name] ?? null
  const url = '/_fauxgate/state'
  const { body } = gateway.transport.exchange({ method: 'GET', url, header, body: '' })
  const imported = open()
  const { status, body: problem } = imported.transport.exchange({ method: 'PUT', url, header, body })
  assert.equal(status, 204, `The export is rejected: ${problem}`)
  requireSame(imported, 'A gateway with the export')
  requireSame(open({ store: createStore(store.data) }), 'A gateway that opens the store again')
}

/** Checks what must hold at the end of a case. */
export function checkEnd({ gateway, commits, store, options }) {
  readAll(gateway)
  const state = stateOf(gateway)
  assert.doesNotMatch(JSON.stringify(gateway.snapshot()), /PRIVATE KEY/, 'A private key in a snapshot.')
  const recorded = JSON.stringify([gateway.requests.all(), commits])
  const leak = LEAK.exec(recorded)
  const around = leak && recorded.slice(Math.max(0, leak.index - 300), leak.index + 300)
  assert(!leak, `A secret in the journal or a commit: ${around}`)
  if (options.clock === 'manual') checkReopened(gateway, store, options)
  gateway.restore(gateway.snapshot())
  assert.equal(stateOf(gateway), state, 'restore(snapshot()) changes something.')
  assert(
    Object.keys(Object.prototype).length === 0 && {}.polluted === undefined,
    'The prototype of objects is changed.',
  )
}
