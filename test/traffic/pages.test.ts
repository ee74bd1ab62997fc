import { describe, expect, test } from 'vitest'
import { readTrafficPages } from '../../scripts/generate/evidence/traffic-pages.ts'
import { isObject } from '../../src/core/schema/values.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { runRow } from './page-rows.ts'

const pages = readTrafficPages()

/** The fields of a row, of a request of it, and of the messages of a request. A misspelt one would compare nothing. */
const OF_ROWS =
  'says on_tcp_connect on_http_request on_http_response on_event_stream_message check place file cel is type fails phase app internal served vaults ip_policies then undecided not'
const OF_STEPS = 'wait request response upstream'
const OF_MESSAGES = 'status error method path headers body'

function listUnknown(of: object, fields: string): readonly string[] {
  return Object.keys(of).filter((key) => !fields.split(' ').includes(key))
}

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

  test('has only rows with known fields', () => {
    const steps = rows.flatMap((row) => [row, ...(row.then ?? [])])
    const messages = steps.flatMap(({ response, upstream }) => [response, upstream].filter((each) => isObject(each)))
    expect([
      ...rows.flatMap((row) => listUnknown(row, `${OF_ROWS} ${OF_STEPS}`)),
      ...rows.flatMap(({ then = [] }) => then.flatMap((step) => listUnknown(step, OF_STEPS))),
      ...messages.flatMap((message) => listUnknown(message, OF_MESSAGES)),
    ]).toEqual([])
  })

  const run = rows.filter(({ not }) => not === undefined)
  test.each(run.map((row) => [row.says, row] as const))('%s', (_, row) => runRow(row))
})
