import { describe, expect, onTestFinished, test } from 'vitest'
import { formatLabel } from '../../src/inspector/shared/format.ts'
import { serve } from '../../src/server/node.ts'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import { openNgrok, populateNgrok } from './support/populate-ngrok.ts'

/** Finds the rows of a family. The page still shows the previous family at first, whose rows may have links to this one. */
const findRows = (page: Page, name: string) =>
  page.locator(`.line:not(.heads):has(> :first-child a[href^="#resources/${name}/"])`)

describe.skipIf(!CHROMIUM)('The tab Resources, with resources of most families,', () => {
  const newPage = opensPages()

  async function open() {
    const gateway = openNgrok()
    const subscription = populateNgrok(gateway)
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage({ viewport: { width: 1600, height: 900 } })
    const go = async (place: string) => {
      await page.goto(`${server.url}/_fauxgate/#${place}`)
      await page.getByText('live', { exact: true }).waitFor()
    }
    const overview = await (await fetch(`${server.url}/_fauxgate/overview`)).json()
    const counts = Object(overview).counts as Readonly<Record<string, number>>
    const families = Object.entries(gateway.transport.nouns()).flatMap(([name, nouns]) =>
      nouns.list && counts[name] ? { name, ...nouns } : [],
    )
    return { gateway, subscription, page, go, families }
  }

  test('opens the page of a resource by a click on any part of its row, and that of another resource by its link', async () => {
    const { page, go, families } = await open()
    expect(families.length).toBeGreaterThan(17)
    for (const { name } of families) {
      await go(`resources/${name}`)
      const row = findRows(page, name).first()
      const link = await row.getByRole('link').first().getAttribute('href')
      const cells = row.getByRole('cell')
      for (let at = 0; at < (await cells.count()); at++) {
        // A link to another resource has the height of its text.
        const { width = 0, height = 0 } = (await cells.nth(at).boundingBox()) ?? {}
        await cells.nth(at).click({ position: { x: width / 3, y: height - 1 }, force: true })
        await expect.poll(() => new URL(page.url()).hash, { message: `${name}, cell ${at}` }).toBe(link)
        await page.getByRole('complementary').getByRole('link', { name: 'Close' }).click()
        // The details cover some cells.
        await page.getByRole('complementary').waitFor({ state: 'detached' })
      }
      const other = row.locator('code a').first()
      if ((await other.count()) === 0) continue
      const target = await other.getAttribute('href')
      await other.click()
      await expect.poll(() => new URL(page.url()).hash, { message: name }).toBe(target)
    }
  })

  test('has the columns that the family names, in its order, without JSON in a cell', async () => {
    const { page, go, families } = await open()
    const named = families.filter(({ tableFields }) => tableFields)
    expect(named.length).toBeGreaterThan(12)
    for (const { name, tableFields = [] } of named) {
      await go(`resources/${name}`)
      await findRows(page, name).first().waitFor()
      const heads = (await page.getByRole('columnheader').allInnerTexts()).map((each) => each.trim())
      const isState = (head: string) => name === 'reserved_domains' && head === 'State'
      expect(heads.filter((each) => !isState(each)).slice(0, tableFields.length), name).toEqual(
        tableFields.map(formatLabel),
      )
      expect(await page.locator('.line:not(.heads)').allInnerTexts()).not.toContainEqual(expect.stringMatching(/[{[]"/))
    }
  })

  test('begins with the first family that has resources, and says no number of what a subscription contains', async () => {
    const { gateway, page, go } = await open()
    gateway.reset()
    gateway.ipPolicies.create({ description: 'offices' })
    await go('resources')
    const menu = page.getByRole('navigation', { name: 'Families' })
    const chosen = menu.locator('[aria-current]')
    await page.getByRole('table').getByText('offices').waitFor()
    expect((await chosen.textContent())?.trim()).toBe('IP policies 1')
    const subscription = populateNgrok(gateway)
    await go(`resources/event_sources/${subscription}/ip_policy_created.v0`)
    await page.getByRole('complementary').getByText('ip_policy_created.v0').first().waitFor()
    expect((await chosen.textContent())?.trim()).toBe('sources')
    await go(`resources/event_subscriptions/${subscription}`)
    await page.getByRole('complementary').getByText('ip_policy_created.v0, ip_policy_updated.v0').waitFor()
  })

  test('lists no fault of its creation, because it exists', async () => {
    const { gateway, page, go, subscription } = await open()
    gateway.faults.add({ operation: 'event_subscriptions.create', status: 503 })
    gateway.faults.add({ operation: 'event_subscriptions.get', status: 500 })
    await go(`resources/event_subscriptions/${subscription}`)
    const side = page.getByRole('complementary')
    await side.getByText('event_subscriptions.get').waitFor()
    expect(await side.getByText('event_subscriptions.create').count()).toBe(0)
  })

  test('counts neither a fault of visitors nor one of the agent as one of its requests', async () => {
    const { gateway, page, go, subscription } = await open()
    gateway.faults.add({ traffic: 'https://shop.example.com', status: 503 })
    gateway.faults.add({ agent: '/api/tunnels', status: 503 })
    await go(`resources/event_subscriptions/${subscription}`)
    const side = page.getByRole('complementary')
    await side.getByText('Fail the next request for it').waitFor()
    expect(await side.getByText('Faults that apply to it').count()).toBe(0)
    await go('faults')
    const rows = page.locator('.card').filter({ hasText: 'Faults 2' }).getByRole('listitem')
    await rows.filter({ hasText: 'visitors of https://shop.example.com' }).waitFor()
    await rows.filter({ hasText: "the agent's API /api/tunnels" }).waitFor()
    expect(await rows.filter({ hasText: 'every operation' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'requests it applied to' }).count()).toBe(0)
    await fetch(`${page.url().split('/_fauxgate')[0]}/ip_policies`)
    await go('requests')
    await page.getByRole('table').getByRole('link', { name: '/ip_policies' }).click()
    await side.getByRole('link', { name: 'none', exact: true }).waitFor()
    gateway.faults.add({ operation: 'vaults.list', status: 503 })
    await side.getByRole('link', { name: 'none of 1 pending' }).waitFor()
  })

  test('and Requests, says how many of the sent events it shows, in whole words', async () => {
    const { gateway, page, go } = await open()
    for (let number = 0; number < 120; number++) gateway.ipPolicies.create({})
    await gateway.fetch(`${gateway.url}/ip_policies`)
    await go('requests')
    await page.getByText('The newest 100 of 120 sent events').click()
    const rows = page.locator('.events tbody tr')
    await expect.poll(() => rows.count()).toBe(100)
    for (const width of [1280, 640]) {
      await page.setViewportSize({ width, height: 800 })
      expect((await rows.first().boundingBox())?.height, `${width}`).toBeLessThan(30)
    }
  })
})
