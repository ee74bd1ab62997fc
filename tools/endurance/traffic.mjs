// The work of clients for as long as a server answers: write, call everything else, and leave in the middle of a
// request.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const HEADERS = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** Returns the status and body of a response, or undefined if there was none. */
export async function send(url, method, path, body) {
  const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(url + path, init).catch(() => undefined)
  const text = await response?.text().catch(() => undefined)
  if (text === undefined) return undefined
  return { status: response.status, text }
}

async function listAll(url, name) {
  const found = []
  for (let next = `/${name}?limit=100`; next; ) {
    const page = JSON.parse((await send(url, 'GET', next)).text)
    found.push(...page[name])
    next = page.next_page_uri?.slice(url.length)
  }
  return found
}

/** The maximum number of addresses at a time, and four times the maximum number of domains. */
const MAX_ADDRESSES = 400

/** The possible states of every record: one after a write with a response, two or more after a write without one. */
export class Ledger {
  answered = 0
  #next = 0
  #states = new Map()
  #oldest = { reserved_addrs: [], reserved_domains: [] }

  /** Writes until there is no response. */
  async write(url) {
    for (let hasAnswer = true; hasAnswer; )
      hasAnswer = this.#next % 4 ? await this.#writeAddress(url) : await this.#writeDomain(url)
  }

  async #writeAddress(url) {
    const metadata = `ledger ${this.#next++}`
    const created = await this.#change(metadata, 'new', url, 'POST', '/reserved_addrs', {
      metadata,
      description: 'new',
    })
    const path = created && `/reserved_addrs/${JSON.parse(created.text).id}`
    if (!created || !(await this.#change(metadata, 'changed', url, 'PATCH', path, { description: 'changed' })))
      return false
    return this.#deleteOldest('reserved_addrs', MAX_ADDRESSES, metadata, url, path)
  }

  async #writeDomain(url) {
    const domain = `d${this.#next++}.example.com`
    const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
    const created = await this.#change(domain, 'there', url, 'POST', '/reserved_domains', {
      domain,
      certificate_management_policy,
    })
    const path = created && `/reserved_domains/${JSON.parse(created.text).id}`
    return created !== undefined && this.#deleteOldest('reserved_domains', MAX_ADDRESSES / 4, domain, url, path)
  }

  async #deleteOldest(collection, maximum, name, url, path) {
    this.#oldest[collection].push([name, path])
    if (this.#oldest[collection].length <= maximum) return true
    const [oldest, oldestPath] = this.#oldest[collection].shift()
    return (await this.#change(oldest, undefined, url, 'DELETE', oldestPath)) !== undefined
  }

  async #change(name, state, ...call) {
    const possible = this.#states.get(name) ?? [undefined]
    this.#states.set(name, [...possible, state])
    const answer = await send(...call)
    if (answer === undefined) return undefined
    if (answer.status >= 400) throw new Error(`${call.slice(1, 3).join(' ')} answers ${answer.status}: ${answer.text}`)
    this.#states.set(name, [state])
    this.answered++
    return answer
  }

  /** Compares the records of a server with the ledger. Returns a line for each problem, and takes over the records. */
  async findProblems(url) {
    const [addresses, domains] = [await listAll(url, 'reserved_addrs'), await listAll(url, 'reserved_domains')]
    const certificates = (await listAll(url, 'tls_certificates')).map(({ id }) => id)
    const current = new Map(addresses.map(({ metadata, description }) => [metadata, description]))
    for (const { domain } of domains) current.set(domain, 'there')
    const problems = [...this.#states].flatMap(([name, possible]) => {
      this.#states.set(name, [current.get(name)])
      return possible.includes(current.get(name)) ? [] : [`${name} is ${current.get(name)} and could be ${possible}`]
    })
    const used = domains.map(({ certificate }) => certificate?.id)
    if (used.sort().join() !== certificates.sort().join())
      problems.push(`domains use ${used}, there are ${certificates}`)
    return problems
  }
}

const ROUTE = '/edges/https/edghts_soak/routes/edghtsrt_soak/policy'

/** Calls that can be made in any order. Some are rejected. */
const CALLS = [
  ['GET', `/reserved_addrs?filter=${encodeURIComponent('obj.region == "us"')}`],
  ['GET', `/reserved_domains?filter=${encodeURIComponent('obj.domain.startsWith("d1")')}`],
  ['GET', '/reserved_addrs/ra_000000000000000000000000000'],
  ['GET', '/nowhere'],
  ['POST', '/reserved_addrs', { region: 'mars' }],
  ['PUT', ROUTE, { enabled: true, value: '{"on_http_request":[]}' }],
  ['DELETE', ROUTE],
  ...['clock', 'overview', 'timelines?limit=20', 'report', 'requests', 'state', 'openapi.json', ''].map((path) => [
    'GET',
    `/_fauxgate/${path}`,
  ]),
  ['PUT', '/_fauxgate/dns', { name: 'soak.example.com', type: 'A', value: '192.0.2.1' }],
  ['POST', '/_fauxgate/provisioning/script', { outcomes: ['DNS_ERROR', 'success'], domain: 'soak.example.com' }],
  ['POST', '/_fauxgate/faults', { operation: 'tls_certificates.create', times: 1, status: 429 }],
  ['DELETE', '/_fauxgate/faults'],
  ['POST', '/_fauxgate/declare', { edge: 'edghts_soak', routes: ['edghtsrt_soak'] }],
]

/** Makes random calls until there is no response, and listens to events now and then. `onFailure` receives each 5xx. */
export async function callEverything(url, random, onFailure) {
  for (;;) {
    const [method, path, body] = CALLS[Math.floor(random() * CALLS.length)]
    const answer = await send(url, method, path, body)
    if (!answer) return
    if (answer.status >= 500) onFailure(`${method} ${path} answers ${answer.status}: ${answer.text.slice(0, 200)}`)
    const signal = AbortSignal.timeout(Math.floor(random() * 200))
    await fetch(`${url}/_fauxgate/events`, { signal })
      .then((events) => events.text())
      .catch(() => undefined)
  }
}

const BEGINNINGS = [
  '',
  'GET / HT',
  'POST /reserved_addrs HTTP/1.1\r\nContent-Length: 99\r\n\r\n{"',
  'no request\r\n\r\n',
]

/** Starts requests and disconnects in the middle, until the server no longer listens. */
export async function leaveEarly(url, random) {
  const { hostname: host, port } = new URL(url)
  for (;;) {
    const socket = connect({ host, port: Number(port) })
    const isOpen = await new Promise((done) => socket.once('connect', () => done(true)).on('error', () => done(false)))
    if (!isOpen) return
    socket.resume().write(BEGINNINGS[Math.floor(random() * BEGINNINGS.length)])
    await sleep(random() * 500)
    socket.destroy()
  }
}
