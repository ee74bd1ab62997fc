// Sends the bytes of random visitors through the ports of a server with random policies to random upstreams. Nothing may end the process
// or hang, and no visitor may get, or add to, a byte of another one: `npm run check -- fuzz --port [--seconds 60] [--seed N]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { createRandom, pathOf, policies, requestsOf, respond } from './port-bytes.mjs'

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
/** The time that the server lets a connection be silent, and the longest time of a connection, in ms. */
const SILENCE = 2000
const HANG = 60_000
const CONNECTIONS = 20
const TAG = /T[0-9a-f]{12}/g

/** Throws if a text has a tag other than this one. */
function requireOwn(text, tag, place) {
  const foreign = (text.match(TAG) ?? []).find((each) => each !== tag)
  if (foreign) throw new Error(`${place} of ${tag} has a byte of ${foreign}:\n${text.slice(0, 2000)}`)
}

/** Listens as an upstream that reads requests strictly. Each must be that of one visitor. */
async function openUpstream(random, counts, fail) {
  const sockets = new Set()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    let text = ''
    let all = ''
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    socket.on('data', (part) => {
      text += part.toString('latin1')
      all = (all + part.toString('latin1')).slice(-100_000)
      for (let request = readRequest(text); request; request = readRequest(text)) {
        text = request.rest
        counts.requests++
        const [, tag] = /^x-tag: (T[0-9a-f]{12})\r$/m.exec(request.head) ?? []
        // A policy may have named the tag as a header of the connection; then the path has it.
        const own = tag ?? TAG.exec(request.head)?.[0]
        TAG.lastIndex = 0
        try {
          if (!own || /^GET \S+\/smuggled HTTP/.test(request.head))
            throw new Error(`Nobody sent this:\n${request.head}\nafter ${all.slice(-3000)}`)
          requireOwn(request.head + request.body, own, 'A request at the upstream')
        } catch (error) {
          fail(error)
        }
        respond(random, socket, own, /^\w+/.exec(request.head)?.[0])
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, sockets, port: server.address().port }
}

/** Reads the first request of a text (RFC 9112). Returns undefined if it is not complete. */
export function readRequest(text) {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end + 2)
  let at = end + 4
  if (!/^transfer-encoding: chunked\r$/im.test(head)) {
    const next = at + Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0)
    return text.length < next ? undefined : { head, body: text.slice(at, next), rest: text.slice(next) }
  }
  for (let body = ''; ; ) {
    const line = text.indexOf('\r\n', at)
    const size = line < 0 ? Number.NaN : Number.parseInt(text.slice(at, line), 16)
    if (size === 0) {
      const trailers = /^(?:[^\r\n]+\r\n)*\r\n/.exec(text.slice(line + 2))
      return trailers ? { head, body, rest: text.slice(line + 2 + trailers[0].length) } : undefined
    }
    if (!(text.length >= line + size + 4)) return undefined
    body += text.slice(line + 2, line + 2 + size)
    at = line + size + 4
  }
}

/** Starts the command with one endpoint for each policy, and returns its ports. */
export async function startServer(upstream, fail) {
  const forwarded = `http://localhost:3000=http://127.0.0.1:${upstream}`
  const ports = [
    '--port',
    '0',
    '--agent',
    '0',
    '--traffic',
    '0',
    '--traffic-tls',
    '0',
    '--traffic-timeout',
    `${SILENCE}ms`,
  ]
  const args = [COMMAND, 'serve', '--dialect', 'ngrok', ...ports, '--upstream', forwarded, '--log', 'json', '--quiet']
  const child = spawn(
    process.execPath,
    args.filter((each) => each !== '--quiet'),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let errors = ''
  child.stderr.on('data', (text) => {
    errors = (errors + text).slice(-20_000)
  })
  child.once('exit', (code) => fail(new Error(`The server ended with code ${code}.\n${errors}`)))
  const urls = await new Promise((resolve) => {
    const found = []
    let rest = ''
    child.stdout.on('data', (text) => {
      if (found.length === 3) return
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        const { event, url, traffic } = JSON.parse(line)
        if (event === 'agent' || event === 'traffic') found.push(url ?? traffic)
      }
      if (found.length === 3) resolve(found)
    })
  })
  const [agent, plain, secure] = urls.map((url) => Number(new URL(url).port))
  let opened = 0
  for (const [index, traffic_policy] of policies.entries()) {
    const body = { name: `e${index}`, url: `https://e${index}.ngrok.app`, upstream: { url: 'http://localhost:3000' } }
    const sent = { method: 'POST', body: JSON.stringify({ ...body, ...(traffic_policy && { traffic_policy }) }) }
    const response = await fetch(`http://127.0.0.1:${agent}/api/endpoints`, sent)
    if (response.status === 201) opened++
    else console.log(`  no policy: ${traffic_policy}: ${(await response.text()).slice(0, 300)}`)
  }
  console.log(`  ${opened} of ${policies.length} policies`)
  return { child, agent, plain, secure, errors: () => errors }
}

