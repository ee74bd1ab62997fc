// serve() against a bare node:http server that does the same JSON and Map work and checks nothing; and what the command
// adds to that: its log, and a file of data. Each in a process of its own, asked in turns over the same number of
// keep-alive connections.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownPort } from '../scripts/own-port.mjs'
import { inFolder } from '../scripts/shared.mjs'
import { compareServers, send } from './load.mjs'
import { cpuOf, row, whole } from './measure.mjs'

const CONNECTIONS = 50
const CLIENTS = 500

const HEAD = 'Host: x\r\nAuthorization: Bearer key\r\nService-Version: 2\r\nContent-Type: application/json\r\n'
const body = JSON.stringify({ description: 'SSH for device 1', metadata: '{"proto":"ssh"}' })
const POST = `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

export async function benchServe() {
  const servers = { bare: await library('bare'), gateway: await library('gateway') }
  for (const [name, kind, target] of [
    ['GET', 'get', 'at least 0.85'],
    ['POST', 'post', 'at least 0.75'],
  ]) {
    const { bare, gateway } = await compareServers(asking(servers, kind), {
      connections: CONNECTIONS,
      rounds: 9,
      count: 10_000,
    })
    row(`served ${name}: bare node:http, requests/s`, whole(bare.rate))
    row(`served ${name}: gateway, requests/s`, whole(gateway.rate))
    row(`served ${name}: ratio`, (gateway.rate / bare.rate).toFixed(2), target)
    row(`served ${name}: ratio of processor time per request`, (bare.cpu / gateway.cpu).toFixed(2), target)
  }
  const { port, get } = servers.gateway
  const { times } = await send({ port, request: get, connections: CLIENTS, count: 40 * CLIENTS })
  times.sort((a, b) => a - b)
  row(`${CLIENTS} clients at once: answers that were missing`, 40 * CLIENTS - times.length, 'none')
  row(`${CLIENTS} clients at once: p50, ms`, times[times.length >> 1].toFixed(1))
  row(`${CLIENTS} clients at once: p99, ms`, times[Math.floor(times.length * 0.99)].toFixed(1), 'under 200')
  for (const { child } of Object.values(servers)) child.kill()
}

/** Measures the cost of the log for a request: to a pipe that is read, and to a file. */
export async function benchLog() {
  await inFolder(async (folder) => {
    const servers = {
      quiet: await command(['--quiet'], 'pipe'),
      pipe: await command([], 'pipe'),
      file: await command([], openSync(join(folder, 'log'), 'w')),
    }
    for (const kind of ['get', 'post']) {
      const found = await compareServers(asking(servers, kind), { connections: CONNECTIONS, rounds: 5, count: 10_000 })
      for (const to of ['pipe', 'file']) {
        const name = `served ${kind.toUpperCase()}: the log to a ${to}`
        row(`${name}, µs of processor time per request`, (found[to].cpu - found.quiet.cpu).toFixed(1))
        row(`${name}, requests/s against --quiet`, (found[to].rate / found.quiet.rate).toFixed(2))
      }
    }
    for (const { child } of Object.values(servers)) child.kill()
  })
}

/** Measures the cost of keeping everything in a file, on the disk of the temporary folder. */
export async function benchData() {
  const name = 'served POST with --data: requests/s against those in memory'
  const target = 'at least 0.5'
  if (!process.getBuiltinModule?.('node:sqlite')) return row(name, 'no node:sqlite', target)
  await inFolder(async (folder) => {
    const servers = {
      memory: await command(['--quiet'], 'pipe'),
      data: await command(['--quiet', '--data', join(folder, 'gateway.db')], 'pipe'),
    }
    const { memory, data } = await compareServers(asking(servers, 'post'), {
      connections: CONNECTIONS,
      rounds: 7,
      count: 4000,
    })
    row('served POST with --data, requests/s', whole(data.rate))
    row(name, (data.rate / memory.rate).toFixed(2), target)
    for (const { child } of Object.values(servers)) child.kill()
  })
}

/** Servers with the request that each gets. */
const asking = (servers, kind) =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, request: server[kind] }]))

/** A server of bench/served.mjs. */
async function library(name) {
  const child = fork(fileURLToPath(new URL('./served.mjs', import.meta.url)), [name], { execArgv: [] })
  const [port] = await once(child, 'message')
  const cpu = async () => {
    child.send('cpu')
    return (await once(child, 'message'))[0]
  }
  return { child, port, cpu, ...(await requestsTo(port)) }
}

/** `fauxgate serve`, with its output to a pipe or a file. */
async function command(flags, stdout) {
  const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
  const port = await ownPort()
  const args = ['--no-warnings', cli, 'serve', '--port', port, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] })
  child.stdout?.resume()
  while (!(await isListening(port))) await once(child, 'exit', { signal: AbortSignal.timeout(100) }).catch(() => {})
  const cpu = () => cpuOf(child) * 1000
  return { child, port, cpu, ...(await requestsTo(port)) }
}

async function isListening(port) {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

/** The requests of a race, with a record to get. */
async function requestsTo(port) {
  const { last } = await send({ port, request: POST, connections: 1, count: 1 })
  const [, id] = /"id":"(\w+)"/.exec(last)
  return { post: POST, get: `GET /reserved_addrs/${id} HTTP/1.1\r\n${HEAD}\r\n` }
}
