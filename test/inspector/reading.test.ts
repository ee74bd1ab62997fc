import { describe, expect, onTestFinished, test } from 'vitest'
import { serve } from '../../src/server/node.ts'
import { certificatePair, expiredPair, type Pair } from '../../src/testing/certificates.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { DOMAIN, ECDSA, openManual } from '../support/provisioning.ts'
import { sendRequest, useInspector } from './support/use-inspector.ts'
import { watchRequests } from './support/watch-requests.ts'

describe.skipIf(!CHROMIUM)('A user of the page', () => {
  const open = useInspector()

  test('sees which client waits and until when; Next stops there and Undo goes back', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    gateway.faults.add({ operation: 'reserved_addrs.list', latency: '5s', times: 1 })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    const answer = sendRequest(server, 'GET', '/reserved_addrs')
    await page.getByText('waiting until 00:00:05').waitFor()
    await page.getByRole('link', { name: '1 request waiting' }).click()
    await page.getByText('The client is still waiting').waitFor()
    await page.getByRole('button', { name: 'Move the clock to the next event' }).click()
    expect((await answer).status).toBe(200)
    await page.getByText('waiting until 00:00:05').waitFor({ state: 'detached' })
    expect(gateway.clock.now).toBe(Date.parse('2026-01-01T00:00:05Z'))
    await page.getByRole('button', { name: 'Undo the last clock move' }).click()
    await page.getByRole('button', { name: /^Discard everything since/ }).click()
    await expect.poll(() => gateway.clock.now).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })

  test('finds ten mistakes on Now, each with a link to its place', async () => {
    const { gateway, server, page } = await open({ account: { limits: { reserved_domains: 3 } } })
    const [edge, route, other] = ['edghts_1', 'edghtsrt_1', 'edghtsrt_2']
    const upload = (pair: Pair) => ({ certificate_id: gateway.tlsCertificates.create(pair).id })
    const uploadExpired = (name: string) => upload(expiredPair({ names: [name], issuers: 2 }))
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.dns.cname(DOMAIN, 'old.example.net')
    gateway.reservedDomains.create({
      domain: 'own.example.com',
      ...upload(certificatePair({ names: ['a.example.net'] })),
    })
    gateway.reservedDomains.create({ domain: 'late.example.com', ...uploadExpired('late.example.com') })
    uploadExpired('unused.example.com')
    await sendRequest(server, 'POST', '/reserved_domains', { domain: 'fourth.example.com' })
    gateway.provisioning.script(['INTERNAL_ERROR'], { domain: 'forgotten.example.com' })
    gateway.faults.add({ operation: 'reserved_addrs.create', status: 503 })
    gateway.faults.add({ operation: 'reserved_addrs.list', latency: '5s', times: 1 })
    const response = sendRequest(server, 'GET', '/reserved_addrs')
    await sendRequest(server, 'POST', '/_fauxgate/declare', { edge, routes: [route, other] })
    await sendRequest(server, 'PUT', `/edges/https/${edge}/routes/${other}/circuit_breaker`, {})
    await sendRequest(server, 'GET', `/edges/https/${edge}/routes/${route}/circuit_breaker`)
    await sendRequest(server, 'GET', '/reserved_domain')
    const rows = page.locator('.card').filter({ hasText: 'Worth a look' }).getByRole('listitem')
    for (const [kind, text] of [
      ['broken', 'Found a CNAME record to old.example.net'],
      ['broken', 'The certificate is for a.example.net, not for own.example.com.'],
      ['broken', 'The certificate expired at'],
      ['unused', 'The uploaded certificate expired at'],
      ['waiting', 'A client is waiting until'],
      ['rejected', 'POST /reserved_domains'],
      ['rejected', 'GET /reserved_domain'],
      ['unused', 'INTERNAL_ERROR for forgotten.example.com'],
      ['unused', 'reserved_addrs.create status 503'],
      ['waiting', 'The clock has not moved'],
    ] as const)
      await rows.filter({ hasText: kind }).filter({ hasText: text }).first().waitFor()
    const card = page.locator('.card').filter({ hasText: 'Worth a look' })
    await card.getByRole('link', { name: `${edge}/${other}` }).click()
    await page.getByRole('complementary').getByText('Volume threshold').waitFor()
    gateway.clock.advance('5s')
    await response
  })

  test('fixes on Now, in one click, all domains that fail for one reason, and then runs their attempts', async () => {
    const { gateway, page } = await open()
    const names = Array.from({ length: 100 }, (_, at) => `d${at}.example.com`)
    for (const domain of names) gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    gateway.clock.advance('30s')
    const card = page.locator('.card').filter({ hasText: 'Worth a look' })
    await card.getByText('100 domains: no CNAME record leads to its target.', { exact: true }).waitFor()
    await card.getByText('Found no record for the domain.', { exact: true }).waitFor()
    await card.getByText('100 broken').waitFor()
    expect((await page.getByRole('button', { name: 'To the next event', exact: true }).boundingBox())?.y).toBeLessThan(
      200,
    )
    await card.getByRole('link', { name: '92 more' }).waitFor()
    const writes: string[] = []
    page.on(
      'request',
      (each) => each.method() !== 'GET' && writes.push(`${each.method()} ${new URL(each.url()).pathname}`),
    )
    await card.getByRole('button', { name: 'Fix all records' }).click()
    await card.getByText('100 domains: the DNS records are correct now.').waitFor()
    await card.getByText('next: in 1 h').waitFor()
    expect(writes).toEqual(['POST /_fauxgate/troubles/fix'])
    expect(gateway.dns.records()).toHaveLength(100)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Worth a look')
    await card.getByRole('button', { name: 'Run all attempts now' }).click()
    await card.getByText('No problems found.').waitFor()
    const issued = gateway.reservedDomains.list({ limit: '100' }).reserved_domains.filter((each) => each.certificate)
    expect(issued).toHaveLength(100)
  })

  test('sees a standing outcome as the cause on Now, on the lane and among the pending outcomes, and removes it alone', async () => {
    const { gateway, page, go } = await open({ dns: 'off' })
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    gateway.provisioning.script(['DNS_ERROR'], { domain: 'other.example.com' })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('1h')
    const card = page.locator('.card').filter({ hasText: 'Worth a look' })
    await card.getByText('Every attempt ends in INTERNAL_ERROR, because it was set for all attempts.').waitFor()
    expect(await card.textContent()).not.toContain('temporary')
    await go('jobs')
    await page.getByText('perhaps INTERNAL_ERROR').waitFor()
    await go('faults')
    await page.getByText('always').waitFor()
    await page.getByRole('button', { name: 'Remove INTERNAL_ERROR for any domain' }).click()
    await page.getByText('always').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove DNS_ERROR for other.example.com' }).waitFor()
  })

  test('sees a fault that still applies as active, and the whole length of a job that fails for 80 days', async () => {
    const { gateway, server, page, go } = await open()
    gateway.faults.add({ operation: 'reserved_addrs.list', status: 503 })
    await sendRequest(server, 'GET', '/reserved_addrs')
    await go('faults')
    await page.getByText('active', { exact: true }).waitFor()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('80d')
    await go('jobs')
    await page.getByText('1,920 attempts in 80 d').waitFor()
    const first = page.locator('.lane line.bad').first()
    expect(Number.parseFloat(String(await first.getAttribute('x1')))).toBeLessThan(3)
  })

  test('sees the attempts of a renewal apart from those of the first certificate', async () => {
    const { gateway, page } = await open({ dns: 'off' }, { place: 'jobs' })
    gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR'], { domain: DOMAIN })
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('10m')
    await page.getByText('in 3 attempts', { exact: true }).waitFor()
    gateway.clock.advance('70d')
    await page.getByText('renewed in 1 attempt', { exact: true }).waitFor()
  })

  test('cannot go to an expiry that is over', async () => {
    const { gateway, page, go } = await open({ dns: 'off' })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('1h')
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    await go(`jobs/${id}`)
    const button = page.getByRole('button', { name: 'Go to the expiry' })
    expect(await button.getAttribute('aria-disabled')).not.toBe('true')
    gateway.clock.advance('100d')
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
  })

  test('sees what a request changed by the fields of the API, and the fields of the gateway only on demand', async () => {
    const { server, gateway, page, go } = await open()
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN, certificate_management_policy: ECDSA })
    await go(`requests/${gateway.requests.last()?.operationId}`)
    const rows = page.getByRole('tabpanel').getByRole('rowheader')
    const names = ['Policy › Authority', 'Policy › Private key type', 'Job › Message', 'Job › Started at']
    // Until the page knows the fields of the API, it shows all.
    const internal = page.getByText(/^\d internal fields$/)
    await internal.waitFor()
    expect(await rows.allTextContents()).toEqual(expect.arrayContaining(['Domain', ...names]))
    expect((await rows.allTextContents()).join()).not.toMatch(/Due|Order|Timeline|Internal/)
    await internal.click()
    await page.getByText('Due › At').waitFor()
  })

  test('sees requests that missed a fault for the same reason on one line', async () => {
    const { gateway, server, page, go } = await open()
    gateway.faults.add({ operation: 'reserved_addrs.create', status: 503, times: 1 })
    for (const path of ['/reserved_addrs', '/reserved_domains', '/reserved_addrs'])
      await sendRequest(server, 'GET', path)
    await go('faults')
    const reason = (operation: string) => `its operation is ${operation}.list, not reserved_addrs.create.`
    const lines = page.locator('.record p').filter({ hasText: 'its operation is' })
    await expect
      .poll(async () => (await lines.allTextContents()).map((text) => text.trim()))
      .toEqual([
        `GET /reserved_addrs: ${reason('reserved_addrs')} (2 times)`,
        `GET /reserved_domains: ${reason('reserved_domains')}`,
      ])
  })

  test('sees labels instead of wire names, and the wire names on hover', async () => {
    const { gateway, page, go } = await open()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await gateway.fetch(
      new Request(`${gateway.url}/reserved_domains/${id}`, {
        method: 'PATCH',
        headers: { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' },
        body: JSON.stringify({ certificate_management_policy: { ...ECDSA, private_key_type: 'rsa' } }),
      }),
    )
    const side = page.getByRole('complementary')
    await go(`resources/reserved_domains/${id}`)
    await side.getByRole('heading', { name: 'Certificate management policy' }).waitFor()
    expect(await side.getByText('Private key type', { exact: true }).getAttribute('title')).toBe('private_key_type')
    await go(`requests/${gateway.requests.last()?.operationId}`)
    await side
      .getByTitle(/private_key_type$/)
      .first()
      .waitFor()
  })

  test('sees pending outcomes and faults on the lane and the page of their domain', async () => {
    const { gateway, page, go } = await open()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.provisioning.script(['INTERNAL_ERROR', 'success'], { domain: DOMAIN })
    gateway.faults.add({ operation: 'reserved_domains.get', resource: id, status: 503 })
    await go('jobs')
    await page.getByText('next INTERNAL_ERROR +1').waitFor()
    await page.getByRole('link', { name: DOMAIN }).click()
    const side = page.getByRole('complementary')
    await side.getByText('Pending outcomes').waitFor()
    expect(await side.locator('.chip').allTextContents()).toEqual(expect.arrayContaining(['INTERNAL_ERROR', 'success']))
    await side.getByText('Faults that apply to it').waitFor()
    const fault = side.locator('p', { hasText: 'applied 0 times' })
    expect(await fault.textContent()).toContain(`reserved_domains.get resource ${id}, status 503 applied`)
    gateway.provisioning.clear({ domain: DOMAIN })
    gateway.provisioning.failNext('DNS_ERROR')
    await page.getByText('perhaps DNS_ERROR').waitFor()
  })

  test('waits for one response with the domains of the first view', async () => {
    const { gateway, server, page, go } = await open({}, { place: '' })
    for (let number = 0; number < 40; number++) {
      gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: ECDSA })
    }
    const settle = watchRequests(page, server.url)
    await go('jobs')
    await page.getByRole('link', { name: 'd39.example.com' }).waitFor()
    // The list renders more rows after it has measured its size.
    expect((await settle()).filter((each) => each.includes('/timelines'))).toHaveLength(1)
  })

  test('keeps the place in a scrolled list and the focus while requests arrive, and sees that there are new ones', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    for (let round = 0; round < 100; round++) await gateway.fetch(`${server.url}/reserved_addrs/${round}`)
    const list = page.getByRole('region', { name: 'Requests' })
    await page.getByText('100 of 100').waitFor()
    await list.evaluate((each) => each.scrollTo(0, 900))
    const row = list.getByRole('link', { name: '/reserved_addrs/60' })
    await row.focus()
    const top = await row.evaluate((each) => each.getBoundingClientRect().top)
    for (let round = 100; round < 160; round++) await gateway.fetch(`${server.url}/reserved_addrs/${round}`)
    await page.getByRole('button', { name: '60 new' }).waitFor()
    expect(await row.evaluate((each) => [each.getBoundingClientRect().top, each === document.activeElement])).toEqual([
      top,
      true,
    ])
    await page.getByRole('button', { name: '60 new' }).click()
    await list.getByRole('link', { name: '/reserved_addrs/159' }).waitFor()
  })

  test('moves by j and k, opens with the focus in the details, finds the search by /, and closes by Escape', async () => {
    const { gateway, server, page, go } = await open({}, { place: 'requests' })
    for (const name of ['a', 'b', 'c']) await gateway.fetch(`${server.url}/${name}`)
    await page.getByText('3 of 3').waitFor()
    const readFocusedText = () => page.evaluate(() => document.activeElement?.textContent)
    for (const [key, title] of [
      ['j', 'GET /c'],
      ['j', 'GET /b'],
      ['ArrowDown', 'GET /a'],
      ['k', 'GET /b'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: title }).waitFor()
      await expect.poll(readFocusedText).toBe(title)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    await expect.poll(readFocusedText).toContain('/b')
    await page.keyboard.press('/')
    await page.keyboard.type('path:/a')
    await page.getByText('1 of 3').waitFor()
    expect(page.url()).toContain('q=path%3A%2Fa')
    await go('resources/reserved_addrs')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('complementary').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary').waitFor({ state: 'detached' })
  })

  test('sees a list of more than 150 px at 400 % zoom, in a window of 320 by 200 px', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests', viewport: { width: 320, height: 200 } })
    await gateway.fetch(`${server.url}/nowhere`)
    const list = page.getByRole('region', { name: 'Requests' })
    await list.waitFor()
    expect((await list.boundingBox())?.height).toBeGreaterThan(150)
  })

  test.each([
    ['jobs', 'all 1'],
    ['faults', 'DNS zone'],
    ['resources/reserved_domains', DOMAIN],
  ])('at %s causes no requests of the page while clients only read', async (place, text) => {
    const { gateway, server, page, go } = await open({}, { place: '' })
    const settle = watchRequests(page, server.url)
    await go(place)
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await page.getByText(text).first().waitFor()
    await settle()
    for (let round = 0; round < 100; round++) await sendRequest(server, 'GET', '/reserved_addrs')
    expect(await settle()).toEqual([])
  })

  test('learns which request cannot be sent again verbatim, and gets the form instead', async () => {
    const { gateway, server, page, go } = await open({ keys: ['a-key-of-its-own'] })
    const headers = {
      authorization: 'Bearer a-key-of-its-own',
      'service-version': '2',
      'content-type': 'application/json',
    }
    await fetch(`${server.url}/reserved_addrs?limit=5`, { headers })
    await fetch(`${server.url}/reserved_addrs`, { method: 'POST', headers, body: '{"half' })
    const [readRequest, malformedRequest] = gateway.requests.all()
    await go(`requests/${readRequest?.operationId}`)
    const side = page.getByRole('complementary')
    await side.getByText('the header authorization is hidden').waitFor()
    await side.getByLabel('Headers').waitFor()
    expect(await side.getByRole('button', { name: 'Copy as curl' }).count()).toBe(0)
    expect(await side.getByLabel('Path').inputValue()).toBe('/reserved_addrs?limit=5')
    await go(`requests/${malformedRequest?.operationId}`)
    await side.getByText('the journal does not have its body').waitFor()
    expect(await side.getByLabel('Body').inputValue()).toBe('')
  })

  test('gets no warning about an unmoved clock for requests of another gateway', async () => {
    const { gateway, server, page } = await open()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    await gateway.fetch(`${server.url}/nowhere`)
    await page.getByText('since the oldest request').waitFor()
    await server.close()
    await page.getByText(', disconnected').waitFor()
    const other = openManual()
    other.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    const newServer = await serve(other, { port: server.port })
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('since the oldest request').waitFor({ state: 'detached' })
    await page.getByRole('navigation').getByText('Requests').click()
    await page.getByText('1 of 1 before the restart').waitFor()
    await page.getByRole('link', { name: '/nowhere' }).waitFor()
    await newServer.close()
  })

  test('sees after a restart which requests are older, and that their clients got no response', async () => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    await sendRequest(server, 'GET', '/reserved_addrs')
    gateway.faults.add({ operation: 'reserved_domains.list', latency: '5s' })
    const lost = sendRequest(server, 'GET', '/reserved_domains').catch(() => 'lost')
    await page.getByText('waiting until').waitFor()
    await server.close()
    await page.getByText(', disconnected').waitFor()
    expect(await lost).toBe('lost')
    // With the same seed, the operation ids are the same too.
    const newServer = await serve(openManual(), { port: server.port })
    onTestFinished(() => newServer.close())
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('0 of 0 here, 2 of 2 before the restart').waitFor()
    await page.getByText('cancelled', { exact: true }).waitFor()
    await sendRequest(newServer, 'POST', '/reserved_addrs', {})
    await page.getByText('1 of 1 here, 2 of 2 before the restart').waitFor()
    const rows = page.getByRole('region', { name: 'Requests' }).getByRole('row')
    await expect
      .poll(async () => (await rows.allTextContents()).join('\n'))
      .toMatch(/POST.*\nThe server restarted\.\n.*GET/)
    await page.getByRole('searchbox').fill('status:200')
    await page.getByText('0 of 1 here, 1 of 2 before the restart').waitFor()
  })

  test.each([
    ['before the response', { latency: '5s' }, 'waiting until'],
    ['while the response stalls', { truncate: 4, ending: 'stall' }, '200'],
  ] as const)('sees that a client gave up %s, at once and after a reload', async (_, fault, before) => {
    const { gateway, server, page } = await open({}, { place: 'requests' })
    gateway.faults.add({ operation: 'reserved_addrs.list', ...fault })
    const headers = { authorization: 'Bearer key', 'service-version': '2' }
    const controller = new AbortController()
    const response = fetch(`${server.url}/reserved_addrs`, { headers, signal: controller.signal })
    const text = response.then((each) => each.text())
    await page.getByRole('row').getByText(before).waitFor()
    if (before === '200') await response
    controller.abort()
    await expect(text).rejects.toThrow()
    await page.getByText('cancelled', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('cancelled', { exact: true }).waitFor()
    expect(await page.getByText('200', { exact: true }).count()).toBe(0)
  })

  test('keeps the rows while the server is away, and gets a readable error for a bad file', async () => {
    const { gateway, server, page, go } = await open({}, { place: 'requests' })
    await gateway.fetch(`${server.url}/nowhere`)
    const row = page.getByRole('link', { name: '/nowhere' })
    await row.waitFor()
    await server.close()
    await page.getByText(', disconnected').waitFor()
    for (const name of ['Clear', 'Remove all of them?']) await page.getByRole('button', { name }).click()
    await page.getByRole('alert').getByText('The gateway could not be reached').waitFor()
    await row.waitFor()
    const newServer = await serve(gateway, { port: server.port, name: 'the second' })
    await page.getByText('live', { exact: true }).waitFor()
    await row.waitFor()
    await page.getByRole('link', { name: 'the second' }).waitFor()
    expect(await page.title()).toBe('Requests · the second')
    await go('state')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await (await chooser).setFiles({ name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{no') })
    await page
      .getByRole('alert')
      .getByText(/^bad\.json is not a snapshot: .*[^.]\. Choose a file written by Export\./)
      .waitFor()
    await newServer.close()
  })
})
