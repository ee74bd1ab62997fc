import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { useTraffic } from './support/visit-app.ts'

describe.skipIf(!CHROMIUM)('The sent events of the tab Requests', () => {
  const open = useTraffic()

  test('come as the account sends them, newest first, with their destination, delivery and object', async () => {
    const { gateway, page, go } = await open({ destinations: { kinesis: 'http://127.0.0.1:1' } })
    await go('requests')
    const target = { datadog: { api_key: 'a key' } }
    const auth = { role: { role_arn: 'arn:aws:iam::123456789012:role/events' } }
    const kinesis = { stream_arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/one', auth }
    const ids = [{ ...target }, { kinesis }].map(
      (each) => gateway.eventDestinations.create({ format: 'json', target: each }).id,
    )
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: ids })
    expect(await page.getByText('sent events').count()).toBe(0)
    gateway.vaults.create({ name: 'first' })
    await gateway.sentEvents.idle()
    const list = page.getByText('2 sent events')
    await list.click()
    const rows = page.locator('tr', { hasText: 'vault_created.v0' })
    const [newest, oldest] = [rows.first(), rows.last()]
    await newest.getByText(/^waiting: /).waitFor()
    expect(await newest.getByRole('link').getAttribute('href')).toBe(`#resources/event_destinations/${ids[1]}`)
    await oldest.getByText('kept').waitFor()
    await oldest.getByText('Show').click()
    await oldest.getByText('first').waitFor()
    gateway.vaults.create({ name: 'second' })
    await page.getByText('4 sent events').waitFor()
    expect(await rows.count()).toBe(4)
    await go('now')
    const due = page.locator('p', { hasText: 'Next: delivery of events to' })
    expect(await due.getByRole('link').getAttribute('href')).toBe(`#resources/event_destinations/${ids[1]}`)
  })
})
