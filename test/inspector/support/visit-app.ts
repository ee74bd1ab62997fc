import { onTestFinished } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { type Served, serve } from '../../../src/server/node.ts'
import type { Page } from '../../../tools/browser.ts'
import { opensPages } from '../../support/chromium.ts'

type Visited = ReturnType<typeof openNgrok>

const openNgrok = (options: Pick<NgrokOptions, 'destinations'> = {}) =>
  createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), ...options })

interface OpenTraffic {
  readonly gateway: Visited
  readonly server: Served
  readonly page: Page
  /** Goes to a tab of the page, such as `traffic/4`. */
  go(place: string): Promise<void>
}

/** Returns a function that opens the inspector of a new gateway of ngrok's dialect, until the end of the test. */
export function useTraffic() {
  const newPage = opensPages()
  return async (options: Pick<NgrokOptions, 'destinations'> = {}): Promise<OpenTraffic> => {
    const gateway = openNgrok(options)
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage()
    const go = async (place: string) => {
      await page.goto(`${server.url}/_fauxgate/#${place}`)
      await page.getByText('live', { exact: true }).waitFor()
    }
    return { gateway, server, page, go }
  }
}

const POLICY = `
on_http_request:
  - name: no admin
    expressions: ["req.url.path.startsWith('/admin')", "conn.geo.country_code != 'DE'"]
    actions: [{ type: deny }]
  - name: old paths
    expressions: ["req.url.path.startsWith('/old/')"]
    actions: [{ type: redirect, config: { from: /old/, to: /new/, status_code: 301 } }]
  - actions:
      - type: add-headers
        config: { headers: { x-country: "\${conn.geo.country_code}", x-plan: free } }
      - type: remove-headers
        config: { headers: [x-debug] }
on_http_response:
  - name: hide the stack
    expressions: ["res.status_code >= 200"]
    actions: [{ type: remove-headers, config: { headers: [x-powered-by] } }]
`

/** Lets visitors send requests that rules reject, redirect, change and let pass, and one that reaches no upstream. */
export async function visitApp(gateway: Visited): Promise<void> {
  const url = 'https://app.example.com'
  gateway.declare.tunnelSession({
    endpoints: [{ url, traffic_policy: POLICY }, { url: 'https://down.example.com' }],
  })
  gateway.traffic.upstream(url, ({ method }) => {
    const headers = { 'x-powered-by': 'node', 'content-type': 'application/json' }
    return Response.json({ ok: true }, { status: method === 'POST' ? 201 : 200, headers })
  })
  const headers = { 'user-agent': 'Mozilla/5.0', accept: 'text/html', 'x-debug': '1' }
  const from = { ip: '198.51.100.7', country: 'DE' }
  const visit = async (path: string, init: object = {}) => {
    await gateway.traffic.fetch(url + path, { headers, from, ...init })
    gateway.clock.advance('3s')
  }
  await visit('/')
  await visit('/orders?page=2')
  await visit('/orders', { method: 'POST', body: JSON.stringify({ item: 'a book', card_token: 'tok_0123456789' }) })
  await visit('/admin/users', { from: { ip: '203.0.113.9', country: 'US' } })
  await visit('/old/prices')
  await gateway.traffic.fetch('https://down.example.com/health')
  await gateway.traffic.fetch('https://nobody.example.com/')
  await visit('/orders', { headers: { ...headers, authorization: 'Bearer 0123456789abcdef' } })
}
