import { describe, expect, test } from 'vitest'
import { createVisited, policyOf } from '../visits.ts'

/** Evaluates a condition for a request. Returns its value, or the reason why it failed. */
async function evaluate(source: string): Promise<unknown> {
  const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', [source]))
  await visit()
  const expressions = gateway.traffic.last()?.trace.flatMap((each) => ('expressions' in each ? each.expressions : []))
  return expressions?.[0]?.error ?? expressions?.[0]?.value
}

const double = (times: number) => '.map(x, x + x)'.repeat(times)
/** A value that is small in memory, and has 2^60 items. */
const NESTED = `[1]${'.map(x, [x, x])'.repeat(60)}`
/** A text of 512 Ki characters. */
const LONG = `['x']${double(19)}[0]`
const RANGE = 'lists.range(10000)'
const TEN = `[${Array.from({ length: 10 }, (_, at) => at).join()}]`
/** Writes ten macros inside one another, which take 10^10 steps. */
const nest = (macro: string, body: string) =>
  Array.from({ length: 10 }).reduceRight<string>((inner, _, at) => `${TEN}.${macro}(a${at}, ${inner})`, body)

const ITEMS = 'a list contains more than 100000 items, including items of nested lists'
const CHARACTERS = 'a string or a list contains more than 1048576 characters'
const STEPS = 'the macros and patterns take more than 1000000 steps'

