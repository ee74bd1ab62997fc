import { describe, expect, test } from 'vitest'
import { toInspected } from '../../src/gateway/inspected.ts'
import type { Gateway, ManualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import type { Page } from '../../tools/browser.ts'
import { widgets } from '../service/kit/widgets.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).or(page.getByRole('button', { name })).first().waitFor()
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      const label = activeElement?.closest('label')?.textContent
      return activeElement?.getAttribute('aria-label') ?? (label || activeElement?.textContent) ?? ''
    })
    if (focused.trim() === name) return
  }
  throw new Error(`Nothing called ${name} gets the focus.`)
}

describe.skipIf(!CHROMIUM)('The page', () => {
  const open = useInspector()

  test('needs nothing from elsewhere', async () => {
    const { server } = await open()
    const html = await (await fetch(`${server.url}/_fauxgate/`)).text()
    expect(html).not.toMatch(/<link[^>]+href="(?!data:)|src=|@import|url\(/)
  })

  test('shows the changes of any client as they happen', async () => {
    const { gateway, page, server } = await open({}, { place: 'resources/reserved_addrs' })
    await page.getByText('None yet.').waitFor()
    await sendRequest(server, 'POST', '/reserved_addrs', { description: 'made by a client' })
    await page.getByText('made by a client').waitFor()
    gateway.reservedAddrs.create({ description: 'made in this process' })
    await page.getByText('made in this process').waitFor()
  })

  test('shows the events in the order in which they happen, with a lane that follows each', async () => {
    const { gateway, page } = await open({}, { place: 'jobs' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await page.getByRole('img', { name: /started\./ }).waitFor()
    gateway.clock.advance('30s')
    await page.getByRole('img', { name: /failed\./ }).waitFor()
    gateway.restore(gateway.snapshot())
    gateway.reset()
    await page.getByText('No managed domains yet.').waitFor()
  })

  test('reconnects automatically when the server is back, and shows what changed in between', async () => {
    const { gateway, server, page } = await open({}, { place: 'resources/reserved_addrs' })
    const { id } = gateway.reservedAddrs.create({ description: 'made before' })
    await page.getByText('made before').waitFor()
    await server.close()
    await page.getByText(', disconnected').waitFor()
    gateway.reservedAddrs.update(id, { description: 'changed in between' })
    const newServer = await serve(gateway, { port: server.port })
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('changed in between').waitFor()
    await newServer.close()
  })

  test('has its data in each of eight tabs, and in one that was hidden what changed in between', async () => {
    const { server, page, context } = await open({}, { place: 'requests' })
    await sendRequest(server, 'GET', '/reserved_addrs')
    await page.getByText('1 of 1 here').waitFor()
    const show = (each: Page, visibility: string) =>
      each.evaluate((state) => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
        Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }, visibility)
    await show(page, 'hidden')
    for (let tab = 2; tab <= 8; tab++) {
      const other = await context.newPage()
      await other.goto(`${server.url}/_fauxgate/#requests`)
      await other.getByText('1 of 1 here').waitFor()
      await show(other, 'hidden')
    }
    await fetch(`${server.url}/_fauxgate/requests`, { method: 'DELETE' })
    await sendRequest(server, 'GET', '/reserved_domains')
    expect(await page.getByText('1 of 1 here').count()).toBe(1)
    await show(page, 'visible')
    await page.getByRole('link', { name: '/reserved_domains' }).waitFor()
    await page.getByText('1 of 1 here').waitFor()
    expect(await page.getByText('disconnected').count()).toBe(0)
  })

  test('opens links that a person mistyped, and looks up ids with any characters', async () => {
    const { page, go } = await open({}, { place: 'constructor' })
    await page.getByText('No resources yet').waitFor()
    await go('requests/50%')
    await page.getByText('No requests. The journal has no request with this ID.').waitFor()
    await go('resources/constructor')
    await page.getByText('There are no resources called "constructor".').waitFor()
    await go('resources/compression')
    await page.getByLabel('edge_id/id').fill('50%/what?')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('heading', { name: '50% what?' }).waitFor()
  })

  test('keeps its own requests out of the journal, and triggers no faults', async () => {
    const { gateway, go } = await open()
    gateway.faults.add({ operation: 'reserved_domains.list', status: 503 })
    for (const place of ['jobs', 'resources/reserved_domains', 'resources/tls_certificates', 'faults']) await go(place)
    expect([gateway.requests.count(), gateway.faults.all()[0]?.hits]).toEqual([0, 0])
  })

  test('shows a family of the user’s own, which it knows only from the OpenAPI document', async () => {
    const { gateway, page } = await open({ families: { widgets } }, { place: 'resources/widgets' })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('left')
    await page.getByRole('complementary').getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('region', { name: 'widgets' }).getByText('left').waitFor()
    expect(toInspected(gateway).overview().counts.widgets).toBe(1)
  })

  test('does not interpret texts as HTML', async () => {
    const { gateway, page, go } = await open()
    const metadata = '<img src=x onerror=alert(1)><script>alert(2)</script>'
    page.on('dialog', () => expect.unreachable())
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, metadata, certificate_management_policy: ECDSA })
    await gateway.fetch(`${gateway.url}/<script>alert(3)</script>`)
    await go(`resources/reserved_domains/${id}`)
    await page.getByRole('complementary').getByText(metadata).waitFor()
    await go(`requests/${gateway.requests.last()?.operationId}`)
    await page.getByRole('heading', { name: /script/ }).waitFor()
    expect(await page.locator('img, body script:not([type=importmap])').count()).toBe(1)
  })

  test('asks for the control key once, and keeps it for the tab', async () => {
    const { page, server, context } = await open({ control: { key: 'sesame' } }, { place: '' })
    await page.goto(`${server.url}/_fauxgate/`)
    await page.getByText('not connected').waitFor()
    await page.getByLabel('Control key').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    for (const key of ['wrong', '“sesame”']) {
      await page.getByLabel('Control key').fill(key)
      await page.getByRole('button', { name: 'Open' }).click()
      const alert = page.getByRole('alert')
      await alert.waitFor()
      // Several requests had the key, and each error shows the sentence again.
      await expect
        .poll(async () => {
          if ((await alert.count()) > 0) await page.getByRole('button', { name: 'Dismiss' }).click()
          return alert.count()
        })
        .toBe(0)
    }
    await page.getByLabel('Control key').fill('sesame')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('No resources yet').waitFor()
    const other = await context.newPage()
    await other.goto(`${server.url}/_fauxgate/`)
    await other.getByLabel('Control key').waitFor()
  })

  test('works by keyboard alone: from the tabs to a job, its record, its attempt, and back', async () => {
    const { gateway, page } = await open()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await tabTo(page, 'Jobs')
    await page.keyboard.press('Enter')
    // Links on Now have the same name.
    await page.getByRole('region', { name: 'Domains' }).getByRole('link', { name: DOMAIN }).waitFor()
    await tabTo(page, DOMAIN)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary').waitFor()
    await tabTo(page, 'Fix the record')
    await page.keyboard.press('Enter')
    await page.getByText('found', { exact: true }).waitFor()
    await tabTo(page, 'Run the attempt now')
    await page.keyboard.press('Space')
    await page.getByRole('complementary').getByText('issued').first().waitFor()
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)
    expect(outline).toBe('solid')
    await page.keyboard.press('Escape')
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    await tabTo(page, 'State')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reset the gateway' }).waitFor()
    await tabTo(page, 'Reset the gateway')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect.poll(() => gateway.reservedDomains.list().reserved_domains).toEqual([])
  })

  test('stays fast with 1,000 domains and a full journal: few requests, few rows, search among all', async () => {
    const count = 1000
    const prepare = (gateway: Gateway<ManualClock>) => {
      for (let number = 1; number <= count; number++) {
        gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: ECDSA })
      }
    }
    const { gateway, server, page, go } = await open({}, { place: '', prepare })
    for (let round = 0; round < 1000; round++) await gateway.fetch(`${server.url}/reserved_addrs/${round}`)
    const requests: string[] = []
    page.on('request', (each) => requests.push(each.url()))
    await go('jobs')
    await page.getByRole('link', { name: `d${count}.example.com` }).waitFor()
    expect(requests.length).toBeLessThan(10)
    expect(await page.locator('.lane').count()).toBeLessThan(60)
    await page.getByRole('region', { name: 'Domains' }).evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.getByRole('link', { name: 'd1.example.com', exact: true }).waitFor()
    await page.getByRole('searchbox').fill('d471.')
    await page.getByRole('link', { name: 'd471.example.com' }).waitFor()
    await go('requests')
    await page.getByText('1,000 of 1,000').waitFor()
    expect(await page.locator('.line').count()).toBeLessThan(100)
    await go('resources/reserved_domains')
    const table = page.getByRole('region', { name: 'reserved domains' })
    await table.getByText(`d${count}.example.com`).waitFor()
    await page.getByRole('searchbox').fill('d471.')
    await table.getByText('d471.example.com').waitFor()
    await page.getByRole('searchbox').fill('')
    gateway.clock.advance('1d')
    await page.getByText('2026-01-02 00:00:00').first().waitFor()
  })
})
