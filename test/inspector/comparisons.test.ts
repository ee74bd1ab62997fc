import { describe, expect, onTestFinished, test } from 'vitest'
import type { JournalEntry, Overview, Timelines } from '../../src/generated/controls.ts'
import { type Served, serve } from '../../src/server/node.ts'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import { memoryStore } from '../support/memory-store.ts'
import { DOMAIN } from '../support/provisioning.ts'
import { type NgrokGateway, openNgrok, populateNgrok } from './support/populate-ngrok.ts'

/** The facts that a place of the page shows, or that the API returns for it. */
type Facts = Readonly<Record<string, unknown>>

const MAX_REQUESTS = 8

/** Reads without an entry in the journal. */
async function read<T>(server: Served, path: string): Promise<T> {
  const response = await fetch(server.url + path, { headers: { 'fauxgate-inspector': '1' } })
  return (await response.json()) as T
}

/** Returns what the API says, by the places of the page. */
async function readServer(server: Served, gateway: NgrokGateway): Promise<Readonly<Record<string, Facts>>> {
  const { counts, requests, traffic } = await read<Overview>(server, '/_fauxgate/overview')
  const { states, timelines } = await read<Timelines>(server, '/_fauxgate/timelines?order=failing')
  const journal = await read<readonly JournalEntry[]>(server, '/_fauxgate/requests')
  const count = async (path: string) => (await read<readonly unknown[]>(server, `/_fauxgate/${path}`)).length
  const all = Object.values(states).reduce((sum, each) => sum + each, 0)
  const newest = journal.slice(-MAX_REQUESTS).reverse()
  const facts: Record<string, Facts> = {
    resources: counts,
    jobs: { all, ...states, ...Object.fromEntries(timelines.map(({ domain, state }) => [domain, state])) },
    requests: {
      count: `${requests} of ${requests} here`,
      ...newest.map(({ status, method, path }) => `${status} ${method} ${path}`),
    },
    faults: {
      Faults: await count('faults'),
      'Pending outcomes': await count('provisioning/script'),
      'DNS zone': await count('dns'),
    },
    state: { Snapshots: await count('snapshots') },
    traffic: { count: traffic },
  }
  for (const [name, { list }] of Object.entries(gateway.transport.nouns())) {
    if (!list || !counts[name]) continue
    const rows = Object.values(await read<object>(server, list)).find(Array.isArray) ?? []
    facts[`resources/${name}`] = { ...rows.map(({ id }: { id: string }) => id) }
  }
  return facts
}

/** Returns what a place of the page shows about the same names. */
function readPage(page: Page, place: string): Promise<Facts> {
  return page.evaluate((place) => {
    const list = (selector: string) => [...document.querySelectorAll(selector)]
    const text = (element: Element | null | undefined) => element?.textContent?.replace(/\s+/g, ' ').trim() ?? ''
    const toNumber = (found: string) => Number(/\d[\d,]*/.exec(found)?.[0].replaceAll(',', ''))
    const lastPart = (link: Element | null) => link?.getAttribute('href')?.split('/').pop() ?? ''
    const [, count = 'no log'] = /(\d+ of \d+ here)/.exec(text(document.querySelector('.tools'))) ?? []
    if (place === 'resources')
      return Object.fromEntries(list('.menu a').map((each) => [lastPart(each), toNumber(text(each.lastElementChild))]))
    if (place === 'jobs') {
      const buttons = list('.tools button').map((each) => [text(each).replace(/ [\d,]+.*/, ''), toNumber(text(each))])
      const lanes = list('.lane').map((each) => [text(each.querySelector('b')), text(each.querySelector('.chip'))])
      return Object.fromEntries([...buttons, ...lanes])
    }
    if (place === 'requests') {
      const cell = (row: Element, name: string) => text(row.querySelector(`.c-${name}`))
      const rows = list('.line.requests:not(.heads)').map(
        (row) => `${cell(row, 'status').slice(0, 3)} ${cell(row, 'method')} ${cell(row, 'path')}`,
      )
      return { count, ...rows }
    }
    if (place === 'traffic') return { count: document.querySelector('.line') ? toNumber(count) : 0 }
    if (place.startsWith('resources/'))
      return { ...list('.line:not(.heads)').map((row) => lastPart(row.querySelector('a'))) }
    return Object.fromEntries(list('.card h2').map((each) => [text(each).replace(/ \d+$/, ''), toNumber(text(each))]))
  }, place)
}

