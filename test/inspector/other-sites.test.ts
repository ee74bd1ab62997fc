import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { requestStatus, useInspector } from './support/use-inspector.ts'

describe.skipIf(!CHROMIUM)('A page of another site', () => {
  const open = useInspector()

  test('cannot control the gateway by forms, scripts, images, beacons, streams, frames or DNS rebinding', async () => {
    const { gateway, server, context } = await open()
    gateway.reservedAddrs.create({ description: 'mine' })
    const before = JSON.stringify(gateway.snapshot())
    const { port } = server
    // The second name only looks like a name of this machine.
    for (const home of ['http://other.example/', 'http://app.localhost.other.example/']) {
      const other = await context.newPage()
      await other.route(`${home}**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>other</title>' }),
      )
      await other.goto(home)
      const results = await other.evaluate(async (base) => {
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
        const loadElement = (name: 'img' | 'script' | 'iframe' | 'object', attribute: string, at: string) =>
          new Promise<string>((resolve) => {
            const element = document.createElement(name)
            element.setAttribute(attribute, at)
            element.addEventListener('load', () => {
              const frameDocument = element instanceof HTMLIFrameElement && element.contentDocument
              resolve(frameDocument ? `${frameDocument.body.textContent}` : 'opaque')
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
          const connection = new WebSocket(`${url.replace('http', 'ws')}/events`, 'fauxgate')
          connection.onopen = () => resolve('open')
          connection.onerror = () => resolve('refused')
        })
        const form = document.createElement('form')
        Object.assign(form, { action: `${url}/reset`, method: 'POST', target: 'there' })
        const target = document.createElement('iframe')
        target.name = 'there'
        document.body.append(target, form)
        form.submit()
        return Promise.all([
          ...answers,
          loadElement('img', 'src', `${url}/overview`),
          loadElement('script', 'src', `${url}/overview`),
          loadElement('iframe', 'src', `${url}/`),
          loadElement('object', 'data', `${url}/`),
          stream,
          socket,
        ])
      }, server.url)
      expect(new Set(results)).toEqual(new Set(['refused', 'opaque']))
      // A rejected frame shows a page of the browser.
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
        expect(await requestStatus(server.url + path, method, { host }), `${method} ${path} of ${host}`).toBe(403)
      }
    }
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })
})
