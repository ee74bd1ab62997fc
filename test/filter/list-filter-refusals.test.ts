import { describe, expect, test } from 'vitest'
import { client, outcome, thrownBy } from '../support/client.ts'
import { open } from '../support/gateway.ts'

const SUPPORTED =
  'Supported is a subset of CEL over obj: ! && || < <= == != >= >, parentheses, in, size(), startsWith(), contains(), ' +
  'endsWith(), timestamp("…"), timestamp(time.now), .add("7d"), .subtract("24h").'

const VALUE =
  'a value: a field such as obj.id, a text in quotes, a number, true, false, null, a list or a supported call'

const OPERATOR = 'an operator: && || < <= == != >= > in'
const CONDITION = 'a condition, such as obj.id == "…"'
const CALLS = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add() or .subtract()'
const TIME = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'
const RFC_3339 = 'an RFC 3339 time such as "2026-01-01T00:00:00Z", time.now or a field that holds a time'
const DURATION = 'a whole number with ms, s, m, h or d in quotes, such as "7d"'
const REF = 'obj.certificate.id, obj.certificate.uri'
const BACKEND = 'obj.id, obj.uri, obj.created_at, obj.description, obj.metadata, obj.backends'

/** What is wrong with a filter, as the direct API says it. */
function problemOf(filter: string, family: 'reservedDomains' | 'weightedBackends' | 'tlsCertificates'): string {
  const error = thrownBy(() => open()[family].list({ filter }))
  expect(error.key).toBe('filter_invalid')
  const before = `filter is ${JSON.stringify(filter)}: `
  expect(error.message.startsWith(before)).toBe(true)
  expect(error.message.endsWith(`. ${SUPPORTED}`)).toBe(true)
  return error.message.slice(before.length, -SUPPORTED.length - 2)
}

