import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../../src/index.ts'
import { client } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { dueAfter, timeAfter } from '../../support/provisioning.ts'

const PAGE = 'There is another page, but no later request fetched it: see its next_page_uri.'
const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }

/** Opens a gateway with the calls of its client, and with some addresses. */
function open(addresses = 0, create: typeof createNgrok = createNgrok) {
  const gateway = create({ clock: manualClock(CLOCK_START), seed: 'hints' })
  for (let n = 0; n < addresses; n++) gateway.reservedAddrs.create({ description: n % 2 ? 'odd one' : 'even' })
  const send = (method: string, path: string, json?: object) =>
    client(gateway)(method, path, { headers, ...(json && { json }) })
  const get = async (query = '') => (await send('GET', `/reserved_addrs${query}`)).body
  return { gateway, send, get, countPages: () => gateway.report().split('another page').length - 1 }
}

const cursorOf = (page: { readonly next_page_uri: string }) => new URL(page.next_page_uri).searchParams.get('before_id')

type Get = ReturnType<typeof open>['get']

/** Clients that ask for all pages of 103 addresses. */
const COMPLETE: Readonly<Record<string, (get: Get) => Promise<unknown>>> = {
  'with the parameters in another order': async (get) => get(`?limit=60&before_id=${cursorOf(await get('?limit=60'))}`),
  'with another limit': async (get) => get(`?before_id=${cursorOf(await get('?limit=60'))}&limit=100`),
  'without the limit': async (get) => get(`?before_id=${cursorOf(await get('?limit=60'))}`),
  'with beforeId, as the official client in TypeScript': async (get) =>
    get(`?beforeId=${cursorOf(await get('?limit=100'))}&limit=100`),
  'with a filter in another encoding': async (get) => {
    const first = await get(`?limit=40&filter=${encodeURIComponent('obj.description == "odd one"')}`)
    return get(`?limit=40&before_id=${cursorOf(first)}&filter=obj.description+%3D%3D+%22odd+one%22`)
  },
  'with an overlap': async (get) => get(`?limit=60&before_id=${(await get('?limit=60')).reserved_addrs[50].id}`),
  'again, after a first attempt that ended early': async (get) => {
    await get()
    return get(`?before_id=${cursorOf(await get())}`)
  },
}

/** Clients that do not ask for all pages. */
const INCOMPLETE: Readonly<Record<string, (get: Get) => Promise<unknown>>> = {
  'the first page alone': (get) => get(),
  'the first page twice': async (get) => get((await get()) && ''),
  'the second page of another list': async (get) => {
    const first = await get('?limit=60')
    return get(`?limit=60&filter=${encodeURIComponent('obj.description == "even"')}&before_id=${cursorOf(first)}`)
  },
  'items of the first page again': async (get) =>
    get(`?limit=1&before_id=${(await get('?limit=60')).reserved_addrs[3].id}`),
}

describe('The report says of another page', () => {
  test.each(Object.entries(COMPLETE))('nothing to a client that pages %s', async (_, work) => {
    const { get, countPages } = open(103)
    await work(get)
    expect(countPages()).toBe(0)
  })

  test.each(Object.entries(INCOMPLETE))('that a client read %s', async (_, work) => {
    const { get, countPages } = open(103)
    await work(get)
    expect(countPages()).toBeGreaterThan(0)
  })

  test('nothing if a later request received the rest without asking for a page', async () => {
    const { gateway, get, countPages } = open(103)
    const { reserved_addrs: first } = await get()
    for (const { id } of first.slice(0, 4)) gateway.reservedAddrs.delete(id)
    await get()
    expect(countPages()).toBe(0)
  })

  test('nothing if the request for it failed', async () => {
    const { gateway, get, countPages } = open(3)
    const first = await get('?limit=2')
    gateway.faults.add({ times: 1, status: 503 })
    await get(`?limit=2&before_id=${cursorOf(first)}`)
    expect(countPages()).toBe(0)
  })

  test('that an earlier listing was complete, but not the last one', async () => {
    const { get, countPages } = open(103)
    await get(`?before_id=${cursorOf(await get())}`)
    await get()
    expect(countPages()).toBe(1)
  })
})

