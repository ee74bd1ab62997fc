import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** What a dialect says of one family alone, and what the room of certificates says. */
const NOT_OF_THE_KIT = ['addressHost', 'MANAGED_KEY_TYPES']

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
  const families = readdirSync(join(src, 'resources'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('are made of what the kit gives to everybody', () => {
    const given = new Set(contractNames(join(src, 'kit/index.ts')))
    const used = new Set(families.flatMap(contractNames))
    expect(given.size).toBeGreaterThan(50)
    expect([...used].filter((name) => !given.has(name)).sort()).toEqual([...NOT_OF_THE_KIT].sort())
  })
})

describe('The room of contracts (rules: one-table#families)', () => {
  const files = readdirSync(join(src, 'contract'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('names no error of a family', () => {
    const keys =
      /(domain|address|certificate|action|webhook|backend|edge|weight|key)_(taken|too_long|invalid|missing|not_found|in_use)/
    const naming = files.filter((file) => !file.endsWith('general-errors.ts') && keys.test(readFileSync(file, 'utf8')))
    expect(naming.map((file) => file.slice(src.length))).toEqual(['contract/dialect.ts'])
  })
})