/** Sends a request of a client, so that the journal has one. */
const send = (server: Served, path: string) =>
  fetch(server.url + path, { headers: { authorization: 'Bearer key', 'ngrok-version': '2' } })

describe.skipIf(!CHROMIUM)('The page and the API agree on all counts and rows', () => {
  const newPage = opensPages()

  async function open() {
    const store = memoryStore()
    let gateway = openNgrok(store)
    populateNgrok(gateway)
    gateway.faults.add({ operation: 'vaults.list', status: 503 })
    gateway.provisioning.failNext('INTERNAL_ERROR', { domain: DOMAIN })
    gateway.dns.cname(DOMAIN, 'elsewhere.example.net')
    gateway.clock.advance('1h')
    let server = await serve(gateway)
    onTestFinished(() => server.close())
    for (const path of ['/vaults', '/ip_policies', '/nowhere']) await send(server, path)
    await gateway.traffic.fetch('https://shop.example.com/').catch(() => undefined)
    const page = await newPage({ viewport: { width: 1440, height: 1000 } })
    await page.goto(`${server.url}/_fauxgate/#now`)
    await page.getByText('live', { exact: true }).waitFor()
    const control = async (method: string, path: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method, headers, body: JSON.stringify(body) }
      expect((await fetch(`${server.url}/_fauxgate${path}`, init)).status, path).toBeLessThan(300)
    }
    return {
      page,
      control,
      now: () => ({ gateway, server }),
      /** Ends the server. With `restart`, another process continues from the store; without, work is done meanwhile. */
      async disconnect(work?: () => void) {
        const { port } = server
        await server.close()
        await page.getByText('disconnected').waitFor()
        if (work) work()
        else {
          gateway.dispose()
          gateway = openNgrok(memoryStore(store.commits))
        }
        server = await serve(gateway, { port })
        await page.getByText('live', { exact: true }).waitFor()
      },
    }
  }

  type Opened = Awaited<ReturnType<typeof open>>

  const SITUATIONS: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
    'a reset': ({ control }) => control('POST', '/reset'),
    async 'a restore'({ control, now }) {
      await control('POST', '/snapshots', { name: 'before' })
      now().gateway.reservedDomains.create({ domain: 'later.example.com' })
      await control('POST', '/clock', { advance: '30d' })
      await control('POST', '/snapshots/restore', { name: 'before' })
    },
    async 'an undo'({ control }) {
      await control('POST', '/clock', { advance: '30d', remember: true })
      await control('POST', '/undo')
    },
    'a restart': ({ disconnect }) => disconnect(),
    'a lost connection': ({ disconnect, now }) =>
      disconnect(() => {
        now().gateway.vaults.create({ name: 'made-meanwhile' })
        now().gateway.faults.clear()
        now().gateway.clock.advance('1d')
      }),
    '90 days': ({ control }) => control('POST', '/clock', { advance: '90d' }),
  }

  test.each(Object.keys(SITUATIONS))('after %s', async (name) => {
    const opened = await open()
    await SITUATIONS[name]?.(opened)
    const { gateway, server } = opened.now()
    await send(server, '/reserved_addrs')
    const all = await readServer(server, gateway)
    let compared = 0
    for (const [place, facts] of Object.entries(all)) {
      await opened.page.evaluate((to) => location.assign(`#${to}`), place)
      await expect.poll(() => readPage(opened.page, place), { message: place }).toMatchObject(facts)
      compared += Object.keys(facts).length
    }
    // Six situations have 400 comparisons.
    expect(compared).toBeGreaterThan(400 / 6)
  })
})
