import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import { ACCOUNT_KEY, type SharedSandboxes, startSandboxes } from './support/sandboxes.ts'

describe('A Worker', () => {
  it.each([
    ['MOST_RECORDS', 'many', 'a whole number from 1 to 999999999'],
    ['MOST_BYTES', '16777217', 'a whole number from 1 to 16777216'],
    ['MOST_REQUESTS', '0', 'a whole number from 1 to 999999999'],
    ['MOST_SANDBOXES', '1.5', 'a whole number from 1 to 999999999'],
    ['QUOTAS', 'branch-=many', 'name prefixes, each with a number, such as branch-=50,ci-=200'],
    ['PUBLIC_URL', 'boxes.example.com', 'the URL that clients use, such as https://sandboxes.example.com'],
    ['DEFAULT_TTL', 'soon', 'a duration from 1s to 366d, such as 7d'],
    ['DEFAULT_TTL', '367d', 'a duration from 1s to 366d, such as 7d'],
    ['LONGEST_TTL', '10ms', 'a duration from 1s to 366d, such as 7d'],
    ['LONGEST_TTL', '36500d', 'a duration from 1s to 366d, such as 7d'],
    ['ALLOW_ORIGINS', '*', 'origins such as https://app.example.com, separated by commas'],
    ['ALLOW_ORIGINS', 'https://app.example.com:https', 'origins such as https://app.example.com, separated by commas'],
    ['WILDCARD_HOST', '*.example.com', 'a host name, such as sandboxes.example.com, without a port'],
  ])('answers 503 to every request if its variable %s is "%s"', async (name, value, allowed) => {
    const sandboxes = await startSandboxes({ [name]: value })
    for (const { status, body } of [
      await sandboxes.callAccount('PUT', '/s/any', {}),
      await sandboxes.send('GET', '/s/any/reserved_addrs'),
    ]) {
      expect([status, body.error_code]).toEqual([503, 'ERR_GATEWAY_90604'])
      expect(body.msg).toBe(`This Worker's variable ${name} is "${value}". Allowed: ${allowed}.`)
    }
  })

  it('gives sandboxes a default time to live, and rejects a longer one than LONGEST_TTL (rules: sandboxes#time)', async () => {
    const sandboxes = await startSandboxes({ DEFAULT_TTL: '1d', LONGEST_TTL: '7d' })
    const countDaysOfLife = ({ body }: Answer) =>
      (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000
    expect(countDaysOfLife(await sandboxes.callAccount('PUT', '/s/without', {}))).toBe(1)
    expect(countDaysOfLife(await sandboxes.callAccount('PUT', '/s/with', { ttl: '7d' }))).toBe(7)
    expect(countDaysOfLife(await sandboxes.callAccount('POST', '/s/with/fork', { name: 'fork' }))).toBe(1)
    for (const { status, body } of [
      await sandboxes.callAccount('PUT', '/s/longer', { ttl: '8d' }),
      await sandboxes.callAccount('POST', '/s/with/fork', { name: 'longer', ttl: '8d' }),
    ]) {
      expect([status, body.error_code, body.msg]).toEqual([
        400,
        'ERR_GATEWAY_90619',
        'The ttl exceeds 7d, the maximum on this server (LONGEST_TTL). Choose a shorter ttl.',
      ])
    }
    await sandboxes.restart({ DEFAULT_TTL: '' })
    expect(countDaysOfLife(await sandboxes.callAccount('PUT', '/s/longest', {}))).toBe(7)
  })

  it('answers a health check to everybody without calling an object, and names an invalid variable', async () => {
    const sandboxes = await startSandboxes()
    const { status, body } = await sandboxes.send('GET', '/healthz')
    expect([status, body]).toEqual([200, { status: 'ok' }])
    await sandboxes.restart({ MOST_RECORDS: 'many' })
    expect((await sandboxes.send('GET', '/healthz')).body.msg).toContain('MOST_RECORDS is "many"')
  })

  it('lets nobody create sandboxes if it has no account key', async () => {
    const sandboxes = await startSandboxes({ ACCOUNT_KEY: '' })
    expect(await sandboxes.callAccount('PUT', '/s/any', {})).toMatchObject({
      status: 503,
      body: { error_code: 'ERR_GATEWAY_90603' },
    })
  })

  it('uses PUBLIC_URL as its URL if the variable is set', async () => {
    const sandboxes = await startSandboxes({
      PUBLIC_URL: 'https://team.example.com/boxes/',
      WILDCARD_HOST: 'boxes.example.com',
    })
    const { created, headers } = await sandboxes.create('behind')
    expect(created.url).toBe('https://team.example.com/boxes/s/behind')
    const apiHeaders = { authorization: headers.authorization, 'service-version': '2' }
    const response = await sandboxes.send('POST', '/s/behind/reserved_addrs', { headers: apiHeaders, body: {} })
    expect(response.body.uri).toBe(`${created.url}/reserved_addrs/${response.body.id}`)
    const host = { ...apiHeaders, host: 'behind.boxes.example.com' }
    const { text } = await sandboxes.sendExactly('GET', '/reserved_addrs', host)
    expect(JSON.parse(text).uri).toBe('https://behind.boxes.example.com/reserved_addrs')
    expect((await sandboxes.callAccount('GET', '/s')).body.sandboxes[0].url).toBe(created.url)
  })

  describe('and pages of other sites (rules: sandboxes#pages-of-other-sites)', () => {
    const origin = 'https://team.example.com'
    const corsHeaders = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-any' }
    /** Sends the preflight and the request of a page. Returns the CORS headers of the responses. */
    const fetchCors = async (
      sandboxes: SharedSandboxes,
      path: string,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const permissions = []
      for (const [method, requestHeaders] of [
        ['OPTIONS', corsHeaders],
        ['GET', { origin, ...headers }],
      ] as const) {
        const answer = (await sandboxes.send(method, path, { headers: requestHeaders })).headers
        permissions.push(answer.get('access-control-allow-origin'), answer.get('access-control-allow-credentials'))
      }
      return permissions
    }
    const nothing = [null, null, null, null]

    it('lets any page use the API without credentials, and nothing else', async () => {
      const sandboxes = await startSandboxes()
      const sandbox = await sandboxes.create('pages')
      expect(await fetchCors(sandboxes, '/s/pages/reserved_addrs', sandbox.headers)).toEqual(['*', null, '*', null])
      expect(await fetchCors(sandboxes, '/s/absent/reserved_addrs')).toEqual(['*', null, '*', null])
      const key = { 'fauxgate-control-key': sandbox.created.control_key }
      expect(await fetchCors(sandboxes, '/s/pages/_fauxgate/clock', key)).toEqual(nothing)
      for (const control of ['%5ffauxgate/clock', '_%66auxgate/clock', 's/pages/_fauxgate/clock', '/_fauxgate/clock']) {
        expect([control, await fetchCors(sandboxes, `/s/pages/${control}`, key)]).toEqual([control, nothing])
      }
      expect(await fetchCors(sandboxes, '/s', { 'fauxgate-account-key': ACCOUNT_KEY })).toEqual(nothing)
      expect((await sandboxes.send('GET', '/s')).headers.get('access-control-allow-origin')).toBeNull()
    })

    it('lets pages of ALLOW_ORIGINS do everything, with credentials', async () => {
      const sandboxes = await startSandboxes({
        ALLOW_ORIGINS: 'https://other.example.com, https://Team.example.com:443',
      })
      const sandbox = await sandboxes.create('pages')
      const all = [origin, 'true', origin, 'true']
      expect(await fetchCors(sandboxes, '/s/pages/reserved_addrs', sandbox.headers)).toEqual(all)
      const key = { 'fauxgate-control-key': sandbox.created.control_key }
      expect(await fetchCors(sandboxes, '/s/pages/_fauxgate/clock', key)).toEqual(all)
      expect(await fetchCors(sandboxes, '/s')).toEqual(all)
      const preflight = await sandboxes.send('OPTIONS', '/s/any', { headers: corsHeaders })
      expect([preflight.status, preflight.text]).toEqual([204, ''])
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
      expect(preflight.headers.get('access-control-allow-headers')).toBe('x-any')
    })
  })
})
