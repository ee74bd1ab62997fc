// Runs the steps of a case on a gateway, and checks the gateway after every step.
import assert from 'node:assert/strict'
import { attempt, checkAgain, checkReopened, checkResponse, checkUsable } from './checks.mjs'
import { createLookup, pairs, stateOf } from './gateways.mjs'
import { edit, expand, mutate } from './values.mjs'

const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** Returns the value or the error of a promise, or undefined if the promise does not settle soon. */
async function waitForOutcome(promise) {
  let outcome
  promise.then(
    (value) => (outcome = { value }),
    (error) => (outcome = { error }),
  )
  for (let turn = 0; turn < 30 && !outcome; turn++) await new Promise((resolve) => setImmediate(resolve))
  return outcome
}

/** Returns the query of a URL. It formats objects as JSON, because their own texts are useless or throw. */
function formatQuery(json) {
  if (typeof json === 'string') return `?${json}`
  const textOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  const encode = (value) => encodeURIComponent(textOf(value).replace(/[\ud800-\udfff]/g, '?'))
  const texts = Object.entries(json ?? {}).map((pair) => pair.map(encode).join('='))
  return texts.length > 0 ? `?${texts.join('&')}` : ''
}

async function exchange(gateway, { method, url, headers, body, via }) {
  const sentHeaders = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null))
  if (via !== 'fetch') {
    const response = gateway.transport.exchange({ method, url, header: (name) => sentHeaders[name] ?? null, body })
    // Some controls load what they need at their first call, and end later than the call.
    return response.safe && url.startsWith('/_fauxgate/') ? response.safe : response
  }
  const outcome = await waitForOutcome(
    gateway.fetch(gateway.url + url, { method, headers: sentHeaders, ...(body === '' ? {} : { body }) }),
  )
  if (outcome?.error instanceof TypeError) return null
  if (outcome?.error) throw outcome.error
  assert(outcome || gateway.faults.all().length > 0, 'A fetch does not settle.')
  if (!outcome) return null
  const response = outcome.value
  const { operationIdHeader } = gateway.dialect
  const shownHeaders = {
    [operationIdHeader]: response.headers.get(operationIdHeader),
    'Content-Type': response.headers.get('content-type'),
  }
  return { status: response.status, headers: shownHeaders, body: response.body === null ? null : await response.text() }
}

/** The additional errors that some members throw: the journal throws if it has dropped the requests. */
const OTHER_ERRORS = { requests: ['GatewayAssertionError'], clock: ['TypeError', 'RangeError'] }

/** A function for each kind of step. It runs the step, and returns whether the step was rejected. */
const RUNNERS = {
  async request(gateway, { family, via, method: usualMethod, path, ids, body, query, headers, odd }) {
    const isControl = family === 'controls'
    if (!isControl && !gateway[family]) return false
    const lookUp = createLookup(gateway)
    const usedIds = ids.map((each, index) => (index === 0 && odd.id !== null ? odd.id : each))
    const filledPath = usedIds.reduce((text, each) => text.replace(/:(?=\/|$)/, expand(each, lookUp)), path)
    const method = odd.method ?? usualMethod
    const { authorization, version, type, ...others } = headers
    const response = await exchange(gateway, {
      via,
      method,
      url: filledPath + (odd.path ?? '') + formatQuery(JSON.parse(expand(query, lookUp, true))),
      headers: {
        ...others,
        authorization: authorization && expand(authorization, lookUp),
        [gateway.dialect.versionHeader.toLowerCase()]: version,
        'content-type': body === '' && odd.body === null ? null : type,
      },
      body: expand(odd.body ?? body, lookUp, true),
    })
    if (!response) return false
    const isFaulty = !isControl && (gateway.faults.all().length > 0 || response.delivery !== undefined)
    const isRefused = checkResponse(gateway, response, method, isFaulty)
    const isJson = /json/.test(response.headers['Content-Type'] ?? '')
    if (!isFaulty && isJson && response.status < 300 && response.body) checkAgain(gateway, JSON.parse(response.body))
    return isRefused
  },
  call(gateway, { place, args }) {
    const [name, owner] = place.split('.').reverse()
    const object = owner === undefined ? gateway : gateway[owner]
    if (!object?.[name]) return false
    const values = [JSON.parse(expand(args, createLookup(gateway), true))].flat()
    // A step may have set the clock to 1970. From there to today, hourly attempts take 8 s for each failing domain.
    if (owner === 'clock' && Date.parse(values[0]) - gateway.clock.now > TEN_YEARS_MS) return false
    return attempt(gateway, () => object[name](...values), OTHER_ERRORS[owner])
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
    const isRefused =
      via === 'direct'
        ? attempt(gateway, () => gateway.restore(JSON.parse(body)))
        : checkResponse(gateway, await put(), 'PUT', false)
    if (!isRefused) checkUsable(gateway, options)
    return isRefused
  },
}

/** Runs a step. Throws if a check fails after it. */
export async function run(step, { gateway, options, store, reopened }) {
  const before = stateOf(gateway)
  const isRefused = await RUNNERS[step.kind](gateway, step, options)
  if (options.clock !== 'manual') return
  const family = step.family ?? step.place ?? step.kind
  if (!isRefused && !reopened.has(family) && stateOf(gateway) !== before) {
    reopened.add(family)
    checkReopened(gateway, store, options)
  }
  if (!isRefused) return
  const after = stateOf(gateway)
  if (after !== before) assert.fail(`A rejected call has changed the state.\n${describeFirstChange(before, after)}`)
}

function describeFirstChange(before, after) {
  let at = 0
  while (before[at] === after[at]) at++
  return `before: …${before.slice(Math.max(0, at - 80), at + 120)}…\nafter:  …${after.slice(Math.max(0, at - 80), at + 120)}…`
}