describe('A filter that can never match names what stands where and what is allowed there (rules: filters#types)', () => {
  test.each([
    // comparisons
    ['obj.domain < 5', 14, '5, a number', 'a text'],
    ['obj.domain == 5', 15, '5, a number', 'a text, or null'],
    ['obj.domain != true', 15, 'true, a condition', 'a text, or null'],
    ['5 < obj.domain', 1, '5, a number', 'a text'],
    ['5 == obj.domain', 1, '5, a number', 'a text, or null'],
    ['"x" == size(obj.domain)', 1, '"x", a text', 'a number'],
    ['size(obj.domain) == obj.domain', 21, 'obj.domain, a text', 'a number'],
    ['obj.domain >= size(obj.domain)', 15, 'size(obj.domain), a number', 'a text'],
    ['"x" <= 5', 8, '5, a number', 'a text'],
    ['"x" == 5', 8, '5, a number', 'a text, or null'],
    ['obj.created_at == 5', 19, '5, a number', 'a text or a time, or null'],
    ['obj.created_at > 5', 18, '5, a number', 'a text or a time'],
    ['(obj.domain == "x") == 1', 24, '1, a number', 'a condition'],
    ['  obj.domain\n  ==\n  5', 21, '5, a number', 'a text, or null'],
    ['"büro 😀" == 5', 13, '5, a number', 'a text, or null'],
    ['obj.domain == ["x"]', 15, '["x"], a list of texts', 'a text, or null'],
    ['obj.domain == [timestamp(time.now)]', 15, '[timestamp(time.now)], a list of times', 'a text, or null'],
    ['obj.domain == [[1]]', 15, '[[1]], a list of lists', 'a text, or null'],
    ['obj.domain == [true]', 15, '[true], a list of conditions', 'a text, or null'],
    ['obj.domain == [null]', 15, '[null], a list of nulls', 'a text, or null'],
    ['obj.domain == [obj.certificate]', 16, 'obj.certificate, an object', REF],
    ['obj.domain == []', 15, '[], a list', 'a text, or null'],
    ['["x"] == obj.domain', 1, '["x"], a list of texts', 'a text, or null'],
    ['[obj.id] == obj.domain', 13, 'obj.domain, a text', 'a list of texts'],
    ['[] == obj.domain', 1, '[], a list', 'a text, or null'],
    ['["x"] == [1]', 10, '[1], a list of numbers', 'a list of texts'],
    // null
    ['size(obj.domain) == null', 21, 'null', 'a number'],
    ['null != size(obj.domain)', 1, 'null', 'a number'],
    ['1.5 == null', 8, 'null', 'a number'],
    ['true == null', 9, 'null', 'a condition'],
    ['(obj.id == "a") == null', 20, 'null', 'a condition'],
    ['obj.id.contains("a") == null', 25, 'null', 'a condition'],
    ['5 == null', 6, 'null', 'a number'],
    ['null == 5', 9, '5, a number', 'null'],
    ['null == true', 9, 'true, a condition', 'null'],
    ['timestamp(time.now) == null', 24, 'null', TIME],
    ['["x"] == null', 10, 'null', 'a list of texts'],
    ['obj.region < null', 14, 'null', 'a text'],
    ['null > size(obj.region)', 1, 'null', 'a number'],
    ['null < null', 1, 'null', 'a text, a number or a time'],
    // order
    ['true < false', 1, 'true, a condition', 'a text, a number or a time'],
    ['obj.domain < true', 14, 'true, a condition', 'a text'],
    ['true >= obj.domain', 1, 'true, a condition', 'a text'],
    ['["a"] < ["b"]', 1, '["a"], a list of texts', 'a text, a number or a time'],
    ['["a"] < obj.created_at', 1, '["a"], a list of texts', 'a text or a time'],
    ['obj.certificate < "x"', 1, 'obj.certificate, an object', 'a text'],
    ['1 > obj.certificate', 5, 'obj.certificate, an object', 'a number'],
    ['obj.certificate <= null', 1, 'obj.certificate, an object', 'a text, a number or a time'],
    // objects
    ['obj.certificate == "x"', 1, 'obj.certificate, an object', REF],
    ['"x" == obj.certificate', 8, 'obj.certificate, an object', REF],
    ['obj.certificate == obj.certificate', 1, 'obj.certificate, an object', REF],
    ['obj.certificate in []', 1, 'obj.certificate, an object', REF],
    ['obj.certificate in ["x"]', 1, 'obj.certificate, an object', REF],
    ['[null, obj.certificate] == []', 8, 'obj.certificate, an object', REF],
    // conditions
    ['obj.domain', 1, 'obj.domain, a text', CONDITION],
    ['"text"', 1, '"text", a text', CONDITION],
    ['1', 1, '1, a number', CONDITION],
    ['-1', 1, '-1, a number', CONDITION],
    ['null', 1, 'null', CONDITION],
    ['[]', 1, '[], a list', CONDITION],
    ['obj', 1, 'obj, an object', CONDITION],
    ['obj.certificate', 1, 'obj.certificate, an object', CONDITION],
    ['size(obj.domain)', 1, 'size(obj.domain), a number', CONDITION],
    ['timestamp(time.now)', 1, 'timestamp(time.now), a time', CONDITION],
    ['timestamp(obj.created_at)', 1, 'timestamp(obj.created_at), a time', CONDITION],
    ['!obj.domain', 2, 'obj.domain, a text', CONDITION],
    ['!!obj.domain', 3, 'obj.domain, a text', CONDITION],
    ['obj.domain && true', 1, 'obj.domain, a text', CONDITION],
    ['true && obj.domain', 9, 'obj.domain, a text', CONDITION],
    ['false || false || 5', 19, '5, a number', CONDITION],
    ['true && obj.domain && 5', 9, 'obj.domain, a text', CONDITION],
    ['true || obj.domain || true', 9, 'obj.domain, a text', CONDITION],
    // in
    ['5 in obj.domain', 6, 'obj.domain, a text', 'a list or a map'],
    ['"x" in obj.domain', 8, 'obj.domain, a text', 'a list or a map'],
    ['"x" in 5', 8, '5, a number', 'a list or a map'],
    ['"x" in null', 8, 'null', 'a list or a map'],
    ['"id" in obj.certificate', 9, 'obj.certificate, an object', 'a list or a map'],
    ['5 in ["x"]', 1, '5, a number', 'a text, or null'],
    ['obj.domain in [5]', 1, 'obj.domain, a text', 'a number'],
    ['null in [5]', 1, 'null', 'a number'],
    ['null in [5, 6]', 1, 'null', 'a number'],
    ['null in [[5], [6]]', 1, 'null', 'a list of numbers'],
    ['5 in [timestamp(time.now)]', 1, '5, a number', TIME],
    ['obj.domain in [timestamp(time.now)]', 1, 'obj.domain, a text', TIME],
    ['timestamp(time.now) in [obj.created_at]', 1, 'timestamp(time.now), a time', 'a text or a time, or null'],
    ['["a"] in ["a"]', 1, '["a"], a list of texts', 'a text, or null'],
    ['obj.domain in ["a", 5]', 21, '5, a number', 'a text, like the items before it'],
    ['obj.region in ["a", null, 5]', 27, '5, a number', 'a text, like the items before it'],
    ['obj.region in [null, 5, "a"]', 25, '"a", a text', 'a number, like the items before it'],
    ['[["a"], [5]] == []', 9, '[5], a list of numbers', 'a list of texts, like the items before it'],
    ['obj.region in [null, null, "a", 5]', 33, '5, a number', 'a text, like the items before it'],
    ['[[], ["a"], [5]] == []', 13, '[5], a list of numbers', 'a list of texts, like the items before it'],
    ['[["a"], [], [5]] == []', 13, '[5], a list of numbers', 'a list of texts, like the items before it'],
    ['[timestamp(time.now), obj.created_at] == []', 23, 'obj.created_at, a text', 'a time, like the items before it'],
    // calls
    ['obj.domain.startsWith(5)', 23, '5, a number', 'a text'],
    ['obj.domain.endsWith(["x"])', 21, '["x"], a list of texts', 'a text'],
    ['obj.domain.contains(null)', 21, 'null', 'a text'],
    ['size(obj.domain).contains("1")', 1, 'size(obj.domain), a number', 'a text'],
    ['timestamp(obj.created_at).startsWith("2")', 1, 'timestamp(obj.created_at), a time', 'a text'],
    ['["a"].contains("a")', 1, '["a"], a list of texts', 'a text'],
    ['size(5) == 1', 6, '5, a number', 'a text, a list or a map'],
    ['size(null) == 1', 6, 'null', 'a text, a list or a map'],
    ['size(obj.certificate) == 2', 6, 'obj.certificate, an object', 'a text, a list or a map'],
    ['timestamp(time.now).size() == 1', 1, 'timestamp(time.now), a time', 'a text, a list or a map'],
    ['size() == 1', 1, 'size(), a call with 0 arguments', 'size(x)'],
    ['size(obj.id, 1) == 1', 1, 'size(obj.id, 1), a call with 2 arguments', 'size(x)'],
    ['obj.id.size(1) == 1', 1, 'obj.id.size(1), a call with 1 argument', 'x.size()'],
    ['timestamp() == 1', 1, 'timestamp(), a call with 0 arguments', 'timestamp("…")'],
    ['obj.id.startsWith()', 1, 'obj.id.startsWith(), a call with 0 arguments', 'text.startsWith("…")'],
    ['obj.id.contains("a", "b")', 1, 'obj.id.contains("a", "b"), a call with 2 arguments', 'text.contains("…")'],
    ['obj.id.add()', 1, 'obj.id.add(), a call with 0 arguments', 'time.add("7d")'],
    ['obj.id.subtract("1d", 2)', 1, 'obj.id.subtract("1d", 2), a call with 2 arguments', 'time.subtract("7d")'],
    ['obj.id.matches("^a")', 1, 'obj.id.matches("^a"), a call that is not supported', CALLS],
    ['obj.id.toString() == "x"', 1, 'obj.id.toString(), a call that is not supported', CALLS],
    ['obj.id.constructor("x")', 1, 'obj.id.constructor("x"), a call that is not supported', CALLS],
    ['has(obj.id)', 1, 'has(obj.id), a call that is not supported', CALLS],
    ['int("1") == 1', 1, 'int("1"), a call that is not supported', CALLS],
    ['[1, 2].exists(x, x == 1)', 1, '[1, 2].exists(x, x == 1), a call that is not supported', CALLS],
    // times
    ['obj.created_at.add("2d")', 1, 'obj.created_at, a text', 'timestamp(obj.created_at)'],
    ['obj.created_at.subtract("2d") < "x"', 1, 'obj.created_at, a text', 'timestamp(obj.created_at)'],
    ['obj.domain.add("2d") == "x"', 1, 'obj.domain, a text', TIME],
    ['"2026-01-01T00:00:00Z".add("2d") == "x"', 1, '"2026-01-01T00:00:00Z", a text', TIME],
    ['timestamp(time.now).add("soon") == null', 25, '"soon", no duration', DURATION],
    ['timestamp(time.now).add(7) == null', 25, '7, no duration', DURATION],
    ['timestamp(time.now).add(7.0) == null', 25, '7.0, no duration', DURATION],
    ['timestamp(time.now).add(d) == null', 25, 'd, no duration', DURATION],
    ['timestamp(time.now).add("-7d") == null', 25, '"-7d", no duration', DURATION],
    ['timestamp(time.now).add("1.5h") == null', 25, '"1.5h", no duration', DURATION],
    ['timestamp(time.now).add("1h30m") == null', 25, '"1h30m", no duration', DURATION],
    ['timestamp(time.now).subtract("7") == null', 30, '"7", no duration', DURATION],
    ['timestamp(time.now).subtract("") == null', 30, '"", no duration', DURATION],
    ['timestamp(time.now).subtract(obj.id) == null', 30, 'obj.id, no duration', DURATION],
    ['timestamp("yesterday") < timestamp(time.now)', 11, '"yesterday", a text', RFC_3339],
    ['timestamp(5) < timestamp(time.now)', 11, '5, a number', RFC_3339],
    ['timestamp(null) < timestamp(time.now)', 11, 'null', RFC_3339],
    ['timestamp(obj.domain) < timestamp(time.now)', 11, 'obj.domain, a text', RFC_3339],
    ['obj.domain < timestamp(time.now)', 14, 'timestamp(time.now), a time', 'a text'],
    ['timestamp(time.now) >= obj.domain', 24, 'obj.domain, a text', TIME],
    ['timestamp(time.now) == obj.domain', 24, 'obj.domain, a text', TIME],
    ['"yesterday" < timestamp(time.now)', 1, '"yesterday", a text', TIME],
    ['timestamp(time.now) != "2026-01-01"', 24, '"2026-01-01", a text', TIME],
    ['timestamp("2026-01-01T00:00:00Z") > obj.domain', 1, 'timestamp("2026-01-01T00:00:00Z"), a time', 'a text'],
    ['timestamp(time.now) > 5', 23, '5, a number', TIME],
    ['time.now == 1', 1, 'time.now', 'timestamp(time.now)'],
    ['time == 1', 1, 'time', 'timestamp(time.now)'],
    ['timestamp("time".now) == null', 11, '"time".now, a field of no item', VALUE],
    ['timestamp(obj.certificate.now) == null', 11, 'obj.certificate.now, an unknown field', REF],
    ['timestamp(time.then) == 1', 11, 'time.then', 'timestamp(time.now)'],
    ['timestamp(time.now.now) == 1', 11, 'time.now.now', 'timestamp(time.now)'],
    // names
    ['obj.certificate.foo == 1', 1, 'obj.certificate.foo, an unknown field', REF],
    ['obj.certificate.foo.bar == 1', 1, 'obj.certificate.foo.bar, an unknown field', REF],
    ['obj.certificate.constructor == null', 1, 'obj.certificate.constructor, an unknown field', REF],
    ['obj.certificate.__proto__ == null', 1, 'obj.certificate.__proto__, an unknown field', REF],
    ['obj.domain.foo == 1', 1, 'obj.domain.foo, a field of a text', 'obj.domain'],
    ['obj.certificate.id.length == 1', 1, 'obj.certificate.id.length, a field of a text', 'obj.certificate.id'],
    ['timestamp(time.now).year == 1', 1, 'timestamp(time.now).year, a field of no item', VALUE],
    ['"x".id == 1', 1, '"x".id, a field of no item', VALUE],
    // what is not in the subset
    ['obj.domain + "x" == "y"', 1, 'obj.domain + "x", arithmetic', VALUE],
    ['1 - 1 == 0', 1, '1 - 1, arithmetic', VALUE],
    ['2 * 2 == 4', 1, '2 * 2, arithmetic', VALUE],
    ['2 / 2 == 1', 1, '2 / 2, arithmetic', VALUE],
    ['2 % 2 == 0', 1, '2 % 2, arithmetic', VALUE],
    ['-size(obj.id) == 5', 1, '-size(obj.id), arithmetic', VALUE],
    ['-obj.domain == 5', 2, 'obj.domain, a text', 'a number'],
    ['-"x" == 5', 2, '"x", a text', 'a number'],
    ['-null == 5', 2, 'null', 'a number'],
    ['true ? true : false', 1, 'true ? true : false, a choice', VALUE],
    ['obj["domain"] == "x"', 1, 'obj["domain"], an index', VALUE],
    ['obj.domain[0] == "x"', 1, 'obj.domain[0], an index', VALUE],
    ['{"a": 1} == {}', 1, '{"a": 1}, a map', VALUE],
    ['5u == 5', 1, '5u, an unsigned number', VALUE],
    ['b"x" == "x"', 1, 'b"x", bytes', VALUE],
    ['9007199254740992 > 0', 1, '9007199254740992, which is too large', 'a number up to 9007199254740991'],
    ['0 > -9007199254740992', 6, '9007199254740992, which is too large', 'a number up to 9007199254740991'],
    ['0x20000000000000 > 0', 1, '0x20000000000000, which is too large', 'a number up to 9007199254740991'],
    // long ones
    [`obj.id == ${'1'.repeat(15)} && ${'x'.repeat(41)}`, 11, `${'1'.repeat(15)}, a number`, 'a text, or null'],
    [`"${'x'.repeat(38)}" == 5 || 5 == "x"`, 45, '5, a number', 'a text, or null'],
    [`"${'x'.repeat(38)}"`, 1, `"${'x'.repeat(38)}", a text`, CONDITION],
    [`"${'x'.repeat(39)}"`, 1, `"${'x'.repeat(39)}…, a text`, CONDITION],
    [`"${'😀'.repeat(20)}${'x'.repeat(20)}"`, 1, `"${'😀'.repeat(20)}${'x'.repeat(19)}…, a text`, CONDITION],
    ['size(\n  obj.id\t)', 1, 'size( obj.id ), a number', CONDITION],
  ])('%s', (filter, character, stands, allowed) => {
    expect(problemOf(filter, 'reservedDomains')).toBe(
      `at character ${character} stands ${stands}; allowed there is ${allowed}`,
    )
  })

  test.each([
    ['obj.backends == 5', 1, 'obj.backends, a map of numbers', 'one of its values: obj.backends.…'],
    ['obj.backends == null', 1, 'obj.backends, a map of numbers', 'one of its values: obj.backends.…'],
    ['5 in obj.backends', 1, '5, a number', 'a text'],
    ['null in obj.backends', 1, 'null', 'a text'],
    ['obj.backends.bkdhr_1 == "5"', 25, '"5", a text', 'a number, or null'],
    ['obj.backends.bkdhr_1 < "5"', 24, '"5", a text', 'a number'],
    ['obj.backends.bkdhr_1.x == 5', 1, 'obj.backends.bkdhr_1.x, a field of a number', 'obj.backends.bkdhr_1'],
    ['obj.backends in []', 1, 'obj.backends, a map of numbers', 'one of its values: obj.backends.…'],
    ['obj == null', 1, 'obj, an object', BACKEND],
    ['obj.colour == "red"', 1, 'obj.colour, an unknown field', BACKEND],
    ['foo.bar == 1', 1, 'foo.bar, an unknown name', BACKEND],
    ['timestamp(foo.now) == null', 11, 'foo.now, an unknown name', BACKEND],
    ['true && domain == "x"', 9, 'domain, an unknown name', BACKEND],
  ])('%s of a backend', (filter, character, stands, allowed) => {
    expect(problemOf(filter, 'weightedBackends')).toBe(
      `at character ${character} stands ${stands}; allowed there is ${allowed}`,
    )
  })

  test.each([
    ['obj.key_usages == "x"', 19, '"x", a text', 'a list of texts'],
    ['obj.key_usages == null', 19, 'null', 'a list of texts'],
    ['obj.key_usages < "x"', 1, 'obj.key_usages, a list of texts', 'a text'],
    ['5 in obj.key_usages', 1, '5, a number', 'a text, or null'],
    ['obj.key_usages in ["x"]', 1, 'obj.key_usages, a list of texts', 'a text, or null'],
    ['obj.key_usages.contains("x")', 1, 'obj.key_usages, a list of texts', 'a text'],
    [
      'obj.subject_alternative_names == null',
      1,
      'obj.subject_alternative_names, an object',
      'obj.subject_alternative_names.dns_names, obj.subject_alternative_names.ips',
    ],
    ['timestamp(obj.not_before) < "x"', 29, '"x", a text', TIME],
    ['timestamp(obj.not_before) == null', 30, 'null', TIME],
    ['timestamp(obj.issued_at) == 5', 29, '5, a number', `${TIME}, or null`],
  ])('%s of a certificate', (filter, character, stands, allowed) => {
    expect(problemOf(filter, 'tlsCertificates')).toBe(
      `at character ${character} stands ${stands}; allowed there is ${allowed}`,
    )
  })
})

