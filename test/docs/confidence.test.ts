import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly wish: string
  readonly verdict: string
  readonly evidence: string
}

const PAGE = readFileSync('docs/confidence.md', 'utf8')

function parseRows(page: string): Row[] {
  const lines = page.match(/^\| (?!I want to test…).+ \|$/gm) ?? []
  return lines.map((line) => {
    const [wish = '', verdict = '', evidence = ''] = line.slice(2, -2).split(' | ')
    return { wish, verdict, evidence }
  })
}

/** Returns what is wrong with a row: a yes without an existing test, or a no without a reason. */
function findProblem({ verdict, evidence }: Row): string | undefined {
  const [, answer] = /^(yes|no|with an option)(?:,|$)/.exec(verdict) ?? []
  if (answer === undefined) return `"${verdict}" is no verdict`
  if (answer === 'no') return evidence.length < 30 ? 'a no without a reason' : undefined
  const [, title, file] =
    /^\[(.+)\]\(https:\/\/github\.com\/fauxgate\/fauxgate\/blob\/main\/(test\/[\w./-]+\.test\.ts)\)$/.exec(evidence) ??
    []
  if (title === undefined || file === undefined) return 'no link to a test'
  if (!existsSync(file)) return `${file} does not exist`
  return listTitles(file).has(title) ? undefined : `${file} has no test "${title}"`
}

/** Returns the titles of a file's tests, without the placeholder at the beginning or end of a parametrized title. */
function listTitles(file: string): Set<string> {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test(?:Sqlite)?|describe)\b[\w.]*(?:\([^\n]*?\)|<[^\n]*?>\([^\n]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g,
  )
  const inTables = readFileSync(file, 'utf8').matchAll(/\]\s*(?:as const)?\s*\)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)
  const titles = [...calls, ...inTables].map(([, , title = '']) => title.replace(/\\(.)/g, '$1'))
  return new Set(titles.map((title) => title.replace(/^%\w:? |:? %\w$/g, '')))
}

describe('The table of docs/confidence.md', () => {
  const rows = parseRows(PAGE)

  it('answers many wishes, some of them with no', () => {
    expect(rows.length).toBeGreaterThanOrEqual(45)
    expect(rows.filter(({ verdict }) => verdict === 'no').length).toBeGreaterThanOrEqual(8)
    expect(new Set(rows.map(({ wish }) => wish)).size).toBe(rows.length)
    expect(rows.filter(({ evidence }) => /^\[[^\]]*%[a-z]\b/.test(evidence))).toEqual([]) // no printf placeholders
  })

  it.each(rows.map((row) => [row.wish, row] as const))('%s', (_wish, row) => {
    expect(findProblem(row)).toBeUndefined()
  })

  it.each<[string, Partial<Row>, string]>([
    [
      'names a missing test',
      { evidence: '[no such title](https://github.com/fauxgate/fauxgate/blob/main/test/docs/confidence.test.ts)' },
      'has no test',
    ],
    [
      'names a missing file',
      { evidence: '[no such title](https://github.com/fauxgate/fauxgate/blob/main/test/docs/gone.test.ts)' },
      'does not exist',
    ],
    ['has words instead of a test', { evidence: 'Believe us: it works in every case.' }, 'no link to a test'],
    [
      'has an option without a test',
      { verdict: 'with an option, `keys`', evidence: 'The option `keys`.' },
      'no link to a test',
    ],
    ['has a no without a reason', { verdict: 'no', evidence: '' }, 'a no without a reason'],
    ['has an unknown verdict', { verdict: 'perhaps' }, 'is no verdict'],
  ])('has a problem if a row %s', (_name, wrong, problem) => {
    const row = { wish: 'that it works', verdict: 'yes', evidence: '', ...wrong }
    expect(findProblem(row)).toContain(problem)
  })
})
