import { describe, expect, test } from 'vitest'
import { client, expectError } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'

const TAKEN = { json: { domain: 'app.example.com' } }

/** Returns a gateway on which app.example.com is taken, with its client. */
function openVaried() {
  const gateway = open({ errorText: 'varied' })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  return { gateway, send: client(gateway) }
}

describe("The option errorText: 'varied' (rules: errors#varied)", () => {
  test('makes code fail that matches the text of an error, and keeps codes, statuses and facts', async () => {
    const { send } = openVaried()
    const { status, body } = await send('POST', '/reserved_domains', TAKEN)
    expect([status, body.error_code, body.details.rule]).toEqual([409, 'ERR_GATEWAY_413', 'domain_taken'])
    for (const text of [body.msg, body.details['field:domain']]) {
      expect(text).toMatch(/^Programs must not read this text/)
      expect(text).not.toMatch(/already|reserved|app\.example\.com/)
    }
  })

  test('differs with each request', async () => {
    const { send } = openVaried()
    const [first, second] = [await send('GET', '/nowhere'), await send('GET', '/nowhere')]
    expect(first.body.msg).not.toBe(second.body.msg)
  })

  test('leaves the usual text in the report and the journal, and in the errors of the direct API', async () => {
    const { gateway, send } = openVaried()
    await send('POST', '/reserved_domains', TAKEN)
    const usual = 'The domain "app.example.com" is already reserved'
    expect(gateway.report()).toContain(usual)
    expect(gateway.requests.last()?.problem).toContain(usual)
    expect(expectError(() => gateway.reservedDomains.create(TAKEN.json)).message).toContain(usual)
  })

  test('applies to faults, except to their own messages, and not to controls', async () => {
    const { gateway, send } = openVaried()
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 1, error: 'too_many_requests' })
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 1, status: 503, message: 'Down for a minute.' })
    const messages = [await send('GET', '/reserved_addrs'), await send('GET', '/reserved_addrs')]
    expect(messages.map(({ body }) => body.msg)).toEqual([
      expect.stringMatching(/^Programs must not read/),
      'Down for a minute.',
    ])
    const control = await gateway.fetch('http://localhost/_fauxgate/faults?id=fault_9', { method: 'DELETE' })
    expect((await control.json()).msg).toContain('There is no fault with the ID "fault_9"')
  })

  test('is off by default', async () => {
    const { body } = await client(open())('GET', '/nowhere')
    expect(body.msg).toContain('"nowhere" is unknown')
  })
})