describe('A filter that is no CEL names what stands where (rules: filters#language)', () => {
  test.each([
    ['(', 2, `the end; allowed there is ${VALUE}`],
    ['obj.domain ==', 14, `the end; allowed there is ${VALUE}`],
    [' ', 2, `the end; allowed there is ${VALUE}`],
    ['obj.domain == )', 15, `); allowed there is ${VALUE}`],
    ['obj.domain == #', 15, `#; allowed there is ${VALUE}`],
    ['#', 1, `#; allowed there is ${VALUE}`],
    ['size(#) == 1', 6, `#; allowed there is ${VALUE}`],
    ['5 in #', 6, `#; allowed there is ${OPERATOR}, or the end`],
    ['obj.domain = "x"', 12, `=; allowed there is ${OPERATOR}, or the end`],
    ['obj.domain "x"', 12, `"x"; allowed there is ${OPERATOR}, or the end`],
    ['obj.domain # 1', 12, `#; allowed there is ${OPERATOR}, or the end`],
    ['"😀" # 1', 5, `#; allowed there is ${OPERATOR}, or the end`],
    ['obj.domain & 1', 12, `&; allowed there is ${OPERATOR}, or the end`],
    ['(obj.domain == "x"', 19, `the end; allowed there is ")", or ${OPERATOR}`],
    ['size(obj.domain', 16, `the end; allowed there is ")", or ${OPERATOR}`],
    ['[1, 2', 6, `the end; allowed there is "]", or ${OPERATOR}`],
    ['{"a": 1', 8, `the end; allowed there is "}", or ${OPERATOR}`],
    ['{"a" 1}', 6, `1; allowed there is ":", or ${OPERATOR}`],
    ['true ? 1', 9, `the end; allowed there is ":", or ${OPERATOR}`],
    ['obj. == 1', 6, '==; allowed there is the name of a field or of a call'],
    ['"abc', 1, '"abc: Unterminated string'],
    [`"${'x'.repeat(50)}`, 1, `"${'x'.repeat(39)}…: Unterminated string`],
    ['"a\\q" == "x"', 3, '\\q: Invalid escape sequence: \\q'],
    ['if == 1', 1, 'if: Reserved identifier: if'],
    ['1e999 == 1', 1, '1e999: Invalid number: Infinity'],
    ['0x == 1', 1, '0x: Invalid hex integer: 0x'],
    ['('.repeat(300), 251, 'more than the parser reads: Exceeded maxDepth (250)'],
    [`size(${'1,'.repeat(40)})`, 70, 'more than the parser reads: Exceeded maxCallArguments (32)'],
  ])('%s', (filter, character, stands) => {
    const { key, message } = thrownBy(() => open().reservedDomains.list({ filter }))
    expect(key).toBe('filter_invalid')
    expect(message).toContain(`: at character ${character} stands ${stands}. Supported is`)
  })
})

