import { describe, expect, test } from 'vitest'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

const TIME = String.raw`\d\d:\d\d:\d\d`

/** Everything that views load, except the events. */
const LOADED = /\/(_fauxgate\/(?!events$)[\w/]+|reserved_domains|reserved_addrs)(\?.*)?$/

const cardOf = (page: Page, title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) })

const titlesOf = (page: Page) => page.locator('.card h2').allInnerTexts()

const fail = { status: 500, contentType: 'application/json', body: '{"msg":"It fails."}' }

describe.skipIf(!CHROMIUM)('What the page has not loaded', () => {
  const open = useInspector()

  test('is said to have failed, until it is loaded itself: that something else was loaded does not help', async () => {
    const { page, server, go } = await open({}, { place: '' })
    await page.route(/\/_fauxgate\/troubles$/, (route) => route.fulfill(fail))
    await go('now')
    const card = cardOf(page, 'Worth a look')
    await card.getByRole('alert').getByText('Loading failed. It fails.').waitFor()
    await sendRequest(server, 'GET', '/reserved_addrs')
    await page.getByRole('table').getByText('/reserved_addrs').waitFor()
    await go('faults')
    await cardOf(page, 'Faults').getByRole('heading', { name: 'Faults 0' }).waitFor()
    await go('now')
    await card.getByText('Loading failed. It fails.').waitFor()
    expect(await page.getByText('No problems found.').count()).toBe(0)
    await page.unroute(/\/_fauxgate\/troubles$/)
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByText('No problems found.').waitFor()
  })

  test('leaves the last data in place, greyed, with their time and the error', async () => {
    const { gateway, page } = await open()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    const card = cardOf(page, 'Worth a look')
    const row = card.getByRole('listitem').filter({ hasText: DOMAIN })
    await row.waitFor()
    expect(await card.locator('.stale').count()).toBe(0)
    await page.route(/\/_fauxgate\/troubles$/, (route) => route.fulfill(fail))
    gateway.reservedAddrs.create()
    await card.getByText(new RegExp(`^As of ${TIME}. It fails.`)).waitFor()
    expect(await card.locator('.stale').getByRole('listitem').filter({ hasText: DOMAIN }).count()).toBe(1)
    await page.unroute(/\/_fauxgate\/troubles$/)
    gateway.reservedAddrs.create()
    await card.locator('.stale').waitFor({ state: 'detached' })
    await row.waitFor()
  })

  test('stays as it was when the server stops, and a view that was not open says that it has nothing', async () => {
    const { gateway, server, page } = await open()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await cardOf(page, 'Worth a look').getByRole('listitem').filter({ hasText: DOMAIN }).waitFor()
    await server.close()
    await page.getByText(new RegExp(`as of ${TIME}, disconnected`)).waitFor()
    await page.locator('main.stale').waitFor()
    expect(await cardOf(page, 'Worth a look').getByRole('listitem').filter({ hasText: DOMAIN }).count()).toBe(1)
    expect(await page.getByText('No problems found.').count()).toBe(0)
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Loading failed.').waitFor()
    expect(await page.getByText('Loading…').count()).toBe(0)
    await page.getByRole('link', { name: 'DNS & faults' }).click()
    await expect.poll(() => page.getByText('Loading failed.').count()).toBe(3)
    expect((await titlesOf(page)).map((each) => each.trim())).toEqual(['Faults', 'Pending outcomes', 'DNS zone'])
  })

  test('keeps, in every tab that was open before the server stopped, the last data with their time, and says elsewhere that the server is gone', async () => {
    const { gateway, server, page, go } = await open({}, { place: '' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.faults.add({ operation: 'reserved_domains.list' })
    const main = page.locator('main')
    const DATA = {
      now: DOMAIN,
      'jobs?state=provisioning': DOMAIN,
      faults: 'reserved_domains.list',
      'resources/reserved_domains': DOMAIN,
      traffic: 'No visitors yet.',
    }
    for (const [place, text] of Object.entries(DATA)) {
      await go(place)
      await main.getByText(text).first().waitFor()
    }
    await server.close()
    await page.locator('main.stale').waitFor()
    const gone = 'The server does not respond. Restart it at this address: this page keeps trying.'
    for (const [place, text] of Object.entries(DATA)) {
      await page.evaluate((hash) => location.assign(hash), `#${place}`)
      await main
        .getByText(new RegExp(`^As of ${TIME}. ${gone}`))
        .first()
        .waitFor()
      await main.getByText(text).first().waitFor()
      expect(await main.getByText('Loading failed.').count(), place).toBe(0)
    }
    for (const place of ['state', 'jobs?state=failing', 'resources/reserved_addrs']) {
      await page.evaluate((hash) => location.assign(hash), `#${place}`)
      await main.getByText(`Loading failed. ${gone}`).waitFor()
      expect(await main.getByText(/Failed to fetch|dynamically/).count(), place).toBe(0)
    }
  })

  test('is said to have failed if something else than the gateway answers, such as the page of a proxy', async () => {
    const { page, go } = await open({}, { place: '' })
    const answers = [
      { contentType: 'text/html', body: '<html>proxy</html>' },
      { contentType: 'application/json', body: 'proxy' },
      { body: '' },
    ]
    await go('requests')
    for (const answer of answers) {
      await page.route(LOADED, (route) => route.fulfill({ status: 200, ...answer }))
      for (const [place, count] of Object.entries({ faults: 3, jobs: 1, now: 1, traffic: 1, state: 1 })) {
        await page.evaluate((hash) => location.assign(hash), `#${place}`)
        await expect
          .poll(() => page.getByText('Loading failed. The response is not JSON').count(), { message: place })
          .toBe(count)
        for (const title of await titlesOf(page)) expect(title, place).not.toMatch(/\b\d+$/)
      }
      await page.unroute(LOADED)
    }
    await page.route(/\/_fauxgate\/events$/, (route) => route.fulfill({ contentType: 'text/html', body: 'proxy' }))
    await page.reload()
    await page.getByRole('alert').getByText('The server does not respond.').waitFor()
  })

  test('is said with what to do if the server stops before the first event, until it responds', async () => {
    const { page } = await open()
    await page.route(/\/_fauxgate\/events$/, (route) => route.abort())
    await page.reload()
    const alert = page.getByRole('alert').getByText('The server does not respond. Restart it at this address')
    await alert.waitFor()
    await page.unroute(/\/_fauxgate\/events$/)
    await page.getByRole('status').getByText('live').waitFor()
    await alert.waitFor({ state: 'detached' })
  })

  test('is said of sent events, of the document of the service, and of the menus of a form', async () => {
    const { gateway, server, page, go } = await open({}, { place: '' })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    await sendRequest(server, 'GET', '/reserved_addrs')
    const failing = /\/(_fauxgate\/sent-events|_fauxgate\/records\?.*|openapi\.json)$/
    await page.route(failing, (route) => route.fulfill(fail))
    await go('requests')
    await page.locator('.events').getByText('Loading failed. It fails.').waitFor()
    for (const place of [`resources/reserved_domains/${id}`, 'resources/reserved_domains?new=1']) {
      await go(place)
      await page.getByRole('complementary').getByText('Loading failed. It fails.').waitFor()
    }
    await go('faults')
    await page.getByText('Another fault').click()
    await cardOf(page, 'Faults').getByText('Loading failed. It fails.').waitFor()
    await page.unroute(failing)
    await page.route(/\/_fauxgate\/records\?.*$/, (route) => route.fulfill(fail))
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await go('resources/reserved_domains?new=1')
    const input = page.getByRole('complementary').locator('input[list]').first()
    await expect.poll(() => input.getAttribute('placeholder')).toBe('The resources could not be loaded.')
  })

  test('has no number, and no sentence that there is none, while a slow server answers', async () => {
    const { gateway, page, go } = await open({}, { place: '' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(LOADED, async (route) => {
      await held
      await route.continue()
    })
    for (const [place, part] of [
      ['now', 'Worth a look'],
      ['faults', 'Faults'],
      ['state', 'Snapshots'],
    ] as const) {
      await go(place)
      await cardOf(page, part).getByText('Loading…').waitFor()
      for (const title of await titlesOf(page)) expect(title, place).not.toMatch(/\b\d+$/)
    }
    for (const place of ['jobs', 'requests', 'traffic', 'resources/reserved_domains']) {
      await go(place)
      await page.locator('main').getByText('Loading…').first().waitFor()
      // The menu of families has the numbers of the overview, which came with the connection.
      const texts = place.startsWith('resources') ? page.locator('main .list') : page.locator('main')
      expect(await texts.textContent(), place).not.toMatch(/\d/)
    }
    expect(await page.locator('main').textContent()).not.toMatch(/No problems found|None|No \w+ yet/)
    release()
    await page.getByRole('link', { name: DOMAIN }).waitFor()
    await go('faults')
    await cardOf(page, 'DNS zone').getByRole('heading', { name: 'DNS zone 0' }).waitFor()
  })
})
