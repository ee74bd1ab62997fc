import { describe, expect, it } from 'vitest'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import {
  ACCOUNT_KEY,
  MANAGED_DOMAIN,
  MANUAL_CLOCK,
  SandboxClient,
  useSandboxes,
  waitUntil,
} from './support/sandboxes.ts'
import { openSocket, type ReceivedEvent } from './support/web-socket.ts'

const sandboxes = useSandboxes({ WILDCARD_HOST: 'boxes.example.com' })

const getEventsUrl = ({ created }: SandboxClient) => `${created.url}/_fauxgate/events`
const openListener = (sandbox: SandboxClient) => openSocket(getEventsUrl(sandbox), sandbox.created.control_key)
const isEvent = (name: string) => (received: ReceivedEvent) => received.event === name

describe('A listener of a sandbox', () => {
  it('receives the overview, and then the events', async () => {
    const sandbox = await sandboxes.create('heard', MANUAL_CLOCK)
    const socket = await openListener(sandbox)
    expect(socket.status).toBe(101)
    const [gatewayEvent, overview] = await socket.until(isEvent('overview'))
    expect(gatewayEvent).toMatchObject({ event: 'gateway', data: { name: 'heard' } })
    expect(overview?.data).toMatchObject({ now: '2026-01-01T00:00:00Z', manual: true, counts: { reserved_addrs: 0 } })
    await sandbox.send('POST', '/reserved_addrs', { description: 'received' })
    const received = await socket.until(isEvent('overview'))
    expect(received.map(({ event }) => event)).toEqual(['request', 'changed', 'overview'])
    expect(received[0]?.data.response.description).toBe('received')
    expect(received[1]?.data).toEqual({ sequence: expect.any(Number) })
    expect(received[2]?.data.counts.reserved_addrs).toBe(1)
    await sandbox.control('PUT', '/dns', { name: 'a.example.com', type: 'CNAME', value: 'b.example.com' })
    const controlEvents = await socket.until(isEvent('control'))
    expect(controlEvents.at(-1)?.data).toMatchObject({ method: 'PUT', path: '/dns' })
    socket.end()
  })

  it('receives due events, and does not keep the object awake', async () => {
    const sandbox = await sandboxes.create('due', { provisioningDelay: '1s' })
    const socket = await openListener(sandbox)
    socket.send(':')
    await socket.until(isEvent(':'))
    await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    await socket.until(isEvent('request'))
    await socket.until(isEvent('changed'))
    // The attempt, which the alarm runs.
    await socket.until(isEvent('changed'))
    const [domain] = (await sandbox.send('GET', '/reserved_domains')).body.reserved_domains
    expect(domain.certificate).not.toBeNull()
    socket.end()
  })

  it('still receives events after the sandbox has slept and its alarm has woken it', async () => {
    // workerd lets an object sleep when it was idle for 10 seconds.
    const sandbox = await sandboxes.create('sleeps', { provisioningDelay: '14s' })
    const socket = await openListener(sandbox)
    const { body: domain } = await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    expect((await sandbox.control('GET', '/requests')).body).toHaveLength(1)
    // The creation, and the attempt.
    await socket.until(isEvent('changed'))
    await socket.until(isEvent('changed'))
    expect((await sandbox.send('GET', `/reserved_domains/${domain.id}`)).body.certificate).not.toBeNull()
    // The gateway left the memory, and its journal was stored (rules: sandboxes#journal).
    const [before] = (await sandbox.control('GET', '/requests')).body
    expect(before).toMatchObject({ operation: 'reserved_domains.create', status: 201, response: { id: domain.id } })
    await sandbox.send('POST', '/reserved_addrs', { description: 'after that' })
    const isCreation = ({ event, data }: ReceivedEvent) =>
      event === 'request' && data.operation === 'reserved_addrs.create'
    expect((await socket.until(isCreation)).at(-1)?.data.response.description).toBe('after that')
    expect((await socket.until(isEvent('changed'))).at(-1)?.data).toEqual({ sequence: expect.any(Number) })
    socket.end()
  })

  it('receives "missed" if one call makes too many events', async () => {
    const sandbox = await sandboxes.create('much', MANUAL_CLOCK)
    const socket = await openListener(sandbox)
    await socket.until(isEvent('overview'))
    // The journal has each number with all its digits, so its entry is longer than the request.
    await sandbox.send('POST', '/reserved_addrs', `[${Array(200_000).fill('1e20').join()}]`)
    const received = await socket.until(isEvent('missed'))
    expect(received.some(isEvent('request'))).toBe(false)
    const [overview] = await socket.until(isEvent('overview'))
    expect(overview?.data.dropped).toBe(1)
    socket.end()
  })

  it('needs the control key of the sandbox', async () => {
    const victim = await sandboxes.create('listened-to')
    const attacker = await sandboxes.create('listens')
    const { api_key, control_key } = attacker.created
    for (const key of [victim.created.api_key, null, '', control_key, api_key, ACCOUNT_KEY, '%', '"]']) {
      const { status, refusal } = await openSocket(getEventsUrl(victim), key)
      const code = key === victim.created.api_key ? 'ERR_GATEWAY_90402' : 'ERR_GATEWAY_90606'
      expect([key, status, JSON.parse(refusal).error_code]).toEqual([key, 401, code])
    }
    const host = { host: 'listened-to.boxes.example.com' }
    const byHost = await openSocket(`${sandboxes.url}/_fauxgate/events`, control_key, host)
    expect(byHost.status).toBe(401)
    const other = await openSocket(`${sandboxes.url}/_fauxgate/events`, victim.created.control_key, host)
    expect(other.status).toBe(101)
    other.end()
  })

  it('receives nothing more once the keys are renewed or the sandbox is removed', async () => {
    const sandbox = await sandboxes.create('renewed')
    const before = await openListener(sandbox)
    const { body } = await sandboxes.callAccount('POST', '/s/renewed/keys', {})
    expect(await before.closed).toBe(1008)
    expect((await openListener(sandbox)).status).toBe(401)
    const again = await openSocket(getEventsUrl(sandbox), body.control_key)
    await sandboxes.callAccount('DELETE', '/s/renewed')
    expect(await again.closed).toBe(1008)
  })

  it('is rejected if the sandbox has 64 already', async () => {
    const sandbox = await sandboxes.create('crowded')
    const all = await Promise.all(Array.from({ length: 64 }, () => openListener(sandbox)))
    const { status, refusal } = await openListener(sandbox)
    expect([status, JSON.parse(refusal).error_code]).toEqual([429, 'ERR_GATEWAY_90628'])
    all[0]?.end()
    const again = await waitUntil(
      () => openListener(sandbox),
      (socket) => socket.status === 101,
    )
    for (const each of [...all, again]) each.end()
  })

  it('gets 426 if it requests a stream, which would keep the sandbox awake, instead of a WebSocket', async () => {
    const sandbox = await sandboxes.create('stream')
    expect((await sandbox.control('GET', '/events')).status).toBe(426)
  })
})

