import { describe, expect, test } from 'vitest'
import { readTrafficPages } from '../../scripts/generate/evidence/traffic-pages.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { runRow } from './page-rows.ts'

const pages = readTrafficPages()

test('Each action has its page', () => {
  const names = pages.map(({ page }) => page)
  const missing = ACTIONS.filter(({ page }) => !names.includes(`traffic-policy/actions/${page}`))
  expect(missing.map(({ type }) => type)).toEqual([])
})

describe.each(pages)('The page $page (rules: traffic-policy#numbers)', ({ page, rows }) => {
  test('has a row for each statement once, with a result or the reason for which it has none', () => {
    expect(rows.length, page).toBeGreaterThan(0)
    expect(new Set(rows.map(({ says }) => says)).size, page).toBe(rows.length)
    const keys = ['not', 'check', 'cel', 'response', 'upstream'] as const
    expect(rows.filter((row) => !keys.some((key) => row[key] !== undefined)).map(({ says }) => says)).toEqual([])
    const decided = rows.filter(
      ({ undecided: readings }) => readings && (!Array.isArray(readings) || readings.length < 2),
    )
    expect(decided.map(({ says }) => says)).toEqual([])
  })

  const run = rows.filter(({ not }) => not === undefined)
  test.each(run.map((row) => [row.says, row] as const))('%s', (_, row) => runRow(row))
})