describe('An expression fails that makes a value larger than its limit (docs/limits.md)', () => {
  test.each([
    [`[[1]]${double(60)}[0].size() > 3`, ITEMS],
    [`([[1]]${double(60)}[0].size() > 3) || true`, ITEMS],
    [`[true, false].exists(x, x || [[1]]${double(60)}[0].size() > 3)`, true],
    [`[false, true].exists(x, x || [[1]]${double(60)}[0].size() > 3)`, ITEMS],
    [`${NESTED} == ${NESTED}`, ITEMS],
    [`${NESTED} in [${NESTED}]`, ITEMS],
    [`${NESTED}.map(x, x == x)[0]`, ITEMS],
    [`{'a': ${NESTED}} != {'a': ${NESTED}}`, ITEMS],
    [`json.encode(${NESTED}) == ''`, ITEMS],
    [`'%s'.format([${NESTED}]) == ''`, ITEMS],
    [`${NESTED}.flatten(70).size() > 3`, ITEMS],
    [`${NESTED}.distinct().size() > 3`, ITEMS],
    [`${NESTED}.size() == 1`, true],
    [`${LONG} + ${LONG} + 'x' == ''`, CHARACTERS],
    [`${LONG}.size() == 524288`, true],
    [`${LONG}.replace('x', 'xxx') == ''`, CHARACTERS],
    [`${LONG}.replace('', 'xx') == ''`, CHARACTERS],
    [`[${LONG}].all(t, t.replace('x', t) == '')`, CHARACTERS],
    [`${RANGE}.map(i, 'a').join(${LONG}) == ''`, CHARACTERS],
    [`[${LONG}].all(t, [t, t, t].join() == '')`, CHARACTERS],
    [`[${LONG}].all(t, '%s%s%s'.format([t, t, t]) == '')`, CHARACTERS],
    [`[${LONG}].all(t, [t, t, t] == [])`, CHARACTERS],
    [`[${LONG}].all(t, t.replace('x', '/').escapeUrl() == '')`, CHARACTERS],
    [`[${LONG}].all(t, t.split('').size() > 3)`, ITEMS],
    [`bytes(${LONG}) + bytes(${LONG}) + bytes('x') == b''`, CHARACTERS],
    [`[['"']]${'.map(x, [x])'.repeat(60)}.distinct().size() == 1`, true],
    [`[1]${'.map(x, [x])'.repeat(120)} == [dyn(1)]`, false],
    [`[[1]]${double(16)}[0].size() == 65536`, true],
  ])('%s', async (source, expected) => {
    expect(await evaluate(source)).toBe(expected)
  })

  test('The text with expressions in it has a limit too, and so have the values of variables', async () => {
    const doubled = (value: string) => Array.from({ length: 60 }, () => ({ a: value }))
    const textOf = async (vars: readonly object[]) => {
      const { gateway, visit } = createVisited(policyOf('set-vars', { vars }))
      expect((await visit()).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3900')
      return JSON.stringify(gateway.traffic.last()?.trace)
    }
    expect(await textOf([{ a: 'x' }, ...doubled('${vars.a}${vars.a}')])).toContain(`failed: ${CHARACTERS}`)
    expect(await textOf([{ a: 'x' }, ...doubled('${[vars.a, vars.a]}')])).toContain(
      `failed: [vars.a, vars.a]: ${ITEMS}`,
    )
    const nested = Array.from({ length: 200 }, () => ({ a: '${[vars.a]}' }))
    expect(await textOf([{ a: 'x' }, ...nested])).toContain('a value contains lists nested more than 128 levels deep')
  })

  test('The variables in a variable are those that there were before', async () => {
    const vars = [{ a: 'x' }, { b: '${vars}' }, { c: '${vars}' }]
    const rules = [
      { actions: [{ type: 'set-vars', config: { vars } }] },
      { expressions: ['vars.size() == 3'], actions: [{ type: 'custom-response', config: { body: '${vars}' } }] },
    ]
    const { visit } = createVisited(JSON.stringify({ on_http_request: rules }))
    expect(await (await visit()).text()).toBe('{a: x, b: {a: x}, c: {a: x, b: {a: x}}}')
  })
})

describe('An expression fails whose macros take more than a million steps (docs/limits.md)', () => {
  test.each([
    [nest('all', 'true'), STEPS],
    [nest('exists', 'false'), STEPS],
    [`${nest('exists_one', 'true')} || true`, STEPS],
    [`${nest('map', 'a0')}.size() > 3`, STEPS],
    [`${RANGE}.sortBy(a, ${RANGE}.sortBy(b, a)[0]).size() > 3`, STEPS],
    [`[${RANGE}].all(l, l.all(a, l.all(b, l == l)))`, STEPS],
    [`[${RANGE}].all(l, l.all(a, a in l))`, STEPS],
    [`[${RANGE}].all(l, l.map(a, l + [a]).size() > 3)`, STEPS],
    [`${RANGE}.map(i, ${LONG}).join() == ''`, STEPS],
    [`[${LONG}].all(t, ${RANGE}.all(i, !t.matches('(x|y)*z')))`, STEPS],
    [`[${LONG}].all(t, ${RANGE}.map(i, hash.crc64(t)).size() > 3)`, STEPS],
    [`[${LONG}].all(t, ${RANGE}.map(i, [t + 'a', t + 'b'][i % 2]).sort().size() > 3)`, STEPS],
    [`${RANGE}.all(a, [1, 2, 3].all(b, a + b > 0))`, true],
    [`lists.range(60).all(a, !'x'.matches('y' + string(a) + '(a{0,900}b{0,900})'))`, STEPS],
    [`lists.range(60).all(a, !'x'.matches('y' + string(a) + '((ab{0,2}){0,30}c){0,15}'))`, STEPS],
    [
      `lists.range(60).exists(a, 'x'.matches('y' + string(a) + '(a{0,900}b{0,900}' + '['))`,
      'the pattern is not valid RE2',
    ],
    [`lists.range(5).all(a, !'x'.matches('y' + string(a) + '(a{0,900}b{0,900})'))`, true],
    [`[${RANGE}.map(i, 'a').join()].all(s, lists.range(10).all(b, s.matches('^(a|aa|aaa)*(a?){50}a{50}$')))`, STEPS],
    [`['a'].all(s, lists.range(1000).all(b, s.matches('^(a|aa|aaa)*(a?){50}a{50}$') == false))`, true],
    [`!'x'.matches('a{0,1000}b{0,1000}y'.replace('a', 'c'))`, true],
    [`'x'.matches(${RANGE}.map(i, 'a{0,1000}').join())`, STEPS],
    [`${RANGE}.all(a, ['10.0.0.1'].all(ip, !inCidrRange(ip, '192.168.0.0/16')))`, true],
    [`[${RANGE}.map(i, '::/0')].all(l, lists.range(30).all(a, !inCidrRanges('10.0.0.1', l)))`, STEPS],
    [`${RANGE}.map(i, timestamp(0).getHours('America/New_York')).size() > 3`, STEPS],
    [`lists.range(3000).map(i, timestamp(0).getHours('America/New_York')).size() > 3`, true],
    [`${RANGE}.map(i, timestamp(0).getHours('-05:00')).size() > 3`, true],
  ])('%s', async (source, expected) => {
    expect(await evaluate(source)).toBe(expected)
  })
})

describe('A pattern from a request fails that takes more than a million steps (docs/limits.md)', () => {
  const HOSTILE = '(?:a.*z|a)'
  const LARGE = 'a{0,1000}'.repeat(100)
  const headers = (from: string) => ({ 'x-from': encodeURIComponent(from) })
  const SENT = "${url.unescape(getReqHeader('x-from')[0])}"
  const replace = (from: string, type = 'request-body-find-replace') =>
    policyOf(type, type.endsWith('replace') ? { replacements: [{ from, to: 'b' }] } : { from, to: 'b' })
  const bodyOf = async (policy: string, from: string, body: string) => {
    const { gateway, visit } = createVisited(policy)
    const response = await visit('/', { method: 'POST', body, headers: headers(from) })
    const trace = JSON.stringify(gateway.traffic.last()?.trace)
    return response.status === 500 && trace.includes(`failed: ${STEPS}`) ? STEPS : await response.text()
  }

  test.each([
    [HOSTILE, 'a'.repeat(20_000), STEPS],
    [`\\b(?:${HOSTILE})`, 'a '.repeat(10_000), STEPS],
    [LARGE, 'x', STEPS],
    [HOSTILE, 'a'.repeat(1000), `upstream got ${'b'.repeat(1000)}`],
    ['a', 'a'.repeat(100_000), `upstream got ${'b'.repeat(100_000)}`],
    ['name="[^"]*"', 'name="x" '.repeat(10_000), `upstream got ${'b '.repeat(10_000)}`],
    ['(?i)(A)|y', 'xxa'.repeat(30_000), `upstream got ${'xxb'.repeat(30_000)}`],
    ['nowhere[0-9]+', 'xxa'.repeat(300_000), `upstream got ${'xxa'.repeat(300_000)}`],
  ])('%s in a body', async (from, body, expected) => {
    expect(await bodyOf(replace(SENT), from, body)).toBe(expected)
  })

  test('in the URL too', async () => {
    const { gateway, visit } = createVisited(replace(SENT, 'url-rewrite'))
    await visit(`/${'a'.repeat(20_000)}`, { headers: headers(HOSTILE) })
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`failed: ${STEPS}`)
  })

  test('but not one that the policy has', async () => {
    expect(await bodyOf(replace(HOSTILE), '', 'a'.repeat(5000))).toBe(`upstream got ${'b'.repeat(5000)}`)
  })
})
