import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { toInspected } from '../../src/gateway/inspected.ts'
import { type Ngrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { ngrok } from '../../src/index.ts'
import type { Page, Route } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA, timeAfter } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'

const formatTime = (timestamp: string) => timestamp.replace('T', ' ').replace('Z', '')

describe.skipIf(!CHROMIUM)('The inspector', () => {
  const open = useInspector()

  test('Now: shows the state and the next event, and advances the clock in every way', async () => {
    const { gateway, server, page, go } = await open()
    const waitForText = (text: string) => page.getByText(text).first().waitFor()
    await page.getByText('No resources yet').waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("curl -H 'authorization: Bearer key'")
    expect(await page.locator('pre').textContent()).toBe(`baseUrl: '${server.url}'\napiKey: 'any text'`)
    await page.getByRole('link', { name: 'Create a domain' }).click()
    await page.getByRole('complementary').getByLabel('Domain', { exact: true }).waitFor()
    await go('now')
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await page.getByText('in 30 s', { exact: true }).waitFor()
    await page.getByRole('link', { name: '1 reserved domain', exact: true }).waitFor()
    await page.getByRole('button', { name: 'To the next event', exact: true }).click()
    await waitForText(formatTime(timeAfter('30s')))
    await page.getByRole('textbox', { name: 'Advance by' }).fill('2h')
    await page.getByRole('button', { name: 'Advance by' }).click()
    await waitForText(formatTime(timeAfter('30s', '2h')))
    await page.getByRole('button', { name: '+ 1h' }).click()
    await waitForText(formatTime(timeAfter('30s', '3h')))
    await page.getByLabel('Go to, in UTC').fill('2026-03-01 12:00:00')
    await page.getByRole('button', { name: 'Go to', exact: true }).click()
    await page.getByText('2026-03-01 12:00:00').first().waitFor()
    expect(gateway.clock.now).toBe(Date.parse('2026-03-01T12:00:00Z'))
    await page.getByLabel('Go to, in UTC').fill('2026-03-02T12:00:00Z')
    await page.getByRole('button', { name: 'Go to', exact: true }).click()
    await page.getByText('2026-03-02 12:00:00').first().waitFor()
    await page.getByRole('textbox', { name: 'Advance by' }).fill('soon')
    await page.getByRole('button', { name: 'Advance by' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('"soon"')
  })

  test('Now: an error stays visible while the page loads what has changed', async () => {
    const { gateway, page } = await open()
    await page.getByRole('textbox', { name: 'Advance by' }).fill('soon')
    await page.getByRole('button', { name: 'Advance by' }).click()
    await page.getByRole('alert').waitFor()
    gateway.faults.add({ status: 503, times: 1 })
    await page.getByText('A fault is waiting for').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('"soon"')
  })

  test('Now: an error stays visible while the page is still loading', async () => {
    const { page } = await open({}, { place: 'now' })
    const url = page.url()
    // This ends the requests of the page.
    await page.goto('about:blank')
    const waitForRoute = await holdNextRequest(page, /\/_fauxgate\/requests$/)
    await page.goto(url)
    const route = await waitForRoute()
    await page.getByRole('textbox', { name: 'Advance by' }).fill('soon')
    await page.getByRole('button', { name: 'Advance by' }).click()
    await page.getByRole('alert').waitFor()
    await Promise.all([page.waitForResponse(/\/_fauxgate\/requests$/), route.continue()])
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
    expect(await page.getByRole('alert').textContent()).toContain('"soon"')
  })

  test('Jobs: a domain fails, its DNS record is fixed with one click, it is issued and renewed', async () => {
    const { gateway, server, page } = await open({}, { place: 'jobs' })
    await page.getByText('No managed domains yet.').waitFor()
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN, certificate_management_policy: ECDSA })
    await page.getByRole('link', { name: DOMAIN }).click()
    await page.getByRole('button', { name: 'Run the attempt now' }).click()
    await page.getByRole('complementary').getByText('DNS_ERROR', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Fix the record' }).click()
    await page.getByText('found', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Run the attempt now' }).click()
    await page.getByRole('complementary').getByText('issued').first().waitFor()
    const [domain] = gateway.reservedDomains.list().reserved_domains
    expect(domain?.certificate).not.toBeNull()
    await page.getByRole('button', { name: 'Go to the renewal' }).click()
    await page.locator('aside ol').getByText('renewal started').waitFor()
    await page.getByRole('button', { name: '+ INTERNAL_ERROR' }).click()
    await page.getByRole('complementary').getByText('INTERNAL_ERROR', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Run the attempt now' }).click()
    await page.locator('aside ol').getByText('renewal failed').waitFor()
    expect(gateway.provisioning.pendingOutcomes()).toEqual([])
    await page.getByRole('button', { name: 'Move the clock to the next event' }).click()
    await page.locator('aside ol').getByText('renewed', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary').waitFor({ state: 'detached' })
  })

  test('DNS & faults: a long zone is searched in any case', async () => {
    const { gateway, page } = await open({}, { place: 'faults' })
    for (let number = 0; number < 11; number++) gateway.dns.cname(`host${number}.example.com`, 'target.example.net')
    await page.getByRole('searchbox', { name: 'Search records' }).fill('HOST7')
    await page.getByText('host0.example.com').waitFor({ state: 'detached' })
    await page.getByText('host7.example.com').waitFor()
  })

  test('DNS & faults: a change during a load causes another load', async () => {
    const { gateway, page } = await open({}, { place: 'faults' })
    const waitForText = (text: string) => page.getByText(text).first().waitFor()
    gateway.dns.cname('early.example.com', 'target.example.net')
    await waitForText('early.example.com')
    const waitForRoute = await holdNextRequest(page, /\/_fauxgate\/dns$/)
    gateway.dns.cname('next.example.com', 'target.example.net')
    const route = await waitForRoute()
    const response = await route.fetch()
    gateway.dns.cname('late.example.com', 'target.example.net')
    gateway.clock.advance('1s')
    await waitForText(formatTime(timeAfter('1s')))
    // The page gathers changes for 25 ms, so this wait ends later.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
    await route.fulfill({ response })
    await waitForText('late.example.com')
  })

  test('Jobs: arrow keys show the events of a lane one by one', async () => {
    const { gateway, page } = await open({}, { place: 'jobs' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('2h')
    const picture = page.getByRole('img', { name: new RegExp(DOMAIN) })
    await picture.focus()
    expect(await picture.getAttribute('aria-label')).toContain('failed')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('img', { name: /retried\. The next attempt runs/ }).waitFor()
    expect(await picture.locator('circle').count()).toBe(
      1 + (toInspected(gateway).timelines().timelines[0]?.timeline.length ?? 0),
    )
  })

  test('Jobs: a picture shows whether a certificate is renewed before it expires', async () => {
    const { gateway, page } = await open({ dns: 'off' }, { place: 'jobs' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('10d')
    await page.getByText(/^renewal in .*, expiry in /).waitFor()
    await page.getByText('Time is not to scale.').waitFor()
    const readSpan = async (selector: string) => {
      const { x = 0, width = 0 } = (await page.locator(`.lane ${selector}`).boundingBox()) ?? {}
      return [x, x + width] as const
    }
    const [present] = await readSpan('line.now')
    const [issued, expiry] = await readSpan('line.validity')
    const [renewal] = await readSpan('circle.pending')
    expect([issued, present, renewal, expiry].toSorted((a, b) => a - b)).toEqual([issued, present, renewal, expiry])
    expect((await page.locator('.lane').boundingBox())?.height).toBe(44)
    gateway.provisioning.failNext('INTERNAL_ERROR', { domain: DOMAIN, times: 1000 })
    gateway.clock.advance('90d')
    await page
      .getByText(/The certificate expired at/)
      .first()
      .waitFor()
    expect((await readSpan('line.validity'))[1]).toBeLessThan((await readSpan('line.now'))[0])
  })

  test('Requests: appear live, and can be searched, filtered, opened, copied, sent again with another body, and cleared', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    await page.getByText('No requests yet.').waitFor()
    gateway.faults.add({ operation: 'reserved_addrs.list', status: 503 })
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN, description: 'findable' })
    await sendRequest(server, 'GET', '/reserved_addrs')
    await sendRequest(server, 'POST', '/reserved_domains', { domain: '-' })
    const rows = page.getByRole('region', { name: 'Requests' }).locator('.line:not(.heads)')
    await rows.nth(2).waitFor()
    expect(await rows.first().textContent()).toContain('400')
    const waitForRow = (status: string) =>
      expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining(status)])
    await page.getByRole('button', { name: 'fault:yes' }).click()
    await waitForRow('503')
    await page.getByRole('button', { name: 'fault:yes' }).click()
    await page.getByRole('searchbox').fill('status:400')
    await waitForRow('400')
    await page.getByRole('searchbox').fill('FINDABLE')
    await waitForRow('201')
    await rows.first().getByRole('link').first().click()
    const side = page.getByRole('complementary')
    expect(await side.getByRole('tab', { selected: true }).textContent()).toBe('Changes')
    expect(await side.locator('table').textContent()).toContain('findable')
    await side.getByRole('tab', { name: 'Response' }).click()
    await side.locator('pre').getByText('"findable"').waitFor()
    await side.getByRole('tab', { name: 'Request' }).click()
    await side.getByText(/^Headers \(/).click()
    await side.getByText('service-version').waitFor()
    const headers = await side.locator('dl').allTextContents()
    expect(headers.join()).toMatch(/authorization\[redacted\].*service-version2/)
    const copyText = async (name: string) => {
      await side.getByRole('button', { name, exact: true }).click()
      await side.getByRole('button', { name: 'Copied' }).waitFor()
      // The button keeps the name "Copied" until it loses the focus.
      await page.keyboard.press('Shift+Tab')
      await side.getByRole('button', { name, exact: true }).waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copyText('Copy as curl')).toContain(`${server.url}/reserved_domains`)
    expect(await copyText('as fetch')).toMatch(/^await fetch\("http.*"authorization": "Bearer key"/s)
    expect(await copyText('as direct call')).toBe(
      `gateway.reservedDomains.create({"domain":"${DOMAIN}","description":"findable"})`,
    )
    await side.getByText('Edit and send again').click()
    await side.getByLabel('Body').fill('{"domain":"again.example.com"}')
    await side.getByRole('button', { name: 'Send', exact: true }).click()
    await side.locator('form').getByText('201', { exact: true }).waitFor()
    expect(gateway.reservedDomains.list().reserved_domains.map(({ domain }) => domain)).toContain('again.example.com')
    expect(gateway.requests.last()).toMatchObject({ request: { domain: 'again.example.com' } })
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(gateway.requests.count()).toBe(4)
    await page.getByRole('button', { name: 'Remove all of them?' }).click()
    await page.getByText('No requests.').waitFor()
    expect(gateway.requests.count()).toBe(0)
  })

  test('Requests: the tabs of a request are one tab stop, and arrow keys, Home and End go between them', async () => {
    const { gateway, server, page, go } = await open()
    await sendRequest(server, 'POST', '/reserved_addrs', { description: 'described' })
    await go(`requests/${gateway.requests.last()?.operationId}`)
    const side = page.getByRole('complementary')
    const chosen = side.getByRole('tab', { selected: true })
    await chosen.focus()
    expect(await side.locator('[role=tab]:not([tabindex="-1"])').allTextContents()).toEqual(['Changes'])
    for (const [key, name] of [
      ['ArrowRight', 'Request'],
      ['End', 'Response'],
      ['ArrowRight', 'Changes'],
      ['ArrowLeft', 'Response'],
      ['Home', 'Changes'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => chosen.textContent()).toBe(name)
      expect(await chosen.evaluate((each) => each === document.activeElement)).toBe(true)
      await side.getByRole('tabpanel', { name }).waitFor()
    }
  })

  test('Requests: are replayed exactly in one click', async () => {
    const { gateway, server, page, go } = await open()
    await sendRequest(server, 'POST', '/reserved_addrs', { description: 'twice', region: 'eu' })
    const [original] = gateway.requests.all()
    await go(`requests/${original?.operationId}`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('status').getByText('201').waitFor()
    const { method, path, query, request } = original ?? {}
    expect(gateway.requests.last()).toMatchObject({ method, path, query, request })
    expect(gateway.reservedAddrs.list().reserved_addrs.map(({ description }) => description)).toEqual([
      'twice',
      'twice',
    ])
  })

  test('Requests: have numbers on a manual clock, with its moves between them, and stay in their places beside an open one', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    await sendRequest(server, 'GET', '/reserved_addrs')
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN })
    gateway.clock.advance('2d')
    await sendRequest(server, 'GET', '/reserved_addrs')
    const rows = page.getByRole('region', { name: 'Requests' }).locator('.line:not(.heads)')
    await rows.nth(3).waitFor()
    const readFirstCells = () => rows.evaluateAll((all) => all.map((each) => each.firstElementChild?.textContent))
    const moved = `${formatTime(timeAfter('2d'))} UTC: the clock advanced by 2 d`
    expect(await readFirstCells()).toEqual(['3', moved, '2', '1'])
    // One tab stop for each row.
    expect(await rows.locator('a:not([tabindex="-1"])').count()).toBe(3)
    // Beside an open one, rows are only narrower.
    const readPlaces = () =>
      rows.evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect()).map(({ x, y, height }) => [x, y, height]),
      )
    const places = await readPlaces()
    await rows.nth(2).getByRole('link').first().click()
    await page.getByRole('complementary').waitFor()
    expect(await readPlaces()).toEqual(places)
    const head = page.getByRole('columnheader', { name: 'status' })
    expect(await head.getAttribute('aria-sort')).toBeNull()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sort by status' }).click()
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending')
    await expect.poll(readFirstCells).toEqual(['2', '3', '1'])
  })

  test('Requests: are sent again with all headers, also those after an empty header', async () => {
    const { gateway, server, page, go } = await open()
    const headers = { authorization: 'Bearer key', 'service-version': '2', 'a-note': '', 'b-note': 'sent again' }
    await fetch(`${server.url}/reserved_addrs`, { headers })
    await go(`requests/${gateway.requests.last()?.operationId}`)
    await page.getByText('Edit and send again').click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('form').getByText('200', { exact: true }).waitFor()
    expect(gateway.requests.last()?.requestHeaders).toMatchObject({ 'a-note': '', 'b-note': 'sent again' })
  })

  test('Requests: a filter is on only while its own word is in the search, and an invalid status finds nothing', async () => {
    const { server, page } = await open({}, { place: 'requests' })
    await sendRequest(server, 'GET', '/reserved_addrs')
    const filter = page.getByRole('button', { name: 'status:4xx' })
    await page.getByRole('searchbox').fill('-status:4xx')
    await page.getByText('1 of 1 here').waitFor()
    expect(await filter.getAttribute('aria-pressed')).toBe('false')
    await filter.click()
    await page.getByText('0 of 1 here').waitFor()
    expect(await filter.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('searchbox').fill('status:2xx')
    await page.getByText('1 of 1 here').waitFor()
    await page.getByRole('searchbox').fill('status:good')
    await page.getByText('0 of 1 here').waitFor()
  })

  test('Resources: can be created with errors at the fields, changed, followed to their certificate, and deleted', async () => {
    const { gateway, page } = await open({ dns: 'off' }, { place: 'resources/reserved_domains' })
    await page.getByText('None yet.').waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const side = page.getByRole('complementary')
    await side.getByLabel('Domain', { exact: true }).fill('-bad')
    await side.getByLabel('Certificate ID').fill('nobody')
    await side.getByRole('button', { name: 'Create', exact: true }).click()
    await side.getByText('domain is "-bad".').waitFor()
    await side.getByText('"nobody"').waitFor()
    await side.getByLabel('Certificate ID').fill('')
    await side.getByLabel('Domain', { exact: true }).fill(DOMAIN)
    await side.getByLabel('Authority (certificate management policy)').selectOption('letsencrypt')
    await side.getByRole('button', { name: 'Create', exact: true }).click()
    await side.getByRole('heading', { name: DOMAIN }).waitFor()
    gateway.clock.advance('30s')
    await side
      .getByRole('link', { name: /^cert_/ })
      .first()
      .click()
    await side.getByText('-----BEGIN CERTIFICATE-----').first().waitFor()
    await side.getByRole('heading', { name: 'Certificate 2 of 2' }).waitFor()
    expect(await side.getByText('sha256').count()).toBe(2)
    expect((await side.locator('dl').allTextContents()).join()).toContain(`Names${DOMAIN}`)
    await side.getByText('Subject common name').waitFor()
    await page.goBack()
    await side.getByRole('heading', { name: 'Certificate 2 of 2' }).waitFor({ state: 'detached' })
    await side.getByRole('button', { name: 'Change', exact: true }).click()
    await side.getByLabel('Description').fill('changed on the page')
    await side.getByRole('button', { name: 'Save' }).click()
    await side.getByText('changed on the page').waitFor()
    const [domain] = gateway.reservedDomains.list().reserved_domains
    expect(domain).toMatchObject({ description: 'changed on the page', domain: DOMAIN })
    await side.getByRole('button', { name: 'Delete', exact: true }).click()
    await side.getByRole('button', { name: 'Delete this reserved domain?' }).click()
    await side.getByText('No resource has this ID.').waitFor()
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
    expect(gateway.requests.count()).toBe(0)
  })

  test('Resources: domains are sorted by their state, required fields are marked, and ids come from a menu', async () => {
    const { gateway, page, go } = await open({ dns: 'simulated' }, { place: 'resources/reserved_domains' })
    gateway.reservedDomains.create({ domain: 'plain.example.com' })
    for (const domain of ['fails.example.com', 'works.example.com']) {
      const { cname_target } = gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
      if (domain.startsWith('works')) gateway.dns.cname(domain, cname_target ?? '')
    }
    gateway.clock.advance('30s')
    await page.getByRole('button', { name: 'Sort by State' }).click()
    const states = page.getByRole('region', { name: 'reserved domains' }).locator('.chip')
    await expect.poll(() => states.allTextContents()).toEqual(['unmanaged', 'issued', 'failing'])
    await page.getByRole('button', { name: 'Sort by State' }).click()
    await expect.poll(() => states.allTextContents()).toEqual(['failing', 'issued', 'unmanaged'])
    await page.getByRole('link', { name: 'fails.example.com' }).click()
    const side = page.getByRole('complementary')
    await side.getByRole('button', { name: 'Detach the certificate management policy' }).waitFor()
    expect(await side.getByRole('button', { name: /^Detach/ }).count()).toBe(1)
    await side.getByRole('link', { name: 'Certificate job' }).waitFor()
    await go('resources/reserved_domains?new=1')
    await side.getByText('Domain (required)').waitFor()
    const list = await side.getByLabel('Certificate ID').getAttribute('list')
    const [certificate] = gateway.tlsCertificates.list().tls_certificates
    const options = page.locator(`datalist[id="${list}"] option`)
    await expect
      .poll(() => options.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
      .toEqual([certificate?.id])
  })

  test('Resources: several ids are chosen from a menu of their resources, and removed again', async () => {
    const { gateway, page } = await open(
      { dialect: ngrok, families: ngrokFamilies },
      { place: 'resources/ip_restrictions?new=1' },
    )
    const { ipPolicies, ipRestrictions } = gateway as unknown as Ngrok
    const [office, home] = ['office', 'home'].map((description) => ipPolicies.create({ description }).id)
    const side = page.getByRole('complementary')
    const menu = side.getByLabel('IP policy IDs')
    for (const id of [office, home]) await menu.selectOption(String(id))
    await side.getByRole('button', { name: `Remove ${office}` }).click()
    await side.getByRole('button', { name: `Remove ${office}` }).waitFor({ state: 'detached' })
    await side.getByLabel('Type').selectOption('api')
    await side.getByRole('button', { name: 'Create', exact: true }).click()
    await expect
      .poll(() => ipRestrictions.list().ip_restrictions.map((each) => each.ip_policies.map(({ id }) => id)))
      .toEqual([[home]])
  })

  test('Resources: families without resources are folded in groups, under names of their own', async () => {
    const { gateway, page } = await open({ dialect: ngrok, families: ngrokFamilies }, { place: 'resources' })
    const menu = page.getByRole('navigation', { name: 'Families' })
    await menu.getByRole('link', { name: 'reserved domains' }).waitFor()
    const readNames = () =>
      menu.evaluate((each) =>
        [...each.querySelectorAll<HTMLElement>('a')].flatMap((link) =>
          link.checkVisibility() ? link.textContent.replace(/\s*\d+$/, '') : [],
        ),
      )
    expect(await readNames()).toEqual([
      'reserved addresses',
      'reserved domains',
      'weighted backends',
      'TLS certificates',
    ])
    const { vaults } = gateway as unknown as Ngrok
    vaults.create({ name: 'mine' })
    await expect.poll(async () => (await readNames())[0]).toBe('vaults')
    await menu.getByText('Parts of a route').click()
    await menu.getByRole('link', { name: 'circuit breaker' }).first().waitFor()
    const groups = await menu
      .locator('details')
      .evaluateAll((all) => all.map((group) => [...group.querySelectorAll('a')].map(({ textContent }) => textContent)))
    expect(groups.every((names) => new Set(names).size === names.length)).toBe(true)
  })

  test('Resources: a traffic policy is checked while one types, at its lines, and shown with colours', async () => {
    const traffic_policy = 'on_http_request:\n  - name: no admin\n    actions: [{ type: deny }]\n'
    const { gateway, page, go } = await open(
      { dialect: ngrok, families: ngrokFamilies },
      {
        prepare(gateway) {
          gateway.reservedDomains.create({ domain: 'api.example.com' })
          const { endpoints } = gateway as unknown as Ngrok
          endpoints.create({ url: 'https://api.example.com', type: 'cloud', bindings: ['public'], traffic_policy })
        },
      },
    )
    const [endpoint] = (gateway as unknown as Ngrok).endpoints.list().endpoints
    await go(`resources/endpoints/${endpoint?.id}`)
    await page.getByRole('heading', { name: 'https://api.example.com' }).waitFor()
    expect(await page.locator('pre span.busy').first().textContent()).toBe('on_http_request')
    await page.getByRole('button', { name: 'Change' }).click()
    const area = page.getByLabel('Traffic policy')
    await area.fill(traffic_policy.replace('deny', 'dny'))
    const problem = page.locator('.problems li')
    await problem.waitFor()
    expect(await problem.textContent()).toMatch(/^3:\d+ .*"dny"\. Did you mean deny\?.* ERR_NGROK_2201$/)
    expect(await page.locator('.policy .bad').textContent()).toBe('3')
    await area.fill(traffic_policy)
    await problem.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  test('DNS & faults: records, outcomes and faults can be added and removed, and show why they are unused', async () => {
    const { gateway, server, page } = await open({}, { place: 'faults' })
    await page.getByText('Set a record').click()
    await page.getByLabel('Name', { exact: true }).fill(DOMAIN)
    await page.getByLabel('Type', { exact: true }).selectOption('CNAME')
    await page.getByLabel('Value', { exact: true }).fill('target.example.net')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    const value = page.getByLabel(`Value of ${DOMAIN}`)
    await value.waitFor()
    await value.fill('other.example.net')
    gateway.dns.cname('above.example.com', 'target.example.net')
    await page.getByLabel('Value of above.example.com').waitFor()
    expect(await value.inputValue()).toBe('other.example.net')
    gateway.dns.remove('above.example.com')
    await page.getByLabel('Value of above.example.com').waitFor({ state: 'detached' })
    await value.blur()
    await expect
      .poll(() => gateway.dns.records())
      .toEqual([{ name: DOMAIN, type: 'CNAME', value: 'other.example.net' }])
    await page.getByRole('button', { name: `Remove ${DOMAIN}` }).click()
    await expect.poll(() => gateway.dns.records()).toEqual([])
    for (const count of [0, 1]) {
      await page.getByRole('button', { name: '+ DNS_ERROR' }).click()
      await page.getByText('any domain').nth(count).waitFor()
    }
    expect(gateway.provisioning.pendingOutcomes()).toHaveLength(2)
    await page.getByLabel('Retries after').fill('-5m')
    await page.getByRole('button', { name: '+ DNS_ERROR' }).click()
    await page.getByText('(retried after -5m)').first().waitFor()
    await page.getByText('Another fault').click()
    await page.getByLabel('Operation').selectOption('reserved_domains.create')
    await page.getByLabel('Status', { exact: true }).fill('200')
    await page.getByRole('button', { name: 'Add the fault' }).click()
    await page.locator('.field').filter({ hasText: 'Status' }).getByRole('alert').waitFor()
    await page.getByLabel('Status', { exact: true }).fill('503')
    await page.getByRole('button', { name: 'Add the fault' }).click()
    await page.getByText('pending', { exact: true }).waitFor()
    await sendRequest(server, 'POST', '/reserved_addrs')
    await page.getByText('its operation is reserved_addrs.create, not reserved_domains.create').waitFor()
    await page.getByRole('button', { name: /^Remove fault_/ }).click()
    await expect.poll(() => gateway.faults.all()).toEqual([])
    await page.getByRole('button', { name: 'Remove all outcomes' }).click()
    await page.getByRole('button', { name: 'Remove all outcomes?' }).click()
    await expect.poll(() => gateway.provisioning.pendingOutcomes()).toEqual([])
  })

  test('State: a snapshot is compared with the present state, also as that changes, after the other snapshot was deleted', async () => {
    const { gateway, page } = await open({}, { place: 'state' })
    for (const name of ['one', 'two']) {
      await page.getByLabel('Name of the snapshot').fill(name)
      await page.getByRole('button', { name: 'Take a snapshot' }).click()
      await page.getByRole('button', { name: `Delete ${name}` }).waitFor()
    }
    await page.getByLabel('Compare with').selectOption('one')
    await page.getByRole('button', { name: 'Delete one' }).click()
    await page.getByRole('button', { name: 'Delete one' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Compare two' }).click()
    await page.getByText('From two to now').waitFor()
    gateway.reservedAddrs.create()
    await page.getByText('reserved_addrs: 1 record created').waitFor()
  })

  test('State: snapshots can be taken, restored, exported and imported, and a reset needs a confirmation', async () => {
    const { gateway, page } = await open({}, { place: 'state' })
    gateway.reservedDomains.create({ domain: DOMAIN })
    await page.getByLabel('Name of the snapshot').fill('with a domain')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('button', { name: 'Restore with a domain' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    const file = await download.path()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(gateway.snapshot())))
    const count = () => gateway.reservedDomains.list().reserved_domains.length
    await page.getByRole('button', { name: 'Reset the gateway' }).click()
    await page.getByRole('button', { name: 'Delete all resources and requests?' }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Reset the gateway' }).click()
    expect(count()).toBe(1)
    await page.getByRole('button', { name: 'Delete all resources and requests?' }).click()
    await expect.poll(count).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: 'Compare with a domain' }).click()
    await page.getByText('reserved_domains: 1 record removed').waitFor()
    await page.getByRole('button', { name: 'Restore with a domain' }).click()
    await page.getByRole('button', { name: 'Replace the current state?' }).click()
    await expect.poll(count).toBe(1)
    gateway.reset()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await (await chooser).setFiles(file)
    await expect.poll(count).toBe(1)
    await page.getByRole('button', { name: 'Delete with a domain' }).click()
    await page.getByRole('button', { name: 'Delete with a domain' }).waitFor({ state: 'detached' })
  })
})

/** Holds back the next request for a path. Returns a function that waits for the request. */
async function holdNextRequest(page: Page, path: RegExp): Promise<() => Promise<Route>> {
  let resolveRoute = (_: Route) => {}
  const route = new Promise<Route>((resolve) => {
    resolveRoute = resolve
  })
  await page.route(path, resolveRoute, { times: 1 })
  return () => route
}
