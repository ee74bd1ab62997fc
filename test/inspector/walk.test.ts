import { Ngrok } from '@ngrok/ngrok-api'
import { describe, expect, test } from 'vitest'
import { ngrok } from '../../src/index.ts'
import { hasBrowser, opening, statusOf } from './support/opened.ts'

describe.skipIf(!hasBrowser)('A walk with the official client', () => {
  const open = opening()

  test('a domain is reserved, fails, gets its DNS record on the page, is issued, renewed within a year, and asked for again with another body', async () => {
    const { gateway, server, page } = await open({ dialect: ngrok }, { place: 'jobs' })
    const client = new Ngrok({ apiToken: 'any key', baseUrl: server.url })
    const { id } = await client.reservedDomains.create({
      domain: 'shop.example.com',
      region: '',
      certificateManagementPolicy: { authority: 'letsencrypt', privateKeyType: 'ecdsa' },
    })
    const job = async () => (await client.reservedDomains.get(id)).certificateManagementStatus?.provisioningJob
    const side = page.getByRole('complementary')

    await page.getByRole('link', { name: 'shop.example.com' }).click()
    await page.getByRole('button', { name: 'Move the clock to the next event' }).click()
    await side.getByText('DNS_ERROR', { exact: true }).waitFor()
    expect(await job()).toMatchObject({ errorCode: 'DNS_ERROR' })

    await side.getByRole('button', { name: 'Fix the record' }).click()
    await side.getByText('found', { exact: true }).waitFor()
    await side.getByRole('button', { name: 'Run the attempt now' }).click()
    await side.getByText('issued', { exact: true }).first().waitFor()
    const issued = await client.reservedDomains.get(id)
    expect(issued.certificate).not.toBeNull()
    expect(issued.certificateManagementStatus?.provisioningJob).toBeNull()

    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: '+ 365d' }).click()
    await page.getByText('2027-01-01').first().waitFor()
    const renewed = await client.reservedDomains.get(id)
    expect(renewed.certificate?.id).not.toBe(issued.certificate?.id)
    await page.getByRole('link', { name: 'Resources' }).click()
    await page.getByRole('navigation', { name: 'Families' }).getByText('TLS certificates').click()
    await page.getByRole('link', { name: renewed.certificate?.id ?? '' }).click()
    await side.getByRole('heading', { name: 'Certificate 2 of 2' }).waitFor()

    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'POST' }).getByRole('link').first().click()
    await side.getByText('Request headers').click()
    await side.getByText('user-agent').waitFor()
    await side.getByText('Edit and send again').click()
    await side.getByLabel('Body').fill('{"domain":"blog.example.com"}')
    await side.getByRole('button', { name: 'Send', exact: true }).click()
    await side.locator('form').getByText('201', { exact: true }).waitFor()
    expect((await client.reservedDomains.list()).map(({ domain }) => domain)).toEqual([
      'blog.example.com',
      'shop.example.com',
    ])
    // What the page asked for by itself is nowhere.
    expect(new Set(gateway.requests.all().map(({ operation }) => operation))).toEqual(
      new Set(['reserved_domains.create', 'reserved_domains.get', 'reserved_domains.list']),
    )
  })
})

describe.skipIf(!hasBrowser)('A page of another site', () => {
  const open = opening()

  test('drives nothing: by forms, scripts, images, beacons, streams and frames from elsewhere, nor by a name that leads here', async () => {
    const { gateway, server, context } = await open()
    gateway.reservedAddrs.create({ description: 'mine' })
    const before = JSON.stringify(gateway.snapshot())
    const { port } = server
    // Another origin of this machine is another site, too; and so is a name that somebody lets lead to it.
    for (const home of ['http://other.example/', 'http://app.localhost.other.example/']) {
      const other = await context.newPage()
      await other.route(`${home}**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>other</title>' }),
      )
      await other.goto(home)
      const seen = await other.evaluate(async (base) => {
        const own = { 'Fauxgate-Inspector': '1' }
        const json = { 'Content-Type': 'application/json' }
        const url = `${base}/_fauxgate`
        const tries: readonly [string, RequestInit][] = [
          [`${url}/reset`, { method: 'POST', mode: 'no-cors' }],
          [`${url}/reset`, { method: 'POST', headers: own }],
          [`${url}/clock`, { method: 'POST', mode: 'no-cors', body: '{"advance":"1d"}' }],
          [`${url}/clock`, { method: 'POST', headers: json, body: '{"advance":"1d"}' }],
          [`${url}/state`, { method: 'PUT', headers: json, body: '{}' }],
          [`${url}/faults`, { method: 'DELETE' }],
          [`${url}/requests`, {}],
          [`${url}/state`, {}],
          [`${url}/events`, {}],
          [`${base}/reserved_addrs`, { headers: { ...own, 'Service-Version': '2' } }],
        ]
        const answers = tries.map(([at, init]) =>
          fetch(at, init).then(
            async (answer) => (answer.type === 'opaque' ? 'opaque' : answer.ok ? await answer.text() : 'refused'),
            () => 'refused',
          ),
        )
        navigator.sendBeacon(`${url}/reset`, 'x')
        const loaded = (name: 'img' | 'script' | 'iframe' | 'object', attribute: string, at: string) =>
          new Promise<string>((resolve) => {
            const element = document.createElement(name)
            element.setAttribute(attribute, at)
            element.addEventListener('load', () => {
              const inside = element instanceof HTMLIFrameElement && element.contentDocument
              resolve(inside ? `${inside.body.textContent}` : 'opaque')
            })
            element.addEventListener('error', () => resolve('refused'))
            document.body.append(element)
            setTimeout(() => resolve('refused'), 3000)
          })
        const stream = new Promise<string>((resolve) => {
          const source = new EventSource(`${url}/events`)
          source.onmessage = ({ data }) => resolve(data)
          source.onerror = () => resolve('refused')
        })
        const socket = new Promise<string>((resolve) => {
          const opened = new WebSocket(`${url.replace('http', 'ws')}/events`, 'fauxgate')
          opened.onopen = () => resolve('open')
          opened.onerror = () => resolve('refused')
        })
        const form = document.createElement('form')
        Object.assign(form, { action: `${url}/reset`, method: 'POST', target: 'there' })
        const target = document.createElement('iframe')
        target.name = 'there'
        document.body.append(target, form)
        form.submit()
        return Promise.all([
          ...answers,
          loaded('img', 'src', `${url}/overview`),
          loaded('script', 'src', `${url}/overview`),
          loaded('iframe', 'src', `${url}/`),
          loaded('object', 'data', `${url}/`),
          stream,
          socket,
        ])
      }, server.url)
      expect(new Set(seen)).toEqual(new Set(['refused', 'opaque']))
      // A frame that was refused shows the browser's own page.
      const [, ...frames] = other.frames().map((frame) => frame.url())
      expect(frames.filter((url) => /\/_fauxgate\/$/.test(url))).toEqual([])
      await other.close()
    }
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    for (const host of [`other.example:${port}`, `127.0.0.1.other.example:${port}`, `localhost.:${port}`]) {
      for (const [method, path] of [
        ['GET', '/_fauxgate/'],
        ['GET', '/_fauxgate/events'],
        ['GET', '/_fauxgate/state'],
        ['POST', '/_fauxgate/reset'],
      ] as const) {
        expect(await statusOf(server.url + path, method, { host }), `${method} ${path} of ${host}`).toBe(403)
      }
    }
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })
})
