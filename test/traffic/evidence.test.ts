import { describe, expect, test } from 'vitest'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import evidence from '../../tools/evidence/traffic.json'
import { createVisited, policyOf } from './visits.ts'

// tools/evidence/traffic.mjs sent visitors through the policies, which are not here.
const { documented, public: found } = evidence
const namesOf = (key: 'actions' | 'facts') => Object.keys({ ...documented[key], ...found[key] })

describe('The policies of the documentation and of public repositories', () => {
  test('run, more than three of four documented ones, and none that the check accepts throws or hangs', () => {
    expect(documented.results.ran / documented.policies).toBeGreaterThan(3 / 4)
    expect(found.list.filter(({ result }) => result === 'ran').length).toBeGreaterThan(100)
    expect(Object.keys(documented.results)).toEqual(['notSimulated', 'ran', 'refused'])
    expect(Object.keys(found.results)).toEqual(['ran', 'refused'])
  })

  test('have expressions that evaluate with all facts given, at least 160 of 169', () => {
    for (const { all, evaluated } of [documented.expressions, found.expressions])
      expect(evaluated / all).toBeGreaterThan(160 / 169)
  })

  test.each(namesOf('actions'))('The action %s is carried out, or in the list of those that are not', (type) => {
    const row = ACTIONS.find((each) => each.type === type)
    expect(row).toBeDefined()
    expect(row?.run === undefined).toBe(Object.hasOwn(documented.notSimulated, type))
  })

  test.each(namesOf('facts'))('The fact %s is required, and then read from the visitor', async (path) => {
    const { visit } = createVisited(policyOf('log', { metadata: { a: `\${${path}}` } }))
    await expect(visit()).rejects.toThrow(`The policy reads ${path}, which only the real service knows.`)
    expect((await visit('/', { from: { facts: { [path]: 'a' } } })).status).toBe(200)
  })
})

test('Each policy of a public repository has its repository, path and hash, and a number if it is rejected', () => {
  for (const { repository, path, hash, ...row } of found.list) {
    expect(`${repository} ${path} ${hash}`).toMatch(/^[\w.-]+\/[\w.-]+ \S+ [0-9a-f]{64}$/)
    expect('number' in row, `${repository} ${path}`).toBe(row.result === 'refused')
  }
  expect(new Set(found.list.map(({ hash }) => hash)).size).toBe(found.policies)
})
