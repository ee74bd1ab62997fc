import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/survives.md has a row for each option of survives', () => {
  const [, members = ''] = /^fauxgate\/testing:SurvivesOptions (.+)$/m.exec(read('docs/api/names.txt')) ?? []
  const [, table = ''] = /^## Options\n([^#]+(?:\(#[^#]*)*)\n## /m.exec(read('docs/survives.md')) ?? []
  const rows = table.split('\n').flatMap((line) => /^\| (`.*?`) \|/.exec(line)?.[1] ?? [])
  const named = rows.flatMap((row) => row.replaceAll('`', '').split(', '))
  expect(named.sort()).toEqual(members.split(' ').sort())
})