/** Resolves with true if something does not end although the server answers others at once: else the machine is slow. */
async function hangs(ended, agent) {
  for (;;) {
    const waiting = new AbortController()
    const late = sleep(HANG, true, { signal: waiting.signal }).catch(() => undefined)
    const isLate = await Promise.race([ended.then(() => false), late])
    waiting.abort()
    if (!isLate) return false
    const start = Date.now()
    await fetch(`http://127.0.0.1:${agent}/api/tunnels`).then((response) => response.text())
    if (Date.now() - start < SILENCE / 2) return true
  }
}

/** Visits over HTTP/1.1, and leaves at some moment or waits for the end. */
async function visit(random, { plain, secure, agent }, tag, host) {
  const { chance, below } = random
  const isTls = chance(0.4)
  const socket = isTls
    ? tls.connect({ port: secure, host: '127.0.0.1', servername: host, rejectUnauthorized: false })
    : net.connect(plain, '127.0.0.1')
  let got = ''
  socket
    .on('error', () => undefined)
    .on('data', (part) => {
      got += part.toString('latin1')
    })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const sent = requestsOf(random, tag, host)
  for (const part of sent) {
    socket.write(part, 'latin1')
    if (chance(0.3)) await sleep(below(5))
  }
  if (chance(0.4)) setTimeout(() => socket.destroy(), below(40))
  else if (chance(0.1)) socket.end()
  const isHung = await hangs(closed, agent)
  socket.destroy()
  if (isHung)
    throw new Error(`A visitor hangs: ${tag} at ${host}. It sent:\n${sent.join('')}\nIt got:\n${got.slice(0, 2000)}`)
  requireOwn(got, tag, 'What a visitor gets')
  return (got.match(/HTTP\/1\.1 \d/g) ?? []).length
}

/** Visits over HTTP/2, and resets some streams. */
async function visitHttp2(random, { secure, agent }, tag, host) {
  const { chance, below, pick } = random
  const createConnection = () =>
    tls.connect({ port: secure, host: '127.0.0.1', servername: host, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  const session = http2.connect(`https://${host}`, { createConnection }).on('error', () => undefined)
  let responses = 0
  const streams = Array.from({ length: 1 + below(6) }, () => {
    const method = pick(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])
    const headers = { ':method': method, ':path': pathOf(random, tag).replace(/[^\x21-\x7e]/g, ''), 'x-tag': tag }
    const stream = session.request(headers, { endStream: false }).on('error', () => undefined)
    let got = ''
    stream.on('data', (part) => {
      got += part.toString('latin1')
    })
    stream.on('response', (sent) => {
      responses++
      got += JSON.stringify(sent)
    })
    for (let part = below(3); part > 0; part--) stream.write(`${tag} GET /${tag}/smuggled HTTP/1.1\r\n\r\n`)
    if (chance(0.8)) stream.end()
    if (chance(0.3)) setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), below(20))
    return new Promise((resolve) => stream.once('close', () => resolve(got)))
  })
  const isHung = await hangs(Promise.all(streams), agent)
  session.destroy()
  if (isHung) throw new Error(`A stream hangs: ${tag} at ${host}.`)
  for (const got of await Promise.all(streams)) requireOwn(got, tag, 'What a visitor gets')
  return responses
}

export async function fuzzPort({ seconds, seed }) {
  const random = createRandom(seed)
  const counts = { visitors: 0, requests: 0, responses: 0 }
  let failure
  const fail = (error) => {
    failure ??= error
  }
  const upstream = await openUpstream(random, counts, fail)
  const server = await startServer(upstream.port, fail)
  const end = Date.now() + seconds * 1000
  const visitUntilEnd = async () => {
    while (Date.now() < end && !failure) {
      const tag = `T${(counts.visitors++).toString(16).padStart(12, '0')}`
      const host = `e${random.below(policies.length)}.ngrok.app`
      const run = random.chance(0.2) ? visitHttp2 : visit
      const responses = await run(random, server, tag, host).catch(fail)
      counts.responses += responses ?? 0
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, visitUntilEnd))
  // Only connections that wait for their next request may be left, and they end, too.
  for (let count = 0; count < 600 && upstream.sockets.size > 0 && !failure; count++) await sleep(100)
  if (upstream.sockets.size > 0) fail(new Error(`${upstream.sockets.size} connections to the upstream do not end.`))
  const response = await fetch(`http://127.0.0.1:${server.agent}/api/tunnels`).catch(fail)
  if (response?.status !== 200) fail(new Error('The agent does not answer.'))
  server.child.removeAllListeners('exit')
  server.child.kill()
  upstream.server.close()
  const said = server.errors().trim()
  if (said !== '') console.log(`The server said:\n${said.slice(0, 3000)}`)
  console.log(`${counts.visitors} visitors, ${counts.requests} requests at the upstream, ${counts.responses} responses`)
  if (!failure) return 0
  console.error(`FAILED, seed ${seed}: ${failure.message}`)
  return 1
}
