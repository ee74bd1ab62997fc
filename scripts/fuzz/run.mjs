// Does the steps of a case on a gateway, and checks after every step what must hold whatever was done.
import { FAMILIES } from './operations.mjs'
import { edited, expanded, mutated } from './values.mjs'

const MOST_ERROR_BYTES = 16 * 1024
/** The most commits of a case that are checked: a year on the clock makes thousands. */
const MOST_COMMITS = 100
const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** A secret where it is known to be one: an API key, a webhook secret under its name, a private key. */
const LEAK = /PLANTED9|"secret":[^,}]*PLANTED|PRIVATE KEY-----(\\+n)[A-Za-z0-9+/]/

class Broken extends Error {}

const must = (holds, what) => {
  if (!holds) throw new Broken(what)
}

/** The steps on a build of the package: `{ main, ngrok, testing }` are its modules. */
export function stepsOn({ main, ngrok, testing }) {
  const pairs = Array.from({ length: 8 }, (_, index) =>
    testing.certificatePair({
      names: [`p${index}.example.com`],
      keyType: ['ecdsa', 'rsa', 'ed25519'][index % 3],
      issuers: index % 4,
      seed: `fuzz ${index}`,
    }),
  )
  const statuses = {}
  let steps = 0

  function open(options) {
    const { dialect, clock: kind, keepBackendsOnPatch, ...rest } = options
    const shared = {
      ...rest,
      seed: 'fuzz',
      quirks: { keepBackendsOnPatch },
      ...(kind === 'manual' ? { clock: main.manualClock('2026-01-01T00:00:00.250Z') } : {}),
    }
    return dialect === 'ngrok' ? ngrok.createNgrok(shared) : main.createGateway(shared)
  }

  /** A gateway with one of everything, where its options allow that, and the commits that follow. */
  function inhabited(options) {
    const gateway = filled(open({ ...options, account: undefined }))
    if (!options.account) return watched(gateway, options)
    // What there is already stays above the limits of the account.
    const limited = open(options)
    limited.restore(gateway.snapshot({ privateKeys: true }))
    return watched(limited, options)
  }

  function filled(gateway) {
    const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
    const { id: certificate_id } = gateway.tlsCertificates.create(pairs[0])
    gateway.reservedAddrs.create()
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_id })
    gateway.reservedDomains.create({ domain: 'b.example.com', certificate_management_policy: policy })
    gateway.weightedBackends.create({})
    if (!gateway.vaults) return gateway
    gateway.endpoints.create({ url: 'https://a.example.com', traffic_policy: '{}' })
    const { id: vault_id } = gateway.vaults.create({ name: 'v' })
    gateway.vaultSecrets.create({ name: 's', value: 'x', vault_id })
    const { id: owner_id } = gateway.botUsers.create({ name: 'u' })
    gateway.credentials.create({ owner_id, acl: ['bind:*.example.com'] })
    gateway.apiKeys.create()
    const { id: ip_policy_id } = gateway.ipPolicies.create()
    gateway.ipPolicyRules.create({ ip_policy_id, cidr: '192.0.2.0/24', action: 'deny' })
    gateway.kubernetesOperators.create({ enabled_features: ['bindings'] })
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://agent.ngrok-free.app' }] })
    return gateway
  }

  function watched(gateway, options) {
    const commits = []
    gateway.subscribe((commit) => commits.length < MOST_COMMITS && commits.push(commit))
    return { gateway, commits, options }
  }

  const recordsOf = (gateway, prefix) => {
    const [, member] = FAMILIES.find(([each]) => each === prefix)
    return Object.values(gateway[member]?.list({ limit: 100 }) ?? {}).find(Array.isArray) ?? []
  }

  /** Returns the value of a token on a gateway now. */
  const lookUpOn = (gateway) => (name, index) => {
    const nth = (values) => values[index % values.length]
    switch (name) {
      case 'pem':
        return nth(pairs).certificate_pem
      case 'key':
        return nth(pairs).private_key_pem
      case 'secret':
        return `PLANTED${index}`
      case 'https':
        return 'edghts_1'
      case 'routes':
        return 'edghtsrt_1'
      case 'tcp':
      case 'tls':
        return `edg${name}_1`
      case 'target':
        return nth(recordsOf(gateway, 'rd'))?.cname_target ?? 'x.y'
      default:
        return nth(recordsOf(gateway, name))?.id ?? 'rd_unknown'
    }
  }

  /** The state, without what counts requests: a refused request is counted too. */
  function stateOf(gateway) {
    const { rateLimit: _, now: __, ...snapshot } = gateway.snapshot()
    return JSON.stringify(snapshot, (name, value) => (name === 'hits' || name === 'passed' ? 0 : value))
  }

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

  /** Checks an answer of the API or of its controls. Returns whether it was a refusal. */
  function checkAnswer(gateway, answer, method, faulty) {
    const { status, headers, body } = answer
    const header = gateway.dialect.operationIdHeader
    statuses[status] = (statuses[status] ?? 0) + 1
    must(
      /^op_[0-9A-Za-z]{27}$/.test(headers[header] ?? ''),
      `The answer has no operation id: ${JSON.stringify(headers)}`,
    )
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
  function checkAgain(gateway, value) {
    if (typeof value?.uri !== 'string' || value.id === undefined || gateway.faults.all().length > 0) return
    const [, member] = FAMILIES.find(([prefix]) => value.id.startsWith(`${prefix}_`)) ?? []
    must(member && value.uri.startsWith(`${gateway.url}/`), `No family has the URI ${value.uri}.`)
    const again = gateway[member].get(value.id)
    // Only the answer to a creation has a token.
    const shown = JSON.stringify('token' in again ? { ...value, token: again.token } : value)
    must(JSON.stringify(again) === shown, `Read again, ${shown} is ${JSON.stringify(again)}.`)
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

  /** Calls the direct API. Returns whether it threw a GatewayError, or one of the other errors by their names. */
  function attempt(gateway, work, others = []) {
    try {
      checkAgain(gateway, work())
      return false
    } catch (error) {
      if (error instanceof Broken) throw error
      if (error instanceof main.GatewayError) {
        must(!LEAK.test(JSON.stringify([error.message, error.details])), `A secret in ${error.message}`)
        return true
      }
      if (others.includes(error.name)) return true
      throw error
    }
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

  /** Every call works on a gateway with the same state: it can be read, continues, and can be emptied. */
  function checkLivable(gateway, options) {
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

  function readAll(gateway) {
    for (const [prefix, member] of FAMILIES) for (const { id } of recordsOf(gateway, prefix)) gateway[member].get(id)
    for (const { id } of recordsOf(gateway, 'rd')) gateway.provisioning.printTimeline(id)
    const { dns, faults, provisioning } = gateway
    JSON.stringify([dns.records(), faults.all(), provisioning.pendingOutcomes(), gateway.leftovers()])
  }

  /** Checks what must hold at the end of a case. */
  function checkEnd({ gateway, commits }) {
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
    must(
      Object.keys(Object.prototype).length === 0 && {}.polluted === undefined,
      'The prototype of objects is changed.',
    )
  }

  /** Does a step. Throws if something is wrong after it. */
  async function run(step, { gateway, options }) {
    steps++
    const before = stateOf(gateway)
    const refused = await DO[step.kind](gateway, step, options)
    if (!refused || options.clock !== 'manual') return
    const after = stateOf(gateway)
    if (after !== before) throw new Broken(`A refused call has changed the state.\n${firstChange(before, after)}`)
  }

  return { inhabited, run, checkEnd, counts: () => ({ steps, statuses }) }
}

/** Writes a value into a query. Objects have no text of their own, or one that throws. */
const asText = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const wellFormed = (text) => text.replace(/[\ud800-\udfff]/g, '?')

function firstChange(before, after) {
  let at = 0
  while (before[at] === after[at]) at++
  return `before: …${before.slice(Math.max(0, at - 80), at + 120)}…\nafter:  …${after.slice(Math.max(0, at - 80), at + 120)}…`
}
