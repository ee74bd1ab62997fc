import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Gateway, GatewayOptions, ManualClock } from '../../../src/index.ts'
import { type Served, serve } from '../../../src/server/node.ts'
import type { BrowserContext, BrowserContextOptions, Page } from '../../../tools/browser.ts'
import { opensPages } from '../../support/chromium.ts'
import { openManual } from '../../support/provisioning.ts'

/** An open inspector, with its gateway. */
export interface OpenInspector {
  readonly gateway: Gateway<ManualClock>
  readonly server: Served
  readonly page: Page
  readonly context: BrowserContext
  /** Goes to a tab of the page, such as `jobs`. */
  go(place: string): Promise<void>
}

interface PageOptions extends BrowserContextOptions {
  /** The tab to open. If empty, the test opens the page itself. */
  readonly place?: string
  readonly prepare?: (gateway: Gateway<ManualClock>) => void
}

/** Returns a function that opens the inspector of a new gateway in a browser, until the end of the test. */
export function useInspector() {
  const newPage = opensPages()
  return async (
    options: Omit<GatewayOptions, 'clock'> & { readonly families?: object } = {},
    { place = 'now', prepare, ...contextOptions }: PageOptions = {},
  ): Promise<OpenInspector> => {
    const gateway = openManual({ dns: 'simulated', ...options })
    prepare?.(gateway)
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage(contextOptions)
    const go = async (to: string) => {
      await page.goto(`${server.url}/_fauxgate/#${to}`)
      await page.getByText('live', { exact: true }).waitFor()
    }
    if (place) await go(place)
    return { gateway, server, page, context: page.context(), go }
  }
}

/** Sends a request with the headers of a client. */
export function sendRequest(server: Served, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  return fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

/** Sends a request with exactly these headers, which `fetch` would change. Returns the status. */
export function requestStatus(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers }, (answer) => resolve(answer.resume().statusCode))
    clientRequest.on('error', reject).end()
  })
}
