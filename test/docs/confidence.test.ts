import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly wanted: string
  readonly verdict: string
  readonly shown: string
}

const PAGE = readFileSync('docs/confidence.md', 'utf8')

function rowsOf(page: string): Row[] {
  const lines = page.match(/^\| (?!I want to test…).+ \|$/gm) ?? []
  return lines.map((line) => {
    const [wanted = '', verdict = '', shown = ''] = line.slice(2, -2).split(' | ')
    return { wanted, verdict, shown }
  })
}

/** Says what is wrong with a row: a yes without a test that there is, or a no without a reason. */
function problemOf({ verdict, shown }: Row): string | undefined {
  const [, answer] = /^(yes|no|with an option)(?:,|$)/.exec(verdict) ?? []
  if (answer === undefined) return `"${verdict}" is no verdict`
  if (answer === 'no') return shown.length < 30 ? 'a no without a reason' : undefined
  const [, title, file] =
    /^\[(.+)\]\(https:\/\/github\.com\/fauxgate\/fauxgate\/blob\/main\/(test\/[\w./-]+\.test\.ts)\)$/.exec(shown) ?? []
  if (title === undefined || file === undefined) return 'no link to a test'
  if (!existsSync(file)) return `${file} does not exist`
  return titlesIn(file).has(title) ? undefined : `${file} has no test "${title}"`
}

/** The titles of the tests of a file, as they are written. */
function titlesIn(file: string): Set<string> {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test(?:Sqlite)?|describe)\b[\w.]*(?:\([^\n]*?\)|<[^\n]*?>\([^\n]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g,
  )
  const inTables = readFileSync(file, 'utf8').matchAll(/\]\s*(?:as const)?\s*\)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)
  return new Set([...calls, ...inTables].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')))
}

describe('What can be tested with fauxgate', () => {
  const rows = rowsOf(PAGE)

  it('is said of many wishes, some of which it cannot grant', () => {
    expect(rows.length).toBeGreaterThanOrEqual(45)
    expect(rows.filter(({ verdict }) => verdict === 'no').length).toBeGreaterThanOrEqual(10)
    expect(new Set(rows.map(({ wanted }) => wanted)).size).toBe(rows.length)
  })

  it.each(rows.map((row) => [row.wanted, row] as const))('%s', (_wanted, row) => {
    expect(problemOf(row)).toBeUndefined()
  })

  it.each<[string, Partial<Row>, string]>([
    [
      'a test that is not there',
      { shown: '[no such title](https://github.com/fauxgate/fauxgate/blob/main/test/docs/confidence.test.ts)' },
      'has no test',
    ],
    [
      'a file that is not there',
      { shown: '[no such title](https://github.com/fauxgate/fauxgate/blob/main/test/docs/gone.test.ts)' },
      'does not exist',
    ],
    ['words in place of a test', { shown: 'Believe us: it works in every case.' }, 'no link to a test'],
    [
      'an option without a test',
      { verdict: 'with an option, `keys`', shown: 'The option `keys`.' },
      'no link to a test',
    ],
    ['a no without a reason', { verdict: 'no', shown: '' }, 'a no without a reason'],
    ['a verdict of another kind', { verdict: 'perhaps' }, 'is no verdict'],
  ])('is refused with %s', (_name, wrong, problem) => {
    const row = { wanted: 'that it works', verdict: 'yes', shown: '', ...wrong }
    expect(problemOf(row)).toContain(problem)
  })
})
