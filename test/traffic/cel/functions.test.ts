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

// The cases are those of ngrok.com/docs/traffic-policy/macros/.
test.each([
  ["string(base64.decode('aGVsbG8='))", 'hello'],
  ["base64.decode('aGVsbG8')", 'error'],
  ["base64.encode(b'hello')", 'aGVsbG8='],
  ["basic_auth.encode('username', 'password1')", 'Basic dXNlcm5hbWU6cGFzc3dvcmQx'],
  ["b'hello'.size()", '5'],
  ["hash.crc32('hello')", '3610a686'],
  ["hash.crc32('hello', 'base64')", 'NhCmhg=='],
  ["hash.crc64('hello')", '3c3eeee2d8100000'],
  ["'hello'.crc64('base64')", 'PD7u4tgQAAA='],
  ["hash.md5('hello')", '5d41402abc4b2a76b9719d911017c592'],
  ["'hello'.sha1('base64')", 'qvTGHdzF6KLavt4PO0gs2a6pQ00='],
  ["hash.sha256('hello', 'base64')", 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='],
  [
    "'hello'.sha512('base64')",
    'm3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQw==',
  ],
  ["hash.xxhash64('hello')", '26c7827d889f6da3'],
  ["'%e'.format([1234.5])", '1.234500e+03'],
  ["'%d%%'.format([100])", '100%'],
  ["'%s %s'.format(['a'])", 'error'],
  ["{'a': 1, 'b': {'c': true}}", '{a: 1, b: {c: true}}'],
  ["{1: 'a', 2: 'b'}", '{1: a, 2: b}'],
  ["'%s'.format([{'a': [1, 2]}])", '{a: [1, 2]}'],
  ["'hello'.xxhash64('base64')", 'JseCfYifbaM='],
  ['json.decode(\'{"a":"b"}\').a', 'b'],
  ['json.encode(["a","b","c"])', '["a","b","c"]'],
  ['{"a":"b","c":"d"}.encodeJson()', '{"a":"b","c":"d"}'],
  ["['hello', 'mellow'].join(' ')", 'hello mellow'],
  ['[1, 2, 3, 4].map(num, num % 2 == 0, num * 2)', '[4, 8]'],
  ['[1,2,3,4].slice(1, 3)', '[2, 3]'],
  ['[1,[2,[3,4]]].flatten()', '[1, 2, [3, 4]]'],
  ['[1,[2,[3,[4]]]].flatten(2)', '[1, 2, 3, [4]]'],
  ['[1,[2,[3,[4]]]].flatten(-1)', 'error'],
  ['[3, 2, 1].sort()', '[1, 2, 3]'],
  ['[1, "b"].sort()', 'error'],
  ['[{"n": "foo", "s": 0}, {"n": "bar", "s": -10}].sortBy(e, e.s).map(e, e.n)', '[bar, foo]'],
  ['[1, "b", 2, "b"].distinct()', '[1, b, 2]'],
  ['lists.range(5)', '[0, 1, 2, 3, 4]'],
  ['lists.range(10001)', 'error'],
  ["'aa'.replace('', '-', 2)", '-a-a'],
  ['json.encode([9007199254740993])', 'error'],
  ['[9007199254740993, 9007199254740992].distinct().size()', '2'],
  ["inCidrRange('10.1.2.3', '::ffff:10.0.0.0/104')", 'true'],
  ["{'one': 1, 'two': 2}.exists(x, x.startsWith('o'))", 'true'],
  ['queryString.decode("a=b&c=d").c', 'd'],
  ['queryString.encode({"a":"b","c":"d"})', 'a=b&c=d'],
  ['matches("hello", "^h.*o$")', 'true'],
  ['"test".matches("fail")', 'false'],
  ["'hello'.charAt(4)", 'o'],
  ["'hello'.charAt(5)", ''],
  ["'hello'.charAt(-1)", 'error'],
  ["'hello mellow'.indexOf('ello', 2)", '7'],
  ['"hello %s".format(["world"])', 'hello world'],
  ['"%f".format([3.14])', '3.140000'],
  ['"%x".format([26])', '1a'],
  ['"binary: %b".format([5])', 'binary: 101'],
  ['"bool: %b".format([true])', 'bool: 1'],
  ["'hello mellow'.lastIndexOf('ello', 6)", '1'],
  ["'hello mellow'.split()", '[hello, mellow]'],
  ["'hello,mellow,hi'.split(',', 2).size()", '2'],
  ["'hello mellow'.replace('l', 'L', 2)", 'heLLo mellow'],
  ['"c29tZTp0aGluZw==".decodeBase64()', 'some:thing'],
  ['"some:thing".encodeBase64()', 'c29tZTp0aGluZw=='],
  ['"i;md/r/$y".escapeUrl()', 'i%3Bmd%2Fr%2F%24y'],
  ['url.unescape("i%3Bmd%2Fr%2F%24y")', 'i;md/r/$y'],
  ["'not json'.isJson()", 'false'],
  ["'192.168.1.1'.isPrivateIp()", 'true'],
  ["'not a query string'.isQueryString()", 'false'],
  ["'https://ngrok.com'.isURL()", 'true'],
  ["'Ärger ЙОГА'.lower()", 'ärger йога'],
  ['url.parse("https://ngrok.com").host', 'ngrok.com'],
  ["'tacocat'.substring(0, 4)", 'taco'],
  ["'  trim \\n '.trim()", 'trim'],
  ["'John Smith'.reverse()", 'htimS nhoJ'],
  ['timestamp("2023-12-25T00:00:00Z").getDate("America/Los_Angeles")', '24'],
  ['timestamp("2023-12-25T12:00:00Z").getDayOfWeek()', '1'],
  ['timestamp("2023-12-25T12:30:30Z").getSeconds()', '30'],
  ['duration("1h30m").getMinutes()', '90'],
  ["inCidrRange('192.168.1.100', '192.168.1.0/24')", 'true'],
  ["inCidrRanges('192.168.1.100', ['192.168.1.0/24', '10.0.0.0/8'])", 'true'],
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
  expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('the text is not encoded with percent signs')
})

test('secrets.get() gives the secret of a vault', async () => {
  const { gateway, visit } = createVisited(policyOf('custom-response', { body: "${secrets.get('main', 'key')}" }))
  gateway.vaultSecrets.create({ name: 'key', value: 'a value', vault_id: gateway.vaults.create({ name: 'main' }).id })
  expect(await (await visit()).text()).toBe('a value')
})
