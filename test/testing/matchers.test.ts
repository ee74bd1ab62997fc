import { describe, expect } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import { failedDomain, issuedDomain, type Requested, uploadedDomain } from '../../src/testing/testing.ts'
import { test } from '../../src/testing/vitest.ts'
import { widgets } from '../service/kit/widgets.ts'
import { client, expectError } from '../support/client.ts'

/** Runs a matcher that fails. Returns its message. */
function catchMessage(assert: () => void): string {
  return expectError(assert).message
}

const newDomain = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

describe('toHaveCertificate, toBeProvisioning and toHaveFailedWith', () => {
  test('check the current state of a domain of a gateway, by name or id', ({ gateway }) => {
    const { id } = gateway.reservedDomains.create(newDomain)
    for (const name of [[id], ['app.example.com'], ['APP.example.com.'], []]) {
      expect(gateway).not.toHaveCertificate(...name)
      expect(gateway).toBeProvisioning(...name)
      expect(gateway).not.toHaveFailedWith('DNS_ERROR', ...name)
    }
    expect(() => expect(gateway).not.toHaveCertificate(undefined)).toThrow('received undefined as the name')
    gateway.provisioning.failNext('DNS_ERROR')
    gateway.clock.advance('30s')
    expect(gateway).toHaveFailedWith('DNS_ERROR', id)
    expect(gateway).not.toHaveFailedWith('INTERNAL_ERROR', id)
    expect(gateway).toBeProvisioning(id)
    gateway.clock.advance('1h')
    expect(gateway).toHaveCertificate(id)
    expect(gateway).not.toBeProvisioning(id)
    expect(gateway).not.toHaveFailedWith('DNS_ERROR', id)
  })

  test('check a domain from a response, of the direct API or as JSON', async ({ gateway }) => {
    const { domain } = issuedDomain(gateway)
    expect(domain).toHaveCertificate()
    const { body } = await client(gateway)('GET', `/reserved_domains/${domain.id}`)
    expect(body).toHaveCertificate()
    expect(body).not.toBeProvisioning()
    expect(failedDomain(gateway, { domain: 'b.example.com' })).toHaveFailedWith('DNS_ERROR')
    expect(uploadedDomain(gateway, { domain: 'c.example.com' }).domain).toHaveCertificate()
    expect([domain]).toContainEqual(expect.toHaveCertificate())
  })

  test('describe the state of the domain, with the timeline and the report', ({ gateway }) => {
    const domain = failedDomain(gateway)
    const lines = catchMessage(() => expect(gateway).toHaveCertificate('app.example.com')).split('\n')
    expect(lines[0]).toMatch(/app\.example\.com .*2026-01-01T00:00:00Z .*DNS_ERROR.* 2026-01-01T01:00:00Z\.$/)
    const timeline = gateway.provisioning.printTimeline(domain.id)
    expect(lines.slice(1, 3)).toEqual(timeline.split('\n').map((line) => `  ${line}`))
    expect(lines.slice(4).join('\n')).toBe(gateway.report())
    expect(catchMessage(() => expect(gateway).not.toBeProvisioning())).toMatch(/ not to be provisioning, but it is\./)
    const other = catchMessage(() => expect(gateway).toHaveFailedWith('INTERNAL_ERROR'))
    expect(other).toMatch(/ to have failed with INTERNAL_ERROR, .* with DNS_ERROR\./)
  })

  test('say that a returned domain may have another state now', ({ gateway }) => {
    const domain = gateway.reservedDomains.create(newDomain)
    gateway.clock.advance('30s')
    const message = catchMessage(() => expect(domain).toHaveCertificate())
    expect(message).toMatch(/has none\. Its provisioning job started at .*\n.*expect\(gateway\)/)
    expect(message).not.toContain('advanceToNext')
    const other = gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect(catchMessage(() => expect(other).toBeProvisioning())).toContain(
      'neither an uploaded certificate nor a policy.',
    )
    const current = catchMessage(() => expect(gateway).toBeProvisioning('b.example.com'))
    expect(current).toMatch(/nor a policy\.\n\nThe gateway at/)
    const { domain: issued } = issuedDomain(gateway, { domain: 'c.example.com' })
    const unexpected = catchMessage(() => expect(issued).not.toHaveCertificate())
    expect(unexpected).toMatch(/has cert_\w+\. No .* renewal is at 2026-03-/)
    const { domain: uploaded } = uploadedDomain(gateway, { domain: 'd.example.com' })
    expect(catchMessage(() => expect(uploaded).toBeProvisioning())).toContain('Its certificate was uploaded.')
  })

  test('throw for other values and for unknown domains, negated too', ({ gateway }) => {
    expect(() => expect('app.example.com').not.toHaveCertificate()).toThrow(
      'toHaveCertificate received "app.example.com"',
    )
    for (const check of [
      () => expect(gateway).not.toHaveCertificate('x.test'),
      () => expect(gateway).toBeProvisioning('x.test'),
      () => expect(gateway).toHaveFailedWith('DNS_ERROR', 'x.test'),
    ]) {
      expect(check).toThrow('found no domain "x.test": the gateway has none')
    }
    for (let i = 0; i < 12; i++) gateway.reservedDomains.create({ domain: `d${i}.example.com` })
    expect(() => expect(gateway).not.toBeProvisioning('x.test')).toThrow(
      /has d11\.example\.com, .*d2\.example\.com and 2 more/,
    )
    expect(() => expect(gateway).not.toBeProvisioning()).toThrow('needs the name or ID')
    const domain = gateway.reservedDomains.create(newDomain)
    expect(() => expect(domain).toBeProvisioning('x.test')).toThrow('take a domain name')
  })

  test('say how to reach the first attempt, if the clock is manual', ({ gateway }) => {
    gateway.reservedDomains.create(newDomain)
    expect(catchMessage(() => expect(gateway).toHaveCertificate())).toContain('gateway.clock.advanceToNext()')
    const otherGateway = createGateway()
    otherGateway.reservedDomains.create(newDomain)
    expect(catchMessage(() => expect(otherGateway).toHaveCertificate())).not.toContain('advanceToNext')
  })

  test('throw for invalid names and errors, negated too', async ({ gateway }) => {
    gateway.reservedDomains.create(newDomain)
    for (const name of [null, 5, newDomain] as never[]) {
      const message = 'Allowed: the name or ID of a domain.'
      expect(() => expect(gateway).not.toHaveCertificate(name)).toThrow(message)
      expect(() => expect(gateway).toBeProvisioning(name)).toThrow(message)
      expect(() => expect(gateway).not.toHaveFailedWith('DNS_ERROR', name)).toThrow(message)
    }
    expect(() => expect(gateway).not.toHaveFailedWith('DNS' as never)).toThrow(
      new TypeError('toHaveFailedWith received the error "DNS". Allowed: "INTERNAL_ERROR" or "DNS_ERROR".'),
    )
    expect(() => expect(gateway).not.toHaveFailedWith(undefined as never)).toThrow(
      'received the error nothing. Allowed: ',
    )
    const promise = Promise.resolve(gateway)
    const message = 'received a promise: await it first. Allowed: a gateway'
    expect(() => expect(promise).not.toHaveCertificate()).toThrow(`toHaveCertificate ${message}, or a reserved domain.`)
    expect(() => expect(promise).not.toHaveNoLeftovers()).toThrow(`toHaveNoLeftovers ${message}.`)
    await expect(promise).resolves.toBeProvisioning()
  })

  test('find a domain after the first page', ({ gateway }) => {
    for (let i = 0; i < 101; i++) gateway.reservedDomains.create({ domain: `d${i}.example.com` })
    expect(gateway).not.toBeProvisioning('d0.example.com')
  })
})

