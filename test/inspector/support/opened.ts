import { request } from 'node:http'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import type { Gateway, GatewayOptions, ManualClock } from '../../../src/index.ts'
import { type Served, serve } from '../../../src/server/node.ts'
import { openManual } from '../../support/provisioning.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The longest wait for what a page shows: a busy machine is slower. */
const PATIENCE_MS = 90_000

/** True if there is a browser to test with. */
export const hasBrowser = inject('chromium') !== ''

/** A page of the inspector of a gateway. */
export interface Opened {
  readonly gateway: Gateway<ManualClock>
  readonly server: Served
  readonly page: Page
  readonly context: BrowserContext
  /** Goes to a part of the page, such as `jobs`. */
  go(place: string): Promise<void>
}

/**
 * Returns a function that opens the inspector of a new gateway in a browser. After each test everything is closed, and
 * there must have been no error in any page and no violation of its policy.
 */
export function opening() {
  let browser: Browser | undefined
  const open: { close(): Promise<void> }[] = []
  const wrong: string[] = []
  beforeAll(async () => {
    if (hasBrowser) browser = await chromium.launch({ executablePath: inject('chromium'), args: FLAGS })
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close()
    expect(wrong.splice(0)).toEqual([])
  })
  return async (
    options: Omit<GatewayOptions, 'clock'> & { readonly families?: object } = {},
    {
      place = 'now',
      prepare,
      ...how
    }: BrowserContextOptions & { place?: string; prepare?: (gateway: Gateway<ManualClock>) => void } = {},
  ): Promise<Opened> => {
    const gateway = openManual({ dns: 'simulated', ...options })
    prepare?.(gateway)
    const server = await serve(gateway)
    open.push(server)
    const context = await (browser as Browser).newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      ...how,
    })
    open.push(context)
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    page.on('pageerror', (error) => wrong.push(String(error.stack)))
    page.on('console', (message) => {
      // A refusal is an answer like any other; the browser notes it all the same.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) wrong.push(message.text())
    })
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      )
    })
    const go = async (to: string) => {
      await page.goto(`${server.url}/_fauxgate/#${to}`)
      await page.getByText('live', { exact: true }).waitFor()
    }
    if (place) await go(place)
    return { gateway, server, page, context, go }
  }
}

/** Asks a server as a client would. */
export function asked(server: Served, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  return fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

/** Sends a request with exactly these headers, which `fetch` would not, and returns the status. */
export function statusOf(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => resolve(answer.resume().statusCode))
    sent.on('error', reject).end()
  })
}
