import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonProblem } from '../../src/http/json-problem.ts'
import { jsonBeginning } from '../../src/journal/json-beginning.ts'
import { check } from '../support/property.ts'

/** A JSON text with space in all places, numbers of every form and escapes of every kind. */
const space = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', ' \n ')
const string = fc
  .array(
    fc.constantFrom('a', 'é', '😀', ' ', '{', ']', ',', ':', '\\"', '\\\\', '\\/', '\\n', '\\u00e9', '\\uD83D\\ude00'),
    {
      maxLength: 4,
    },
  )
  .map((parts) => `"${parts.join('')}"`)
const scalar = fc.oneof(
  string,
  fc.constantFrom(
    'true',
    'false',
    'null',
    '0',
    '-0',
    '7',
    '-12',
    '10',
    '0.5',
    '2.05',
    '1e5',
    '3E-2',
    '1.5e+10',
    '98.9e9',
  ),
)
const spaced = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(''))
const { json, list, object } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: spaced(fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('object'))),
  list: fc.tuple(space, fc.array(tie('json'), { maxLength: 4 })).map(([inner, items]) => `[${items.join() || inner}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(spaced(string), tie('json')), { maxLength: 4 }))
    .map(([inner, entries]) => `{${entries.map((entry) => entry.join(':')).join() || inner}}`),
}))

/** Where a text ends: what is open there, from the inside out, and where the string begins that it ends in. */
function endOf(text: string): { closing: string; string: number | undefined; isKey: boolean } {
  const open: string[] = []
  let string: number | undefined
  let isKey = false
  let last = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (string !== undefined) {
      if (char === '\\') at++
      else if (char === '"') string = undefined
      continue
    }
    if (char === '"') {
      string = at
      isKey = open.at(-1) === '}' && (last === '{' || last === ',')
    }
    if (char === '{') open.push('}')
    if (char === '[') open.push(']')
    if (char === '}' || char === ']') open.pop()
    if (char.trim() !== '') last = char
  }
  return { closing: open.reverse().join(''), string, isKey }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

describe('The beginning of a JSON text', () => {
  /** What can be said of a beginning: the longest part of it that is whole, with the text that it is cut in. */
  function expected(beginning: string): unknown {
    const { closing, string, isKey } = endOf(beginning)
    if (string !== undefined && !isKey) {
      const inside = beginning.slice(string).replace(/(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, '$1')
      return parsed(`${beginning.slice(0, string)}${inside}…"${closing}`)?.value
    }
    for (let end = beginning.length; end > 0; end--) {
      const part = beginning.slice(0, end)
      const it = endOf(part)
      if (it.string !== undefined) continue
      // A number or a word may go on.
      if (/[\w.+-]$/.test(part) && !/^[\s,\]}]/.test(beginning.slice(end))) continue
      const whole = parsed(part + it.closing)
      if (whole) return whole.value
    }
    return undefined
  }

  test('is read as far as it is whole, wherever it was cut', () => {
    check(
      fc.property(fc.oneof(list, object), fc.nat({ max: 10_000 }), (text, cut) => {
        const beginning = text.slice(0, cut % (text.length + 1))
        expect(jsonBeginning(beginning)).toEqual(expected(beginning))
      }),
      { numRuns: 200 },
    )
  })
})

describe('What is said of a text that is not JSON', () => {
  /** What a beginning may go on with to be JSON, if nothing is open any more. */
  const MORE = ['', '0', ':0', '"a":0', 'rue', 'ue', 'e', 'alse', 'lse', 'se', 'ull', 'll', 'l']
  const IN_STRING = ['', '\\', 'u0000', '0000', '000', '00', '0'].flatMap((rest) => [`${rest}"`, `${rest}":0`])

  const canGoOn = (text: string) => {
    const { closing, string } = endOf(text)
    return (string === undefined ? MORE : IN_STRING).some((more) => parsed(text + more + closing))
  }

  /** Where a text becomes one that cannot go on, or its end. */
  function firstWrong(text: string): number {
    let [low, high] = [0, text.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (canGoOn(text.slice(0, middle + 1))) low = middle + 1
      else high = middle
    }
    return low
  }

  const edit = fc.tuple(
    fc.nat({ max: 10_000 }),
    fc.nat({ max: 2 }),
    fc.constantFrom('', '"', '}', ']', '{', '[', ',', ':', '-', '.', 'e', '0', '1', 'x', '\\', '\u0001', '\n', 'true'),
  )

  test('names the first character with which it is none, by line, column and position', () => {
    check(
      fc.property(json, edit, (text, [place, gone, added]) => {
        const at = place % (text.length + 1)
        const broken = text.slice(0, at) + added + text.slice(at + gone)
        fc.pre(!parsed(broken))
        const [, line, column, position, why] = (/^at line (\d+), column (\d+) \(position (\d+)\) (.*)$/s.exec(
          jsonProblem(broken),
        ) ?? []) as string[]
        const from = Number(position)
        expect([Number(line), Number(column)]).toEqual([
          broken.slice(0, from).split('\n').length,
          (broken.slice(0, from).split('\n').at(-1) as string).length + 1,
        ])
        const first = firstWrong(broken)
        if (why === 'a text begins that does not end') {
          expect([first, broken[from], endOf(broken).string]).toEqual([broken.length, '"', from])
        } else if (why === 'a text has an escape that JSON does not have') {
          expect(broken[from]).toBe('\\')
          expect(broken.slice(from, first)).toMatch(/^\\(u[0-9a-f]{0,3})?$/i)
        } else {
          // A word is named by its first character.
          expect(broken.slice(from, first)).toMatch(/^(t|tr|tru|f|fa|fal|fals|n|nu|nul)?$/)
          const there = first === broken.length && from === first ? 'the end' : undefined
          if (there) expect(why).toContain(`there is ${there} instead of`)
          else expect(why).not.toContain('there is the end')
        }
      }),
      { numRuns: 80 },
    )
  })
})