describe('The report says of the response that code may have misread', () => {
  const MISREAD = /the response that your code may have misread:\n {4}(.*)/
  const readOf = (message: string, { gateway }: ReturnType<typeof open>) =>
    MISREAD.exec(gateway.report({ about: message }))?.[1]

  test.each([
    ['page.policies is not iterable', '; not policies'],
    ['page[field] is not iterable (cannot read property undefined)', '; ip_policies is empty'],
    ["Cannot read properties of undefined (reading 'map')", '; ip_policies is empty'],
    ['Spread syntax requires ...iterable[Symbol.iterator] to be a function', '; ip_policies is empty'],
    ['page.map is not a function', '; ip_policies is empty'],
    ["undefined is not an object (evaluating 'page.policies.length')", '; ip_policies is empty'],
    ['expected undefined to be 1 // Object.is equality', '; ip_policies is empty'],
    ['expect(received).toBe(expected)\n\nExpected: 1\nReceived: undefined', '; ip_policies is empty'],
    ['Expected values to be strictly equal:\n\nundefined !== 1\n', '; ip_policies is empty'],
    ["KeyError: 'policies'", '; not policies'],
  ])('which fields it has: %s', async (message, not) => {
    const opened = open(1)
    const { gateway, send } = opened
    await send('DELETE', `/reserved_addrs/${gateway.reservedAddrs.list().reserved_addrs[0]?.id}`)
    await send('GET', '/ip_policies')
    // Error messages of one engine name no value.
    const about = message.startsWith('Spread') ? `TypeError: ${message} undefined` : message
    expect(readOf(about, opened)).toBe(`GET /ip_policies → 200 has the fields ip_policies, uri, next_page_uri${not}`)
  })

  test("the names that ngrok's client in TypeScript gives to fields", async () => {
    const opened = open(1)
    const user = { ...headers, 'user-agent': 'ngrok-api-typescript/0.10.0/v24.0.0' }
    await opened.gateway.fetch(`${opened.gateway.url}/reserved_addrs`, { headers: user })
    const about = "Cannot read properties of undefined (reading 'split')"
    const fields = 'the fields reservedAddrs, uri, nextPageUri; the first of reservedAddrs has id, uri, createdAt, '
    expect(readOf(about, opened)).toContain(fields)
    expect(readOf("Cannot read properties of undefined (reading 'createdAt')", opened)).toContain(fields)
  })

  test('that there is no certificate yet, if code has read a field of it as undefined', async () => {
    const opened = open()
    const { gateway, send } = opened
    const { body } = await send('POST', '/reserved_domains', { domain: 'app.example.com' })
    const about = "expected undefined to be 'cert_1' // Object.is equality"
    const attempt = `; certificate is null: the next attempt is at ${dueAfter('30s')}`
    expect(readOf(about, opened)).toContain(attempt)
    gateway.clock.advance('31s')
    await send('GET', `/reserved_domains/${body.id}`)
    expect(readOf(about, opened)).toMatch(/has the fields id, .*(?<!certificate is null.*)$/)
  })

  test('when the next attempt is, if code has given up before', async () => {
    const { gateway, send } = open()
    await send('POST', '/reserved_domains', { domain: 'app.example.com' })
    gateway.clock.advance('20s')
    const next = `At ${dueAfter('30s')}: the attempt for app.example.com.`
    expect(gateway.report({ about: 'there is no certificate' })).toContain(next)
    expect(gateway.report({ about: 'expected 1 to be 2' })).not.toContain(next)
    gateway.clock.advance('11s')
    expect(gateway.report({ about: 'there is no certificate' })).not.toContain('  next:')
  })

  test('what the gateway did with the last visitor, and where the visitor came from', async () => {
    const { gateway } = open()
    const allow = ['203.0.113.0/24']
    const actions = [{ type: 'restrict-ips', config: { enforce: false, allow } }]
    const respond = { type: 'custom-response', config: { status_code: 200 } }
    const traffic_policy = JSON.stringify({ on_http_request: [{ actions }, { actions: [respond] }] })
    gateway.reservedDomains.create({ domain: 'shop.ngrok.app' })
    gateway.endpoints.create({ url: 'https://shop.ngrok.app', type: 'cloud', traffic_policy })
    for (const ip of ['203.0.113.9', '192.0.2.1'])
      await gateway.traffic.fetch('https://shop.ngrok.app', { from: { ip } })
    const report = gateway.report({ about: 'expected 200 to be 403' })
    expect(report).toContain(
      'restrict-ips denied 192.0.2.1 because it is in no allowed range, and let the request pass',
    )
    expect(report.split('the last visitor came from')).toHaveLength(2)
    expect(report).not.toContain('203.0.113.9')
  })

  test('which field is null, and when it will not be', async () => {
    const opened = open()
    const { gateway, send } = opened
    await send('GET', '/reserved_domains/rd_none')
    const { body } = await send('POST', '/reserved_domains', { domain: 'app.example.com' })
    const about = "Cannot read properties of null (reading 'id')"
    const attempt = `has null in certificate: the next attempt is at ${dueAfter('30s')}`
    expect(readOf(about, opened)).toBe(`POST /reserved_domains → 201 ${attempt}`)
    await send('GET', '/reserved_domains')
    expect(readOf(about, opened)).toBe(`GET /reserved_domains → 200 ${attempt}`)
    gateway.clock.advance('1m')
    await send('GET', `/reserved_domains/${body.id}`)
    expect(readOf(about, opened)).toMatch(/^GET \/reserved_domains\/rd_\w+ → 200 has null in (?!certificate)\w+/)
  })

  test.each<[string, string, (opened: ReturnType<typeof open>) => Promise<unknown>]>([
    ['there is none', 'page.policies is not iterable', async () => undefined],
    [
      'it has no body, and code did not parse it',
      "Cannot read properties of undefined (reading 'toUpperCase')",
      async ({ gateway, send }) => send('DELETE', `/reserved_addrs/${gateway.reservedAddrs.create().id}`),
    ],
    [
      'it has a body, and code parsed an empty text',
      'Unexpected end of JSON input',
      ({ send }) => send('GET', '/ip_policies'),
    ],
    ['it has the field', 'page.ip_policies is not iterable', ({ send }) => send('GET', '/ip_policies')],
    [
      'nothing in it is null',
      "Cannot read properties of null (reading 'id')",
      ({ send }) => send('POST', '/ip_policies', { description: 'office' }),
    ],
    [
      'code read a name that no response has',
      "Cannot read properties of undefined (reading 'street')",
      ({ send }) => send('GET', '/ip_policies'),
    ],
    ['code called nothing', 'undefined is not a function', ({ send }) => send('GET', '/ip_policies')],
    [
      'code called nothing after an error',
      'gateway.clock.advance(...) is not a function',
      ({ send }) => send('GET', '/ip_policies/x'),
    ],
    [
      'code set a field of nothing',
      "Cannot set properties of undefined (setting 'id')",
      ({ send }) => send('GET', '/ip_policies'),
    ],
    [
      'code has read the message of an error that is about null',
      'HTTP 400: Body must be a JSON object, but it is null.',
      async ({ gateway, send }) => {
        const msg = 'Body must be a JSON object, but it is null.'
        gateway.faults.add({ times: 1, status: 400, body: { error_code: 'ERR_NGROK_1', status_code: 400, msg } })
        await send('GET', '/ip_policies')
      },
    ],
    ['a value differs', 'expected 2 to be undefined', ({ send }) => send('GET', '/ip_policies')],
    ['it has the key', "KeyError: 'ip_policies'", ({ send }) => send('GET', '/ip_policies')],
    ['a module has no such function', '(0 , api.list) is not a function', ({ send }) => send('GET', '/ip_policies')],
    [
      'the client did not receive it',
      "Cannot read properties of undefined (reading 'code')",
      async ({ gateway, get }) => {
        gateway.faults.add({ times: 1, drop: true })
        await get().catch(() => undefined)
      },
    ],
    [
      'the client received only its beginning',
      "Cannot read properties of undefined (reading 'id')",
      async ({ gateway, get }) => {
        gateway.faults.add({ times: 1, truncate: 5 })
        await get().catch(() => undefined)
      },
    ],
    [
      'the client still waits for it',
      "Cannot read properties of undefined (reading 'id')",
      async ({ gateway }) => {
        gateway.faults.add({ times: 1, latency: '1h' })
        void gateway.fetch(`${gateway.url}/ip_policies`, { headers }).catch(() => undefined)
        await new Promise((resolve) => setImmediate(resolve))
      },
    ],
  ])('nothing if %s', async (_, message, work) => {
    const opened = open()
    await work(opened)
    expect(readOf(message, opened)).toBeUndefined()
  })
})

