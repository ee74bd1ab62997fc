import { describe, expect, test } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

async function openEndpoint(account: NgrokOptions['account'] = { plan: 'free' }, traffic_policy?: string) {
  const gateway = createNgrok({ seed: 'page', clock: manualClock(CLOCK_START), ...(account && { account }) })
  const { public_url } = await gateway.agent.start({ addr: 3000, ...(traffic_policy && { traffic_policy }) })
  let hits = 0
  gateway.traffic.upstream('http://localhost:3000', () => {
    hits++
    return new Response('hello')
  })
  const visit = async (path = '/', headers: Record<string, string> = BROWSER, method = 'GET') => {
    const response = await gateway.traffic.fetch(public_url + path, { method, headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { gateway, public_url, visit, count: () => hits }
}

// rules: traffic#interstitial-page
describe('The interstitial page', () => {
  test('is what a browser gets on the free plan, before the policy and the agent', async () => {
    const deny = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'
    const { gateway, visit, public_url, count } = await openEndpoint({ plan: 'free' }, deny)
    const { status, headers, text } = await visit('/a?b=%22<')
    expect([status, headers.get('content-type'), headers.get('ngrok-error-code')]).toEqual([
      ...[200, 'text/html; charset=utf-8', 'ERR_NGROK_6024'],
    ])
    expect(text).toContain(`You are about to visit ${new URL(public_url).host}`)
    expect(text).toContain('href="/ngrok/visit?to=%2Fa%3Fb%3D%2522%253C"')
    const captured = await gateway.agent.fetch('http://localhost:4040/api/requests/http')
    expect([count(), (await captured.json()).requests]).toEqual([0, []])
    expect(gateway.traffic.last()).toMatchObject({ error: 'ERR_NGROK_6024', status: 200 })
  })

  test.each<[string, Record<string, string>, string?]>([
    ['the header that skips it', { ...BROWSER, 'ngrok-skip-browser-warning': '1' }],
    ['the header that skips it, without a value', { ...BROWSER, 'ngrok-skip-browser-warning': '' }],
    ['its own User-Agent', { 'user-agent': 'MyApp/0.0.1' }],
    ['no User-Agent', {}],
    ['the User-Agent of curl', { 'user-agent': 'curl/8.0' }],
    ['the method POST', BROWSER, 'POST'],
  ])('is not for a request with %s', async (_what, headers, method) => {
    const { visit } = await openEndpoint()
    expect(await visit('/', headers, method)).toMatchObject({ status: 200, text: 'hello' })
  })

  test.each<[NgrokOptions['account']]>([[{}], [{ plan: 'hobbyist' }], [{ plan: 'paygo' }]])(
    'is off for the account %j',
    async (account) => {
      const { visit } = await openEndpoint(account)
      expect((await visit()).text).toBe('hello')
      // The path of the button is one of the application then.
      expect((await visit('/ngrok/visit')).text).toBe('hello')
    },
  )

  test('has a button that sets a cookie for the host with a Max-Age of 7 days, and leads back', async () => {
    const { visit, public_url } = await openEndpoint()
    const { hostname } = new URL(public_url)
    const [, href = ''] = /href="([^"]*)"/.exec((await visit('/a?b=c')).text) ?? []
    const { status, headers } = await visit(href)
    expect([status, headers.get('location')]).toEqual([302, '/a?b=c'])
    const [cookie = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ')
    expect([cookie, attributes]).toEqual([`abuse_interstitial=${hostname}`, expect.arrayContaining(['Max-Age=604800'])])
    const again = await visit('/a?b=c', { ...BROWSER, cookie: `other=1; ${cookie}; more=2` })
    expect(again.text).toBe('hello')
  })

  test.each(['//evil.example.com', 'https://evil.example.com', '/\\evil.example.com', '', '/a\r\nb: c'])(
    'leads from the button with the path %j to the root',
    async (to) => {
      const { visit } = await openEndpoint()
      const { headers } = await visit(`/ngrok/visit?to=${encodeURIComponent(to)}`)
      expect(headers.get('location')).toBe('/')
    },
  )

  test.each([
    'abuse_interstitial=',
    'abuse_interstitial=x',
    'abuse_interstitial=other.ngrok-free.app',
    'xabuse_interstitial=HOST',
    'abuse_interstitial=HOSTx',
  ])('is not avoided by the cookie %j', async (text) => {
    const { visit, public_url } = await openEndpoint()
    const cookie = text.replace('HOST', new URL(public_url).hostname)
    expect((await visit('/', { ...BROWSER, cookie })).headers.get('ngrok-error-code')).toBe('ERR_NGROK_6024')
  })
})
