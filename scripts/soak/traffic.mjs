// What clients do beside writing: they read lists and single records, use the controls, listen for a while, and leave in
// the middle of what they say.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const HEADERS = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
const HEAD = 'Host: 127.0.0.1\r\nAuthorization: Bearer key\r\nService-Version: 2\r\nContent-Type: application/json\r\n'

const NAME = 'soak.example.com'
const RECORD = { name: NAME, type: 'A', value: '192.0.2.1' }
const ROUTE = '/edges/https/edghts_soak/routes/edghtsrt_soak'
const POLICY = { enabled: true, value: '{"on_http_request":[]}' }

/** Calls that may come in any order: method, path, body. The answers of some are refusals. */
const CALLS = [
  ['GET', '/reserved_addrs?limit=20'],
  ['GET', '/reserved_addrs?limit=100'],
  ['GET', `/reserved_addrs?filter=${encodeURIComponent('obj.region == "us"')}`],
  ['GET', `/reserved_domains?filter=${encodeURIComponent('obj.domain.startsWith("d1")')}`],
  ['GET', '/reserved_domains?limit=50'],
  ['GET', '/tls_certificates'],
  ['GET', '/reserved_addrs/ra_000000000000000000000000000'],
  ['GET', '/nowhere'],
  ['POST', '/reserved_addrs', { region: 'mars' }],
  ['POST', '/reserved_domains', { domain: 'not a name' }],
  ['PUT', `${ROUTE}/policy`, POLICY],
  ['GET', `${ROUTE}/policy`],
  ['DELETE', `${ROUTE}/policy`],
  ['GET', '/_fauxgate/clock'],
  ['GET', '/_fauxgate/overview'],
  ['GET', '/_fauxgate/timelines?limit=20'],
  ['GET', '/_fauxgate/report'],
  ['GET', '/_fauxgate/requests'],
  ['GET', '/_fauxgate/state'],
  ['GET', '/_fauxgate/openapi.json'],
  ['GET', '/_fauxgate/'],
  ['PUT', '/_fauxgate/dns', RECORD],
  ['DELETE', `/_fauxgate/dns?name=${NAME}`],
  ['POST', '/_fauxgate/provisioning/script', { outcomes: ['DNS_ERROR', 'success'], domain: NAME }],
  ['DELETE', `/_fauxgate/provisioning/script?domain=${NAME}`],
  ['POST', '/_fauxgate/faults', { operation: 'tls_certificates.create', times: 1, status: 429 }],
  ['DELETE', '/_fauxgate/faults'],
  ['POST', '/_fauxgate/declare', { edge: 'edghts_soak', routes: ['edghtsrt_soak'] }],
]

/** Makes calls at random until no answer comes. `told` hears of each answer. */
export async function calls(url, random, told) {
  for (;;) {
    const [method, path, body] = CALLS[Math.floor(random() * CALLS.length)]
    const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(url + path, init).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (text === undefined) return
    told(response.status, `${method} ${path}`, text)
    await sleep(random() * 20)
  }
}

/** Listens to events for a while, again and again, until no answer comes. */
export async function listens(url, random) {
  for (;;) {
    const signal = AbortSignal.timeout(100 + Math.floor(random() * 3000))
    const response = await fetch(`${url}/_fauxgate/events`, { signal }).catch(() => undefined)
    if (!response) {
      if (signal.aborted) continue
      return
    }
    await response.text().catch(() => undefined)
    // What it says at its end does not tell who ended it.
    if (!signal.aborted) return
  }
}

const BEGINNINGS = [
  '',
  'GET /reserved_addrs HT',
  `GET /reserved_addrs HTTP/1.1\r\n${HEAD}`,
  `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Content-Length: 100\r\n\r\n{"description":`,
  `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"des`,
  'no request at all\r\n\r\n',
]

/** Begins requests and leaves, some after the server's patience, until nobody listens. */
export async function leaves(url, random) {
  const { hostname: host, port } = new URL(url)
  for (;;) {
    const socket = connect({ host, port: Number(port) })
    const ended = new Promise((resolve) => socket.once('close', () => resolve('closed')))
    const isOpen = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    if (!isOpen) return
    socket.resume().write(BEGINNINGS[Math.floor(random() * BEGINNINGS.length)])
    await Promise.race([ended, sleep(random() < 0.05 ? 30_000 : random() * 2000, undefined, { ref: false })])
    socket.destroy()
  }
}
