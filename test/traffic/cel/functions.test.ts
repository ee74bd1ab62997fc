import { BlockList } from 'node:net'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkAsync } from '../../support/property.ts'
import { createVisited, policyOf } from '../visits.ts'

/** Evaluates an expression in a policy, as a text. */
async function evaluate(source: string, path = '/', init = {}): Promise<string> {
  const { visit } = createVisited(policyOf('custom-response', { body: `\${${source}}` }))
  const response = await visit(path, init)
  return response.headers.has('ngrok-error-code') ? 'error' : response.text()
}

// The examples of ngrok.com/docs/traffic-policy/macros/ are rows of tools/evidence/traffic-pages.
test.each([
  ["'%d%%'.format([100])", '100%'],
  ["'''it's ''' + 'a'", "it's a"],
  ['"""c"}\\"d""" + r"""{"\\"""', 'c"}"d{"\\'],
  ['r\'}\\\' + R"a\\"', '}\\a\\'],
  ["'%s %s'.format(['a'])", 'error'],
  ["'%s'.format([{'b': [1, 2], 'a': null}])", '{a: null, b: [1, 2]}'],
  ["{'a': 1, 'b': {'c': true}}", '{a: 1, b: {c: true}}'],
  ["{1: 'a', 2u: 'b', true: 'c'}", '{1: a, 2: b, true: c}'],
  ["{1: 'a', true: 'b'}[1u]", 'a'],
  ["{'a': 1, 'a': 2}", 'error'],
  ['{1.5: 1}', 'error'],
  ['[1u, 1.5, null, type(1)]', '[1, 1.5, null, int]'],
  ["[duration('1h1.5s'), timestamp('2024-01-01T00:00:00.25Z')]", '[3601.5s, 2024-01-01T00:00:00.25Z]'],
  [
    "json.encode([1u, b'a', duration('1s'), timestamp(0), {1: null}])",
    '[1,"YQ==","1s","1970-01-01T00:00:00Z",{"1":null}]',
  ],
  ['json.encode([9007199254740993])', 'error'],
  ['[9007199254740993, 9007199254740992].distinct().size()', '2'],
  ["[1, 1.0, 1u, '1', {'a': 1, 'b': 2}, {'b': 2, 'a': 1}].distinct().size()", '3'],
  ["[timestamp(1), duration('1s'), timestamp(1), b'a', b'a'].distinct().size()", '3'],
  ['lists.range(10001)', 'error'],
  ["'aa'.replace('', '-', 2)", '-a-a'],
  ["'😀😀'.replace('', '-')", '-😀-😀-'],
  ["'a😀b'.indexOf('b')", '2'],
  ["'a😀b'.lastIndexOf('b', 2)", '2'],
  ["'a😀b'.substring(1, 2)", '😀'],
  ["'ΣΑΣ İ ß'.lower()", 'σασ i ß'],
  ["'straße σ'.upper()", 'STRAßE Σ'],
  ["inCidrRange('10.1.2.3', '::ffff:10.0.0.0/104')", 'true'],
  ["inCidrRange('10.1', '10.0.0.0/8')", 'error'],
  ["inCidrRange('::10.1.2.3', '10.0.0.0/8')", 'false'],
  ["'::ffff:10.1.2.3'.isPrivateIp()", 'true'],
  ["'::ffff:012.1.2.3'.isPrivateIp()", 'false'],
  [
    "url.parse('https://me@ngrok.com:8443/a?b#c')",
    '{fragment: c, host: ngrok.com:8443, path: /a, query: b, scheme: https, user: me}',
  ],
  ["timestamp('2023-02-29T00:00:00Z')", 'error'],
  ["timestamp('2023-02-28T24:00:00Z')", 'error'],
  ["timestamp('2023-02-28T23:30:00-01:30')", '2023-03-01T01:00:00Z'],
  ["timestamp('1969-12-31T23:59:59.25Z').getMilliseconds()", '250'],
  ["duration('1.5')", 'error'],
  ["duration('-1m30.5s')", '-90.5s'],
  ["timestamp(0).getHours('Nowhere/Land')", 'error'],
  ["[b'a' == dyn('a'), dyn(b'a') == 'a']", '[false, false]'],
  ["'\\uffff' < '\\U00010000'", 'true'],
])('%s is %s', async (source, expected) => {
  expect(await evaluate(source)).toBe(expected)
})

