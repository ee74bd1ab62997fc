// Runs the steps of a case on a gateway, and checks after every step what must hold after any step.
import assert from 'node:assert/strict'
import { attempt, checkAgain, checkAnswer, checkLivable } from './checks.mjs'
import { createLookup, pairs, stateOf } from './gateways.mjs'
import { edit, expand, mutate } from './values.mjs'

const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** Returns how a promise settles, or undefined if it does not settle soon. */
async function outcomeOf(promise) {
  let outcome
  promise.then(
    (value) => (outcome = { value }),
    (error) => (outcome = { error }),
  )
  for (let turn = 0; turn < 30 && !outcome; turn++) await new Promise((resolve) => setImmediate(resolve))
  return outcome
}

/** Returns the query of a URL. Objects have no text of their own, or one that throws. */
function queryOf(json) {
  if (typeof json === 'string') return `?${json}`
  const textOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  const encode = (value) => encodeURIComponent(textOf(value).replace(/[\ud800-\udfff]/g, '?'))
  const texts = Object.entries(json ?? {}).map((pair) => pair.map(encode).join('='))
  return texts.length > 0 ? `?${texts.join('&')}` : ''
}

async function exchange(gateway, { method, url, headers, body, via }) {
  const named = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null))
  if (via !== 'fetch') return gateway.transport.exchange({ method, url, header: (name) => named[name] ?? null, body })
  const outcome = await outcomeOf(
    gateway.fetch(gateway.url + url, { method, headers: named, ...(body === '' ? {} : { body }) }),
  )
  if (outcome?.error instanceof TypeError) return null
  if (outcome?.error) throw outcome.error
  assert(outcome || gateway.faults.all().length > 0, 'A fetch does not settle.')
  if (!outcome) return null
  const response = outcome.value
  const { operationIdHeader } = gateway.dialect
  const shown = {
    [operationIdHeader]: response.headers.get(operationIdHeader),
    'Content-Type': response.headers.get('content-type'),
  }
  return { status: response.status, headers: shown, body: response.body === null ? null : await response.text() }
}

/** The errors that some members throw in addition to the errors of the API: the journal throws if it has dropped the requests. */
const OTHER_ERRORS = { requests: ['GatewayAssertionError'], clock: ['TypeError', 'RangeError'] }

/** A function for each kind of step. It runs the step, and returns whether the step was refused. */
const DO = {
  async request(gateway, { family, via, method: usual, path, ids, body, query, headers, odd }) {
    const isControl = family === 'controls'
    if (!isControl && !gateway[family]) return false
    const lookUp = createLookup(gateway)
    const named = ids.map((each, index) => (index === 0 && odd.id !== null ? odd.id : each))
    const placed = named.reduce((text, each) => text.replace(/:(?=\/|$)/, expand(each, lookUp)), path)
    const method = odd.method ?? usual
    const { authorization, version, type, ...others } = headers
    const answer = await exchange(gateway, {
      via,
      method,
      url: placed + (odd.path ?? '') + queryOf(JSON.parse(expand(query, lookUp, true))),
      headers: {
        ...others,
        authorization: authorization && expand(authorization, lookUp),
        [gateway.dialect.versionHeader.toLowerCase()]: version,
        'content-type': body === '' && odd.body === null ? null : type,
      },
      body: expand(odd.body ?? body, lookUp, true),
    })
    if (!answer) return false
    const faulty = !isControl && (gateway.faults.all().length > 0 || answer.delivery !== undefined)
    const refused = checkAnswer(gateway, answer, method, faulty)
    const isJson = /json/.test(answer.headers['Content-Type'] ?? '')
    if (!faulty && isJson && answer.status < 300 && answer.body) checkAgain(gateway, JSON.parse(answer.body))
    return refused
  },
  call(gateway, { place, args }) {
    const [name, of] = place.split('.').reverse()
    const holder = of === undefined ? gateway : gateway[of]
    if (!holder?.[name]) return false
    const values = [JSON.parse(expand(args, createLookup(gateway), true))].flat()
    // From 1970, where a step may have put it, hourly attempts take 8 s to this day for each domain that fails.
    if (of === 'clock' && Date.parse(values[0]) - gateway.clock.now > TEN_YEARS_MS) return false
    return attempt(gateway, () => holder[name](...values), OTHER_ERRORS[of])
  },
  certificate(gateway, { pair, part, text }) {
    const sent = { ...pairs[pair] }
    sent[part] = edit(sent[part], text)
    return attempt(gateway, () => gateway.tlsCertificates.create(sent))
  },
  async restore(gateway, { via, privateKeys, mutations }, options) {
    const text = mutate(JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys }))), mutations)
    const body = expand(text, createLookup(gateway), true)
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const put = () => exchange(gateway, { method: 'PUT', url: '/_fauxgate/state', headers, body })
    const refused =
      via === 'direct'
        ? attempt(gateway, () => gateway.restore(JSON.parse(body)))
        : checkAnswer(gateway, await put(), 'PUT', false)
    if (!refused) checkLivable(gateway, options)
    return refused
  },
}

/** Runs a step. Throws if a check fails after it. */
export async function run(step, { gateway, options }) {
  const before = stateOf(gateway)
  const refused = await DO[step.kind](gateway, step, options)
  if (!refused || options.clock !== 'manual') return
  const after = stateOf(gateway)
  if (after !== before) assert.fail(`A refused call has changed the state.\n${firstChange(before, after)}`)
}

function firstChange(before, after) {
  let at = 0
  while (before[at] === after[at]) at++
  return `before: …${before.slice(Math.max(0, at - 80), at + 120)}…\nafter:  …${after.slice(Math.max(0, at - 80), at + 120)}…`
}
