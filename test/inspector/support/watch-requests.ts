import { expect } from 'vitest'
import type { Page, Request } from '../../../tools/browser.ts'

/** The time without a request after which a page is quiet, in ms. The page measures it, because a busy machine delays the page too. */
const QUIET_MS = 400

/**
 * Returns a function that waits until a page has received everything that it asked for, and asks for nothing more. It returns the
 * requests since its last call.
 */
export function watchRequests(page: Page, base: string) {
  const sent: string[] = []
  let pending = 0
  const add = (request: Request, by: number) => {
    // The response with the events does not end.
    if (!request.url().endsWith('/_fauxgate/events')) pending += by
  }
  page.on('request', (request) => {
    const path = request.url().replace(base, '').replace(/#.*$/, '')
    sent.push(`${request.method()} ${path}`)
    add(request, 1)
  })
  page.on('requestfinished', (request) => add(request, -1))
  page.on('requestfailed', (request) => add(request, -1))
  return async () => {
    let count = -1
    while (count !== sent.length || pending > 0) {
      count = sent.length
      await page.getByText('live', { exact: true }).waitFor()
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
      await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), QUIET_MS)
    }
    return sent.splice(0)
  }
}
