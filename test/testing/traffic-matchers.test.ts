import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import '../../src/testing/vitest.ts'
import { expectError } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'

const catchMessage = (assert: () => void) => expectError(assert).message

const POLICY = `
on_http_request:
  - name: no admin
    expressions: ["req.url.path.startsWith('/admin')"]
    actions: [{ type: deny }]
  - actions: [{ type: forward-internal, config: { url: https://app.internal } }]
`

async function visit(path: string) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'matchers', provisioningDelay: 0 })
  gateway.reservedDomains.create({ domain: 'api.example.com' })
  gateway.endpoints.create({
    url: 'https://api.example.com',
    type: 'cloud',
    bindings: ['public'],
    traffic_policy: POLICY,
  })
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.internal', binding: 'internal' }] })
  gateway.traffic.upstream('https://app.internal', () => new Response('hello'))
  await gateway.traffic.fetch(`https://api.example.com${path}`)
  return gateway
}

describe('Matchers about the last visitor (rules: traffic#endpoints)', () => {
  test('check the rule that rejected it, and the upstream that got it', async () => {
    const refused = await visit('/admin')
    expect(refused).toHaveBeenRefusedBy('no admin')
    expect(refused).not.toHaveReachedUpstream()
    const passed = await visit('/')
    expect(passed).not.toHaveBeenRefusedBy('no admin')
    expect(passed).toHaveReachedUpstream()
    expect(passed).toHaveReachedUpstream('https://app.internal')
    expect(passed).not.toHaveReachedUpstream('https://other.internal')
  })

  test('say which rule decided and why, and what it would have been', async () => {
    const passed = await visit('/shop')
    const message = catchMessage(() => expect(passed).toHaveBeenRefusedBy('no admn'))
    expect(message).toMatch(
      /^Expected GET https:\/\/api\.example\.com\/shop to be rejected by the rule "no admn", but /,
    )
    expect(message).toContain('Did you mean no admin?')
    expect(message).toContain(`req.url.path.startsWith('/admin') is false (req.url.path = "/shop")`)
    expect(message).toContain('The gateway at ')
    const refused = await visit('/admin')
    expect(catchMessage(() => expect(refused).toHaveReachedUpstream())).toContain('but it reached none.')
    expect(catchMessage(() => expect(refused).not.toHaveBeenRefusedBy('no admin'))).toContain('not to be rejected')
  })

  test('throw if no visitor has come, or for a name that is none, negated too', async () => {
    const gateway = createNgrok()
    expect(() => expect(gateway).not.toHaveBeenRefusedBy('no admin')).toThrow('No visitor has sent a request.')
    expect(() => expect(gateway).not.toHaveReachedUpstream()).toThrow('No visitor has sent a request.')
    const visited = await visit('/')
    for (const name of ['', undefined, 5] as never[])
      expect(() => expect(visited).not.toHaveBeenRefusedBy(name)).toThrow('Allowed: a rule name.')
    expect(() => expect(visited).not.toHaveReachedUpstream(undefined)).toThrow('Allowed: the URL or ID')
    expect(() => expect('text').toHaveReachedUpstream()).toThrow('Allowed: a gateway')
  })
})

describe('toBeValidPolicy (rules: traffic-policy#numbers)', () => {
  test('takes a text or an object, and warnings do not count', () => {
    expect(POLICY).toBeValidPolicy()
    expect({ on_http_request: [{ actions: [{ type: 'deny' }] }] }).toBeValidPolicy({ place: 'cloud' })
    expect({ on_http_request: [{ actions: [{ type: 'dny' }] }] }).not.toBeValidPolicy()
    expect(
      'on_http_request: [{ expressions: ["conn.client_ip in [\'203.0.113.0/24\']"], actions: [{ type: deny }] }]',
    ).toBeValidPolicy()
  })

  test('names each error with its place, number and hint', () => {
    const text = POLICY.replace('deny', 'dny').replace('startsWith', 'includes')
    const message = catchMessage(() => expect(text).toBeValidPolicy())
    expect(message).toMatch(
      /^Expected a valid policy, but it has 2 errors:\n {2}4:\d+ In the policy, .*\[ERR_NGROK_2200\] Did you mean contains\?\n/,
    )
    expect(message).toMatch(/\n {2}5:\d+ In the policy, .*"dny"/)
    expect(catchMessage(() => expect(POLICY).not.toBeValidPolicy())).toContain('but it is valid.')
  })

  test.each([null, 5, ['a'], undefined])('throws for %j, negated too', (received) => {
    expect(() => expect(received).not.toBeValidPolicy()).toThrow('Allowed: a policy as a string or an object.')
  })
})
