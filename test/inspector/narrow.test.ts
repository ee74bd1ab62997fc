import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import type { Locator } from '../../tools/browser.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import { ECDSA, openManual } from '../support/provisioning.ts'
import { useInspector } from './support/use-inspector.ts'

describe.skipIf(!CHROMIUM)('The page in a narrow window', () => {
  const open = useInspector()
  const newPage = opensPages()

  test.each([390, 640, 1280])(
    'shortens names with an ellipsis and a title, and cuts no count and no time, at %i px',
    async (width) => {
      const name = 'feature-very-long-branch-name-of-somebody'
      const gateway = openManual({ dns: 'simulated', dialect: ngrok })
      const server = await serve(gateway, { name })
      onTestFinished(() => server.close())
      const page = await newPage({ viewport: { width, height: 800 } })
      gateway.reservedDomains.create({ domain: `${'a-very-long-name'.repeat(3)}.example.com` })
      gateway.faults.add({ operation: 'reserved_domains.list', latency: '10s' })
      const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
      await fetch(`${server.url}/reserved_domains`, { method: 'POST', headers, body: '{"domain":"x"}' })
      const waiting = Array.from({ length: 10 }, () => fetch(`${server.url}/reserved_domains`, { headers }))
      await expect.poll(() => gateway.requests.count()).toBe(11)
      await gateway.traffic.fetch(`https://app.example.com/${'q'.repeat(200)}`)
      const cutIn = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) =>
            all
              .filter((each) => each.scrollWidth > each.clientWidth)
              .map((each) => getComputedStyle(each).textOverflow),
          )
      await page.goto(`${server.url}/_fauxgate/#now`)
      const header = page.getByRole('banner')
      await header.getByText(/^10 (requests )?waiting$/).waitFor()
      const box = await header.boundingBox()
      expect(box?.height).toBeLessThanOrEqual(width > 900 ? 50 : 80)
      expect(await page.locator('h1').getAttribute('title')).toBe(`${name} ${gateway.url}`)
      expect(await page.locator('h1 > *').evaluateAll((all) => all.every((each) => each.clientWidth > 70))).toBe(true)
      expect((await header.getByText('live', { exact: true }).boundingBox())?.width).toBeGreaterThan(25)
      for (const place of ['requests', 'traffic', 'traffic/1', 'resources/reserved_domains']) {
        await page.goto(`${server.url}/_fauxgate/#${place}`)
        await page.locator('main').getByRole('row').nth(1).or(page.getByRole('complementary')).first().waitFor()
        expect(new Set([...(await cutIn('h1 > *, .line > *, .heads button')), 'ellipsis']), place).toEqual(
          new Set(['ellipsis']),
        )
      }
      await page.goto(`${server.url}/_fauxgate/#requests`)
      await page.getByText('11 of 11 here').waitFor()
      await page
        .getByText(/until [\d:]{8}$/)
        .nth(9)
        .waitFor()
      expect(await cutIn('.line:not(.heads) > :is(.c-status, .c-time)')).toEqual([])
      const code = page.locator('.c-status').getByText(/^ERR_NGROK_\d+$/)
      await code.last().waitFor({ state: width > 560 ? 'visible' : 'attached' })
      expect(await page.locator('.c-status').getByText(/^\d+$/).allTextContents()).toHaveLength(1)
      await page.goto(`${server.url}/_fauxgate/#traffic`)
      await page.getByText('1 of 1 here').waitFor()
      await page.locator('.line:not(.heads) > .c-by').getByText('ERR_NGROK_3200').waitFor()
      const url = page.locator('.line:not(.heads) > .c-path > a')
      await url.hover()
      await expect.poll(() => url.getAttribute('title')).toContain('/qqq')
      gateway.clock.advance('10s')
      await Promise.all(waiting)
      await server.close()
      await header.getByText('disconnected').waitFor()
      expect((await header.boundingBox())?.height).toBeLessThanOrEqual(width > 900 ? 50 : 80)
    },
  )

  test('shows paths and times in full at 390 px, and why a certificate is not issued', async () => {
    const gateway = createNgrok({ dns: 'simulated' })
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage({ viewport: { width: 390, height: 800 } })
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
    gateway.provisioning.script(['DNS_ERROR'])
    gateway.provisioning.attempt('a.example.com')
    await fetch(`${server.url}/reserved_domains`)
    await gateway.traffic.fetch(`https://${'a'.repeat(30)}.example.com/orders?page=2`)
    const isWhole = async (cell: Locator) => {
      await cell.waitFor()
      const { x = 0, width = 999 } = (await cell.boundingBox()) ?? {}
      const isCut = await cell.evaluate((each) => each.scrollWidth > each.clientWidth && each.clientWidth > 0)
      expect([isCut, x + width < 390], String(await cell.textContent())).toEqual([false, true])
    }
    await page.goto(`${server.url}/_fauxgate/#requests`)
    for (const name of ['time', 'path']) await isWhole(page.locator(`.line:not(.heads) > .c-${name}`))
    await page.goto(`${server.url}/_fauxgate/#traffic`)
    await isWhole(page.locator('.line:not(.heads) > .c-time'))
    await isWhole(page.getByText('/orders?page=2', { exact: true }))
    await page.goto(`${server.url}/_fauxgate/#jobs`)
    const cause = page.getByRole('listitem').locator('.picture .clip')
    const shown = expect.stringMatching(/^failed DNS_ERROR: The DNS records/)
    await expect.poll(() => cause.allInnerTexts()).toEqual([shown])
  })

  test('has faults and durations at 390 px, and IDs at 640 px', async () => {
    const { gateway, server, page, go } = await open({ dialect: ngrok }, { viewport: { width: 390, height: 800 } })
    const isVisible = async (selector: string) => {
      const cell = page.locator(`.line:not(.heads) > ${selector}`).first()
      await cell.waitFor()
      const box = await cell.boundingBox()
      const { width = 0 } = page.viewportSize() ?? {}
      expect([(box?.width ?? 0) > 25, (box?.x ?? width) + (box?.width ?? 0) <= width], selector).toEqual([true, true])
      return (await cell.textContent()) ?? ''
    }
    gateway.faults.add({ operation: 'reserved_domains.list', status: 503, times: 1 })
    await go('requests')
    await page.getByText('No requests yet').waitFor()
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }
    await fetch(`${server.url}/reserved_domains`, { headers })
    expect(await isVisible('.c-fault')).toBe('fault')
    expect(await isVisible('.c-path')).toBe('/reserved_domains')
    await expect.poll(() => isVisible('.c-duration')).toMatch(/ms|s$/)
    const { id } = gateway.reservedDomains.create({ domain: 'a.example.com' })
    await page.setViewportSize({ width: 640, height: 800 })
    await go('resources/reserved_domains')
    expect(await isVisible('.c-id')).toBe(id)
  })

  test.each([640, 360])('shows the texts of a result, an error and a lost connection at %i px', async (width) => {
    const { gateway, server, page } = await open({ dns: 'off' }, { viewport: { width, height: 800 } })
    gateway.reservedDomains.create({ domain: 'a.example.com', certificate_management_policy: ECDSA })
    const isInWindow = async (text: string | RegExp) => {
      const shown = page.getByText(text).first()
      await shown.waitFor()
      const box = await shown.boundingBox()
      expect(
        [box?.width, box?.height].every((each) => Number(each) > 5),
        String(text),
      ).toBe(true)
      expect((box?.x ?? 0) + (box?.width ?? width + 1), String(text)).toBeLessThanOrEqual(width)
    }
    await page.getByRole('button', { name: '+ 5m' }).click()
    await isInWindow('In the move from')
    await isInWindow('1 issued certificate')
    const fail = { status: 500, contentType: 'application/json', body: '{"msg":"It fails."}' }
    await page.route(/\/_fauxgate\/clock$/, (route) => route.fulfill(fail))
    await page.getByRole('button', { name: '+ 1h' }).click()
    await isInWindow('It fails.')
    await server.close()
    await isInWindow(/as of [\d:]+, disconnected/)
  })
})
