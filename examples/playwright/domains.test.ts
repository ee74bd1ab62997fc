// Playwright: each test serves its own gateway and starts the application against it, so tests run in parallel.
import { once } from 'node:events'
import { test as base, expect } from '@playwright/test'
import { type ManualClock, manualClock } from 'fauxgate'
import { createNgrok, type Ngrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { createApp } from './app.ts'

const test = base.extend<{ gateway: Ngrok<ManualClock>; app: string }>({
  gateway: async ({ browserName: _ }, use, { title }) => {
    const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), seed: title })
    const server = await serve(gateway)
    await use(gateway)
    await server.close()
  },
  app: async ({ gateway }, use) => {
    const server = createApp(gateway.url)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`)
    server.closeAllConnections()
    server.close()
  },
})

/** Attaches the gateway's report to a failed test. */
test.afterEach(async ({ gateway }, testInfo) => {
  if (testInfo.status !== testInfo.expectedStatus) console.log(gateway.report())
})

test('a domain is reserved, and secured 30 s later', async ({ page, gateway, app }) => {
  await page.goto(app)
  await page.getByLabel('Domain').fill('app.example.com')
  await page.getByRole('button').click()
  await expect(page.getByRole('listitem')).toHaveText('app.example.com: in progress')
  gateway.clock.advance('30s')
  await page.goto(app)
  await expect(page.getByRole('listitem')).toHaveText('app.example.com: secured')
})

test('a name that is taken is reported', async ({ page, gateway, app }) => {
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  await page.goto(app)
  await page.getByLabel('Domain').fill('app.example.com')
  await page.getByRole('button').click()
  await expect(page.getByRole('alert')).toContainText('is already reserved')
})
