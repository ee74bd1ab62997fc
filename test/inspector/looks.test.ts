import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser, opening } from './support/opened.ts'
import { populated } from './support/populated.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The folder that CI keeps the pictures of. */
const PICTURES = fileURLToPath(new URL('../../screenshots/', import.meta.url))

/** Returns the findings of axe-core on a page. */
async function found(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      rules: { 'target-size': { enabled: true } },
    }),
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

describe.skipIf(!hasBrowser)('Every part, empty and full, at 360, 1,280 and 1,600 px', () => {
  const open = opening()

  test.each([['light'], ['dark']] as const)(
    'has nothing that axe-core finds, and fits the window: %s',
    async (colorScheme) => {
      const { gateway, server, page, go } = await open({}, { colorScheme })
      const problems: string[] = []
      const look = async (place: string, name: string) => {
        await go(place)
        await page.waitForLoadState('networkidle', { timeout: 300 }).catch(() => undefined)
        for (const width of [360, 1280, 1600]) {
          await page.setViewportSize({ width, height: 800 })
          await page.screenshot({ path: `${PICTURES}${name}-${colorScheme}-${width}.png` })
          const wide = await page.evaluate(() => document.documentElement.scrollWidth)
          if (wide > width) problems.push(`${name} is ${wide} px wide at ${width}`)
          if (width !== 1600) problems.push(...(await found(page)).map((each) => `${name} at ${width}: ${each}`))
        }
      }
      for (const part of ['now', 'jobs', 'requests', 'resources/reserved_domains', 'faults', 'state']) {
        await look(part, `empty-${part.split('/')[0]}`)
      }
      const { domain, request, certificate } = await populated(gateway, server)
      await look('now', 'now')
      await look('jobs', 'jobs')
      await look(`jobs/${domain}`, 'job')
      await look('requests', 'requests')
      await look(`requests/${request}`, 'request')
      await look('resources/reserved_domains', 'resources')
      await look(`resources/tls_certificates/${certificate}`, 'resource')
      await look('resources/circuit_breaker', 'lookup')
      await look('faults', 'faults')
      await look('state', 'state')
      expect(problems).toEqual([])
    },
  )
})
