import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import type * as ngrok from '../../src/gateway/ngrok.ts'
import type * as main from '../../src/index.ts'
import type * as testing from '../../src/testing/testing.ts'
import { CLOCK_START } from '../support/clock.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
const policy = { authority: 'letsencrypt' } as const

let script: string

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './src/index.ts'\nexport * from './src/testing/testing.ts'\nexport * from './src/gateway/ngrok.ts'`,
      resolveDir: new URL('../..', import.meta.url).pathname,
      loader: 'ts',
    },
    bundle: true,
    platform: 'neutral',
    format: 'iife',
    globalName: 'fauxgate',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser', 'import', 'default'],
    define: { global: 'globalThis', window: 'undefined', MutationObserver: 'undefined' },
    external: ['@sinonjs/fake-timers'],
    inject: [fileURLToPath(new URL('../../src/core/schema/hidden-globals.ts', import.meta.url))],
    banner: { js: 'const require = () => ({})' },
    write: false,
  })
  script = outputFiles[0]?.text as string
})

/** Loads the package in an environment that has the globals of Jest's jsdom, and no others of the platform. */
function load(more: object = {}): { fauxgate: typeof main & typeof testing & typeof ngrok; fetch: typeof fetch } {
  const globals = { URL, URLSearchParams, AbortController, AbortSignal, atob, btoa, crypto }
  const context = createContext({ ...globals, process, ...more })
  runInContext(script, context)
  return context as ReturnType<typeof load>
}

describe('An environment that hides what the platform has, as Jest’s jsdom does', () => {
  it('has the direct API and certificates', () => {
    const { createGateway, manualClock, certificatePair } = load().fauxgate
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    const { id } = gateway.reservedDomains.create({ domain: 'a.test', certificate_management_policy: policy })
    gateway.clock.advanceToNext()
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
    const pair = certificatePair({ names: ['b.test'] })
    expect(gateway.tlsCertificates.create(pair).subject_common_name).toBe('b.test')
  })

  it('has the policies of ngrok, which are checked', () => {
    const { createNgrok } = load().fauxgate
    const endpoints = [
      { url: 'https://app.ngrok-free.app', traffic_policy: 'on_http_request: [{ actions: [{ type: dny }] }]' },
    ]
    expect(() => createNgrok().declare.tunnelSession({ endpoints })).toThrow('Did you mean deny?')
  })

  it('has the fetch of a gateway, also as the global one', async () => {
    const environment = load()
    const gateway = environment.fauxgate.createGateway()
    const installation = gateway.install()
    const body = JSON.stringify({ domain: 'a.test', description: 'für später' })
    const response = await environment.fetch(`${gateway.url}/reserved_domains`, { method: 'POST', headers, body })
    expect(response).toBeInstanceOf(Response)
    expect(await response.json()).toMatchObject({ domain: 'a.test', description: 'für später' })
    const request = new Request(`${gateway.url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
    expect((await environment.fetch(request)).status).toBe(201)
    installation.uninstall()
    expect(environment.fetch).toBeUndefined()
  })

  it('may have a Request without streams, as polyfills do', async () => {
    class Polyfilled {
      readonly headers: Headers
      readonly method = 'POST'
      constructor(readonly from: string | { url: string; content: string }) {
        this.headers = new Headers(headers)
      }
      get url(): string {
        return typeof this.from === 'string' ? this.from : this.from.url
      }
      content = JSON.stringify({ domain: 'app.example.com' })
      text = async () => (typeof this.from === 'string' ? this.content : this.from.content)
    }
    const { createGateway } = load({ Request: Polyfilled }).fauxgate
    const gateway = createGateway()
    const request = new Polyfilled(`${gateway.url}/reserved_domains`) as unknown as Request
    expect((await gateway.fetch(request)).status).toBe(201)
  })

  it('makes fetch name a global that is missing', async () => {
    const gateway = load({ process: undefined }).fauxgate.createGateway()
    await expect(gateway.fetch(gateway.url)).rejects.toThrow('This environment has no Headers, which fauxgate needs.')
  })
})