describe('The report says of a filter', () => {
  const filterOf = (text: string) => `?filter=${encodeURIComponent(text)}`

  test('that it matches nothing, in plain text', async () => {
    const { gateway, get } = open(2)
    await get(filterOf('obj.region == "jp"'))
    expect(gateway.report()).toContain('The filter obj.region == "jp" matches 0 of 2 reserved_addrs.')
  })

  test('nothing if it matched something, if it matches something by now, or if there is nothing', async () => {
    const { gateway, send, get } = open(2)
    await get(filterOf('obj.description == "even"'))
    await get(filterOf('obj.description == "new"'))
    await send('POST', '/reserved_addrs', { description: 'new' })
    await send('GET', `/ip_policies${filterOf('obj.description == "none"')}`)
    expect(gateway.report()).not.toContain('matches 0')
  })

  test('nothing about the page after the last match, or about a filter that has a secret', async () => {
    const { gateway, get } = open(3)
    const [, second] = gateway.reservedAddrs.list().reserved_addrs
    await get(`${filterOf('obj.description == "odd one"')}&before_id=${second?.id}`)
    await get(filterOf('obj.description == "Bearer key-that-is-secret"'))
    await client(gateway)('GET', '/reserved_addrs', { headers: { authorization: 'Bearer key-that-is-secret' } })
    expect(gateway.report()).not.toContain('matches 0')
  })
})

