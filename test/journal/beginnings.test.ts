import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'

const KEPT = 65_536

/** What the journal shows of a text of which just so much is kept. */
async function shownAt(gateway: Gateway, text: string, at: number): Promise<string> {
  const body = ' '.repeat(KEPT - at) + text + ' '.repeat(at + 1)
  const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
  await gateway.fetch(`${gateway.url}/reserved_addrs`, { method: 'POST', headers, body })
  return String(gateway.requests.last()?.request).replace(` [cut: ${KEPT} of ${body.length} characters]`, '')
}

/** A text, and what is shown from which place in it on. */
const TEXTS: [string, [begins: string, shown: string][]][] = [
  [
    '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\e\\u0041x"} }',
    [
      ['{', '{}'],
      ['{ "a": [', '{"a":[]}'],
      ['{ "a": [1,', '{"a":[1]}'],
      ['{ "a": [1, -2.5e+3,', '{"a":[1,-2500]}'],
      ['{ "a": [1, -2.5e+3, true ', '{"a":[1,-2500,true]}'],
      ['{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {', '{"a":[1,-2500,true],"b\\"é":{}}'],
      ['{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,', '{"a":[1,-2500,true],"b\\"é":{"c":null}}'],
      ['{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"', '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"…"}}'],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t…"}}',
      ],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t\\\\…"}}',
      ],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\e',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t\\\\e…"}}',
      ],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\e\\u0041',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t\\\\eA…"}}',
      ],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\e\\u0041x',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t\\\\eAx…"}}',
      ],
      [
        '{ "a": [1, -2.5e+3, true ], "b\\"\\u00e9": {"c":null,"d":"t\\\\e\\u0041x"',
        '{"a":[1,-2500,true],"b\\"é":{"c":null,"d":"t\\\\eAx"}}',
      ],
    ],
  ],
  [
    '[[],{},"a",["b","c"],{"k":["v",false]},12]',
    [
      ['[', '[]'],
      ['[[', '[[]]'],
      ['[[],{', '[[],{}]'],
      ['[[],{},"', '[[],{},"…"]'],
      ['[[],{},"a', '[[],{},"a…"]'],
      ['[[],{},"a"', '[[],{},"a"]'],
      ['[[],{},"a",[', '[[],{},"a",[]]'],
      ['[[],{},"a",["', '[[],{},"a",["…"]]'],
      ['[[],{},"a",["b', '[[],{},"a",["b…"]]'],
      ['[[],{},"a",["b"', '[[],{},"a",["b"]]'],
      ['[[],{},"a",["b","', '[[],{},"a",["b","…"]]'],
      ['[[],{},"a",["b","c', '[[],{},"a",["b","c…"]]'],
      ['[[],{},"a",["b","c"', '[[],{},"a",["b","c"]]'],
      ['[[],{},"a",["b","c"],{', '[[],{},"a",["b","c"],{}]'],
      ['[[],{},"a",["b","c"],{"k":[', '[[],{},"a",["b","c"],{"k":[]}]'],
      ['[[],{},"a",["b","c"],{"k":["', '[[],{},"a",["b","c"],{"k":["…"]}]'],
      ['[[],{},"a",["b","c"],{"k":["v', '[[],{},"a",["b","c"],{"k":["v…"]}]'],
      ['[[],{},"a",["b","c"],{"k":["v"', '[[],{},"a",["b","c"],{"k":["v"]}]'],
      ['[[],{},"a",["b","c"],{"k":["v",false]', '[[],{},"a",["b","c"],{"k":["v",false]}]'],
      ['[[],{},"a",["b","c"],{"k":["v",false]},12]', '[[],{},"a",["b","c"],{"k":["v",false]},12]'],
    ],
  ],
  ['["\\n\\u00e9","\\uD83D\\uDE00",', [['["\\n\\u00e9","\\uD83D\\uDE00"', '["\\né","😀"]']]],
  ['{"a":{"b":{"c":[[1,2]', [['{"a":{"b":{"c":[[1,2]', '{"a":{"b":{"c":[[1,2]]}}}']]],
  ['[null,false,-0.5,1E2,', [['[null,false,-0.5,1E2,', '[null,false,-0.5,100]']]],
]

describe('Of a body that is longer than what is kept of it, the journal shows', () => {
  test.each(TEXTS)('the beginning as far as it is whole, wherever it was cut: %s', async (text, rows) => {
    const gateway = createGateway({ seed: 'beginnings' })
    const from = rows[0]?.[0].length ?? 0
    for (let at = from; at <= text.length; at++) {
      const [, shown] = rows.findLast(([begins]) => begins.length <= at) ?? []
      expect(await shownAt(gateway, text, at), text.slice(0, at)).toBe(shown)
    }
  })

  test.each(['{"a":1]', '[1}', '[}', '{]'])('only its length where no JSON begins so: %s', async (text) => {
    const gateway = createGateway({ seed: 'beginnings' })
    expect(await shownAt(gateway, text, text.length)).toBe(
      `[a text of ${KEPT + text.length + 1} characters that is not JSON]`,
    )
  })

  test('what stands before the place where it stops to be JSON', async () => {
    const gateway = createGateway({ seed: 'beginnings' })
    const shown = async (text: string) => shownAt(gateway, text, text.length)
    expect(await shown('{"a" 1 x}')).toBe('{}')
    expect(await shown('[1,true,nil,2]')).toBe('[1,true]')
    expect(await shown('["a","\\x",2]')).toBe('["a","…"]')
  })
})
