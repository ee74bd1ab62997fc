// The gateway is the global fetch of each test, and timers and dates follow its clock: the application runs unchanged.
import { createNgrok } from 'fauxgate/ngrok'
import { survives } from 'fauxgate/testing'
import { testUsing } from 'fauxgate/vitest'
import { test as base, describe, expect } from 'vitest'
import { openPreview, type Settings } from './previews.ts'

const settings: Settings = { apiKey: 'any key', office: '203.0.113.0/24', patience: 600_000 }
const test = testUsing(createNgrok, { globals: true })

describe('A preview', () => {
  test('is open to the office, and to nobody else', async ({ gateway }) => {
    const opening = openPreview(settings, 7)
    await gateway.clock.advanceAsync('1m')
    const url = await opening
    expect(gateway).toHaveCertificate('pr-7.preview.example.com')

    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://pr-7.internal', binding: 'internal' }] })
    gateway.traffic.upstream('https://pr-7.internal', () => new Response('hello'))
    const visit = async (ip: string) => (await gateway.traffic.fetch(url, { from: { ip } })).status
    expect([await visit('203.0.113.9'), await visit('198.51.100.1')]).toEqual([200, 403])
  })

  test('waits until the DNS record is there', async ({ gateway }) => {
    gateway.provisioning.script(['DNS_ERROR', 'success'], { domain: 'pr-7.preview.example.com' })
    const opening = openPreview({ ...settings, patience: 7_200_000 }, 7)
    await gateway.clock.advanceAsync('2h')
    expect(await opening).toBe('https://pr-7.preview.example.com')
  })

  test('that gets no certificate leaves nothing', async ({ gateway }) => {
    gateway.provisioning.failNext('DNS_ERROR')
    const opening = openPreview(settings, 7)
    const failed = expect(opening).rejects.toThrow('There is no certificate: DNS_ERROR.')
    await gateway.clock.advanceAsync('11m')
    await failed
    expect(gateway).toHaveNoLeftovers()
  })

  test('whose endpoint is rejected leaves nothing', async ({ gateway }) => {
    gateway.faults.add({ operation: 'endpoints.create', times: 1, error: 'ERR_NGROK_18004' })
    const failed = expect(openPreview(settings, 7)).rejects.toThrow('ERR_NGROK_18004')
    await gateway.clock.advanceAsync('5m')
    await failed
    expect(gateway).toHaveNoLeftovers()
  })

  test('opens once if a response is lost', async ({ gateway }) => {
    gateway.faults.add({ operation: 'ip_policies.create', times: 1, phase: 'after', drop: true })
    const opening = openPreview(settings, 7)
    await gateway.clock.advanceAsync('5m')
    await opening
    expect(gateway.ipPolicies.list().ip_policies).toHaveLength(1)
  })

  test('waits as long as the service says', async ({ gateway }) => {
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 429, retryAfter: '45s' })
    const opening = openPreview(settings, 7)
    await gateway.clock.advanceAsync('44s')
    expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 1 })
    await gateway.clock.advanceAsync('5m')
    await opening
    expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 2 })
  })

  test('gives up on a service that never answers', async ({ gateway }) => {
    gateway.faults.add({ operation: 'reserved_domains.list', latency: '1h' })
    const failed = expect(openPreview(settings, 7)).rejects.toThrow('timeout')
    await gateway.clock.advanceAsync('2m')
    await failed
  })
})

describe('Each failure of a request', () => {
  // A test of the runner, since each schedule has its own gateway.
  base('leaves the whole preview, or nothing of it', async () => {
    const { summary } = await survives(() => openPreview(settings, 7), { create: createNgrok, faults: 1 })
    expect(summary).toMatch(/; 0 fail$/)
  })
})