describe('The report says of a certificate', () => {
  test('that code stopped asking before it was issued', async () => {
    const { gateway, send } = open()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    await send('GET', `/reserved_domains/${id}`)
    const hint = () => /Its certificate is null\. The certificate was issued at .*/.exec(gateway.report())?.[0]
    expect(hint()).toBeUndefined()
    gateway.clock.advance('1m')
    expect(hint()).toBe(
      `Its certificate is null. The certificate was issued at ${dueAfter('30s')}, but no later response shows it.`,
    )
    await send('GET', '/reserved_domains')
    expect(hint()).toBeUndefined()
  })

  test('that code never asked after it created the domain, but once alone if it did', async () => {
    const { gateway, send } = open()
    await send('POST', '/reserved_domains', { domain: 'app.example.com' })
    gateway.clock.advance('10s')
    const hints = () => gateway.report().split('Its certificate is null. The certificate was issued').length - 1
    expect(hints()).toBe(0)
    gateway.clock.advance('1m')
    expect(hints()).toBe(1)
    gateway.requests.clear()
    const { body: other } = await send('POST', '/reserved_domains', { domain: 'shop.example.com' })
    await send('GET', `/reserved_domains/${other.id}`)
    gateway.clock.advance('1m')
    expect(hints()).toBe(1)
    await send('GET', `/reserved_domains/${other.id}`)
    expect(hints()).toBe(0)
  })
})