describe('toHaveBeenRequested', () => {
  test('counts the requests of an operation, with one status or path if one is named', async ({ gateway }) => {
    const send = client(gateway)
    expect(gateway).not.toHaveBeenRequested('reserved_domains.create')
    expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 0 })
    await send('POST', '/reserved_domains', { json: { domain: 'a.example.com' } })
    await send('POST', '/reserved_domains', { json: { domain: 'a.example.com' } })
    expect(gateway).toHaveBeenRequested('reserved_domains.create')
    expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 2 })
    expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 1, status: 409 })
    expect(gateway).not.toHaveBeenRequested('reserved_domains.create', { times: 1 })
    expect(gateway).not.toHaveBeenRequested('reserved_domains.create', { status: 503 })
  })

  test('knows the operations and the errors of the families of a test', async () => {
    const gateway = createGateway({ families: { widgets } })
    await client(gateway)('POST', '/widgets', { json: { name: 'left' } })
    expect(gateway).toHaveBeenRequested('widgets.create', { times: 1, status: 201 })
    expect(() => gateway.widgets.create({ name: 'left' })).toBeGatewayError('widget_taken')
  })

  test('says how many there were, and shows the journal', async ({ gateway }) => {
    const send = client(gateway)
    const firstLineFor = (options: Requested) =>
      catchMessage(() => expect(gateway).toHaveBeenRequested('reserved_addrs.list', options)).split('\n')[0]
    expect(catchMessage(() => expect(gateway).toHaveBeenRequested('reserved_addrs.list'))).toBe(
      `Expected a request for reserved_addrs.list, but there was none.\n\n${gateway.report()}`,
    )
    await send('GET', '/reserved_addrs')
    expect(firstLineFor({ times: 2 })).toContain('2 requests for reserved_addrs.list, but there was 1.')
    await send('GET', '/reserved_addrs')
    expect(firstLineFor({ times: 1 })).toContain('1 request for reserved_addrs.list, but there were 2.')
    const message = firstLineFor({ status: 503, method: 'GET' })
    expect(message).toMatch(/ with the status 503 and with the method GET, .* none\. .* 200, 200\.$/)
    expect(catchMessage(() => expect(gateway).not.toHaveBeenRequested('reserved_addrs.list'))).toContain('there were 2')
  })

  test('throws for invalid options, and for other values than gateways', ({ gateway }) => {
    expect(() => expect(gateway).not.toHaveBeenRequested('reserved_domain.create' as never)).toThrow(
      'reserved_domains.create',
    )
    expect(() => expect(gateway).not.toHaveBeenRequested('reserved_addrs.list', { staus: 1 } as never)).toThrow('staus')
    for (const times of ['0', -1, 0.5, Number.NaN, null] as never[]) {
      expect(() => expect(gateway).not.toHaveBeenRequested('reserved_addrs.list', { times })).toThrow(
        /^toHaveBeenRequested received times .*\. Allowed: a non-negative integer\.$/,
      )
    }
    const { reservedDomains, requests, report } = gateway
    for (const part of [{}, null, 5, { reservedDomains, requests }, { reservedDomains, report }, { requests, report }])
      expect(() => expect(part).not.toHaveBeenRequested('reserved_addrs.list')).toThrow(
        /^toHaveBeenRequested received .*\. Allowed: a gateway\.$/,
      )
  })
})

