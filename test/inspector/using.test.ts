import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { ngrok } from '../../src/index.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { ECDSA } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

const NAMES = ['a', 'b', 'c'].map((name) => `${name}.example.com`)

const fail = { status: 500, contentType: 'application/json', body: '{"msg":"It fails."}' }

describe.skipIf(!CHROMIUM)('Who uses the page', () => {
  const open = useInspector()

  test('reads a banner at 390 px, and goes on with buttons where they were before an error', async () => {
    const { gateway, page } = await open({ dns: 'off' }, { viewport: { width: 390, height: 800 } })
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
    await page.getByRole('button', { name: '+ 5m' }).click()
    const banner = page.getByRole('status').filter({ hasText: '1 issued' })
    await expect.poll(() => banner.locator('span').first().isVisible()).toBe(true)
    const next = page.getByRole('button', { name: '+ 1d', exact: true })
    const before = await next.boundingBox()
    await page.route(/\/_fauxgate\/clock$/, (route) => route.fulfill(fail))
    await page.getByRole('button', { name: '+ 1h' }).click()
    const error = page.getByRole('alert').filter({ hasText: 'It fails.' })
    await error.waitFor()
    expect(await next.boundingBox()).toEqual(before)
    expect((await error.boundingBox())?.y).toBeGreaterThan(before?.y ?? 0)
  })

  test('sees all tabs at 420 px, and at 1,280 px the address of a server that is gone', async () => {
    const { gateway, server, page } = await open({ dns: 'off' }, { viewport: { width: 420, height: 800 } })
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
    const tabs = page.getByRole('navigation', { name: 'Tabs' })
    expect(await tabs.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: '+ 1h' }).click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    await server.close()
    await page.getByText('disconnected').waitFor()
    const heading = page.getByRole('heading', { level: 1 })
    const address = heading.getByText(/^127\.0\.0\.1:\d+|^localhost:\d+/)
    expect((await address.boundingBox())?.width).toBeGreaterThan(90)
    expect(await address.evaluate((each) => each.scrollWidth - each.clientWidth)).toBeLessThanOrEqual(0)
  })

  test('scrolls to the last family of the menu in a low window, with the tabs in sight', async () => {
    const options = { dialect: ngrok, families: ngrokFamilies }
    const { page } = await open(options, { place: 'resources', viewport: { width: 1280, height: 500 } })
    const menu = page.getByRole('navigation', { name: 'Families' })
    await menu.getByRole('link', { name: 'reserved domains' }).waitFor()
    await menu.evaluate((each) => {
      for (const group of each.querySelectorAll('details')) group.open = true
    })
    const last = menu.getByRole('link').last()
    const tabs = page.getByRole('navigation', { name: 'Tabs' })
    const before = await tabs.boundingBox()
    expect((await last.boundingBox())?.y).toBeGreaterThan(500)
    await menu.hover()
    await page.mouse.wheel(0, 10_000)
    await expect.poll(async () => (await last.boundingBox())?.y).toBeLessThan(500)
    expect(await tabs.boundingBox()).toEqual(before)
  })

  test('goes through domains and resources by j and k, and sees the present beside the details', async () => {
    const { gateway, page, go } = await open({}, { place: '' })
    for (const domain of NAMES) gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    for (const place of ['jobs', 'resources/reserved_domains']) {
      await go(place)
      // The page shows the previous tab, with its details, at first.
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'a.example.com' }).waitFor()
      for (const [key, name] of [
        ['j', 'c.example.com'],
        ['j', 'b.example.com'],
        ['j', 'a.example.com'],
        ['k', 'b.example.com'],
      ] as const) {
        await page.keyboard.press(key)
        await page.getByRole('complementary', { name }).waitFor()
      }
    }
    await go(`jobs/${gateway.reservedDomains.list().reserved_domains[0]?.id}`)
    const details = await page.getByRole('complementary').boundingBox()
    const present = await page.locator('.lane .now').first().boundingBox()
    expect(present?.x).toBeLessThan(details?.x ?? 0)
  })

  test('sees risks above rejected requests, of which five are in sight, and dismisses these until they happen again', async () => {
    const { gateway, server, page } = await open()
    gateway.weightedBackends.create({ description: 'canary', backends: {} })
    for (let number = 0; number < 8; number++) await sendRequest(server, 'POST', `/widgets/${number}`)
    const send = () => sendRequest(server, 'POST', '/reserved_domains', { domain: 'not a name' })
    const paths = ['/reserved_addrs', '/tls_certificates', '/ip_policies', '/vaults', '/credentials', '/api_keys']
    for (const path of paths) await sendRequest(server, 'GET', `${path}/x_1?unknown=1`)
    await send()
    const card = page.locator('.card').filter({ hasText: 'Worth a look' })
    const refused = card.getByRole('listitem').filter({ has: page.locator('.chip', { hasText: 'rejected' }) })
    await card.getByText(/\b15 rejected/).waitFor()
    const all = await card.getByRole('listitem').allTextContents()
    const first = all.findIndex((text) => text.startsWith('rejected'))
    expect(all.findIndex((text) => text.startsWith('risk'))).toBeLessThan(first)
    expect(await refused.count()).toBeLessThanOrEqual(5)
    await card.getByRole('button', { name: 'Dismiss all rejected' }).click()
    await expect.poll(() => refused.count()).toBe(0)
    await page.reload()
    await card.getByRole('button', { name: /^Show \d+ dismissed$/ }).waitFor()
    expect(await refused.count()).toBe(0)
    expect(await card.getByRole('heading').textContent()).not.toContain('rejected')
    await send()
    await expect.poll(() => refused.count()).toBe(1)
    await card.getByRole('button', { name: 'Dismiss all rejected' }).click()
    await card.getByRole('button', { name: /^Show \d dismissed$/ }).click()
    await expect.poll(() => refused.count()).toBeGreaterThan(1)
  })
})
