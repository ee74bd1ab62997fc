import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { serveTraffic } from '../../src/server/traffic/serve-traffic.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'

const DAY_MS = 86_400_000

/** Opens a port with TLS for an application at app.example.com, with a clock that is 61 days behind. */
async function openPort() {
  const app = createServer((_request, response) => response.end('the application')).listen(0, '127.0.0.1')
  await once(app, 'listening')
  const { port } = app.address() as AddressInfo // It listens at a port.
  const gateway = createNgrok({ clock: manualClock(Math.floor(Date.now() / DAY_MS) * DAY_MS - 61 * DAY_MS) })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  gateway.declare.tunnelSession({
    endpoints: [{ url: 'https://app.example.com', forwards_to: 'http://localhost:3000' }],
  })
  const upstreams = [`http://localhost:3000=http://127.0.0.1:${port}`]
  const [secure] = await serveTraffic(gateway, '127.0.0.1', { trafficTls: 0, upstreams })
  onTestFinished(async () => {
    await secure?.close()
    app.close()
    app.closeAllConnections()
  })
  return { gateway, url: `https://app.localhost:${secure?.port}/` }
}

// rules: traffic#ports
describe.skipIf(!CHROMIUM)('A browser at the port with TLS', () => {
  const newPage = opensPages()

  test('sees a certificate for another name before that of the domain, and after a renewal the new one', async () => {
    const { gateway, url } = await openPort()
    const visit = async () => {
      const page = await newPage({ ignoreHTTPSErrors: true })
      const response = await page.goto(url)
      const { subjectName, validFrom } = (await response?.securityDetails()) ?? {}
      return { text: await response?.text(), name: subjectName, from: validFrom }
    }
    const before = await visit()
    expect(before.text).toBe('the application')
    gateway.clock.advance('30s')
    const first = await visit()
    expect(first.text).toBe('the application')
    expect([first.name, first.from]).not.toEqual([before.name, before.from])
    gateway.clock.advance('60d')
    gateway.clock.advance('1m')
    const second = await visit()
    expect(second.text).toBe('the application')
    expect(Number(second.from) - Number(first.from)).toBeGreaterThan(59 * 86_400)
  })

  test('rejects a certificate whose root it does not trust', async () => {
    const { gateway, url } = await openPort()
    gateway.clock.advance('30s')
    const page = await newPage()
    await expect(page.goto(url)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
  })
})
