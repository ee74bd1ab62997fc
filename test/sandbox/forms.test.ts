import { describe, expect, it } from 'vitest'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import { MANUAL_CLOCK, useSandboxes } from './support/sandboxes.ts'

const sandboxes = useSandboxes()

// rules: control-api#calls
describe.skipIf(!CHROMIUM)('The forms of the inspector of a sandbox', () => {
  const newPage = opensPages()

  it('create, check, advance, inject, send, snapshot and copy as those of a served gateway do', async () => {
    const sandbox = await sandboxes.create('forms', { dialect: 'ngrok', dns: 'simulated', ...MANUAL_CLOCK })
    const { url, control_key } = sandbox.created
    const page = await newPage()
    await page.goto(`${url}/_fauxgate/#key=${control_key}`)
    await page.getByText('live', { exact: true }).waitFor()
    const read = async (path: string) => (await sandbox.control('GET', path)).body
    const go = (place: string) => page.goto(`${url}/_fauxgate/#${place}`)

    await go('resources/reserved_domains?new=1')
    await page.getByLabel('Domain', { exact: true }).fill('shop.example.com')
    await page.getByRole('complementary').getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('complementary').getByText('shop.example.com').first().waitFor()

    await go('resources/endpoints?new=1')
    const policy = page.getByLabel('Traffic policy')
    await policy.fill('on_http_request:\n  - actions: [{ type: dny }]\n')
    await page.locator('.problems li', { hasText: 'Did you mean deny?' }).waitFor()
    await policy.fill('')
    await page.locator('.problems li').waitFor({ state: 'detached' })

    await go('faults')
    await page.getByText('Set a record').click()
    await page.getByLabel('Name', { exact: true }).fill('shop.example.com')
    await page.getByLabel('Type', { exact: true }).selectOption('A')
    await page.getByLabel('Value', { exact: true }).fill('203.0.113.9')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByLabel('Value of shop.example.com').waitFor()
    expect(await read('/dns')).toMatchObject([{ name: 'shop.example.com', value: '203.0.113.9' }])
    await page.getByRole('button', { name: '+ DNS_ERROR' }).click()
    await expect.poll(() => read('/provisioning/script')).toHaveLength(1)
    await page.getByRole('button', { name: '503', exact: true }).click()
    await expect.poll(() => read('/faults')).toMatchObject([{ status: 503, times: 1 }])

    await sandbox.control('POST', '/declare', {
      tunnel_session: { endpoints: [{ url: 'https://app.ngrok-free.app' }] },
    })
    await sandbox.control('PUT', '/traffic/upstreams', {
      url: 'https://app.ngrok-free.app',
      status: 201,
      body: 'hello',
    })
    await sandbox.control('POST', '/traffic', { url: 'https://app.ngrok-free.app/first' })
    await go('traffic/1')
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect
      .poll(async () => (await read('/traffic')).map(({ status }: { status: number }) => status))
      .toEqual([201, 201])

    await go('now')
    await page.getByRole('button', { name: '+ 1h' }).click()
    await expect.poll(async () => (await read('/clock')).now).toBe('2026-01-01T01:00:00Z')
    await page.getByRole('button', { name: 'Undo the last clock move' }).click()
    await page.getByRole('button', { name: 'Discard everything since' }).click()
    await expect.poll(async () => (await read('/clock')).now).toBe(MANUAL_CLOCK.start)

    await go('state')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await expect.poll(() => read('/snapshots')).toHaveLength(1)
    await page.getByRole('button', { name: 'Create the test' }).click()
    await page.locator('pre', { hasText: 'createNgrok' }).waitFor()
    await page.getByRole('button', { name: 'Reset the gateway' }).click()
    await page.getByRole('button', { name: 'Delete all resources and requests?' }).click()
    await expect.poll(async () => (await read('/overview')).counts.reserved_domains).toBe(0)
  })
})
