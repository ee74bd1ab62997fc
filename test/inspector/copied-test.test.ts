import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ngrok } from '../../src/index.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a test file that was copied from the page, with the built package. Returns the output of the runner. */
function runCopy(name: string, text: string, args: (folder: string) => string[]) {
  // Inside the package, the name `fauxgate` means the built package.
  const folder = mkdtempSync(join(ROOT, 'test', 'copied-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), text)
  // The configuration of the package would find its own tests.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {}\n')
  const { status, stdout, stderr } = spawnSync(process.execPath, args(folder), { cwd: ROOT, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

async function makeTest(page: Page, runner: string): Promise<string> {
  await page.getByRole('button', { name: runner, exact: true }).click()
  await page.getByRole('button', { name: 'Make the test' }).click()
  const text = page.locator('.card').filter({ hasText: 'Copy as test' }).locator('pre')
  const mark = { vitest: 'fauxgate/vitest', Jest: 'require(', 'node:test': "from 'node:test'" }[runner] ?? ''
  await text.filter({ hasText: mark }).waitFor()
  return String(await text.textContent())
}

const RUNNERS: readonly [runner: string, file: string, args: (folder: string) => string[]][] = [
  ['vitest', 'copied.test.mjs', (folder) => ['node_modules/vitest/vitest.mjs', 'run', '--root', folder]],
  ['node:test', 'copied.test.mjs', (folder) => ['--test', join(folder, 'copied.test.mjs')]],
  [
    'Jest',
    'copied.test.cjs',
    (folder) => ['node_modules/jest/bin/jest.js', '--rootDir', folder, '--testMatch', '**/*.test.cjs'],
  ],
]

describe.skipIf(!CHROMIUM)('The test that "Copy as test" makes', () => {
  const open = useInspector()

  test.each(RUNNERS)(
    'runs unchanged with %s: requests, faults, outcomes, records and moves of the clock',
    async (runner, file, args) => {
      const { server, page, go } = await open({}, { place: 'faults' })
      const control = (method: string, path: string, body: object) =>
        sendRequest(server, method, `/_fauxgate${path}`, body)
      const response = await sendRequest(server, 'POST', '/reserved_domains', {
        domain: DOMAIN,
        certificate_management_policy: ECDSA,
      })
      const { id, cname_target } = (await response.json()) as { id: string; cname_target: string }
      await control('PUT', '/dns', { name: DOMAIN, type: 'CNAME', value: cname_target })
      await control('POST', '/provisioning/script', { outcomes: ['INTERNAL_ERROR'], domain: DOMAIN })
      await control('POST', '/clock', { advance: '30s' })
      await control('POST', '/faults', { operation: 'reserved_domains.get', status: 503, times: 1 })
      await control('POST', '/faults', { operation: 'reserved_addrs.list', drop: true, times: 1 })
      await sendRequest(server, 'GET', `/reserved_domains/${id}`)
      await sendRequest(server, 'GET', '/reserved_addrs').catch(() => undefined)
      await control('POST', '/clock', { next: true })
      await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN })
      const description = ["it's `done` at $", '{once} \\ now'].join('')
      await sendRequest(server, 'PATCH', `/reserved_domains/${id}`, { description })
      await go('resources/reserved_addrs')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('complementary').getByLabel('Description').fill('made on the page')
      await page.getByRole('complementary').getByRole('button', { name: 'Create' }).click()
      await page.getByRole('complementary').getByText('made on the page').waitFor()
      await sendRequest(server, 'DELETE', `/reserved_domains/${id}`)
      await go('state')
      const text = await makeTest(page, runner)
      expect(text).toContain('made on the page')
      expect(text).not.toContain(id)
      expect(text).toContain('503')
      const { status, output } = runCopy(file, text, args)
      expect(status, `${text}\n${output}`).toBe(0)
      expect(output).toMatch(/1 passed|pass 1/)
    },
  )

  test('runs with vitest, for a gateway in the ngrok dialect with pending faults and outcomes', async () => {
    const { server, page, go } = await open({ dialect: ngrok })
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
    const body = JSON.stringify({ domain: DOMAIN })
    await fetch(`${server.url}/reserved_domains`, { method: 'POST', headers, body })
    await sendRequest(server, 'POST', '/_fauxgate/faults', { operation: 'reserved_domains.list', status: 500 })
    await fetch(`${server.url}/nowhere`, { headers })
    await fetch(`${server.url}/reserved_domains`, { method: 'POST', headers, body: '"a text"' })
    await fetch(`${server.url}/reserved_domains`)
    await fetch(`${server.url}/reserved_domains`, { headers: { authorization: 'Bearer key' } })
    await sendRequest(server, 'POST', '/_fauxgate/snapshots', { name: 'the body of this control' })
    await go('faults')
    // The page then knows the controls.
    await page.getByText('Set a record').waitFor()
    await go('state')
    const text = await makeTest(page, 'vitest')
    expect(text).toContain('testUsing(createNgrok)')
    expect(text).toContain('because its body is not known: POST /_fauxgate/snapshots\n')
    expect(text).toContain('because its header authorization is missing')
    expect(text).toContain('because its header Ngrok-Version is missing')
    const [, file, args] = RUNNERS[0] as (typeof RUNNERS)[number]
    const { status, output } = runCopy(file, text, args)
    expect(status, `${text}\n${output}`).toBe(0)
  })
})