describe('toHaveNoLeftovers', () => {
  const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
  const create = async (gateway: Gateway) => {
    const init = { method: 'POST', headers, body: '{}' }
    return (await (await gateway.fetch(`${gateway.url}/reserved_addrs`, init)).json()).id
  }

  test('leaves out what the test itself has made or declared', async ({ gateway }) => {
    const { id } = gateway.reservedAddrs.create()
    gateway.reservedAddrs.update(id, { description: 'set up' })
    gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
    gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, {})
    expect(gateway).toHaveNoLeftovers()
    expect(gateway.leftovers({ ofTest: false })).toEqual([])
    expect(gateway.leftovers()).toHaveLength(2)
    const made = await create(gateway)
    expect(gateway).not.toHaveNoLeftovers()
    expect(gateway.leftovers({ ofTest: false })).toEqual([{ family: 'reserved_addrs', id: made }])
  })

  test('leaves out the sessions of agents that a test declares', () => {
    const gateway = createNgrok()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok-free.app' }] })
    expect(gateway).toHaveNoLeftovers()
    expect(gateway.leftovers()).not.toEqual([])
  })

  test.each<[string, (gateway: Gateway) => void]>([
    ['a reset', (gateway) => gateway.reset()],
    ['a restore', (gateway) => gateway.restore(createGateway({ seed: 'same' }).snapshot())],
  ])('counts what code has made after %s, although the test had made something with the same id', async (_, forget) => {
    const gateway = createGateway({ seed: 'same', clock: manualClock(0) })
    const { id } = gateway.reservedAddrs.create()
    forget(gateway)
    expect(await create(gateway)).toBe(id)
    expect(gateway).not.toHaveNoLeftovers()
  })

  test('names in its message what the report lists, without what the test itself has made, which the report counts', async ({
    gateway,
  }) => {
    gateway.reservedAddrs.create()
    const made = []
    for (let n = 0; n < 12; n++) made.push(await create(gateway))
    const message = catchMessage(() => expect(gateway).toHaveNoLeftovers())
    const names = made.slice(2).map((id) => `reserved_addrs ${id}`)
    expect(message).toContain(`Expected no leftover resources, but requests left 12: ${names.join(', ')}, and 2 more.`)
    for (const id of made.slice(2)) gateway.reservedAddrs.delete(id)
    expect(gateway.report()).toContain(
      `leftover resources:\n    reserved_addrs ${made[0]}\n    reserved_addrs ${made[1]}\n    and 1 created without an API request`,
    )
  })

  test('passes if everything that was created was deleted', async ({ gateway }) => {
    expect(gateway).toHaveNoLeftovers()
    const id = await create(gateway)
    expect(gateway).not.toHaveNoLeftovers()
    expect(catchMessage(() => expect(gateway).toHaveNoLeftovers())).toBe(
      `Expected no leftover resources, but requests left 1: reserved_addrs ${id}.\n\n${gateway.report()}`,
    )
    expect(gateway.report()).toContain(id)
    gateway.reservedAddrs.delete(id)
    expect(catchMessage(() => expect(gateway).not.toHaveNoLeftovers())).toContain('Expected leftover resources')
  })
})

