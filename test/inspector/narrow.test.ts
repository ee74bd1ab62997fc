import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { ECDSA } from '../support/provisioning.ts'
import { useInspector } from './support/use-inspector.ts'

describe.skipIf(!CHROMIUM)('The page in a narrow window', () => {
  const open = useInspector()

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
