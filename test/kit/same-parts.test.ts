import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/contract/operation.ts'
import { partsOf } from '../../src/contract/schema-parts.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'

/** Fields that every family may have, by words that have other meanings too. */
const GENERAL = ['description', 'metadata', 'enabled', 'region', 'module', 'secret']

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** The names that a file imports from, or exports of, the room of contracts. */
function contractNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const { moduleSpecifier } = statement
    const isContract =
      moduleSpecifier && ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.includes('/contract/')
    const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause
    if (!isContract || !clause || !(ts.isNamedImports(clause) || ts.isNamedExports(clause))) return []
    return clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
  })
}

describe("fauxgate's own families (rules: one-table#families)", () => {
  const sources = readdirSync(join(src, 'resources'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('are made of what the kit gives to everybody', () => {
    const given = new Set(contractNames(join(src, 'kit/index.ts')))
    const used = new Set(sources.flatMap(contractNames))
    expect(given.size).toBeGreaterThan(50)
    expect([...used].filter((name) => !given.has(name))).toEqual([])
  })
})

describe('The room of contracts (rules: one-table#families)', () => {
  const files = readdirSync(join(src, 'contract'), { recursive: true, withFileTypes: true })
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