describe('The report says of a failed attempt', () => {
  /** Opens a gateway whose attempts fail. `read` reads the domain after some time. */
  function openFailing() {
    const opened = open()
    const { gateway, send } = opened
    gateway.provisioning.failAlways('DNS_ERROR')
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const read = async (...durations: readonly ('30s' | '1h')[]) => {
      for (const each of durations) gateway.clock.advance(each)
      await send('GET', `/reserved_domains/${id}`)
    }
    return { ...opened, read }
  }

  const MISSED = 'but no later response shows the failure'

  test('that no later response shows it, unless a response shows an equal failure', async () => {
    const { gateway, read } = openFailing()
    await read()
    gateway.clock.advance('1h')
    expect(gateway.report()).toContain(MISSED)
    await read()
    await read('1h')
    gateway.clock.advance('1h')
    expect(gateway.report()).toContain('Its provisioning_job has the error_code DNS_ERROR')
    expect(gateway.report()).not.toContain(MISSED)
  })

  test('the name of the domain, if the response is a list', async () => {
    const { gateway, send } = openFailing()
    gateway.clock.advance('31s')
    await send('GET', '/reserved_domains')
    const hint = 'The provisioning_job of app.example.com has the error_code DNS_ERROR: the attempt has failed.'
    expect(gateway.report()).toContain(`      ${hint}\n`)
    gateway.reservedDomains.create({ domain: 'shop.example.com' })
    gateway.clock.advance('31s')
    await send('GET', '/reserved_domains')
    expect(gateway.report()).toMatch(
      /has the error_code DNS_ERROR: the attempt has failed\. 1 other domain failed too\.\n/,
    )
  })
})

test('The report says nothing of an empty string, with which a client gives no value', async () => {
  const { gateway, send } = open()
  expect((await send('POST', '/reserved_addrs', { region: '' })).body.region).toBe('us')
  expect(gateway.report()).not.toContain('was sent')
})

describe('The report says of an update', () => {
  const HINT = 'It changed nothing: the resource already had these values.'

  test('that it changed nothing', async () => {
    const { gateway, send } = open()
    const { id } = gateway.reservedAddrs.create({ description: 'office' })
    await send('PATCH', `/reserved_addrs/${id}`, { description: 'office' })
    expect(gateway.report()).toContain(HINT)
  })

  test('nothing if it changed something, or repeats the update before it', async () => {
    const { gateway, send } = open()
    const { id } = gateway.reservedAddrs.create({ description: 'office' })
    for (let count = 0; count < 2; count++) await send('PATCH', `/reserved_addrs/${id}`, { description: 'home' })
    expect(gateway.report()).not.toContain('changed nothing')
  })
})

