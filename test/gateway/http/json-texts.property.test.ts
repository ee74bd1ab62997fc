import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { exchange } from '../../support/exchange.ts'
import { anyCharacter, check, limitCases } from '../../support/property.ts'

const gateway = createGateway({ seed: 'json texts' })

/** Returns the place that the error about a body names. */
function findPlace(body: string) {
  const { body: answer } = exchange(gateway, { body })
  const { msg, details } = JSON.parse(answer ?? '')
  const place = /^The body is not JSON: at line (\d+), column (\d+) \(position (\d+)\)\. It must be/.exec(msg)
  return { place: place?.slice(1).map(Number), answer: JSON.stringify([msg, { ...details, operation_id: '' }]) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns whether a few known endings can complete the start of a JSON text. */
function canBeCompleted(text: string): boolean {
  const values = ['', '1', '"', '"":1', ':1', '":1', ',"":1', '0']
  const closings = closingsOf(text)
  return values.some((value) => closings.some((closing) => isJson(text + value + closing)))
}

function closingsOf(text: string): string[] {
  let open = ''
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (isText && char === '\\') i++
    else if (char === '"') isText = !isText
    else if (!isText && (char === '{' || char === '[')) open = (char === '{' ? '}' : ']') + open
    else if (!isText && (char === '}' || char === ']')) open = open.slice(1)
  }
  return [open, `"${open}`]
}

describe('The error about a body that is not JSON', () => {
  test.each([
    ['{"a": 1,}', 8],
    ['{', 1],
    ["{'a': 1}", 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a": undefined}', 6],
    ['{\n  "a": [1,\r\n 2 3]}', 17],
    ['{"a": [1}', 8],
    ['{} x', 3],
    ['{"a": 01}', 7],
    ['{"a": "x\ty"}', 8],
    ['{"a": "\\x"}', 7],
    ['{"a": "b', 8],
    ['\uFEFF{}', 0],
  ])('names the place where it stops being JSON: %j', (body, position) => {
    expect(findPlace(body).place?.[2]).toBe(position)
  })

  test('names a place up to which the body can be JSON, by line, column and position, and repeats nothing of it', () => {
    const edit = fc.tuple(fc.nat(1000), fc.nat(2), fc.constantFrom('', '"', '}', ']', '{', ',', ':', '-', 'x', '\n'))
    const SECRET = 'hush-hush-hush'
    check(
      fc.property(fc.json({ stringUnit: anyCharacter }), edit, (json, [at, gone, added]) => {
        const text = `{\n"${SECRET}": ${json}}`
        const from = at % (text.length + 1)
        const body = text.slice(0, from) + added + text.slice(from + gone)
        fc.pre(!isJson(body))
        const { place: [line, column, position = -1] = [], answer } = findPlace(body)
        expect(position).toBeGreaterThanOrEqual(0)
        const lines = body.slice(0, position).split('\n')
        expect([line, column]).toEqual([lines.length, (lines.at(-1)?.length ?? 0) + 1])
        expect(canBeCompleted(body.slice(0, position))).toBe(true)
        expect(answer).not.toContain(SECRET)
      }),
      { numRuns: limitCases(150) },
    )
  })
})

test('A body that was an object in JavaScript is rejected with the name of the missing call', () => {
  const { body } = exchange(gateway, { body: String({ region: 'eu' }) })
  expect(JSON.parse(body ?? '').msg).toContain('The body is not JSON: an object that was sent without JSON.stringify.')
})
