// Counts what visitors leave in a server that they leave at a random moment, by protocol: `node tools/leavers.mjs [--visitors 10000]`.
// It needs the built package, and Linux, which lists the open files of a process.
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { parseArgs } from 'node:util'
import { startServer } from './fuzz/port.mjs'
import { createRandom } from './fuzz/port-bytes.mjs'

const { values } = parseArgs({ options: { visitors: { type: 'string', default: '10000' } } })
const VISITORS = Number(values.visitors)
const CONNECTIONS = 50
const HOST = 'e0.ngrok.app'
const BODY = 'x'.repeat(2000)
const REQUEST = `POST /a HTTP/1.1\r\nhost: ${HOST}\r\nx-tag: T\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`

const { below, chance, pick } = createRandom(1)

/** Answers in parts, or never. */
const upstream = http.createServer((request, response) => {
  request.on('error', () => undefined).resume()
  if (chance(0.1)) return
  response.writeHead(200)
  let parts = 4
  const timer = setInterval(() => {
    if (parts-- > 0) return response.write(BODY)
    response.end()
    clearInterval(timer)
  }, below(8))
})
const upstreamSockets = new Set()
upstream.on('connection', (socket) => {
  upstreamSockets.add(socket)
  socket.once('close', () => upstreamSockets.delete(socket))
})
await once(upstream.listen(0, '127.0.0.1'), 'listening')
const server = await startServer(upstream.address().port, (error) => {
  console.error(error.message)
  process.exit(1)
})
process.once('exit', () => server.child.kill())

const connectTls = (protocol) =>
  tls.connect({ ...toPort(server.secure), servername: HOST, rejectUnauthorized: false, ALPNProtocols: [protocol] })
const toPort = (port) => ({ port, host: '127.0.0.1' })

/** Sends a request, or a part of it, and leaves. */
async function leaveHttp1(socket) {
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.resume().write(chance(0.7) ? REQUEST : REQUEST.slice(0, below(REQUEST.length)))
  await sleep(below(30))
  const ending = pick(['end', 'destroy', 'resetAndDestroy'])
  // A connection with TLS cannot be reset.
  socket[ending === 'resetAndDestroy' && socket.encrypted ? 'destroy' : ending]()
  await closed
}

async function leaveHttp2() {
  const session = http2.connect(`https://${HOST}`, { createConnection: () => connectTls('h2') })
  const closed = new Promise((resolve) => session.on('error', () => undefined).once('close', resolve))
  for (let count = 1 + below(3); count > 0; count--) {
    const stream = session.request({ ':method': pick(['GET', 'POST']), ':path': '/a' }, { endStream: false })
    stream.on('error', () => undefined).resume()
    if (chance(0.8)) stream.write(BODY)
    if (chance(0.6)) stream.end()
    if (chance(0.3)) setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), below(30))
  }
  await sleep(below(30))
  session.destroy()
  await closed
}

const PROTOCOLS = {
  plain: () => leaveHttp1(net.connect(toPort(server.plain))),
  tls: () => leaveHttp1(connectTls('http/1.1')),
  http2: leaveHttp2,
}

function measure() {
  const folder = `/proc/${server.child.pid}`
  const files = readdirSync(`${folder}/fd`).map((file) => readlinkSync(`${folder}/fd/${file}`))
  const [, memory] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`${folder}/status`, 'utf8'))
  const sockets = files.filter((file) => file.startsWith('socket:')).length
  return `${sockets} sockets, ${upstreamSockets.size} connections to the upstream, ${Math.round(memory / 1024)} MB`
}

console.log(`before: ${measure()}`)
for (const [name, leave] of Object.entries(PROTOCOLS)) {
  // The memory of the first half is that of compiled code and of caches.
  for (const half of [1, 2]) {
    let left = VISITORS / 2
    const leaveAll = async () => {
      while (left-- > 0) await leave()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, leaveAll))
    // Connections to the upstream wait half a minute for their next request.
    for (let count = 0; count < 400 && upstreamSockets.size > 0; count++) await sleep(100)
    await sleep(3000)
    console.log(`after ${half * (VISITORS / 2)} visitors that left, ${name}: ${measure()}`)
  }
}
process.exit(0)
