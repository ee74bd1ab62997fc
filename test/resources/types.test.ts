import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allTypes } from '../../scripts/types/all.ts'

const folder = fileURLToPath(new URL('../../src/resources/types/', import.meta.url))

describe('The types of the families', () => {
  const files = allTypes()

  test('are made from the table: run `npm run types:generate` after a change to it', () => {
    for (const [name, text] of files) expect(readFileSync(`${folder}${name}`, 'utf8'), name).toBe(text)
  })

  test('stand in no other files', () => {
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort())
  })

  test('name everything that is sent or answered', () => {
    const text = [...files.values()].join('\n')
    for (const name of ['Ref', 'ReservedDomain', 'ReservedDomainCreate', 'ReservedDomainList', 'ReservedDomainCertJob'])
      expect(text).toMatch(new RegExp(`^export interface ${name}( extends .*)? \\{$`, 'm'))
  })
})
