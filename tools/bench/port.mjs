// Measures the port for visitors against a reverse proxy of a few lines, each in its own process.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { format, median, print } from './measure.mjs'

const self = fileURLToPath(import.meta.url)
const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const CONNECTIONS = 50
/** Requests of a round. Fewer would measure the compiler. */
const REQUESTS = 4000
const BYTES = 200_000_000
const CHUNK = new Uint8Array(65_536)
/** The memory is measured each time that so many bytes have passed. */
const MEASURED = 5_000_000

if (process.argv[2] === 'upstream') {
  listen((request, response) => {
    if (request.method !== 'POST') return response.end('hello')
    request.pipe(response)
  })
} else if (process.argv[2] === 'proxy') {
  const agent = new http.Agent({ keepAlive: true })
  listen((request, response) => {
    const { method, url: path, headers } = request
    const call = http.request({ host: '127.0.0.1', port: process.argv[3], method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    })
    request.pipe(call)
  })
}

/** Listens at any port, and sends the port to the process that started this one. */
function listen(listener) {
  const server = http.createServer(listener).listen(0, '127.0.0.1', () => process.send(server.address().port))
}

export async function benchPort() {
  const children = []
  const start = async (...args) => {
    const child = fork(self, args)
    children.push(child)
    return { child, port: (await once(child, 'message'))[0], host: 'localhost' }
  }
  try {
    const upstream = await start('upstream')
    const proxy = await start('proxy', String(upstream.port))
    const gateway = await startGateway(upstream.port)
    children.push(gateway.child)
    const rates = { proxy: [], gateway: [] }
    const cpu = { proxy: [], gateway: [] }
    await load(proxy)
    await load(gateway)
    for (let round = 0; round < 5; round++) {
      for (const [name, server] of Object.entries({ proxy, gateway })) {
        const before = cpuOf(server.child)
        const rate = await load(server)
        rates[name].push(rate)
        cpu[name].push((cpuOf(server.child) - before) / REQUESTS)
      }
    }
    const perSecond = median(rates.gateway)
    print('visitors through the port, 50 connections, requests/s', format(perSecond))
    const times = median(cpu.gateway) / median(cpu.proxy)
    print('CPU of a request, times that of a reverse proxy of a few lines', times.toFixed(2), 'about 3')
    print('of a reverse proxy of a few lines', (perSecond / median(rates.proxy)).toFixed(2), 'at least 0.6')
    print('200 MB through the port and back: more memory meanwhile, MB', format(await stream(gateway)), 'under 50')
  } finally {
    for (const child of children) child.kill()
  }
}

async function startGateway(upstream) {
  const ports = ['--port', '0', '--agent', '0', '--traffic', '0', '--traffic-tls', '0']
  const args = [COMMAND, 'http', String(upstream), ...ports, '--quiet']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    const { host, port } = /http:\/\/(?<host>\S+\.localhost):(?<port>\d+)/.exec(output)?.groups ?? {}
    if (host) return { child, host, port: Number(port) }
  }
  throw new Error(`The gateway did not start: ${output}`)
}

/** Returns the CPU time of a process, in clock ticks. */
function cpuOf({ pid }) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}

/** Sends requests over 50 connections. Returns their number in a second. */
async function load({ host, port }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const start = performance.now()
  let left = REQUESTS
  const sendAll = async () => {
    while (left-- > 0) {
      const [response] = await once(http.get({ host: '127.0.0.1', port, agent, headers: { host } }), 'response')
      if (response.statusCode !== 200) throw new Error(`The response was ${response.statusCode}.`)
      await once(response.resume(), 'end')
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll))
  agent.destroy()
  return (REQUESTS / (performance.now() - start)) * 1000
}

/** Streams 200 MB to the upstream and back. Returns by how many MB the memory of the gateway grew meanwhile. */
async function stream({ host, port, child }) {
  const memory = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1000
  const before = memory()
  let most = before
  const request = http.request({ host: '127.0.0.1', port, method: 'POST', headers: { host } })
  const sent = pipeline(function* () {
    for (let left = BYTES; left > 0; left -= CHUNK.length) yield CHUNK
  }, request)
  const [response] = await once(request, 'response')
  let received = 0
  for await (const part of response) {
    if (Math.floor(received / MEASURED) < Math.floor((received + part.length) / MEASURED))
      most = Math.max(most, memory())
    received += part.length
  }
  await sent
  if (received < BYTES) throw new Error(`${received} bytes arrived.`)
  return most - before
}
