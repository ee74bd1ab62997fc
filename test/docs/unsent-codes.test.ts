import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errors } from '../../scripts/generate/evidence/rules.ts'
import { listRanges } from '../../src/control/faults/documented-numbers.ts'
import { errors as faultErrors } from '../../src/control/faults/fault.ts'
import type { CatalogueError } from '../../src/core/schema/errors.ts'
import { CERTIFICATE_ERRORS } from '../../src/service/provisioning/certificate-errors.ts'
import unsent from '../../tools/evidence/unsent-codes.json'

/** Returns all numbers of ranges. */
const listNumbers = (ranges: readonly { readonly first: number; readonly last: number }[]) =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index))

/** Reads ranges such as `300 to 304, 323`. */
const readRanges = (text: string) =>
  text.split(', ').map((range) => {
    const [first = '', last = first] = range.split(' to ')
    return { first: Number(first), last: Number(last) }
  })

const documented = listNumbers(listRanges())
const faults = Object.values<CatalogueError>(faultErrors)
const ofVisitors = readdirSync('src/traffic', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => readFileSync(`src/traffic/${name}`, 'utf8').match(/\b[3568]\d{3}\b/g) ?? [])
const sent = new Set([
  ...errors.filter((error) => !faults.includes(error)).map(({ number }) => number),
  ...Object.values(CERTIFICATE_ERRORS).map(({ number }) => number),
  ...ofVisitors.map(Number),
])

describe('A documented error code that fauxgate never sends', () => {
  const rows = unsent.rows.map(({ codes }) => listNumbers(readRanges(codes)))

  test('has a reason', () => {
    const withReason = new Set(rows.flat())
    expect(documented.filter((number) => !sent.has(number) && !withReason.has(number))).toEqual([])
  })

  test('is in each row of reasons', () => {
    const isUnsent = (number: number) => documented.includes(number) && !sent.has(number)
    expect(unsent.rows.filter((_, index) => !rows[index]?.some(isUnsent)).map(({ codes }) => codes)).toEqual([])
  })
})