test.each([
  ["getReqHeader('User-Agent')[0]", 'curl/8'],
  ["hasReqHeader('X-None')", 'false'],
  ["getReqCookie('session').value", 'abc'],
  ["hasReqCookie('other')", 'false'],
  ["getQueryParam('q')", '[1, 2]'],
  ["hasQueryParam('x')", 'false'],
  ["has(req.headers['user-agent'])", 'true'],
  ["has(req.headers['x-none'])", 'false'],
  ['req.url', 'https://app.example.com/a%20b?q=1&q=2'],
  ['req.url.path', '/a b'],
  ['req.url.raw_path', '/a%20b'],
  ['req.url.port', '0'],
  ['req.user_agent', 'curl/8'],
  ['conn.client_ip', '203.0.113.1'],
  ['endpoint.host', 'app.example.com'],
])('of a request, %s is %s', async (source, expected) => {
  expect(await evaluate(source, '/a%20b?q=1&q=2', { headers: { 'user-agent': 'curl/8', cookie: 'session=abc' } })).toBe(
    expected,
  )
})

test('time.now is the time of the gateway, in ms', async () => {
  const { gateway, visit } = createVisited(policyOf('custom-response', { body: `\${time.now}` }))
  gateway.clock.advance(45)
  expect(await (await visit()).text()).toBe(new Date(gateway.clock.now).toISOString())
})

test('responses have functions of their own', async () => {
  const { gateway, visit } = createVisited(
    policyOf(
      'custom-response',
      { body: "${getResHeader('x-a')[0]} ${getResCookie('id').path} ${hasResHeader('x-b')} ${hasResCookie('id')}" },
      'on_http_response',
    ),
  )
  gateway.traffic.upstream(
    'https://app.example.com',
    () => new Response('', { headers: { 'x-a': '1', 'set-cookie': 'id=7; Path=/shop; Secure' } }),
  )
  expect(await (await visit()).text()).toBe('1 /shop false true')
})

test('random numbers follow from the seed', async () => {
  expect(await evaluate('rand.int(0, 1000)')).toBe(await evaluate('rand.int(0, 1000)'))
  expect(await evaluate('rand.double() < 1.0')).toBe('true')
})

describe('against independent implementations', () => {
  test('a range has the addresses that net.BlockList finds in it', async () => {
    const address = fc
      .array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
      .map((parts) => parts.join('.'))
    await checkAsync(
      fc.asyncProperty(address, address, fc.integer({ min: 0, max: 32 }), async (ip, network, bits) => {
        const list = new BlockList()
        list.addSubnet(network, bits)
        expect(await evaluate(`inCidrRange('${ip}', '${network}/${bits}')`)).toBe(String(list.check(ip)))
      }),
      { numRuns: 60 },
    )
  })

  test('crc32 is that of zlib', async () => {
    await checkAsync(
      fc.asyncProperty(fc.stringMatching(/^[a-z0-9 ]{0,40}$/), async (text) => {
        const expected =
          typeof crc32 === 'function'
            ? crc32(text).toString(16).padStart(8, '0')
            : await evaluate(`'${text}'.crc32('hex')`)
        expect(await evaluate(`hash.crc32('${text}')`)).toBe(expected)
      }),
      { numRuns: 30 },
    )
  })
})

// traffic.md, section 3: no pattern takes more than linear time.
test('a pattern that other engines need exponential time for ends at once', async () => {
  expect(await evaluate(`'${'a'.repeat(5000)}'.matches('^(a+)+$|x')`)).toBe('true')
  expect(await evaluate(`'${'a'.repeat(5000)}!'.matches('^(a+)+$')`)).toBe('false')
})

test('the trace says why a text is not decoded', async () => {
  const { gateway, visit } = createVisited(policyOf('custom-response', { body: "${url.unescape('%zz')}" }))
  expect((await visit()).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3900')
  expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('the string is not percent-encoded')
})

test('secrets.get() gives the secret of a vault', async () => {
  const { gateway, visit } = createVisited(policyOf('custom-response', { body: "${secrets.get('main', 'key')}" }))
  gateway.vaultSecrets.create({ name: 'key', value: 'a value', vault_id: gateway.vaults.create({ name: 'main' }).id })
  expect(await (await visit()).text()).toBe('a value')
})
