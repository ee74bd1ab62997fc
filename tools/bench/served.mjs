// One of the servers that tools/bench/serve.mjs compares: node served.mjs bare|gateway. It reports its port and, on request,
// its processor time in µs.
import { createServer } from 'node:http'
import { createGateway } from '../../dist/index.js'
import { serve } from '../../dist/node.js'

const port = process.argv[2] === 'bare' ? await startBareServer() : (await serve(createGateway({ seed: 'bench' }))).port
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send(user + system)
})
process.send(port)

/** Starts a server that does the same work without rules: it stores records in a Map, and reads them. */
function startBareServer() {
  const records = new Map()
  const respond = (response, status, value) => {
    const body = JSON.stringify(value)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    response.writeHead(status, headers).end(body)
  }
  const create = (sent) => {
    const id = `ra_${String(records.size).padStart(27, '0')}`
    const record = {
      id,
      uri: `http://x/reserved_addrs/${id}`,
      created_at: '2026-01-01T00:00:00Z',
      ...sent,
      addr: 'a:1',
    }
    records.set(id, record)
    return record
  }
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      respond(response, 200, records.get(request.url.slice('/reserved_addrs/'.length)))
      return
    }
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => respond(response, 201, create(JSON.parse(Buffer.concat(chunks).toString()))))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}
