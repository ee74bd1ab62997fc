import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from '../../tools/browser.ts'

/** Returns the path of Chromium, or of a browser like it; undefined if there is none. */
export const CHROMIUM = [
  process.env.FAUXGATE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((place) => place && existsSync(place))

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

/**
 * Returns a function that opens an empty page in its own context. After each test all are closed, and there must have
 * been no error in any page and no violation of its policy.
 */
export function opensPages() {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  const wrong: string[] = []
  beforeAll(async () => {
    if (CHROMIUM) browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const each of contexts.splice(0)) await each.close()
    expect(wrong.splice(0)).toEqual([])
  })
  return async (how: BrowserContextOptions = {}): Promise<Page> => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await (browser as Browser).newContext({ permissions, ...how })
    contexts.push(context)
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    page.on('pageerror', (error) => wrong.push(String(error.stack)))
    page.on('console', (message) => {
      // The browser logs error responses, which tests may expect.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) wrong.push(message.text())
    })
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`policy: ${violatedDirective} ${blockedURI}`),
      )
    })
    return page
  }
}
