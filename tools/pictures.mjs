// Takes the pictures of the inspector and of the account page in docs/pictures, in both themes: `node tools/pictures.mjs`. Needs a
// browser, workerd and `npm run build`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { manualClock } from '../dist/index.js'
import { createNgrok } from '../dist/ngrok.js'
import { serve } from '../dist/node.js'
import { root } from '../scripts/shared.mjs'
import { installWorkerd } from '../scripts/workerd.mjs'
import { startChromium } from './chromium.mjs'

const WIDTH = 1240

/** In a lower window, the page gives its lists their own height. */
const MIN_HEIGHT = 481

const MAX_BYTES = 200 * 1024

const browser = await startChromium()

/** Takes a picture of a page, as high as the shown elements, in each theme. */
async function take(name, url, prepare, shown = '.card, .lane') {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 700 }, colorScheme })
    await page.goto(url)
    await prepare(page)
    const ends = await page.locator(shown).evaluateAll((all) => all.map((each) => each.getBoundingClientRect().bottom))
    const height = Math.max(MIN_HEIGHT, Math.ceil(Math.max(...ends)) + 8)
    await page.setViewportSize({ width: WIDTH, height })
    const path = join(root, `docs/pictures/${name}-${colorScheme}.png`)
    await page.screenshot({ path })
    await page.close()
    const { size } = statSync(path)
    console.log(`${path}: ${size} bytes`)
    if (size > MAX_BYTES) throw new Error(`The picture ${name} is larger than ${MAX_BYTES} bytes.`)
  }
}

const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }

const POLICY = { authority: 'letsencrypt' }

/** Creates a gateway with what a week of tests leaves: domains that work and that fail, rejected requests, and unused faults. */
async function populate() {
  const clock = manualClock('2026-01-01T00:00:00Z')
  const gateway = createNgrok({ seed: 'pictures', clock, dns: 'simulated' })
  const server = await serve(gateway, { name: 'checkout' })
  const send = async (method, path, body) => {
    const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return response.json()
  }
  const create = async (domain, target) => {
    const created = await send('POST', '/reserved_domains', { domain, certificate_management_policy: POLICY })
    if (target !== null) gateway.dns.cname(domain, target ?? created.cname_target)
    return created
  }
  await create('shop.example.com')
  gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR'], { domain: 'docs.example.com' })
  await create('docs.example.com')
  clock.advance('10d')
  gateway.provisioning.failNext('INTERNAL_ERROR', { domain: 'old.example.com', times: 2 })
  await create('old.example.com')
  clock.advance('60d')
  for (const name of ['pr-41', 'pr-42', 'pr-43']) await create(`${name}.preview.example.com`, null)
  clock.advance('3h')
  await create('api.example.com', 'old.example.net')
  clock.advance('40m')
  await send('POST', '/reserved_domains', { domain: 'shop.example.com' })
  await send('GET', '/reserved_domain')
  gateway.faults.add({ operation: 'reserved_addrs.create', status: 503, times: 1 })
  await send('GET', '/reserved_addrs')
  return server
}

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Starts shared sandboxes in a temporary folder. Returns their URL, the key of their account, and a function that stops them. */
async function startSandboxes() {
  const key = 'the-key-of-this-account'
  const data = mkdtempSync(join(tmpdir(), 'fauxgate-pictures-'))
  const port = await findFreePort()
  const child = spawn(
    process.execPath,
    [join(root, 'dist/cli.js'), 'sandbox', '--port', String(port), '--data', data],
    {
      // There is workerd.
      cwd: join(root, 'test/sandbox/.workerd'),
      env: { ...process.env, ACCOUNT_KEY: key },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill()
    await ended
    rmSync(data, { recursive: true })
  }
  const url = `http://127.0.0.1:${port}`
  for await (const line of createInterface(child.stdout)) if (line.includes(url)) return { url, key, stop }
  await stop()
  throw new Error('The sandboxes ended before they were ready.')
}

const server = await populate()
const isLive = (page) => page.getByText('live', { exact: true }).waitFor()
await take('now', `${server.url}/_fauxgate/#now`, async (page) => {
  await isLive(page)
  await page.getByText('Worth a look').waitFor()
})
await take('jobs', `${server.url}/_fauxgate/#jobs`, async (page) => {
  await isLive(page)
  await page.getByRole('link', { name: 'docs.example.com' }).waitFor()
})
await take(
  'fault',
  `${server.url}/_fauxgate/#faults`,
  async (page) => {
    await isLive(page)
    await page.getByText('Another fault').click()
    await page.getByLabel('Operation').selectOption('reserved_domains.create')
    await page.getByLabel('Retry after').fill('2s')
  },
  '.card:first-child',
)
await server.close()

if (installWorkerd('the picture of the account page')) {
  const { url, key, stop } = await startSandboxes()
  const create = async (name, domains, options) => {
    const account = { ...headers, 'fauxgate-account-key': key }
    const response = await fetch(`${url}/s/${name}`, {
      method: 'PUT',
      headers: account,
      body: JSON.stringify(options),
    })
    if (!response.ok) throw new Error(`The sandbox ${name} was not created: ${response.status}.`)
    const { api_key } = await response.json()
    for (let count = 0; count < domains; count++) {
      const body = JSON.stringify({ domain: `app-${count}.example.com`, certificate_management_policy: POLICY })
      const authorization = `Bearer ${api_key}`
      await fetch(`${url}/s/${name}/reserved_domains`, { method: 'POST', headers: { ...headers, authorization }, body })
    }
  }
  try {
    await create('main', 12, { dialect: 'ngrok', clock: 'manual' })
    await create('pr-41', 3, { dialect: 'ngrok', clock: 'system', ttl: '7d' })
    await create('pr-42', 1, { dialect: 'ngrok', clock: 'manual', ttl: '7d' })
    await take('account', url, async (page) => {
      await page.getByLabel('Account key').fill(key)
      await page.getByRole('button', { name: 'Open' }).click()
      await page
        .getByText(/records?, /)
        .nth(2)
        .waitFor()
    })
  } finally {
    await stop()
  }
}
await browser.close()