describe('toBeGatewayError', () => {
  const gateway = createGateway()

  test('checks an error, one that a function throws, and one with which a promise rejects', async () => {
    const getUnknown = () => gateway.reservedDomains.get('rd_nope')
    expect(getUnknown).toBeGatewayError()
    expect(getUnknown).toBeGatewayError('not_found')
    expect(getUnknown).not.toBeGatewayError('domain_taken')
    expect(expectError(getUnknown)).toBeGatewayError('not_found')
    await expect(gateway.provisioning.settled('rd_nope')).rejects.toBeGatewayError('not_found')
    expect(new Error('not_found')).not.toBeGatewayError()
    expect(undefined).not.toBeGatewayError()
  })

  test('says what the value is instead', () => {
    const readFailure = (received: unknown) => catchMessage(() => expect(received).toBeGatewayError('domain_taken'))
    const start = 'Expected a GatewayError domain_taken, but'
    expect(readFailure(() => gateway.reservedDomains.get('rd_nope'))).toBe(
      `${start} it is GatewayError not_found (ERR_GATEWAY_90404): There is no reserved domain rd_nope.`,
    )
    expect(readFailure(new TypeError('broken'))).toBe(`${start} it is TypeError: broken`)
    expect(readFailure(() => 1)).toBe(`${start} the function threw nothing.`)
  })

  test.each([{ key: 'not_found' }, 5, null, 'not_found'])('throws for %j, negated too', (received) => {
    expect(() => expect(received).not.toBeGatewayError()).toThrow('Allowed: an error, or a function that throws.')
  })

  test('knows the keys of the API and those of the gateway that threw the error, and rejects any other', () => {
    const ownGateway = createGateway({ families: { widgets } })
    ownGateway.widgets.create({ name: 'left' })
    const clash = () => ownGateway.widgets.create({ name: 'left' })
    expect(clash).toBeGatewayError('widget_taken')
    expect(() => ownGateway.widgets.get('wi_nope')).not.toBeGatewayError('widget_taken')
    for (const key of ['not_fuond', undefined]) {
      expect(() => expect(clash).not.toBeGatewayError(key)).toThrow(`received the key ${key ? `"${key}"` : key}, which`)
    }
    expect(() => expect(() => 1).not.toBeGatewayError('widget_taken')).toThrow(
      'which is not an error key of this gateway',
    )
    expect(() => expect(() => 1).not.toBeGatewayError('domain_takn')).toThrow(' Did you mean domain_taken?')
  })

  test('throws for a promise, negated too', () => {
    for (const received of [Promise.resolve(5), async () => Promise.reject(new Error('x'))]) {
      const hint = 'returned a promise. Write: await expect(promise).rejects'.slice(received instanceof Promise ? 9 : 0)
      expect(() => expect(received).toBeGatewayError()).toThrow(hint)
      expect(() => expect(received).not.toBeGatewayError()).toThrow(hint)
    }
  })
})
