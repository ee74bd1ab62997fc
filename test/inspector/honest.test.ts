import { describe, expect, test } from 'vitest'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { CLOCK_START } from '../support/clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { DOMAIN, ECDSA, openManual } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

/** Holds back the calls of a page that change something, and counts them. */
async function holdCalls(page: Page, path: string) {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let count = 0
  await page.route(`**/_fauxgate${path}`, async (route) => {
    if (route.request().method() !== 'GET') {
      count++
      await held
    }
    await route.continue()
  })
  return { release: () => release(), count: () => count }
}

describe.skipIf(!CHROMIUM)('The page', () => {
  const open = useInspector()

  test('shows that a move of the clock is under way, takes no second one, and says with links what happened', async () => {
    const { gateway, page } = await open({ dns: 'off' })
    for (const domain of ['a.example.com', DOMAIN])
      gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    gateway.provisioning.failNext('DNS_ERROR', { domain: DOMAIN })
    const calls = await holdCalls(page, '/clock')
    await page.getByRole('button', { name: '+ 5m' }).click()
    await page.locator('button[aria-busy=true]', { hasText: '+ 5m' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Go to' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: '+ 5m' }).click({ force: true })
    await page.getByRole('button', { name: '+ 1h' }).click({ force: true })
    await page.getByRole('textbox', { name: 'Go to, in UTC' }).fill('2026-05-01')
    await page.keyboard.press('Enter')
    calls.release()
    // More may have happened since the move, which this does not count.
    await page.getByText('In the move from 2026-01-01 00:00:00: 1 issued certificate, 1 failed attempt').waitFor()
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
    expect(calls.count()).toBe(1)
    expect(gateway.clock.now).toBe(CLOCK_START + 300_000)
    await page.getByRole('link', { name: '1 failed' }).click()
    await page.getByRole('button', { name: 'failing 1' }).waitFor()
    await page.getByRole('button', { name: 'Undo the last clock move' }).click()
    await page.getByRole('button', { name: 'Discard everything since' }).click()
    await page.getByText('In the move from').waitFor({ state: 'detached' })
    expect(gateway.clock.now).toBe(CLOCK_START)
  })

  test('disables a button while it works, and keeps what is typed meanwhile for the next press', async () => {
    const { page } = await open({}, { place: 'state' })
    const calls = await holdCalls(page, '/snapshots')
    const [name, button] = [
      page.getByLabel('Name of the snapshot'),
      page.getByRole('button', { name: 'Take a snapshot' }),
    ]
    await name.fill('one')
    await button.click()
    await name.fill('two')
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    calls.release()
    await page.getByRole('button', { name: 'Delete one' }).waitFor()
    await button.click()
    await page.getByRole('button', { name: 'Delete two' }).waitFor()
    expect(calls.count()).toBe(2)
  })

  test('says since when its journals know, after the gateway continued from a store', async () => {
    const store = memoryStore()
    openManual({ store }).reservedAddrs.create({})
    const { server, page, go } = await open({ store: memoryStore(store.commits) }, { place: 'traffic' })
    await page.getByText('No visitors since 2026-01-01 00:00:00.').waitFor()
    await go('requests')
    await page.getByText('No requests since 2026-01-01 00:00:00.').waitFor()
    await sendRequest(server, 'GET', '/reserved_addrs')
    await page.getByText('1 of 1 here since 2026-01-01 00:00:00').waitFor()
  })

  test('counts, beside all domains, those that are managed, while some are not', async () => {
    const { gateway, page } = await open({}, { place: 'jobs' })
    for (const domain of [DOMAIN, 'other.example.com'])
      gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    await page.getByRole('button', { name: 'all 2', exact: true }).waitFor()
    const [first] = gateway.reservedDomains.list().reserved_domains
    gateway.reservedDomains.detachCertificateManagementPolicy(first?.id ?? '')
    await page.getByRole('button', { name: 'all 2, 1 managed', exact: true }).waitFor()
  })

  test('says that the agent is down as soon as a program in the same process stops it', async () => {
    const { gateway, page } = await open()
    await page.getByText('No problems found.').waitFor()
    gateway.agent.set({ down: true })
    await page.getByText('The agent is down: connections to it are rejected.').waitFor()
  })

  test('shows an error at its button, with the text that was typed, until the tab is left; an undo stays', async () => {
    const { gateway, page } = await open()
    await page.getByRole('button', { name: '+ 30d' }).click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    await page.getByRole('textbox', { name: 'Go to, in UTC' }).fill('2026-01-02')
    await page.getByRole('button', { name: 'Go to' }).click()
    const alert = page.locator('form').filter({ hasText: 'Go to' }).getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('to is "2026-01-02".')
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('textbox', { name: 'Go to, in UTC' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Go to, in UTC' }).fill('2026-03-01')
    await page.getByRole('button', { name: 'Go to' }).click()
    await expect.poll(() => gateway.clock.now).toBe(Date.parse('2026-03-01T00:00:00Z'))
  })

  test('offers no change of a resource that somebody removed, and says what a cleared journal lacks', async () => {
    const { gateway, server, page, go } = await open()
    const { id } = gateway.reservedAddrs.create()
    await go(`resources/reserved_addrs/${id}`)
    const side = page.getByRole('complementary')
    await side.getByRole('button', { name: 'Change', exact: true }).click()
    await side.getByRole('button', { name: 'Save' }).waitFor()
    gateway.reset()
    await side.getByText('No resource has this ID.').waitFor()
    expect(await side.getByRole('button').count()).toBe(0)
    await sendRequest(server, 'GET', '/reserved_addrs')
    await go(`requests/${gateway.requests.last()?.operationId}`)
    await side.waitFor()
    gateway.requests.clear()
    await page.getByText('No requests. The journal has no request with this ID.').waitFor()
  })

  test('says that a link leads to nothing, and why a search finds nothing', async () => {
    const { server, page, go } = await open()
    await go('requests/op_x')
    await page.getByText('The journal has no request with this ID.').waitFor()
    await sendRequest(server, 'GET', '/reserved_addrs')
    await page.getByRole('complementary').getByText('The journal has no request with this ID.').waitFor()
    const search = page.getByRole('searchbox')
    for (const [typed, hint] of [
      ['status:foo', 'status: takes digits, such as status:4xx or status:503, not "foo".'],
      ['statuss:4xx', 'Did you mean status:4xx?'],
      ['changed:maybe', 'changed: takes yes or no, not "maybe".'],
      ['color:red', '"color:" is not a search keyword: there are status,'],
    ] as const) {
      await search.fill(typed)
      await page.getByText(hint).waitFor()
    }
    await go('jobs/rd_x')
    await page.getByRole('complementary').getByText('The gateway has no managed domain with this ID.').waitFor()
  })

  test('shows characters that reverse text as they are encoded, and edits them unchanged', async () => {
    const description = 'invoice\u202egpj.exe'
    const { gateway, page, go } = await open()
    const { id } = gateway.reservedAddrs.create({ description })
    await go('resources/reserved_addrs')
    await page.getByText('invoice\\u202egpj.exe').first().waitFor()
    expect(await page.locator('body').textContent()).not.toContain('\u202e')
    await go(`resources/reserved_addrs/${id}`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor()
    expect(gateway.reservedAddrs.get(id).description).toBe(description)
  })
})
