// Sends the same bytes through the port for visitors and through Go's httputil.ReverseProxy, and lists where the two differ:
// `node tools/proxies.mjs`. It needs the built package, and Go. A difference without a reason here is an error.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { readRequest, startServer } from './fuzz/port.mjs'

const HOST = 'host: e0.ngrok.app\r\n'
const CHUNKED = 'transfer-encoding: chunked\r\n'
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
const CHUNKS = `${CHUNKED}\r\n${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const request = (lines = '', method = 'GET', path = '/a') => `${method} ${path} HTTP/1.1\r\n${HOST}${lines}\r\n`
const post = (lines, body = '') => request(lines, 'POST') + body
const upgrade = 'connection: Upgrade\r\nupgrade: websocket\r\n'

/** The bytes of visitors, by name. */
const requests = {
  ...Object.fromEntries(
    ['GET', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND'].map((method) => [
      `a chunked body of ${method}`,
      `${method} /a HTTP/1.1\r\n${HOST}${CHUNKS}`,
    ]),
  ),
  'a folded line': request('x-a: 1\r\n folded: 2\r\n'),
  'line feeds alone': request('x-a: 1\r\n').replaceAll('\r\n', '\n'),
  'two equal lengths': post('content-length: 2\r\ncontent-length: 2\r\n', 'ab'),
  'both framings': post(`content-length: 2\r\n${CHUNKED}`, '2\r\nab\r\n0\r\n\r\n'),
  'chunked twice': post(CHUNKED + CHUNKED, '0\r\n\r\n'),
  'an extension of a chunk': post(CHUNKED, '2;a=b\r\nab\r\n0\r\n\r\n'),
  'a chunk without a size': post(CHUNKED, 'zz\r\nab\r\n0\r\n\r\n'),
  trailers: post(`trailer: x-sum\r\n${CHUNKED}`, '2\r\nab\r\n0\r\nx-sum: 1\r\n\r\n'),
  'HTTP/1.0': request().replace('1.1', '1.0'),
  'HTTP/3.0': request().replace('1.1', '3.0'),
  'a whole URL': request('', 'GET', 'http://e0.ngrok.app/a?b'),
  'dots in a path': request('', 'GET', '/x/../a/%2e%2e/b'),
  'a wrong escape': request('', 'GET', '/%zz'),
  'an empty query': request('', 'GET', '/a?'),
  'a semicolon in a query': request('', 'GET', '/a?b;c'),
  'two slashes': request('', 'GET', '//a'),
  'a method in lower case': request('', 'get'),
  'an unknown method': request('', 'BREW'),
  'OPTIONS *': request('', 'OPTIONS', '*'),
  'a name that Connection has': request('x-a: 1\r\nconnection: x-a\r\n'),
  'TE and Keep-Alive': request('te: gzip\r\nkeep-alive: 9\r\nproxy-authorization: x\r\n'),
  Expect: post('expect: 100-continue\r\ncontent-length: 2\r\n', 'ab'),
  'an unknown expectation': post('expect: tea\r\ncontent-length: 2\r\n', 'ab'),
  'a wish for HTTP/2': request('connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\n'),
  'a wish for a WebSocket that is declined': request(upgrade),
  'two requests': request() + request('', 'GET', '/b'),
}

/** The bytes of upstreams, by name. */
const responses = {
  'chunks and a trailer': `HTTP/1.1 200 OK\r\ntrailer: x-sum\r\n${CHUNKED}\r\n2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n`,
  '204 with a length': 'HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\n',
  '304 with a body': 'HTTP/1.1 304 Not\r\ncontent-length: 2\r\n\r\nok',
  103: `HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n${OK}`,
  '101 that nobody asked for': 'HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  'the status 600': OK.replace('200', '600'),
  'both framings of a response': `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${CHUNKED}\r\n2\r\nok\r\n0\r\n\r\n`,
  'headers of a connection':
    'HTTP/1.1 200 OK\r\nconnection: x-a\r\nx-a: 1\r\nkeep-alive: 9\r\ncontent-length: 2\r\n\r\nok',
}

/** The names of cases in which the port differs from Go, by the reason. */
const reasons = {
  'Node reads HTTP more strictly, as RFC 9112 allows': [
    ...['a folded line', 'line feeds alone', 'two equal lengths', 'both framings', 'both framings of a response'],
  ],
  'both reject it, each with its own status': ['chunked twice', 'a chunk without a size', 'HTTP/3.0'],
  'the fields pass, and their announcement is optional (RFC 9110, section 6.6.2)': ['trailers'],
  'a target passes unchanged (RFC 9110, section 7.7)': ['a wrong escape', 'a semicolon in a query'],
  'Node knows the registered methods alone': ['a method in lower case', 'an unknown method'],
  'the port has said 100 itself, and so the expectation is met': ['Expect'],
  'a wish that is ignored does not pass (RFC 9110, section 7.8)': ['a wish for HTTP/2'],
  'the service documents ERR_NGROK_3010 for it': ['the status 600'],
}

let answer = OK
let received = []
const upstream = net.createServer((socket) => {
  let text = ''
  socket
    .on('error', () => undefined)
    .on('data', (part) => {
      text += part.toString('latin1')
      for (let read = readRequest(text); read; read = readRequest(text)) {
        text = read.rest
        received.push(read)
        socket.write(answer, 'latin1')
      }
    })
})
await once(upstream.listen(0, '127.0.0.1'), 'listening')

/** Sends bytes, and returns the statuses of the responses and the requests at the upstream, in the form that is compared. */
async function send(port, bytes) {
  received = []
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined)
  let got = ''
  socket.on('data', (part) => {
    got += part.toString('latin1')
    socket.setTimeout(150)
  })
  socket.setTimeout(1500, () => socket.destroy()).write(bytes, 'latin1')
  await once(socket, 'close')
  const statuses = [...got.matchAll(/HTTP\/1\.[01] (\d+)/g)].map(([, status]) => status).join(' ')
  return `${statuses || 'nothing'} | ${received.map(format).join(' & ')}`
}

/** The headers that a proxy adds for itself. */
const OWN = /^(x-forwarded-.*|user-agent|accept-encoding|connection|host)$/

function format({ head, body }) {
  const [line, ...lines] = head.trimEnd().split('\r\n')
  const headers = lines.map((each) => each.toLowerCase()).filter((each) => !OWN.test(each.split(':')[0]))
  return `${line}, ${headers.sort().join(', ')}, ${JSON.stringify(body)}`
}

const program = fileURLToPath(new URL('../node_modules/.cache/proxy-of-go', import.meta.url))
const source = fileURLToPath(new URL('./proxies/proxy.go', import.meta.url))
const built = spawnSync('go', ['build', '-o', program, source], { stdio: 'inherit' })
if (built.error) console.log('SKIPPED: Go is not installed, and so nothing was compared.')
if (built.status !== 0) process.exit(built.error ? 0 : 1)
const { port } = upstream.address()
const server = await startServer(port, ({ message }) => console.error(message))
const go = spawn(program, [`http://127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'ignore'] })
process.once('exit', () => {
  server.child.kill()
  go.kill()
})
const goPort = Number(String((await once(go.stdout, 'data'))[0]))
const cases = [
  ...Object.entries(requests).map(([name, bytes]) => [name, bytes, OK]),
  ...Object.entries(responses).map(([name, bytes]) => [name, request(), bytes]),
]
let wrong = 0
for (const [name, bytes, response] of cases) {
  answer = response
  const [ours, theirs] = [await send(server.plain, bytes), await send(goPort, bytes)]
  const [reason] = Object.entries(reasons).find(([, names]) => names.includes(name)) ?? []
  if (ours === theirs && !reason) continue
  // A reason that explains nothing is wrong, too.
  if (ours === theirs || !reason) wrong++
  console.log(`${name}: ${reason ?? 'NO REASON'}\n  fauxgate  ${ours}\n  Go        ${theirs}`)
}
console.log(`${cases.length} cases, ${wrong} without the right reason`)
process.exit(wrong > 0 ? 1 : 0)