describe('The report says of a certificate with many failed renewals', () => {
  test('until when it is valid', async () => {
    const { gateway } = open()
    gateway.reservedDomains.create({
      domain: 'app.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    gateway.clock.advance('30d')
    expect(gateway.report()).not.toContain('is valid from')
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('50d')
    const validity = `is valid from ${dueAfter('30s')} until ${dueAfter('30s', '90d')}.`
    expect(gateway.report()).toMatch(new RegExp(`\\n    cert_\\w+ ${validity}\\n    … \\d+ earlier omitted\\n`))
  })
})

describe('The report says of a client that gave up', () => {
  const HINT =
    "  No time had passed on the gateway's clock when the client gave up or its server closed. The `timeout` of node:http and, " +
    "after a file's first test, undici's `headersTimeout` don't follow the gateway's clock. With the `globals` option, `AbortSignal.timeout` does."

  const giveUp = async (gateway: Gateway, wait: () => unknown = () => undefined) => {
    gateway.faults.add({ latency: '1m' })
    const client = new AbortController()
    const sent = gateway.fetch(`${gateway.url}/reserved_addrs`, { headers, signal: client.signal })
    await new Promise(setImmediate)
    wait()
    client.abort()
    await expect(sent).rejects.toThrow('aborted')
    return gateway.report()
  }

  test('that its own timeout does not follow the clock, if the clock has not moved', async () => {
    expect(await giveUp(open().gateway)).toContain(HINT)
  })

  test('nothing if the clock has moved, or is no manual clock', async () => {
    const { gateway } = open()
    expect(await giveUp(gateway, () => gateway.clock.advance('30s'))).not.toContain('No time had passed')
    expect(await giveUp(createNgrok({ clock: { now: CLOCK_START } }))).not.toContain('No time had passed')
  })
})

describe('The report says of a deleted domain', () => {
  const body = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

  test('when its first attempt was due, if it had no certificate yet', async () => {
    const { gateway, send } = open()
    const { id } = (await send('POST', '/reserved_domains', body)).body
    gateway.clock.advance('20s')
    await send('DELETE', `/reserved_domains/${id}`)
    expect(gateway.report()).toContain(
      `app.example.com had no certificate: its first attempt was due at ${dueAfter('30s')}.`,
    )
  })

  test('when its next attempt was due, if one had failed', async () => {
    const { gateway, send } = open()
    gateway.provisioning.script(['INTERNAL_ERROR'], { domain: 'app.example.com' })
    const { id } = (await send('POST', '/reserved_domains', body)).body
    gateway.clock.advance('40s')
    await send('DELETE', `/reserved_domains/${id}`)
    expect(gateway.report()).toContain(`its next attempt was due at ${dueAfter('30s', '1m')}.`)
  })

  test('nothing about attempts, if it had a certificate or waited for none', async () => {
    const { gateway, send } = open()
    const { id } = (await send('POST', '/reserved_domains', body)).body
    const other = (await send('POST', '/reserved_domains', { domain: 'other.example.com' })).body
    gateway.clock.advance('40s')
    for (const each of [id, other.id]) await send('DELETE', `/reserved_domains/${each}`)
    expect(gateway.report()).not.toContain('attempt was due')
  })
})

describe('The report puts the likeliest cause first', () => {
  const titlesOf = (text: string) => text.match(/^ {2}\w+/gm)?.map((line) => line.trim())

  test('if a note explains a request, and otherwise the domain that the failure names', async () => {
    const { gateway, send, get } = open(3)
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const about = 'expected app.example.com'
    await send('GET', '/reserved_domains')
    expect(titlesOf(gateway.report({ about }))?.slice(0, 2)).toEqual(['provisioning', 'requests'])
    await get('?limit=2')
    expect(titlesOf(gateway.report({ about }))?.slice(0, 2)).toEqual(['requests', 'provisioning'])
  })

  test('and does not blame the clock for an error, a leftover or a comparison', async () => {
    const { gateway, send, get } = open(1)
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const { body } = await send('POST', '/reserved_domains', {
      domain: 'other.example.com',
      certificate_management_policy: 'letsencrypt',
    })
    const hasNext = (about: string) => gateway.report({ about }).includes('The clock has not moved')
    expect(hasNext(`ApiError: ${body.msg}`)).toBe(false)
    expect(body.msg).toContain('certificate')
    await get()
    expect(hasNext('Expected no leftover resources, but requests left 1: reserved_addrs ra_1.')).toBe(false)
    expect(hasNext('expected [ 1 ] to have a length of 2 but got 1')).toBe(false)
    expect(hasNext('Test timed out in 5000ms.')).toBe(true)
    expect(hasNext('Expected app.example.com to have a certificate, but it has none.')).toBe(true)
    expect(hasNext('')).toBe(true)
    await get()
    expect(hasNext('expected [ 1 ] to have a length of 2 but got 1')).toBe(true)
  })

  test('of a gateway without notes, of one with another dialect too', async () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    await client(gateway)('GET', '/reserved_addrs?limit=2')
    expect(gateway.report()).toContain(`${SHOWN_START}  GET /reserved_addrs?limit=2 → 200\n      ${PAGE}`)
    expect(timeAfter('0s')).toBe(SHOWN_START)
  })
})
