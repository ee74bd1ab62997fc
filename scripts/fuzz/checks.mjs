// What must hold after every step, and at the end of a case.
import { GatewayError } from '../../dist/index.js'
import { open, readAll, recordsOf, stateOf } from './gateways.mjs'
import { FAMILIES } from './operations.mjs'

const MOST_ERROR_BYTES = 16 * 1024

/** A secret where it is known to be one: an API key, a webhook secret under its name, a private key. */
const LEAK = /PLANTED9|"secret":[^,}]*PLANTED|PRIVATE KEY-----(\\+n)[A-Za-z0-9+/]/

class Broken extends Error {}

export const must = (holds, what) => {
  if (!holds) throw new Broken(what)
}

/** The number of answers over HTTP with each status. */
export const statuses = {}

/** Checks an answer of the API or of its controls. Returns whether it was a refusal. */
export function checkAnswer(gateway, answer, method, faulty) {
  const { status, headers, body } = answer
  const header = gateway.dialect.operationIdHeader
  statuses[status] = (statuses[status] ?? 0) + 1
  must(/^op_[0-9A-Za-z]{27}$/.test(headers[header] ?? ''), `The answer has no operation id: ${JSON.stringify(headers)}`)
  if (faulty) return false
  // A move of the clock over years of failing attempts is stopped after ten seconds, and says so.
  const isStoppedMove = status === 504 && /_90422"/.test(body)
  // The agent of a session can be declared unreachable.
  const isUnreachable = status === 503 && /_810"/.test(body)
  must(status < 500 || isStoppedMove || isUnreachable, `Status ${status}: ${body}`)
  if (status < 400) {
    if (body !== null && body !== '' && /json/.test(headers['Content-Type'] ?? '')) JSON.parse(body)
    return false
  }
  if (method === 'HEAD') {
    must(body === null || body === '', 'A HEAD request has a body in its answer.')
    return true
  }
  must(new TextEncoder().encode(body).length <= MOST_ERROR_BYTES, `An error answer of ${body?.length} characters.`)
  must(!LEAK.test(body), `A secret in an error: ${body}`)
  const error = JSON.parse(body)
  must(Object.keys(error).join() === 'error_code,status_code,msg,details', `The shape of an error: ${body}`)
  must(new RegExp(`^${gateway.dialect.errorPrefix}\\d{3,5}$`).test(error.error_code), `The code of an error: ${body}`)
  must(error.status_code === status && /\S/.test(error.msg), `The status or the message of an error: ${body}`)
  must(error.details.operation_id === headers[header], `The operation id of an error: ${body}`)
  must(
    Object.values(error.details).every((value) => typeof value === 'string'),
    `The details of an error: ${body}`,
  )
  return true
}

/** A resource of a successful answer can be read again, and is the same. */
export function checkAgain(gateway, value) {
  if (typeof value?.uri !== 'string' || value.id === undefined || gateway.faults.all().length > 0) return
  const [, member] = FAMILIES.find(([prefix]) => value.id.startsWith(`${prefix}_`)) ?? []
  must(member && value.uri.startsWith(`${gateway.url}/`), `No family has the URI ${value.uri}.`)
  const again = gateway[member].get(value.id)
  // Only the answer to a creation has a token.
  const shown = JSON.stringify('token' in again ? { ...value, token: again.token } : value)
  must(JSON.stringify(again) === shown, `Read again, ${shown} is ${JSON.stringify(again)}.`)
}

/** Calls the direct API. Returns whether it threw a GatewayError, or one of the other errors by their names. */
export function attempt(gateway, work, others = []) {
  try {
    checkAgain(gateway, work())
    return false
  } catch (error) {
    if (error instanceof Broken) throw error
    if (error instanceof GatewayError) {
      must(!LEAK.test(JSON.stringify([error.message, error.details])), `A secret in ${error.message}`)
      return true
    }
    if (others.includes(error.name)) return true
    throw error
  }
}

/** Every call works on a gateway with the same state: it can be read, continues, and can be emptied. */
export function checkLivable(gateway, options) {
  const twin = open({ ...options, clock: 'manual' })
  const snapshot = gateway.snapshot({ privateKeys: true })
  twin.restore(snapshot)
  must(stateOf(twin) === stateOf(gateway), 'A restored snapshot is another state.')
  readAll(twin)
  if (twin.clock.now < Date.UTC(9998, 0)) twin.clock.advance('70d')
  twin.clock.advanceToNext()
  readAll(twin)
  for (const prefix of ['ep', 'secret', 'vault', 'bot', 'ipp', 'k8sop', 'rd', 'cert', 'ra']) {
    const [, member] = FAMILIES.find(([each]) => each === prefix)
    for (const each of recordsOf(twin, prefix)) {
      const isAnothers = each.is_dev || (prefix === 'ep' && each.type !== 'cloud')
      if (!isAnothers) twin[member].delete(each.id)
    }
  }
  twin.reset()
}

/** Checks what must hold at the end of a case. */
export function checkEnd({ gateway, commits }) {
  readAll(gateway)
  const before = JSON.stringify(gateway.snapshot())
  const state = stateOf(gateway)
  must(!/PRIVATE KEY/.test(before), 'A private key in a snapshot.')
  const kept = JSON.stringify([gateway.requests.all(), commits])
  const leak = LEAK.exec(kept)
  must(
    !leak,
    `A secret in the journal or a commit: ${leak && kept.slice(Math.max(0, leak.index - 300), leak.index + 300)}`,
  )
  gateway.restore(gateway.snapshot())
  must(stateOf(gateway) === state, 'restore(snapshot()) changes something.')
  must(Object.keys(Object.prototype).length === 0 && {}.polluted === undefined, 'The prototype of objects is changed.')
}