describe('The size of a filter (rules: filters#language)', () => {
  const domains = (filter: string) => open().reservedDomains.list({ filter })

  test('is at most 2048 characters', () => {
    const padded = (length: number) => 'true'.padEnd(length)
    expect(domains(padded(2048)).reserved_domains).toEqual([])
    expect(thrownBy(() => domains(padded(2049))).message).toContain(
      ': it has 2049 characters; allowed are at most 2048. Supported is',
    )
  })

  test.each([
    ['!', (depth: number) => `${'!'.repeat(depth - 1)}true`, 250],
    ['-', (depth: number) => `${'-'.repeat(depth - 2)}1==1`, 250],
    ['==', (depth: number) => `true${'==true'.repeat(depth - 1)}`, 250],
  ])('goes 250 levels deep, in %s too', (_operator, nested, deepest) => {
    expect(domains(nested(deepest)).reserved_domains).toEqual([])
    expect(thrownBy(() => domains(nested(deepest + 1))).message).toContain(
      ', nested deeper than 250 levels; allowed there is no more nesting. Supported is',
    )
  })

  test.each(['&&', '||'])('allows a chain of %s as long as the filter', (operator) => {
    const filter = Array.from({ length: 340 }, () => 'true').join(operator)
    expect(filter).toHaveLength(2038)
    expect(domains(filter).reserved_domains).toEqual([])
  })

  test.each([
    '('.repeat(2048),
    '!'.repeat(2048),
    '-'.repeat(2048),
    '['.repeat(2048),
    `obj${'.a'.repeat(1000)}`,
    `obj${'.id'.repeat(200)}`,
    `foo${'x'.repeat(2000)} == 1`,
    `obj.${'x'.repeat(2000)} == 1`,
    `"${'x'.repeat(2000)}" == 1`,
    `${'x'.repeat(2000)}()`,
    `[${'1,'.repeat(1010)}]`,
    `{${'1:1,'.repeat(500)}}`,
    `"${'\\q'.repeat(1000)}"`,
    '\u0000'.repeat(2048),
    '"'.repeat(2048),
    '\ud800'.repeat(2048),
  ])('has no bearing on the length of a refusal', (filter) => {
    const { key, message } = thrownBy(() => domains(filter))
    expect(key).toBe('filter_invalid')
    expect(message.length).toBeLessThan(1000)
  })

  test('is the same through HTTP, where the refusal names the parameter in its details', async () => {
    const { status, body } = await client(open())('GET', '/reserved_domains?filter=obj.domain%20%3C%205')
    expect([status, body.error_code]).toEqual([400, 'ERR_GATEWAY_250'])
    expect(body.msg).toBe(
      `filter is "obj.domain < 5": at character 14 stands 5, a number; allowed there is a text. ${SUPPORTED}`,
    )
    expect(body.details['field:filter']).toBe(body.msg)
  })

  test('does not matter for what a parameter may be through the direct API', async () => {
    const gateway = open()
    const list = (input: unknown) => thrownBy(() => gateway.reservedAddrs.list(input as never))
    expect(list({ filter: {} }).message).toBe('filter is an object. Allowed: a text or a number.')
    expect(list({ limit: ['1'] }).message).toBe('limit is an array of 1. Allowed: a text or a number.')
    expect(list({ before_id: () => 'ra_1' }).key).toBe('field_invalid')
    expect(list({ filter: Symbol('x') }).key).toBe('field_invalid')
    expect(list({ filter: Object.create(null) }).key).toBe('field_invalid')
    for (const input of ['obj.id == ""', 5, [], new Map(), true]) {
      expect(list(input).message).toMatch(/^query is .*\. Allowed: an object of limit, before_id, filter\.$/)
    }
    expect(gateway.reservedAddrs.list({ filter: true } as never).reserved_addrs).toEqual([])
    expect(outcome(await client(gateway)('GET', '/reserved_addrs?filter=true'))).toBe('200')
  })
})
