// serve() against a bare node:http server that does the same JSON and Map work and checks nothing: each in a process of
// its own, asked in turns over the same number of keep-alive connections.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ask } from './load.mjs'
import { median, row, whole } from './measure.mjs'

const CONNECTIONS = 50
const REQUESTS = 10_000
const ROUNDS = 9
/** Rounds that are not counted: until then the servers' code is compiled. */
const FIRST = 2
const CLIENTS = 500

const HEAD = 'Host: x\r\nAuthorization: Bearer key\r\nService-Version: 2\r\nContent-Type: application/json\r\n'
const body = JSON.stringify({ description: 'SSH for device 1', metadata: '{"proto":"ssh"}' })
const POST = `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

export async function benchServe() {
  const servers = { bare: await started('bare'), gateway: await started('gateway') }
  for (const [name, kind, target] of [
    ['GET', 'get', 'at least 0.85'],
    ['POST', 'post', 'at least 0.75'],
  ]) {
    const { bare, gateway } = await raced(servers, kind)
    row(`served ${name}: bare node:http, requests/s`, whole(bare.rate))
    row(`served ${name}: gateway, requests/s`, whole(gateway.rate))
    row(`served ${name}: ratio`, (gateway.rate / bare.rate).toFixed(2), target)
    row(`served ${name}: ratio of processor time per request`, (bare.cpu / gateway.cpu).toFixed(2), target)
  }
  const { port, get } = servers.gateway
  const { times } = await ask({ port, request: get, connections: CLIENTS, count: 40 * CLIENTS })
  times.sort((a, b) => a - b)
  row(`${CLIENTS} clients at once: answers that were missing`, 40 * CLIENTS - times.length, 'none')
  row(`${CLIENTS} clients at once: p50, ms`, times[times.length >> 1].toFixed(1))
  row(`${CLIENTS} clients at once: p99, ms`, times[Math.floor(times.length * 0.99)].toFixed(1), 'under 200')
  for (const { child } of Object.values(servers)) child.kill()
}

/** Rate and processor time per request of each server, the medians of rounds in turns. */
async function raced(servers, kind) {
  const found = Object.fromEntries(Object.keys(servers).map((name) => [name, { rates: [], cpus: [] }]))
  for (let round = 0; round < ROUNDS + FIRST; round++) {
    for (const [name, server] of Object.entries(servers)) {
      const before = await server.cpu()
      const { took } = await ask({
        port: server.port,
        request: server[kind],
        connections: CONNECTIONS,
        count: REQUESTS,
      })
      const cpu = (await server.cpu()) - before
      if (round < FIRST) continue
      found[name].rates.push((REQUESTS / took) * 1000)
      found[name].cpus.push(cpu / REQUESTS)
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, { rates, cpus }]) => [name, { rate: median(rates), cpu: median(cpus) }]),
  )
}

/** A server in a process of its own, with a record to get. */
async function started(name) {
  const child = fork(fileURLToPath(new URL('./served.mjs', import.meta.url)), [name], { execArgv: [] })
  const [port] = await once(child, 'message')
  const { last } = await ask({ port, request: POST, connections: 1, count: 1 })
  const [, id] = /"id":"(\w+)"/.exec(last)
  return {
    child,
    port,
    post: POST,
    get: `GET /reserved_addrs/${id} HTTP/1.1\r\n${HEAD}\r\n`,
    async cpu() {
      child.send('cpu')
      return (await once(child, 'message'))[0]
    },
  }
}
