import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/operation/operation.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'
import { partsOf } from '../../src/schema/documentation.ts'

/** Fields that every family may have, by words that have other meanings too. */
const GENERAL = ['description', 'metadata', 'enabled', 'region', 'module', 'secret']

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** The rooms that families are made of. */
const SHARED = /\/(schema|operation)\//

/** The names that a file imports from, or exports of, these rooms. */
function sharedNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const { moduleSpecifier } = statement
    const isShared = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) && SHARED.test(moduleSpecifier.text)
    const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause
    if (!isShared || !clause || !(ts.isNamedImports(clause) || ts.isNamedExports(clause))) return []
    return clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
  })
}

describe("fauxgate's own families (rules: one-table#families)", () => {
  const sources = readdirSync(join(src, 'resources'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('are made of what the kit gives to everybody', () => {
    const given = new Set(sharedNames(join(src, 'kit/index.ts')))
    const used = new Set(sources.flatMap(sharedNames))
    expect(given.size).toBeGreaterThan(50)
    expect([...used].filter((name) => !given.has(name))).toEqual([])
  })
})

describe('The rooms schema and operation (rules: one-table#families)', () => {
  const files = ['schema', 'operation', 'filter']
    .flatMap((room) => readdirSync(join(src, room), { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('names no family: no group of operations, no error and no field of one', () => {
    const own = Object.values({ ...families, declared })
    const operations = own.flatMap((family) => Object.values<Operation>(family.operations))
    const groups = operations.map(({ name }) => name.slice(0, name.indexOf('.')))
    const fields = operations.flatMap(({ body }) => Object.keys((body && partsOf(body).entries) ?? {}))
    const names = new Set([...groups, ...own.flatMap(({ errors }) => Object.keys(errors)), ...fields])
    for (const general of GENERAL) names.delete(general)
    const text = (file: string) => readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    const naming = files.flatMap((file) => {
      const words = new Set(text(file).match(/\w+/g))
      return [...names].filter((name) => words.has(name)).map((name) => `${file.slice(src.length)}: ${name}`)
    })
    expect(names.size).toBeGreaterThan(80)
    expect(naming).toEqual([])
  })
})
