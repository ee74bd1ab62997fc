import { expect, test } from 'vitest'
import { readTrafficPages } from '../../../scripts/generate/evidence/traffic-pages.ts'
import { ACTIONS } from '../../../src/service/policy/actions/index.ts'
import { DECISIONS } from '../../../src/service/policy/decisions.ts'
import { languageErrors } from '../../../src/service/policy/index.ts'
import { WARNINGS } from '../../../src/service/policy/warnings/index.ts'

const { default: createReference } = await import(
  new URL('../../../scripts/generate/reference.mjs', import.meta.url).href
)
const files: ReadonlyMap<string, string> = createReference()

test('The reference has a section for each action and each warning of policies', () => {
  const headings = (files.get('docs/policy-reference.md') ?? '').match(/^### .+$/gm)
  const types = ACTIONS.map(({ type }) => `### ${type}`)
  expect(headings).toEqual(expect.arrayContaining([...types, ...WARNINGS.map(({ id }) => `### ${id}`)]))
})

/** Returns the text of a section of the reference of policies, such as that of an action. */
function sectionOf(title: string): string {
  const [, ...sections] = (files.get('docs/policy-reference.md') ?? '').split(/^#{2,3} /m)
  return sections.find((text) => text.startsWith(`${title}\n`)) ?? ''
}

test('The section of each action has its decisions, and the section of decisions has all others', () => {
  const ofActions = ACTIONS.flatMap(({ type, decisions = [] }) => decisions.map(({ says }) => [type, says] as const))
  const said = ofActions.map(([, says]) => says)
  const others = Object.values(DECISIONS).filter(({ says }) => !said.includes(says))
  const all = [...ofActions, ...others.map(({ says }) => ['Decisions', says] as const)]
  expect(all.filter(([title, says]) => !sectionOf(title).includes(`- ${says} [Reason](`))).toEqual([])
  expect([ofActions.length, others.length].every((count) => count > 5)).toBe(true)
})

test('The section of each action has the statements of its page that are undecided or not done, with their readings', () => {
  const rows = readTrafficPages().flatMap(({ page, rows }) =>
    rows.flatMap(({ says, undecided, not }) => {
      const { type = 'Decisions' } = ACTIONS.find((each) => page === `traffic-policy/actions/${each.page}`) ?? {}
      return undecided || not !== undefined ? [{ title: type, texts: [says, ...(undecided ?? [not ?? ''])] }] : []
    }),
  )
  expect(rows.length).toBeGreaterThan(70)
  const lines = (title: string) => sectionOf(title).replaceAll('\\|', '|').split('\n')
  const lost = rows.filter(
    ({ title, texts }) => !lines(title).some((line) => texts.every((each) => line.includes(each))),
  )
  expect(lost).toEqual([])
})

test('The first reading of an undecided statement is that of fauxgate', () => {
  const others = readTrafficPages().flatMap(({ rows }) => rows.flatMap(({ undecided = [] }) => undecided.slice(1)))
  expect(others.filter((reading) => reading.includes('fauxgate'))).toEqual([])
})

test('The reference has each error of policies, with its code, status and message', () => {
  for (const [key, { number, status, message }] of Object.entries(languageErrors)) {
    const row = [number, status, key, message({})].map((cell) => String(cell).replaceAll('|', '\\|'))
    expect(files.get('docs/reference.md')).toContain(`| ${row.join(' | ')} |`)
  }
})
