import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { populate } from './support/populate.ts'
import { type OpenInspector, useInspector } from './support/use-inspector.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The folder for the pictures, which CI stores. */
const PICTURES = fileURLToPath(new URL('../../screenshots/', import.meta.url))

/** Returns the findings of axe-core on a page: all, or those of its colours alone. */
async function findProblems(page: Page, isOfColours: boolean): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
    isOfColours ? { runOnly: ['color-contrast'] } : { rules: { 'target-size': { enabled: true } } },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Returns visible defects: broken buttons, a tall header, and unformatted timestamps. */
function ugly(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken = [...document.querySelectorAll('button:not(.fold)')].filter((each) => {
      const range = document.createRange()
      range.selectNodeContents(each)
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
    })
    const height = document.querySelector('header')?.clientHeight ?? 0
    const clipped = [...document.querySelectorAll<HTMLElement>('.list .c-operation')].filter(
      (each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth,
    )
    const times = [...document.querySelectorAll('.lane, .record, dd')].flatMap(
      ({ textContent }) => textContent?.match(/\d{4}-\d\d-\d\dT\S+/) ?? [],
    )
    return [
      ...broken.map(({ textContent }) => `a button of two lines: ${textContent}`),
      ...clipped.map(({ textContent }) => `a clipped operation: ${textContent}`),
      ...times.map((time) => `a timestamp of the wire: ${time}`),
      ...(height > (innerWidth > 640 ? 50 : 90) ? [`a header of ${height} px`] : []),
    ]
  })
}

const WIDTHS = [360, 390, 1024, 1440]

/** The widths at which axe-core checks the page. */
const LOOKED_AT = [360, 1440]

describe.skipIf(!CHROMIUM)('Every part at 360, 390, 1,024 and 1,440 px, light and dark', () => {
  const open = useInspector()

  /** Returns a function that checks a place in all widths and colours, and the list of its findings. */
  const looking = ({ page, go }: OpenInspector) => {
    const problems: string[] = []
    const look = async (place: string, name: string) => {
      await go(place)
      await page.waitForLoadState('networkidle', { timeout: 300 }).catch(() => undefined)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        const all = wide > width ? [`it is ${wide} px wide`] : []
        if (width > 360) all.push(...(await ugly(page)))
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme })
          if (width > 360) await page.screenshot({ path: `${PICTURES}${name}-${colorScheme}-${width}.png` })
          if (LOOKED_AT.includes(width)) all.push(...(await findProblems(page, colorScheme === 'dark')))
        }
        problems.push(...all.map((each) => `${name} at ${width}: ${each}`))
      }
    }
    return { look, problems }
  }

  test('fits the window, and has nothing that axe-core finds: empty', async () => {
    const { look, problems } = looking(await open())
    for (const part of ['now', 'jobs', 'requests', 'resources/reserved_domains', 'faults', 'state']) {
      await look(part, `empty-${part.split('/')[0]}`)
    }
    expect(problems).toEqual([])
  })

  test('fits the window, and has nothing that axe-core finds: full', async () => {
    const opened = await open()
    const { look, problems } = looking(opened)
    const { domain, request, certificate } = await populate(opened.gateway, opened.server)
    await look('now', 'now')
    await look('jobs', 'jobs')
    await look(`jobs/${domain}`, 'job')
    await look('requests', 'requests')
    await look(`requests/${request}`, 'request')
    await look(`requests/${request}/fail`, 'fail')
    await look('resources/reserved_domains', 'resources')
    await look(`resources/tls_certificates/${certificate}`, 'resource')
    await look('resources/circuit_breaker', 'lookup')
    await look('faults', 'faults')
    await look('state', 'state')
    expect(problems).toEqual([])
  })
})
