import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ngrok } from '../../src/index.ts'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA } from '../support/provisioning.ts'
import { PATIENCE_MS } from './support/patience.ts'
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

/** Makes the test on a page that knows only what the server tells it, because it was loaded after everything. */
async function makeTest(page: Page, runner: string): Promise<string> {
  await page.reload()
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByRole('button', { name: runner, exact: true }).click()
  await page.getByRole('button', { name: 'Create the test' }).click()
  const text = page.locator('.card').filter({ hasText: 'Copy as test' }).locator('pre')
  const mark = { vitest: 'fauxgate/vitest', Jest: 'require(', 'node:test': "from 'node:test'" }[runner] ?? ''
  await text.filter({ hasText: mark }).waitFor()
  return String(await text.textContent())
}

const RUNNERS: readonly [runner: string, file: string, args: (folder: string) => string[]][] = [
  [
    'vitest',
    'copied.test.mjs',
    (folder) => ['node_modules/vitest/vitest.mjs', 'run', '--root', folder, '--testTimeout', PATIENCE_MS],
  ],
  ['node:test', 'copied.test.mjs', (folder) => ['--test', join(folder, 'copied.test.mjs')]],
  [
    'Jest',
    'copied.test.cjs',
    (folder) => [
      'tools/node_modules/jest/bin/jest.js',
      '--rootDir',
      folder,
      '--testMatch',
      '**/*.test.cjs',
      '--testTimeout',
      PATIENCE_MS,
    ],
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
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByRole('complementary').getByLabel('Description').fill('made on the page')
      await page.getByRole('complementary').getByRole('button', { name: 'Create', exact: true }).click()
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

  test.each(RUNNERS)(
    'runs with %s for a gateway in the ngrok dialect, and names what it leaves out',
    async (runner, file, args) => {
      const { server, page, go } = await open({ dialect: ngrok })
      const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
      const send = (method: string, path: string, body?: object, more: object = {}) =>
        fetch(server.url + path, {
          method,
          headers: { ...headers, ...more },
          ...(body && { body: JSON.stringify(body) }),
        })
      const certificate_management_policy = ECDSA
      const created = await send('POST', '/reserved_domains', { domain: DOMAIN, certificate_management_policy })
      const { id } = (await created.json()) as { id: string }
      await send('POST', '/_fauxgate/faults', { operation: 'reserved_domains.list', status: 500 })
      await send('GET', '/nowhere')
      await send('GET', '/reserved_domains')
      await send('POST', '/_fauxgate/clock', { advance: '60d' })
      await send('GET', `/reserved_domains/${id}`)
      await send('POST', '/reserved_domains', { domain: 'other' }, { 'content-type': 'text/plain' })
      await fetch(`${server.url}/reserved_domains`)
      await fetch(`${server.url}/reserved_domains`, { headers: { authorization: 'Bearer key' } })
      await send('PUT', '/_fauxgate/traffic/upstreams', { url: 'https://app.internal', body: 'hello' })
      await go('state')
      const text = await makeTest(page, runner)
      expect(text).toContain('createNgrok')
      expect(text).toContain('because its body may contain secrets: PUT /_fauxgate/traffic/upstreams\n')
      expect(text).toContain('because its header authorization is missing')
      expect(text).toContain('because its header Ngrok-Version is missing')
      expect(text).toContain('because its header content-type is missing')
      const { status, output } = runCopy(file, text, args)
      expect(status, `${text}\n${output}`).toBe(0)
    },
  )

  test('runs with every kind of fault, also with faults that were removed, and never waits', async () => {
    const { server, page, go } = await open()
    const control = (method: string, path: string, body?: object) =>
      sendRequest(server, method, `/_fauxgate${path}`, body)
    const operation = 'reserved_addrs.list'
    for (const spec of [
      { drop: true },
      { truncate: 3 },
      { truncate: 3, ending: 'break' },
      { error: 'domain_taken' },
      { status: 502, body: '<html>' },
      { status: 503, phase: 'after', latency: '5s' },
      { latency: '5s' },
    ]) {
      const { id } = (await (await control('POST', '/faults', { operation, times: 1, ...spec })).json()) as {
        id: string
      }
      const response = sendRequest(server, 'GET', '/reserved_addrs').then((answer) => answer.text())
      if ('latency' in spec) await control('POST', '/clock', { advance: '6s' })
      await response.catch(() => undefined)
      await control('DELETE', `/faults?id=${id}`)
    }
    await go('state')
    const text = await makeTest(page, 'vitest')
    expect(text.match(/rejects/g)).toHaveLength(2)
    const [, file, args] = RUNNERS[0] as (typeof RUNNERS)[number]
    const { status, output } = runCopy(file, text, args)
    expect(status, `${text}\n${output}`).toBe(0)
  })

  test('returns to earlier states as the page did, and has no trace of a memory that nobody returned to', async () => {
    const { server, page, go } = await open()
    const create = (domain: string) => sendRequest(server, 'POST', '/reserved_domains', { domain })
    const next = page.getByRole('button', { name: 'Move the clock to the next event' })
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN, certificate_management_policy: ECDSA })
    await sendRequest(server, 'POST', '/_fauxgate/snapshots', { name: 'one domain' })
    await next.click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    await create('other.example.com')
    await page.getByRole('button', { name: 'Undo the last clock move' }).click()
    await page.getByRole('button', { name: 'Discard everything since' }).click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor({ state: 'detached' })
    expect((await create('other.example.com')).status).toBe(201)
    await sendRequest(server, 'POST', '/_fauxgate/snapshots/restore', { name: 'one domain' })
    expect((await create('other.example.com')).status).toBe(201)
    await next.click()
    await page.getByRole('button', { name: 'Undo the last clock move' }).waitFor()
    await go('state')
    const text = await makeTest(page, 'vitest')
    expect(text.match(/gateway\.snapshot\(\)/g)).toHaveLength(1)
    expect(text).not.toContain('undo')
    const [, file, args] = RUNNERS[0] as (typeof RUNNERS)[number]
    const { status, output } = runCopy(file, text, args)
    expect(status, `${text}\n${output}`).toBe(0)
  })

  test('says what happened before the journal begins, and leaves out what depends on it', async () => {
    const { gateway, server, page, go } = await open({ journalSize: 5 })
    const ids: string[] = []
    for (const domain of ['a.example.com', 'b.example.com', 'c.example.com']) {
      const response = await sendRequest(server, 'POST', '/reserved_domains', { domain })
      ids.push(((await response.json()) as { id: string }).id)
    }
    const inProcess = gateway.reservedAddrs.create({})
    await sendRequest(server, 'GET', `/reserved_domains/${ids[0]}`)
    await sendRequest(server, 'GET', `/reserved_domains/${ids[2]}`)
    await sendRequest(server, 'GET', `/reserved_addrs/${inProcess.id}`)
    await sendRequest(server, 'POST', '/reserved_domains', { domain: 'a.example.com' })
    await go('state')
    const text = await makeTest(page, 'vitest')
    expect(text).toContain('// Left out: 2 earlier requests that the journal has dropped.')
    expect(text).toContain(`because ${ids[0]} is not from this test`)
    expect(text).toContain(`because ${inProcess.id} is not from this test`)
    expect(text).toContain('because something left out may have caused its error: POST /reserved_domains')
    const [, file, args] = RUNNERS[0] as (typeof RUNNERS)[number]
    const { status, output } = runCopy(file, text, args)
    expect(status, `${text}\n${output}`).toBe(0)
  })
})
