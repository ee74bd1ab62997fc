import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { AXE, type AxeResults, type Page } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { ECDSA } from '../support/provisioning.ts'
import { populate } from './support/populate.ts'
import { type OpenInspector, useInspector } from './support/use-inspector.ts'
import { useTraffic, visitApp } from './support/visit-app.ts'

const axe = readFileSync(AXE, 'utf8')

/** The folder for the pictures, which CI stores. */
const PICTURES = fileURLToPath(new URL('../../screenshots/', import.meta.url))

/** Returns the findings of axe-core on a page: all findings, or only those about colours. */
async function findProblems(page: Page, isColoursOnly: boolean): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(options),
    isColoursOnly
      ? { runOnly: ['color-contrast'] }
      : { rules: { 'target-size': { enabled: true }, 'link-in-text-block': { enabled: true } } },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Returns visible defects: buttons that do not fit their text, more than three sizes of type, a tall header, and unformatted timestamps. */
function findDefects(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrappedButtons = [...document.querySelectorAll('button:not(.fold)')].filter((each) => {
      const range = document.createRange()
      range.selectNodeContents(each)
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
    })
    const narrowButtons = [...document.querySelectorAll('button:not(.heads button)')].filter(
      (each) => each.scrollWidth > each.clientWidth,
    )
    const height = document.querySelector('header')?.clientHeight ?? 0
    const clippedOperations = [...document.querySelectorAll<HTMLElement>('.list .c-operation')].filter(
      (each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth,
    )
    const times = [...document.querySelectorAll('.lane, .record, dd')].flatMap(
      ({ textContent }) => textContent?.match(/\d{4}-\d\d-\d\dT\S+/) ?? [],
    )
    const sizes = [...document.querySelectorAll('body *')].flatMap((each) =>
      [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE) && each.tagName !== 'SCRIPT'
        ? getComputedStyle(each).fontSize
        : [],
    )
    // A hidden word has no size.
    const otherSizes = new Set(sizes.filter((size) => !['0px', '12px', '14px', '20px'].includes(size)))
    return [
      ...[...otherSizes].map((size) => `a fourth size of type: ${size}`),
      ...wrappedButtons.map(({ textContent }) => `a button of two lines: ${textContent}`),
      ...narrowButtons.map(({ textContent }) => `a button narrower than its text: ${textContent}`),
      ...clippedOperations.map(({ textContent }) => `a clipped operation: ${textContent}`),
      ...times.map((time) => `a timestamp of the wire: ${time}`),
      ...(height > (innerWidth > 900 ? 50 : 90) ? [`a header of ${height} px`] : []),
    ]
  })
}

const WIDTHS = [360, 390, 768, 1024, 1440]

/** The widths at which axe-core checks the page. */
const AXE_WIDTHS = [360, 1440]

describe.skipIf(!CHROMIUM)('Every tab at 360, 390, 768, 1,024 and 1,440 px, light and dark', () => {
  const open = useInspector()
  const openTraffic = useTraffic()

  /** Returns a function that checks a place in all widths and colours, and the list of its findings. */
  const createChecker = ({ page, go }: Pick<OpenInspector, 'page' | 'go'>) => {
    const problems: string[] = []
    const check = async (place: string, name: string) => {
      await go(place)
      await page.waitForLoadState('networkidle', { timeout: 300 }).catch(() => undefined)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth)
        const findings = pageWidth > width ? [`it is ${pageWidth} px wide`] : []
        if (width > 360) findings.push(...(await findDefects(page)))
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme })
          if (width > 360) await page.screenshot({ path: `${PICTURES}${name}-${colorScheme}-${width}.png` })
          if (AXE_WIDTHS.includes(width)) findings.push(...(await findProblems(page, colorScheme === 'dark')))
        }
        problems.push(...findings.map((each) => `${name} at ${width}: ${each}`))
      }
    }
    return { check, problems }
  }

  test('fits the window, and axe-core finds no problem: an empty gateway', async () => {
    const { check, problems } = createChecker(await open())
    for (const part of ['now', 'jobs', 'requests', 'traffic', 'resources/reserved_domains', 'faults', 'state']) {
      await check(part, `empty-${part.split('/')[0]}`)
    }
    expect(problems).toEqual([])
  })

  test('has each tab within the window at 360, 390, 420 and 640 px', async () => {
    const { page, gateway } = await open({}, { place: 'now' })
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
    await page.getByRole('button', { name: '+ 1h' }).click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    for (const width of [360, 390, 420, 640]) {
      await page.setViewportSize({ width, height: 800 })
      const tabs = page.getByRole('navigation', { name: 'Tabs' }).getByRole('link')
      const boxes = await tabs.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
      expect(boxes).toHaveLength(7)
      for (const [at, { left, right }] of boxes.entries()) {
        expect(left, `${width}: ${at}`).toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0)
        expect(right, `${width}: ${at}`).toBeLessThanOrEqual(width)
      }
    }
  })

  test('shows the chosen tab in forced colours', async () => {
    const { page } = await open({}, { place: 'requests', forcedColors: 'active' })
    const readColours = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor))
    const tabs = await readColours('nav a')
    expect(tabs.filter((each) => each === tabs[0])).toHaveLength(tabs.length - 1)
  })

  /** The places of a full gateway, by the names of their pictures. A test checks few, because axe-core takes its time. */
  const PLACES: readonly ((ids: Awaited<ReturnType<typeof populate>>) => Readonly<Record<string, string>>)[] = [
    ({ domain }) => ({ now: 'now', jobs: 'jobs', job: `jobs/${domain}` }),
    ({ request }) => ({ requests: 'requests', request: `requests/${request}`, fail: `requests/${request}/fail` }),
    ({ certificate }) => ({
      resources: 'resources/reserved_domains',
      resource: `resources/tls_certificates/${certificate}`,
      lookup: 'resources/circuit_breaker',
    }),
    () => ({ faults: 'faults', state: 'state' }),
  ]

  test.each(PLACES.map((list, at) => [at + 1, list] as const))(
    `fits the window, and axe-core finds no problem: a full gateway, %i of ${PLACES.length}`,
    async (_, list) => {
      const inspector = await open()
      const { check, problems } = createChecker(inspector)
      const places = list(await populate(inspector.gateway, inspector.server))
      for (const [name, place] of Object.entries(places)) await check(place, name)
      expect(problems).toEqual([])
    },
  )

  test('fits the window, and axe-core finds no problem: traffic', async () => {
    const inspector = await openTraffic()
    const { check, problems } = createChecker(inspector)
    await visitApp(inspector.gateway)
    await check('traffic', 'traffic')
    for (const [name, number] of Object.entries({ refused: 4, changed: 3, lost: 6 }))
      await check(`traffic/${number}`, `visit-${name}`)
    expect(problems).toEqual([])
  })
})
