import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectError } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2' }
const original = globalThis.fetch
afterEach(() => {
  globalThis.fetch = original
})

describe('gateway.install() (the opt-in that replaces the global fetch)', () => {
  it('lets the global fetch answer for the base URL, and nothing else', async () => {
    const outside = vi.fn(async () => new Response('outside'))
    globalThis.fetch = outside
    const gateway = open()
    const { id } = gateway.reservedAddrs.create()
    const installed = gateway.install({ others: 'pass' })
    expect((await fetch(`${gateway.url}/reserved_addrs/${id}`, { headers })).status).toBe(200)
    expect((await fetch(new Request(`${gateway.url}/reserved_addrs`, { headers }))).status).toBe(200)
    expect((await fetch(`HTTPS://API.gateway.test:443/reserved_addrs`, { headers })).status).toBe(200)
    expect(await (await fetch('https://elsewhere.test/')).text()).toBe('outside')
    expect(await (await fetch(`${gateway.url}.evil.test/`)).text()).toBe('outside')
    expect(outside).toHaveBeenCalledTimes(2)
    installed.uninstall()
    expect(globalThis.fetch).toBe(outside)
  })

  it('ends with the block of `using`', () => {
    const before = globalThis.fetch
    const installed = open().install()
    expect(globalThis.fetch).not.toBe(before)
    installed[Symbol.dispose]()
    expect(globalThis.fetch).toBe(before)
  })

  it('can reject requests to other hosts', async () => {
    const gateway = open()
    gateway.install({ others: 'refuse' })
    await expect(fetch('https://elsewhere.test/')).rejects.toThrow(/is not under https:\/\/api.gateway.test/)
  })

  it('warns once about requests to other hosts if the option `others` is not set, and reports these requests', async () => {
    globalThis.fetch = async () => new Response('outside')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const gateway = open()
    gateway.install()
    for (const path of ['one?key=secret', 'two', 'two'])
      await fetch(`https://elsewhere.test/${path}`, { method: 'post' })
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^POST https:\/\/elsewhere\.test\/one goes to the network\. /)],
    ])
    expect(gateway.report()).toContain(
      'requests to other hosts:\n    POST https://elsewhere.test/one → passed\n    POST https://elsewhere.test/two → passed (2 times)',
    )
    expect(() => gateway.requests.assertAllKnown()).not.toThrow()
  })

  it.each([
    ['https://api.ngrok.com/tls_certificates', 'Was `createNgrok()` meant?'],
    ['http://api.gateway.test/reserved_addrs', 'the host is the same, but the scheme, port, or path is different.'],
    [
      'https://user:secret@elsewhere.test/',
      "Set the client's base URL to it, or set the gateway's `baseUrl` to the client's base URL.",
    ],
  ])('names the near miss of %s, which a test cannot pass by', async (url, hint) => {
    const gateway = open()
    gateway.install({ others: 'refuse' })
    await expect(fetch(url)).rejects.toThrow(hint)
    const line = `GET ${url.replace('user:secret@', '')} → rejected`
    expect(() => gateway.requests.assertAllKnown()).toThrow(`1 request was for another host, and rejected:\n  ${line}`)
    expect(gateway.report()).toContain(line)
  })

  it('names 20 rejected requests, whatever has passed, and counts the others', async () => {
    globalThis.fetch = async () => new Response()
    const gateway = open()
    const passing = gateway.install({ others: 'pass' })
    for (let n = 0; n < 25; n++) await fetch(`https://passed.test/${n}`)
    passing.uninstall()
    gateway.install({ others: 'refuse' })
    for (let n = 0; n < 22; n++) await expect(fetch(`https://refused.test/${n}`)).rejects.toThrow(TypeError)
    const { message } = expectError(() => gateway.requests.assertAllKnown())
    const [first, ...lines] = message.split('\n')
    expect([first, lines.length]).toEqual(['22 requests were for another host, and rejected:', 21])
    expect([lines[0], lines.at(-1)]).toEqual(['  GET https://refused.test/0 → rejected', '  … and 2 more'])
  })

  it('names no other dialect for the host that the gateway itself has', async () => {
    open({ baseUrl: 'https://api.ngrok.com/v2' }).install({ others: 'refuse' })
    await expect(fetch('https://api.ngrok.com/tls_certificates')).rejects.toThrow('the host is the same, but')
  })

  it.each([
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ])('nests, can be undone in any order, and then restores the global fetch: %d, %d, %d', async (...order) => {
    const outside = async () => new Response('outside')
    globalThis.fetch = outside
    const gateways = ['https://one.test', 'https://two.test', 'https://three.test'].map((baseUrl) => open({ baseUrl }))
    const installed = gateways.map((each) => each.install({ others: 'pass' }))
    const isInstalled = gateways.map(() => true)
    const answering = () =>
      Promise.all(
        gateways.map(async ({ url }) => {
          const { headers: received } = await fetch(`${url}/reserved_addrs`, { headers })
          return received.get('content-type') === 'application/json'
        }),
      )
    expect(await answering()).toEqual(isInstalled)
    for (const index of order) {
      installed[index]?.uninstall()
      isInstalled[index] = false
      expect(await answering()).toEqual(isInstalled)
    }
    expect(globalThis.fetch).toBe(outside)
  })

  it('installs several gateways at once, with any option `others`', async () => {
    const [one, two] = [open({ baseUrl: 'https://one.test' }), open({ baseUrl: 'https://two.test/api' })]
    one.install({ others: 'refuse' })
    two.install({ others: 'refuse' })
    for (const { url } of [one, two]) expect((await fetch(`${url}/reserved_addrs`, { headers })).status).toBe(200)
    expect([one.requests.count(), two.requests.count()]).toEqual([1, 1])
    await expect(fetch('https://two.test/elsewhere?key=secret')).rejects.toThrow(
      'https://two.test/elsewhere is not under https://two.test/api or https://one.test, and other requests are rejected.',
    )
  })

  it('rejects a second gateway for the same URL: the one would get the requests of the other', () => {
    const gateway = open()
    const installed = gateway.install()
    expect(() => open().install()).toThrow(/^Another gateway is already installed at https:\/\/api.gateway.test\. /)
    expect(() => open({ baseUrl: `${gateway.url}/below` }).install()).toThrow(/^Another gateway is already installed/)
    expect(() => open({ baseUrl: 'https://api.gateway.test:444' }).install()).not.toThrow()
    gateway.install().uninstall()
    installed.uninstall()
    expect(() => open().install()).not.toThrow()
  })

  it('says in the error that there is no other fetch', async () => {
    Reflect.deleteProperty(globalThis, 'fetch')
    const installed = open().install()
    await expect(fetch('https://elsewhere.test/')).rejects.toThrow(/, and there is no other fetch\. /)
    installed.uninstall()
    expect('fetch' in globalThis).toBe(false)
  })
})
