// Sends the calls of a document with a generated client to a served gateway: each operation must succeed, and each response
// must come back from the types of the client with the fields that the gateway sent.
import assert from 'node:assert/strict'

/** An id of the examples. */
const ID = /\b[a-z0-9]+_2AbCdEfGhIjKlMnOpQrStUvW[0-9A-Za-z]+\b/g

/** The ids that only a declaration creates, by their prefixes: those of the first resource. */
const DECLARED = {
  ts: (gateway) => gateway.tunnelSessions.list().tunnel_sessions[0]?.id,
  tn: (gateway) => gateway.tunnels.list().tunnels[0]?.id,
  au: (gateway) => gateway.applicationUsers.list().application_users[0]?.id,
  as: (gateway) => gateway.applicationSessions.list().application_sessions[0]?.id,
}

/** Makes the calls. Returns the operations that succeeded, and the reasons of the others. */
export async function makeCalls(calls, driver, gateway) {
  const ids = new Map()
  const idOf = (id) => ids.get(id) ?? DECLARED[id.split('_')[0]]?.(gateway) ?? id
  const succeeded = new Set()
  const problems = new Map()
  for (const { id, ...call } of calls) {
    const sent = JSON.parse(JSON.stringify(call).replaceAll(ID, idOf))
    const { status, answer, text, error, failure } = await driver.send(sent)
    const problem = failure ?? error ?? findLoss(answer, text)
    if (problem === undefined) succeeded.add(call.operation)
    else if (!problems.has(call.operation)) problems.set(call.operation, `${status ?? ''} ${problem}`.trim())
    const given = answer?.id ?? answer?.name
    if (id && given) ids.set(id, given)
  }
  return { succeeded, problems }
}

/** Returns how a response of a client differs from the text that the gateway sent; undefined if it does not. */
function findLoss(answer, text) {
  if (!text || text === answer) return undefined
  try {
    assert.deepEqual(normalize(answer), normalize(JSON.parse(text)))
  } catch (error) {
    return error.message
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Returns data without nulls, and with times as numbers: each client writes them in its own way. */
function normalize(value) {
  if (Array.isArray(value)) return value.map(normalize)
  if (typeof value === 'string' && TIME.test(value)) return Date.parse(value)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(fields.map(([name, each]) => [name, normalize(each)]))
}
