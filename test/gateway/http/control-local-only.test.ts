import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../../src/index.ts'
import { serve } from '../../../src/server/node.ts'
import { outcome, readResponse } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { openManual, openWithDomain } from '../../support/provisioning.ts'
import { titleWithRequirement } from '../../support/requirements.ts'

const FORBIDDEN = 'ERR_GATEWAY_90403'

/** Resets a gateway with state by a request with these headers from this address. */
function tryToReset(
  headers: Record<string, string>,
  url = '/_fauxgate/reset',
  peer?: string,
  allowHosts: string[] = [],
) {
  const { gateway } = openWithDomain({ control: { allowHosts } })
  const before = gateway.snapshot()
  const { status, body } = gateway.transport.exchange({
    method: 'POST',
    url,
    header: (name) => headers[name] ?? null,
    body: '',
    ...(peer !== undefined && { peer }),
  })
  const after = gateway.snapshot()
  return { status, error: body ? JSON.parse(body) : null, changed: JSON.stringify(after) !== JSON.stringify(before) }
}

/** Returns the status of a served control for an address and a Host header. */
function statusAt(port: number, address: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, host: address, path: '/_fauxgate/clock', headers: { host } }
    request(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

const allowed = { status: 204, error: null, changed: true }
const refused = { status: 403, error: expect.objectContaining({ error_code: FORBIDDEN }), changed: false }

describe('The control API is there for loopback hosts only (rules: control-api#callers)', () => {
  const OWN =
    'localhost LOCALHOST localhost:4747 127.0.0.1 127.0.0.1:80 127.255.249.199 [::1] [0:0:0:0:0:0:0:1] [::1]:4747'
  test.each([...OWN.split(' '), '[::ffff:127.0.0.1]', '[::FFFF:7f00:1]'])('and answers the Host %s', (host) => {
    expect(tryToReset({ host })).toEqual(allowed)
  })

  test.each([
    ...['api.gateway.test', 'gateway.localhost', 'localhost.', 'notlocalhost', 'local host', ''],
    ...['attacker.example:4747', 'localhost.attacker.example', '127.0.0.1.attacker.example'],
    ...['attacker.example#localhost', 'localhost@attacker.example', 'attacker.example@localhost'],
    ...['localhost/attacker.example', 'localhost:80:90', 'localhost:port', 'localhost:80@attacker.example'],
    ...['0.0.0.0', '192.168.0.1', '128.0.0.1', '126.255.255.255', '127.0.0', '127.0.0.1.1', '127.999.1.1'],
    ...['127.0.0.256', '127.0.0.01', '1127.0.0.1', '0x7f.0.0.1', '2130706433', '::1', '[::1', '[::2]', '[1::1]'],
    ...['[::1]x', '[::1%25lo]', '[::ffff:7e00:1]', '[::]', '[::ffff:192.168.0.1]'],
  ])('and answers 403 to the Host %j, as after a DNS rebinding, with nothing done', (host) => {
    expect(tryToReset({ host })).toEqual(refused)
  })

  test('and goes by the Host header, not by a URL that says otherwise', () => {
    expect(tryToReset({ host: 'attacker.example' }, 'http://localhost/_fauxgate/reset')).toEqual(refused)
  })

  test('and goes by the URL where there is no Host header; a path alone names no host', () => {
    expect(tryToReset({}, 'http://localhost:9/_fauxgate/reset')).toEqual(allowed)
    expect(tryToReset({}, 'http://attacker.example/_fauxgate/reset')).toEqual(refused)
    expect(tryToReset({})).toEqual(refused)
  })

  test.each(['http://localhost', 'http://127.0.0.1:1', 'http://[::1]', 'HTTPS://LOCALHOST'])(
    'and answers gateway.fetch at %s',
    async (base) => {
      const answer = await readResponse(await openManual().fetch(`${base}/_fauxgate/clock`))
      expect(answer.body).toMatchObject({ now: SHOWN_START, manual: true })
    },
  )

  test('and answers 403 to gateway.fetch at the service’s own address', async () => {
    const gateway = openManual()
    const answer = await readResponse(await gateway.fetch(`${gateway.url}/_fauxgate/clock`))
    expect(outcome(answer)).toBe(`403 ${FORBIDDEN}`)
    expect(answer.body.msg).toContain('api.gateway.test')
  })

  test('and does not tell strangers which paths there are', () => {
    const { status } = tryToReset({ host: 'attacker.example' }, '/_fauxgate/nonsense')
    expect(status).toBe(403)
  })

  test('and answers 403 on a served port to a Host header of another name', async () => {
    await using server = await serve(openManual())
    expect(await statusAt(server.port, '127.0.0.1', 'attacker.example')).toBe(403)
    expect(await statusAt(server.port, '127.0.0.1', `localhost:${server.port}`)).toBe(200)
  })
})

describe('The control API is there for peers on this machine only (rules: control-api#callers)', () => {
  const host = 'localhost:4747'

  test.each(['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '::FFFF:127.3.2.1', '::ffff:7f01:203'])(
    'and answers the peer %s',
    (peer) => {
      expect(tryToReset({ host }, undefined, peer)).toEqual(allowed)
    },
  )

  test.each([
    ...['192.168.1.5', '10.0.0.1', '0.0.0.0', '128.0.0.1', '127.0.0.256', '::', '::2', 'fe80::1%eth0', '::1%lo'],
    ...['::ffff:192.168.1.5', '::ffff:126.0.0.1', '2001:db8::127.0.0.1', '::127.0.0.1', 'localhost', '[::1]'],
    ...['unknown', '127.0.0.1, 192.168.1.5', '', '::1]/x', '::1]#', '::1]:80', 'x]@[::1', '::1]@[::1'],
  ])('and answers 403 to the peer %j, whatever its headers say, with nothing done', (peer) => {
    expect(tryToReset({ host }, undefined, peer)).toEqual(refused)
    const { error } = tryToReset({ host, 'x-forwarded-for': '127.0.0.1' }, undefined, peer)
    expect(error.msg).toContain(`peer address ${JSON.stringify(peer)} is not allowed. Allowed: this machine's own`)
  })

  const address = Object.values(networkInterfaces())
    .flat()
    .find((own) => own?.family === 'IPv4' && !own.internal)?.address
  const title = titleWithRequirement(
    'which is the socket’s, on a server that listens on every address',
    address !== undefined,
    'no address that others reach',
  )
  test.runIf(address)(title, async () => {
    await using server = await serve(openManual(), { host: '0.0.0.0' })
    expect([
      await statusAt(server.port, '127.0.0.1', host),
      await statusAt(server.port, String(address), host),
    ]).toEqual([200, 403])
  })
})

describe('Host names that the user allows', () => {
  const allowHosts = ['fauxgate', 'Gate.Example', 'fd00::1', '10.0.0.7']

  test.each(['fauxgate', 'fauxgate:4747', 'FAUXGATE', 'gate.example:80', '[fd00::1]:4747', '10.0.0.7'])(
    'are answered like this machine’s own: %s',
    (host) => {
      expect(tryToReset({ host }, undefined, '127.0.0.1', allowHosts)).toEqual(allowed)
      expect(tryToReset({ host: 'localhost' }, undefined, '127.0.0.1', allowHosts)).toEqual(allowed)
    },
  )

  test('are the names of pages too', () => {
    const headers = { host: 'fauxgate:4747', origin: 'http://fauxgate:4747' }
    expect(tryToReset(headers, undefined, undefined, allowHosts)).toEqual(allowed)
    expect(tryToReset(headers)).toEqual(refused)
    expect(tryToReset({ ...headers, origin: 'http://x.fauxgate' }, undefined, undefined, allowHosts)).toEqual(refused)
    expect(tryToReset({ ...headers, origin: 'null' }, undefined, undefined, ['fauxgate', 'null'])).toEqual(refused)
  })

  test.each(['fauxgate.example', 'xfauxgate', 'x.fauxgate', 'gate_example', '[fauxgate]'])(
    'are no others: %s',
    (host) => {
      expect(tryToReset({ host }, undefined, undefined, allowHosts)).toEqual(refused)
    },
  )

  test('let nobody in from another machine: a name is only what a client says', () => {
    expect(tryToReset({ host: 'fauxgate' }, undefined, '172.18.0.3', allowHosts)).toEqual(refused)
  })

  test.each(['', 'fauxgate:4747', '*', 'a b', '.a', 'http://a', '[::1]', 7])(
    'are names without port, so that %j is rejected',
    (host) => {
      const create = () => openManual({ control: { allowHosts: ['fauxgate', host as never] } })
      expect(create).toThrow(/^control\.allowHosts\.1 is .* Allowed: a host name without a port\.$/)
    },
  )

  test.each([
    [{ allowHosts: 'fauxgate' }, /^control\.allowHosts is .* Allowed: an array of host names without ports\.$/],
    [{ allowHost: ['fauxgate'] }, '"control.allowHost" is not an option. Supported: key, allowHosts.'],
    ['anyone', /^control is a string of 6 characters\. Allowed: "loopback", or an object/],
    [null, /^control is null\. Allowed: "loopback", or an object/],
  ])('are a list, so that %j is rejected', (control, message) => {
    expect(() => openManual({ control: control as never })).toThrow(message)
  })

  test('can be left out', () => {
    for (const control of ['loopback', {}, { allowHosts: [] }, undefined] as const) {
      expect(openManual(control && { control }).url).toBe('https://api.gateway.test')
    }
  })
})

describe('The control API is not there for pages of other sites', () => {
  const host = 'localhost:4747'

  test.each([
    ...['https://attacker.example', 'http://localhost.attacker.example', 'http://attacker.example:4747', 'null', ''],
    ...['file://', 'chrome-extension://abcdef', 'chrome-extension://localhost', 'localhost', 'http://localhost/'],
    ...['http://localhost?', 'http://gateway.localhost', 'http://attacker.example@localhost', 'ahttp://localhost'],
  ])('and answers 403 to the Origin %j, with nothing done', (origin) => {
    expect(tryToReset({ host, origin })).toEqual(refused)
  })

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'https://LOCALHOST', 'http://[::1]:8080'])(
    'and answers the Origin %s with the headers that let its page read',
    async (origin) => {
      expect(tryToReset({ host, origin })).toEqual(allowed)
      const { status, headers } = await openManual().fetch(`http://${host}/_fauxgate/clock`, { headers: { origin } })
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('vary')).toBe('Origin')
    },
  )

  test('and answers 403 to a request that the browser marks as cross-site, also without an Origin', () => {
    expect(tryToReset({ host, 'sec-fetch-site': 'cross-site' })).toEqual(refused)
    const headers: Record<string, string> = { host, 'sec-fetch-site': 'cross-site' }
    const url = '/_fauxgate/clock'
    const answer = openManual().transport.exchange({
      method: 'GET',
      url,
      body: '',
      header: (name) => headers[name] ?? null,
    })
    expect(JSON.parse(answer.body as string).msg).toContain('The Sec-Fetch-Site "cross-site" is not allowed')
  })

  test.each(['same-origin', 'none'])('and answers one that it marks as %s', (site) => {
    expect(tryToReset({ host, 'sec-fetch-site': site })).toEqual(allowed)
  })

  /** Sends a preflight for a call that advances the clock. */
  const preflight = (gateway: Gateway, origin: string) =>
    gateway.fetch(`http://${host}/_fauxgate/clock`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })

  test('and answers the preflight of a loopback page, with the path’s methods', async () => {
    const { status, headers } = await preflight(openManual(), 'http://localhost:3000')
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST')
    expect(headers.get('access-control-allow-headers')).toBe('content-type')
  })

  test('and answers 403 to the preflight of another site', async () => {
    const { status, headers } = await preflight(openManual(), 'https://attacker.example')
    expect(status).toBe(403)
    expect(headers.get('access-control-allow-methods')).toBeNull()
  })
})
