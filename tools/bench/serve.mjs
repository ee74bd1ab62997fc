// Compares serve() with a bare node:http server that does the same JSON and Map work and checks nothing, and measures
// the cost of the command's log and of its file of data. Each server runs in its own process, and receives requests in
// turn over the same number of keep-alive connections.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownPort } from '../../scripts/own-port.mjs'
import { inFolder } from '../../scripts/shared.mjs'
import { compareServers, send } from './load.mjs'
import { cpuOf, format, print } from './measure.mjs'

const CONNECTIONS = 50
const CLIENTS = 500

const HEAD = 'Host: x\r\nAuthorization: Bearer key\r\nService-Version: 2\r\nContent-Type: application/json\r\n'
const body = JSON.stringify({ description: 'SSH for device 1', metadata: '{"proto":"ssh"}' })
const POST = `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

export async function benchServe() {
  const servers = { bare: await startLibrary('bare'), gateway: await startLibrary('gateway') }
  for (const [name, kind, target] of [
    ['GET', 'get', 'at least 0.85'],
    ['POST', 'post', 'at least 0.75'],
  ]) {
    const { bare, gateway } = await compareServers(addRequest(servers, kind), {
      connections: CONNECTIONS,
      rounds: 9,
      count: 10_000,
    })
    print(`served ${name}: bare node:http, requests/s`, format(bare.rate))
    print(`served ${name}: gateway, requests/s`, format(gateway.rate))
    print(`served ${name}: ratio`, (gateway.rate / bare.rate).toFixed(2), target)
    print(`served ${name}: ratio of processor time per request`, (bare.cpu / gateway.cpu).toFixed(2), target)
  }
  const { port, get } = servers.gateway
  const { times } = await send({ port, request: get, connections: CLIENTS, count: 40 * CLIENTS })
  times.sort((a, b) => a - b)
  print(`${CLIENTS} clients at once: answers that were missing`, 40 * CLIENTS - times.length, 'none')
  print(`${CLIENTS} clients at once: p50, ms`, times[times.length >> 1].toFixed(1))
  print(`${CLIENTS} clients at once: p99, ms`, times[Math.floor(times.length * 0.99)].toFixed(1), 'under 200')
  for (const { child } of Object.values(servers)) child.kill()
}

/** Measures the cost of the log for a request: to a pipe that is read, and to a file. */
export async function benchLog() {
  await inFolder(async (folder) => {
    const servers = {
      quiet: await startCommand(['--quiet'], 'pipe'),
      pipe: await startCommand([], 'pipe'),
      file: await startCommand([], openSync(join(folder, 'log'), 'w')),
    }
    for (const kind of ['get', 'post']) {
      const results = await compareServers(addRequest(servers, kind), {
        connections: CONNECTIONS,
        rounds: 5,
        count: 10_000,
      })
      for (const to of ['pipe', 'file']) {
        const name = `served ${kind.toUpperCase()}: the log to a ${to}`
        print(`${name}, µs of processor time per request`, (results[to].cpu - results.quiet.cpu).toFixed(1))
        print(`${name}, requests/s against --quiet`, (results[to].rate / results.quiet.rate).toFixed(2))
      }
    }
    for (const { child } of Object.values(servers)) child.kill()
  })
}

/** Measures the cost of keeping everything in a file, on the disk of the temporary folder. */
export async function benchData() {
  const name = 'served POST with --data: requests/s against those in memory'
  const target = 'at least 0.5'
  if (!process.getBuiltinModule?.('node:sqlite')) return print(name, 'no node:sqlite', target)
  await inFolder(async (folder) => {
    const servers = {
      memory: await startCommand(['--quiet'], 'pipe'),
      data: await startCommand(['--quiet', '--data', join(folder, 'gateway.db')], 'pipe'),
    }
    const { memory, data } = await compareServers(addRequest(servers, 'post'), {
      connections: CONNECTIONS,
      rounds: 7,
      count: 4000,
    })
    print('served POST with --data, requests/s', format(data.rate))
    print(name, (data.rate / memory.rate).toFixed(2), target)
    for (const { child } of Object.values(servers)) child.kill()
  })
}

/** Returns servers with the request that each receives. */
const addRequest = (servers, kind) =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, request: server[kind] }]))

/** Starts a server of tools/bench/served.mjs. */
async function startLibrary(name) {
  const child = fork(fileURLToPath(new URL('./served.mjs', import.meta.url)), [name], { execArgv: [] })
  const [port] = await once(child, 'message')
  const cpu = async () => {
    child.send('cpu')
    return (await once(child, 'message'))[0]
  }
  return { child, port, cpu, ...(await prepareRequests(port)) }
}

/** Starts `fauxgate serve`, with its output to a pipe or a file. */
async function startCommand(flags, stdout) {
  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
  const port = await ownPort()
  const args = ['--no-warnings', cli, 'serve', '--port', port, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] })
  child.stdout?.resume()
  while (!(await isListening(port))) await once(child, 'exit', { signal: AbortSignal.timeout(100) }).catch(() => {})
  const cpu = () => cpuOf(child) * 1000
  return { child, port, cpu, ...(await prepareRequests(port)) }
}

async function isListening(port) {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

/** Creates a record. Returns the requests that create and get one. */
async function prepareRequests(port) {
  const { last } = await send({ port, request: POST, connections: 1, count: 1 })
  const [, id] = /"id":"(\w+)"/.exec(last)
  return { post: POST, get: `GET /reserved_addrs/${id} HTTP/1.1\r\n${HEAD}\r\n` }
}
