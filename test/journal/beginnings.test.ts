import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { check } from '../support/property.ts'

const KEPT = 65_536

/** The journal's request where just so much of a text is kept. */
function shownAt(text: string, at: number): string {
  const gateway = createGateway({ seed: 'beginnings' })
  const body = ' '.repeat(KEPT - at) + text + ' '.repeat(at + 1)
  const header = (name: string) => (name === 'content-type' ? 'application/json' : null)
  gateway.transport.exchange({ method: 'POST', url: '/reserved_addrs', body, header })
  return String(gateway.requests.last()?.request).replace(` [cut: ${KEPT} of ${body.length} characters]`, '')
}

/** The beginning of a text, its last text marked with "…", and brackets for those that are open. */
const ROWS = [
  ['{', '{}'],
  ['{ "a": [1', '{"a":[]}'],
  ['{ "a": [1,', '{"a":[1]}'],
  ['{ "a": [1, -2.5e+3,', '{"a":[1,-2500]}'],
  ['{ "a": [1, true ], "b\\"\\u00e9": {"c":null,', '{"a":[1,true],"b\\"é":{"c":null}}'],
  ['{ "a": {"c":null,"d":"', '{"a":{"c":null,"d":"…"}}'],
  ['{ "a": {"c":null,"d":"t\\\\e\\u00', '{"a":{"c":null,"d":"t\\\\e…"}}'],
  ['{ "a": {"c":null,"d":"t\\\\e\\u0041x"', '{"a":{"c":null,"d":"t\\\\eAx"}}'],
  ['{ "a": 1, "na', '{"a":1}'],
  ['[[],{},"a', '[[],{},"a…"]'],
  ['[[],{},"a",["b","c"],{"k":["v",false]', '[[],{},"a",["b","c"],{"k":["v",false]}]'],
  ['{"a" 1 x}', '{}'],
  ['[1,true,nil,2]', '[1,true]'],
  ['["a","\\x",2]', '["a","…"]'],
] as const

describe('Of a body that is longer than what is kept of it, the journal shows', () => {
  test.each(ROWS)('the beginning as far as it goes: %s', (text, shown) => {
    expect(shownAt(text, text.length)).toBe(shown)
  })

  test('only its length where no JSON begins so', () => {
    expect(shownAt(']', 1)).toBe(`[a text of ${KEPT + 2} characters that is not JSON]`)
  })

  test('never a value that the whole body does not have, wherever it is cut', () => {
    /** Says whether a value is what is left of another one when its end is missing. */
    const begins = (part: unknown, whole: unknown): boolean => {
      if (typeof part === 'string' && typeof whole === 'string')
        return part === whole || whole.startsWith(part.replace(/…$/, ''))
      if (typeof part !== 'object' || part === null) return Object.is(part, whole)
      return Object.entries(part).every(([name, inner]) =>
        begins(inner, (whole as Readonly<Record<string, unknown>>)[name]),
      )
    }
    check(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(1000), (value, cut) => {
        const text = JSON.stringify([value])
        const at = 1 + (cut % text.length)
        expect(begins(JSON.parse(shownAt(text, at)), JSON.parse(text))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
