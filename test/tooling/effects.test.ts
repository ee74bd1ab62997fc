import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tableOf } from '../../src/gateway/table.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { ngrok } from '../../src/service/resources/dialects.ts'
import { listWritableFields } from '../support/writable-fields.ts'

interface Row {
  readonly fields: readonly string[]
  readonly effect: string
  readonly test?: string
  readonly because?: string
}

const { rows }: { readonly rows: readonly Row[] } = JSON.parse(readFileSync('tools/evidence/effects.json', 'utf8'))
const { operations } = tableOf(ngrok, ngrokFamilies).api
const { all, paths } = listWritableFields(operations)

const rowOf = (path: string) => rows.find(({ fields }) => fields.includes(path))

describe('Every field that a request can set', () => {
  test('has a row that says what it does, and names it: a new field below others fails without one', () => {
    expect(rows.flatMap(({ fields }) => fields).sort()).toEqual([...paths].sort())
  })

  test('is counted on the page of what can be tested', () => {
    const count = (isWanted: (row: Row) => boolean) => paths.filter((path) => isWanted(rowOf(path) as Row)).length
    const effects = count(({ test: shown }) => shown !== undefined)
    const texts = count(({ effect }) => effect === 'text')
    const line =
      `The ${operations.length} operations can set ${all} fields, or ${paths.length} if repeated modules count once. ` +
      `Tests show the effect of ${effects} of these. Another ${texts} are free text, and ${count(({ effect }) => effect === 'none')} have no effect.`
    expect(readFileSync('docs/confidence.md', 'utf8').replace(/\s+/g, ' ')).toContain(line)
  })
})

describe('A row of effects', () => {
  test.each(rows)(
    '$fields.0 names a test that has its fields, or the reason',
    ({ fields, effect, test: shown, because }) => {
      if (shown === undefined) return expect(because !== undefined || effect === 'text').toBe(true)
      const [file = '', title = ''] = shown.split(/: (.*)/s)
      const source = readFileSync(file, 'utf8')
      expect(listTitles(source)).toContain(title)
      const names = fields.map((field) => field.slice(field.lastIndexOf('.') + 1))
      expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([])
      expect(['traffic', 'certificates', 'agents', 'accounts', 'events']).toContain(effect)
    },
  )
})

/** Lists the titles of the tests of a file, such as those after `test(` and `test.each(…)(`. */
function listTitles(source: string): readonly string[] {
  const found = source.matchAll(/(?:\b(?:test|it)|\))\(\s*(['"`])(.*?)(?<!\\)\1,/gs)
  return Array.from(found, ([, , title = '']) => title)
}
