// Does the steps of a case on a gateway, and checks after every step what must hold whatever was done.
import { attempt, checkAgain, checkAnswer, checkLivable, must, statuses } from './checks.mjs'
import { lookUpOn, pairs, stateOf } from './gateways.mjs'
import { edited, expanded, mutated } from './values.mjs'

const TEN_YEARS_MS = 10 * 365 * 86_400_000

let steps = 0

/** Returns the number of steps so far, and of answers over HTTP with each status. */
export const counts = () => ({ steps, statuses })

/** Returns how a promise settled; undefined where it does not soon. */
async function settled(promise) {
  let outcome
  promise.then(
    (value) => (outcome = { value }),
    (error) => (outcome = { error }),
  )
  for (let turn = 0; turn < 30 && !outcome; turn++) await new Promise((resolve) => setImmediate(resolve))
  return outcome
}

function queryText({ filter, edits = [], raw, ...rest }, lookUp) {
  if (raw !== undefined) return `?${raw}`
  return encoded({ ...rest, ...(filter !== undefined && { filter: edited(filter, edits) }) }, lookUp)
}

function encoded(parameters, lookUp) {
  const texts = Object.entries(parameters).map((pair) =>
    pair.map((each) => encodeURIComponent(wellFormed(expanded(asText(each), lookUp)))).join('='),
  )
  return texts.length > 0 ? `?${texts.join('&')}` : ''
}

async function exchange(gateway, { method, url, headers, body, via }) {
  const named = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null))
  if (via !== 'fetch') return gateway.transport.exchange({ method, url, header: (name) => named[name] ?? null, body })
  const init = { method, headers: named, ...(body === '' ? {} : { body }) }
  const outcome = await settled(gateway.fetch(gateway.url + url, init))
  if (outcome?.error instanceof TypeError) return null
  if (outcome?.error) throw outcome.error
  must(outcome || gateway.faults.all().length > 0, 'A fetch does not settle.')
  if (!outcome) return null
  const response = outcome.value
  const { operationIdHeader } = gateway.dialect
  const shown = {
    [operationIdHeader]: response.headers.get(operationIdHeader),
    'Content-Type': response.headers.get('content-type'),
  }
  return { status: response.status, headers: shown, body: response.body === null ? null : await response.text() }
}

const DO = {
  async request(gateway, { family, via, method: usual, path, ids, body, query, headers, odd }) {
    if (!gateway[family]) return false
    const lookUp = lookUpOn(gateway)
    const named = ids.map((each, index) => (index === 0 && odd.id !== null ? odd.id : each))
    const placed = named.reduce((text, each) => text.replace(/:(?=\/|$)/, expanded(each, lookUp)), path)
    const method = odd.method ?? usual
    const answer = await exchange(gateway, {
      via,
      method,
      url: placed + (odd.path ?? '') + queryText(query, lookUp),
      headers: {
        authorization: headers.authorization && expanded(headers.authorization, lookUp),
        [gateway.dialect.versionHeader.toLowerCase()]: headers.version,
        'content-type': body === '' && odd.body === null ? null : headers.type,
        origin: headers.origin,
      },
      body: expanded(odd.body ?? body, lookUp, true),
    })
    if (!answer) return false
    const faulty = gateway.faults.all().length > 0 || answer.delivery !== undefined
    const refused = checkAnswer(gateway, answer, method, faulty)
    if (!faulty && answer.status < 300 && answer.body && method !== 'OPTIONS')
      checkAgain(gateway, JSON.parse(answer.body))
    return refused
  },
  direct(gateway, { family, name, ids, odd, body, query }) {
    if (!gateway[family]) return false
    const lookUp = lookUpOn(gateway)
    const parsed = (text) => JSON.parse(expanded(text, lookUp, true))
    const named = ids.map((each) => (odd === null ? expanded(each, lookUp) : parsed(odd)))
    const args = ids.length === 2 ? [odd === null ? { edge_id: named[0], id: named[1] } : parsed(odd)] : named
    if (body !== null) args.push(parsed(body))
    if (name === 'list') {
      const { edits, raw, ...rest } = query
      const read = Object.entries(rest).map(([key, value]) => [key, expanded(edited(value, edits ?? []), lookUp)])
      args.push({ ...Object.fromEntries(read), ...(raw === undefined ? {} : { [raw]: raw }) })
    }
    return attempt(gateway, () => gateway[family][name](...args))
  },
  async control(gateway, { method: usual, path, body, query, host, odd }) {
    const lookUp = lookUpOn(gateway)
    const answer = await exchange(gateway, {
      method: odd.method ?? usual,
      url: `/_fauxgate${path}${odd.path ?? ''}${encoded(JSON.parse(expanded(query, lookUp, true)) ?? {}, lookUp)}`,
      headers: { host, 'content-type': body === '' ? null : 'application/json' },
      body: expanded(body, lookUp, true),
    })
    return checkAnswer(gateway, answer, odd.method ?? usual, false)
  },
  call(gateway, { place, args }) {
    const lookUp = lookUpOn(gateway)
    const values = JSON.parse(expanded(args, lookUp, true))
    const holder = place.length === 2 ? gateway[place[0]] : gateway
    if (!holder[place.at(-1)]) return false
    const work = () => void holder[place.at(-1)](...(Array.isArray(values) ? values : [values]))
    // The journal does not answer for requests that it has dropped.
    return attempt(gateway, work, place[0] === 'requests' ? ['GatewayAssertionError'] : [])
  },
  clock(gateway, { how, value }) {
    if (!('advance' in gateway.clock)) return false
    // From 1970, where a step may have put it, hourly attempts take 8 s to this day for each domain that fails.
    if (typeof value === 'string' && Date.parse(value) - gateway.clock.now > TEN_YEARS_MS) return false
    return attempt(gateway, () => void gateway.clock[how](value), ['TypeError', 'RangeError'])
  },
  certificate(gateway, { pair, part, text }) {
    const sent = { ...pairs[pair] }
    sent[part] = edited(sent[part], text)
    return attempt(gateway, () => gateway.tlsCertificates.create(sent))
  },
  async restore(gateway, { via, privateKeys, mutations }, options) {
    const text = mutated(JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys }))), mutations)
    const sent = expanded(text, lookUpOn(gateway), true)
    let refused
    if (via === 'direct') refused = attempt(gateway, () => gateway.restore(JSON.parse(sent)))
    else {
      const headers = { host: 'localhost', 'content-type': 'application/json' }
      const answer = await exchange(gateway, { method: 'PUT', url: '/_fauxgate/state', headers, body: sent })
      refused = checkAnswer(gateway, answer, 'PUT', false)
    }
    if (!refused) checkLivable(gateway, options)
    return refused
  },
}

/** Does a step. Throws if something is wrong after it. */
export async function run(step, { gateway, options }) {
  steps++
  const before = stateOf(gateway)
  const refused = await DO[step.kind](gateway, step, options)
  if (!refused || options.clock !== 'manual') return
  const after = stateOf(gateway)
  if (after !== before) must(false, `A refused call has changed the state.\n${firstChange(before, after)}`)
}

/** Writes a value into a query. Objects have no text of their own, or one that throws. */
const asText = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const wellFormed = (text) => text.replace(/[\ud800-\udfff]/g, '?')

function firstChange(before, after) {
  let at = 0
  while (before[at] === after[at]) at++
  return `before: …${before.slice(Math.max(0, at - 80), at + 120)}…\nafter:  …${after.slice(Math.max(0, at - 80), at + 120)}…`
}
