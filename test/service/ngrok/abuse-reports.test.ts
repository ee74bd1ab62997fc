import { describe, expect, test } from 'vitest'
import { openGateway } from './support.ts'

describe('An abuse report', () => {
  test('has each host of its URLs once', async () => {
    const { send } = openGateway()
    const urls = ['http://one.ngrok.io/login', 'https://one.ngrok.io/', 'https://two.ngrok.io:8443/a?b']
    const made = await send('POST', '/abuse_reports', { json: { urls, metadata: 'm' } })
    expect([made.status, made.body.status]).toEqual([201, 'PENDING'])
    expect(made.body.hostnames).toEqual([
      { hostname: 'one.ngrok.io', status: 'PENDING' },
      { hostname: 'two.ngrok.io', status: 'PENDING' },
    ])
    expect((await send('GET', `/abuse_reports/${made.body.id}`)).body).toEqual(made.body)
  })

  test.each([{}, { urls: [] }, { urls: ['no url'] }, { urls: ['mailto:a@example.com'] }, { urls: 'http://a.example' }])(
    'is rejected with 215 for %o',
    async (json) => {
      const { sendRefused } = openGateway()
      expect(await sendRefused('POST', '/abuse_reports', { json })).toBe('400 ERR_NGROK_215')
    },
  )

  test('is rejected with 221 for an account that may report nothing, and is never listed', async () => {
    const { gateway, sendRefused } = openGateway({ account: { plan: 'paygo' } })
    const json = { urls: ['http://one.ngrok.io/'] }
    expect(await sendRefused('POST', '/abuse_reports', { json })).toBe('400 ERR_NGROK_221')
    expect(Object.keys(gateway.abuseReports)).toEqual(['create', 'get'])
  })
})
