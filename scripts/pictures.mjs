// Takes the pictures of the inspector in docs/pictures: `npm run pictures`. Needs a browser and `npm run build`.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createGateway, manualClock, ngrok } from '../dist/index.js'
import { serve } from '../dist/node.js'
import { startChromium } from './chromium.mjs'

const MAX_BYTES = 150 * 1024

const clock = manualClock('2026-01-01T00:00:00Z')
const gateway = createGateway({ seed: 'pictures', clock, dialect: ngrok, dns: 'simulated' })
const server = await serve(gateway)
const send = (method, path, body) =>
  fetch(server.url + path, {
    method,
    headers: { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).then((answer) => answer.json())
const policy = { certificate_management_policy: { authority: 'letsencrypt' } }

const shop = await send('POST', '/reserved_domains', { domain: 'shop.example.com', ...policy })
gateway.dns.cname('shop.example.com', shop.cname_target)
const docs = await send('POST', '/reserved_domains', { domain: 'docs.example.com', ...policy })
gateway.dns.cname('docs.example.com', docs.cname_target)
gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR'], { domain: 'docs.example.com' })
clock.advance('70d')
gateway.provisioning.failNext('INTERNAL_ERROR', { domain: 'blog.example.com', times: 2 })
const blog = await send('POST', '/reserved_domains', { domain: 'blog.example.com', ...policy })
gateway.dns.cname('blog.example.com', blog.cname_target)
clock.advance('3d')
const api = await send('POST', '/reserved_domains', { domain: 'api.example.com', ...policy })
clock.advance('40m')
await send('POST', '/reserved_domains', { domain: 'shop.example.com' })
gateway.faults.add({ operation: 'reserved_addrs.list', status: 503, times: 1 })
await send('GET', '/reserved_addrs')
await send('PATCH', `/reserved_domains/${shop.id}`, { description: 'the shop', metadata: '{"team":"web"}' })
await send('POST', '/reserved_addrs', { region: 'eu' })
const { operationId } = gateway.requests.last({ operation: 'reserved_domains.update' })

const browser = await startChromium()
const page = await browser.newPage({ viewport: { width: 1200, height: 560 } })
for (const [name, place] of [
  ['inspector-jobs', `jobs/${api.id}`],
  ['inspector-requests', `requests/${operationId}`],
]) {
  await page.goto(`${server.url}/_fauxgate/#${place}`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByRole('complementary').waitFor()
  const path = fileURLToPath(new URL(`../docs/pictures/${name}.png`, import.meta.url))
  await page.screenshot({ path })
  const { size } = statSync(path)
  console.log(`${path}: ${size} bytes`)
  if (size > MAX_BYTES) throw new Error(`The picture ${name} is larger than ${MAX_BYTES} bytes.`)
}
await browser.close()
await server.close()
