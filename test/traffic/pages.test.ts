import { describe, expect, test } from 'vitest'
import { readOperatorPolicies, readPageList, readTrafficPages } from '../../scripts/generate/evidence/traffic-pages.ts'
import { isObject } from '../../src/core/schema/values.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { languageOf, listPaths } from '../../src/service/policy/environment.ts'
import { FUNCTIONS } from '../../src/service/policy/functions.ts'
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

test('Each page about policies has rows, or a reason for which it has none', () => {
  const { with_rows, without_rows } = readPageList()
  expect(pages.map(({ page }) => page)).toEqual(with_rows)
  const reasons = Object.entries(without_rows)
  expect(reasons.filter(([page, reason]) => with_rows.includes(page) || reason.length < 10)).toEqual([])
  expect(with_rows.length + reasons.length).toBeGreaterThan(100)
})

describe('An expression with its value and its type is a row', () => {
  const rows = pages.flatMap(({ page, rows }) => rows.map((row) => ({ ...row, page })))
  const valued = rows.filter(({ cel, is }) => cel !== undefined && is !== undefined)

  test('for each function of the page about macros', () => {
    const expressions = valued.filter(({ page }) => page === 'traffic-policy/macros/index').map(({ cel }) => cel)
    const isCalled = (name: string) => expressions.some((cel) => new RegExp(`(?<!\\w)${name}\\(`).test(cel ?? ''))
    expect(FUNCTIONS.map(({ name }) => name).filter((name) => !isCalled(name))).toEqual([])
  })

  test('for each variable', () => {
    const { variables, texts } = languageOf({ phase: 'on_http_response', hasTls: true })
    // Most pages of actions do not list the error.
    const paths = listPaths(variables).filter((path) => !/^actions\.\w+\.\w+\.error\./.test(path))
    const isRead = (path: string) => {
      // The text of `req.url` is not that of `req.url.path`.
      const end = texts.has(path) ? '(?!\\w|\\.\\w+(?![\\w(]))' : '\\b'
      const pattern = new RegExp(`(?<![\\w.])${path.replaceAll('.', '\\.')}${end}`)
      return valued.some(({ cel = '' }) => pattern.test(cel))
    }
    expect(paths.filter((path) => !isRead(path))).toEqual([])
  })

  test('in each row with a value that the check takes', () => {
    const untyped = valued.filter(({ type, check }) => type === undefined && check === undefined)
    expect(untyped.map(({ page, says }) => `${page}: ${says}`)).toEqual([])
  })
})

const sources = [...pages, readOperatorPolicies()]

describe.each(sources)('The rows of $page (rules: traffic-policy#numbers)', ({ page, rows }) => {
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
