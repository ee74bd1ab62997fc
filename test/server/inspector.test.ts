import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { PAGE_SCRIPTS } from '../../src/gateway/http/page-headers.ts'
import { createGateway } from '../../src/index.ts'
import { requestBytes, serveGateway } from '../support/serve.ts'

const DOCUMENTS = new URL('../../dist/documents.js', import.meta.url)
const isBuilt = existsSync(DOCUMENTS)

/** Returns the built page, or another document of the build. */
async function builtPage(name = 'inspector'): Promise<Buffer> {
  const documents: Readonly<Record<string, string>> = await import(DOCUMENTS.href)
  return gunzipSync(Buffer.from(documents[name] ?? '', 'base64'))
}

describe('GET /_fauxgate/', () => {
  it.runIf(isBuilt)('is the page, compressed for clients that accept gzip', async () => {
    const { url } = await serveGateway(createGateway())
    const plain = await requestBytes(`${url}/_fauxgate/`)
    const html = await builtPage()
    expect([plain.status, plain.body.equals(html)]).toEqual([200, true])
    expect(plain.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(html.length),
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src(?: 'sha256-[\w+/]{43}='){6}; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
      ),
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept-Encoding',
    })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    const packed = await requestBytes(`${url}/_fauxgate/?some=thing`, {
      headers: { 'accept-encoding': 'br, gzip;q=0.5' },
    })
    expect([packed.headers['content-encoding'], gunzipSync(packed.body).equals(html)]).toEqual(['gzip', true])
    expect(
      (await requestBytes(`${url}/_fauxgate/`, { headers: { 'accept-encoding': 'xgzipx' } })).body.equals(html),
    ).toBe(true)
    const head = await requestBytes(`${url}/_fauxgate/`, { method: 'HEAD' })
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, String(html.length)])
  })

  it.runIf(isBuilt)(
    'is open to who has no key yet, other than the events, and to no page of another site',
    async () => {
      const { url } = await serveGateway(createGateway({ control: { key: 'sesame' } }))
      expect((await requestBytes(`${url}/_fauxgate/`)).status).toBe(200)
      expect((await requestBytes(`${url}/_fauxgate/events`)).status).toBe(401)
      const { url: local } = await serveGateway(createGateway())
      expect((await requestBytes(`${local}/_fauxgate/`, { headers: { origin: 'https://evil.example' } })).status).toBe(
        403,
      )
      expect((await requestBytes(`${local}/_fauxgate/`, { headers: { host: 'evil.example' } })).status).toBe(403)
    },
  )

  it.runIf(isBuilt)('allows the scripts that it loads later, by their contents alone', async () => {
    const { url } = await serveGateway(createGateway({ control: { key: 'sesame' } }))
    const { headers } = await requestBytes(`${url}/_fauxgate/`)
    for (const name of PAGE_SCRIPTS) {
      const script = await requestBytes(`${url}/_fauxgate/${name}.js`, { headers: { 'accept-encoding': 'gzip' } })
      expect(script.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'content-encoding': 'gzip',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      const text = gunzipSync(script.body)
      expect(text.equals(await builtPage(name))).toBe(true)
      const hash = createHash('sha256').update(text).digest('base64')
      expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`)
    }
    expect((await requestBytes(`${url}/_fauxgate/other.js`)).status).toBe(401)
  })

  it.skipIf(isBuilt)('says that it is not built', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { url } = await serveGateway(createGateway())
    expect((await requestBytes(`${url}/_fauxgate/`)).status).toBe(500)
    expect(String(consoleError.mock.calls[0]?.[0])).toContain('The inspector has not been built. Run npm run build.')
    consoleError.mockRestore()
  })

  it('is the target of a redirect from /_fauxgate, for GET and HEAD', async () => {
    const { url } = await serveGateway(createGateway())
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await requestBytes(`${url}/_fauxgate?some=thing`, { method })
      expect([status, headers.location]).toEqual([308, '/_fauxgate/'])
    }
    expect((await requestBytes(`${url}/_fauxgate/`, { method: 'POST' })).status).toBe(404)
    expect((await requestBytes(`${url}/_fauxgate`, { method: 'DELETE' })).status).toBe(404)
  })

  it('answers HEAD for its events', async () => {
    const { url } = await serveGateway(createGateway())
    const { status, headers, body } = await requestBytes(`${url}/_fauxgate/events`, { method: 'HEAD' })
    expect([status, headers['content-type'], body.length]).toEqual([200, 'text/event-stream; charset=utf-8', 0])
  })
})

describe('GET /_fauxgate/openapi.json', () => {
  it('is compressed for clients that accept gzip, and the same text for all others', async () => {
    const { url } = await serveGateway(createGateway())
    for (const path of ['/_fauxgate/openapi.json', '/_fauxgate/openapi.control.json']) {
      const plain = await requestBytes(url + path)
      expect(plain.headers).not.toHaveProperty('content-encoding')
      const packed = await requestBytes(url + path, { headers: { 'accept-encoding': 'gzip, br' } })
      expect(packed.headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(packed.body.length),
        vary: 'Accept-Encoding',
      })
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
      expect(packed.body.length * 5).toBeLessThan(plain.body.length)
    }
  })

  it('names the new URL after the gateway is served at another one', async () => {
    const gateway = createGateway()
    const first = await serveGateway(gateway)
    const read = async (url: string) => {
      const { body } = await requestBytes(`${url}/_fauxgate/openapi.json`, { headers: { 'accept-encoding': 'gzip' } })
      return JSON.parse(gunzipSync(body).toString()).servers[0].url
    }
    expect(await read(first.url)).toBe(first.url)
    const second = await serveGateway(gateway)
    expect(await read(first.url)).toBe(second.url)
  })
})
