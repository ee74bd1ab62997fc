// Measures requests through policies, a large stream, and the tests of policies.
import { createNgrok } from '../../dist/ngrok.js'
import { cpuTime, format, print, race, rate } from './measure.mjs'

const APP = 'https://app.ngrok-free.app'
const CHUNK = new Uint8Array(65_536)
const CHUNKS = 3200

/** Five rules, each of which looks at the request, and none of which ends it. */
const traffic_policy = JSON.stringify({
  on_http_request: ['/a', '/b', '/c', '/d', '/e'].map((path) => ({
    expressions: [`req.url.path.startsWith('${path}')`],
    actions: [{ type: 'deny' }],
  })),
})

export async function benchTraffic() {
  const gateway = createNgrok({ seed: 'bench' })
  gateway.declare.tunnelSession({ endpoints: [{ url: APP, traffic_policy, inspect: false }] })
  gateway.traffic.upstream(APP, () => new Response('hello'))
  const send = () => gateway.traffic.fetch(`${APP}/x`)
  print('traffic.fetch through 5 rules to an upstream function, calls/s', format(await rate(send)), 'at least 15,000')
  const works = { visit: send, bare: () => void [new Request(`${APP}/x`), new Response('hello')] }
  const { visit, bare } = await race(works, 11, cpuTime)
  print('… relative to a bare Request and Response, processor time', (bare / visit).toFixed(1), 'at most 4')
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  for (let count = 0; count < 100_000; count++) await gateway.traffic.fetch(`${APP}/x`)
  globalThis.gc?.()
  print('heap growth over 100,000 requests, kB', format((process.memoryUsage().heapUsed - heap) / 1000), 'none')
  await measureStream(gateway)
}

/** Streams 200 MB through the gateway in both directions, and measures the largest memory meanwhile. */
async function measureStream(gateway) {
  gateway.traffic.upstream(APP, ({ body }) => new Response(body))
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = before
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      if (sent++ < CHUNKS) controller.enqueue(CHUNK)
      else controller.close()
    },
  })
  const response = await gateway.traffic.fetch(`${APP}/x`, { method: 'POST', body, duplex: 'half' })
  let received = 0
  for await (const chunk of response.body) {
    received += chunk.length
    most = Math.max(most, process.memoryUsage().rss)
  }
  if (received !== CHUNK.length * CHUNKS) throw new Error(`${received} bytes arrived.`)
  print('200 MB streamed there and back: more memory meanwhile, MB', format((most - before) / 1_000_000), 'under 50')
}
