import { expect, test } from 'vitest'
import { ACTIONS } from '../../../src/service/policy/actions/index.ts'
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

test('The reference has each error of policies, with its code, status and message', () => {
  for (const [key, { number, status, message }] of Object.entries(languageErrors)) {
    const row = [number, status, key, message({})].map((cell) => String(cell).replaceAll('|', '\\|'))
    expect(files.get('docs/reference.md')).toContain(`| ${row.join(' | ')} |`)
  }
})