describe('The pages', () => {
  it('run only their own script, need no key, and wake no sandbox', async () => {
    for (const path of ['/', '/s/absent/_fauxgate/']) {
      const { status, headers, text } = await sandboxes.send('GET', path)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src( 'sha256-[\w+/=]+')+; style-src 'sha256-/,
      )
      expect(text).toMatch(/^<!doctype html>.*<title>fauxgate/s)
      expect((await sandboxes.send('GET', path, { headers: { 'accept-encoding': 'identity' } })).text).toBe(text)
      const head = await sandboxes.send('HEAD', path)
      expect([head.status, head.text]).toEqual([200, ''])
    }
    const redirect = await fetch(`${sandboxes.url}/s/absent/_fauxgate`, { redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([308, `${sandboxes.url}/s/absent/_fauxgate/`])
    expect((await sandboxes.send('GET', '/s/No/_fauxgate/')).status).toBe(400)
  })
})

describe.skipIf(!CHROMIUM)('In a browser', () => {
  const newPage = opensPages()

  async function openPage(url: string): Promise<Page> {
    const page = await newPage()
    await page.goto(url)
    return page
  }

  it('the inspector of a sandbox asks for its control key, is live, and asks again after the key is renewed', async () => {
    const sandbox = await sandboxes.create('looked-at', MANUAL_CLOCK)
    const page = await openPage(`${sandbox.created.url}/_fauxgate/#resources`)
    const errors: string[] = []
    page.on('console', (each) => each.type() === 'error' && errors.push(each.text()))
    await page.getByText('the response to the request that created it has the key').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.getByLabel('Control key').fill(sandbox.created.control_key)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('reserved addresses').click()
    await sandbox.send('POST', '/reserved_addrs', { description: 'seen at once' })
    await page.getByText('seen at once').waitFor()
    // The page was loaded without the key.
    expect(errors.filter((each) => !each.includes('401'))).toEqual([])
    const { body } = await sandboxes.callAccount('POST', '/s/looked-at/keys', {})
    await page.getByLabel('Control key').fill(body.control_key)
    await page.getByRole('button', { name: 'Open' }).click()
    await sandbox.send('GET', '/reserved_addrs')
    await page.getByText('live', { exact: true }).waitFor()
  })

  it('the inspector opens from a link with a key, and then removes the key from the address (rules: sandboxes#keys)', async () => {
    await sandboxes.create('linked', MANUAL_CLOCK)
    const { body } = await sandboxes.callAccount('POST', '/s/linked/keys', { name: 'link', ttl: '15m' })
    const page = await openPage(body.inspector_url)
    await page.getByText('live', { exact: true }).waitFor()
    expect(page.url()).toBe(`${sandboxes.url}/s/linked/_fauxgate/#now`)
  })

  it('the page of the account asks for its key, and lists, creates, forks and removes sandboxes', async () => {
    const page = await openPage(`${sandboxes.url}/`)
    const key = page.getByLabel('Account key')
    await page.getByText('fauxgate-sandboxes/account-key').waitFor()
    await key.fill('wrong')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').getByText("does not contain this account's key").waitFor()
    await key.fill(ACCOUNT_KEY)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByLabel('Name', { exact: true }).fill('by-hand')
    await page.getByLabel('Clock').selectOption('manual')
    await page.getByLabel('Ends after').fill('7d')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('by-hand is ready').waitFor()
    const texts = await page.locator('dl code').allTextContents()
    expect(texts[0]).toBe(`${sandboxes.url}/s/by-hand`)
    const [url = '', api_key = '', control_key = ''] = texts
    const sandbox = new SandboxClient(sandboxes, { name: 'by-hand', url, api_key, control_key })
    expect((await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)).status).toBe(201)
    await page.reload()
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'by-hand', exact: true }) })
    await row.getByText(/^\d+ records, \d+ kB$/).waitFor()
    await row.getByText(/^in (30|2\d) s$/).waitFor()
    await row.getByText(/^in (7 d|6 d 23 h)$/).waitFor()
    await row
      .getByText(/^(now|\d+ s ago)$/)
      .first()
      .waitFor()
    expect(await page.getByRole('columnheader').allTextContents()).toContain('Created ')
    expect(await page.getByLabel('Ends after').getAttribute('placeholder')).toBe('e.g. 7d')
    await row.getByRole('button', { name: 'Fork' }).click()
    await page.getByLabel('Fork by-hand to').fill('By Hand')
    await page.locator('section').filter({ hasText: 'Fork of' }).getByRole('button', { name: 'Fork' }).click()
    await page.getByText('The sandbox is named "By Hand"').waitFor()
    await page.getByLabel('Fork by-hand to').fill('by-hand-copy')
    await page.locator('section').filter({ hasText: 'Fork of' }).getByRole('button', { name: 'Fork' }).click()
    await page.getByText('by-hand-copy is ready').waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await row.getByRole('button', { name: 'Delete by-hand with its state?' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await sandboxes.callAccount('GET', '/s/by-hand')).status).toBe(404)
    expect((await sandboxes.callAccount('GET', '/s/by-hand-copy')).body).toMatchObject({
      clock: 'manual',
      expires_at: null,
    })
    await page.getByRole('link', { name: 'by-hand-copy', exact: true }).click()
    await page.getByText('Control key').first().waitFor()
  })

  it('the page of the account is live, searches, sorts, copies, renews keys, and deletes several', async () => {
    const page = await openPage(`${sandboxes.url}/`)
    await page.getByLabel('Account key').fill(ACCOUNT_KEY)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('searchbox').fill('crew-')
    await page.getByText(/^\d+, as of \d\d:\d\d:\d\d, updated every 5 s while visible$/).waitFor()
    await page.route(/\/s\?limit=/, (route) => route.abort())
    await page.getByText(/, as of \d\d:\d\d:\d\d, disconnected$/).waitFor()
    await page.unroute(/\/s\?limit=/)
    const listNames = () => page.locator('tbody th a').allTextContents()
    const [alpha] = await Promise.all(
      ['alpha', 'beta', 'zeta'].map((each) => sandboxes.create(`crew-${each}`, MANUAL_CLOCK)),
    )
    await expect.poll(listNames).toEqual(['crew-alpha', 'crew-beta', 'crew-zeta'])
    const head = page.getByRole('columnheader', { name: 'Name' })
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Sort by Name' }).click()
    await expect.poll(listNames).toEqual(['crew-zeta', 'crew-beta', 'crew-alpha'])
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    const label = await page
      .locator('tbody td')
      .first()
      .evaluate((cell) => getComputedStyle(cell, '::before').content)
    expect(label).toBe('"Created"')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('searchbox').fill('crew-alpha')
    await page.getByRole('button', { name: 'Copy URL' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(alpha?.created.url)
    await page.getByRole('button', { name: 'New keys' }).click()
    await page.getByRole('button', { name: 'Revoke its current keys?' }).click()
    await page.getByText('crew-alpha is ready').waitFor()
    expect((await alpha?.send('GET', '/reserved_addrs'))?.status).toBe(401)
    await page.getByRole('searchbox').fill('crew-')
    for (const each of ['crew-alpha', 'crew-beta']) await page.getByLabel(`Choose ${each}`).check()
    await page.getByRole('button', { name: 'Delete the 2 chosen' }).click()
    await page.getByRole('button', { name: 'Delete crew-alpha, crew-beta with all state?' }).click()
    await expect.poll(listNames).toEqual(['crew-zeta'])
    await sandboxes.callAccount('DELETE', '/s/crew-zeta')
    await expect.poll(listNames).toEqual([])
  })

  it('the page of the account lists 50 sandboxes, and more on demand, also more than one call lists', async () => {
    const page = await openPage(`${sandboxes.url}/`)
    // The page asks for the key because its first call is answered by the account, not by the routes below.
    await page.getByLabel('Account key').fill(ACCOUNT_KEY)
    const all = Array.from({ length: 120 }, (_, number) => `many-${String(number).padStart(4, '0')}`)
    await page.route(/\/s\?limit=/, (route) => {
      const query = new URL(route.request().url()).searchParams
      const rest = all.filter((name) => name > (query.get('after') ?? ''))
      const names = rest.slice(0, Math.min(40, Number(query.get('limit'))))
      const listed = names.map((name) => ({
        name,
        created_at: '2026-01-01T00:00:00Z',
        url: `${sandboxes.url}/s/${name}`,
      }))
      const next_after = rest.length > names.length ? names.at(-1) : null
      return route.fulfill({ json: { sandboxes: listed, next_after, dialects: ['standard'] } })
    })
    await page.route(/\/s\/many-/, (route) => route.fulfill({ status: 404, json: { msg: 'There is none.' } }))
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('50 or more').waitFor()
    const more = page.getByRole('button', { name: 'More' })
    await more.click()
    await page.getByText('100 or more').waitFor()
    await more.click()
    await more.waitFor({ state: 'hidden' })
    expect(await page.locator('tbody tr').count()).toBe(120)
  })
})
