// Measures the cost of the inspector for a browser: `node tools/bench/inspector.mjs`. Needs chromium and `npm run build`.
import { setTimeout as sleep } from 'node:timers/promises'
import { createGateway, manualClock } from '../../dist/index.js'
import { serve } from '../../dist/node.js'
import { startChromium } from '../chromium.mjs'

const HEADERS = { authorization: 'Bearer key', 'service-version': '2' }

const browser = await startChromium()

/** Opens a tab of the page of a new gateway. */
async function openPage(place, domains = 0) {
  const gateway = createGateway({ seed: 'bench', clock: manualClock('2026-01-01T00:00:00Z'), dns: 'simulated' })
  for (let number = 0; number < domains; number++) {
    const certificate_management_policy = { authority: 'letsencrypt' }
    gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy })
  }
  const server = await serve(gateway)
  await fetch(`${server.url}/reserved_addrs`, { headers: HEADERS })
  await gateway.traffic.fetch('https://d0.example.com/').catch(() => undefined)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(() => {
    globalThis.rows = {}
    globalThis.blocks = []
    globalThis.shownAt = undefined
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.blocks.push(duration)
    }).observe({ type: 'longtask' })
    const recordRows = () => {
      globalThis.shownAt ??= document.querySelector(':is(.lane, .line) a, .card h2 small:not(:empty)')
        ? performance.now()
        : undefined
      for (const each of document.querySelectorAll('.line .c-path')) {
        const id = each.textContent.split('/').pop()
        globalThis.rows[id] ??= Date.now()
      }
    }
    new MutationObserver(recordRows).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await page.goto(`${server.url}/_fauxgate/#${place}`)
  await page.getByText('live', { exact: true }).waitFor()
  return {
    page,
    send: (id) =>
      fetch(`${server.url}/reserved_addrs/${id}`, { headers: HEADERS }).then((answer) => answer.arrayBuffer()),
    async close() {
      await page.close()
      await server.close()
    },
  }
}

/** Sends requests at a rate, and prints when rows appear, and how busy the page's main thread is. */
async function measureRate(perSecond, seconds) {
  const { page, send, close } = await openPage('requests')
  await sleep(2000)
  const session = await page.context().newCDPSession(page)
  // The processor time of the main thread does not include the time of other processes.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const readBusyTime = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value
  }
  const answeredAt = {}
  const start = Date.now()
  const before = await readBusyTime()
  const requests = []
  for (let number = 0; number < perSecond * seconds; number++) {
    const left = start + (number * 1000) / perSecond - Date.now()
    if (left > 1) await sleep(left)
    requests.push(send(`n${number}`).then(() => (answeredAt[`n${number}`] = Date.now())))
  }
  await Promise.all(requests)
  const share = ((await readBusyTime()) - before) / ((Date.now() - start) / 1000)
  await sleep(500)
  const rows = await page.evaluate(() => globalThis.rows)
  const delays = Object.keys(answeredAt)
    .flatMap((id) => (rows[id] ? [rows[id] - answeredAt[id]] : []))
    .sort((a, b) => a - b)
  await close()
  const percentile = (part) => delays[Math.floor(delays.length * part)]?.toFixed(1)
  console.log(
    `${perSecond}/s: answer to row p50 ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms (${delays.length} of ${perSecond * seconds} rows seen); main thread ${(share * 100).toFixed(0)} % busy`,
  )
}

async function measureFlood(total) {
  const { page, send, close } = await openPage('requests')
  await sleep(2000)
  await page.evaluate(() => globalThis.blocks.splice(0))
  const start = Date.now()
  for (let number = 0; number < total; number += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, each) => send(`f${number + each}`)))
  }
  const seconds = (Date.now() - start) / 1000
  await sleep(1000)
  const longest = await page.evaluate(() => Math.max(0, ...globalThis.blocks))
  console.log(`${total} requests at ${(total / seconds).toFixed(0)}/s: longest block ${longest.toFixed(0)} ms`)
  await close()
}

/** Prints the time from opening a tab of the page to its first row, of a server that has answered nothing yet. */
async function measureFirstView(place, domains) {
  const { page, close } = await openPage(place, domains)
  await page.locator(':is(.lane, .line) a, .card h2 small:not(:empty)').first().waitFor()
  const ms = await page.evaluate(() => globalThis.shownAt)
  console.log(`first view of ${place}, ${domains} domains: ${ms.toFixed(0)} ms`)
  await close()
}

await measureRate(10, 10)
await measureRate(200, 10)
await measureFlood(10_000)
for (const domains of [1000, 10_000]) {
  for (const place of ['jobs', 'requests', 'traffic', 'resources/reserved_domains', 'state'])
    await measureFirstView(place, domains)
}
await browser.close()
