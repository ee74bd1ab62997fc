import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import ts from '../../../scripts/typescript.mjs'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))

/** The folders that families may use. */
const SHARED = /\/(schema|operation)\//

/** Returns the names that a file imports or exports from these folders. */
function listSharedNames(file: string): string[] {
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
  const sources = readdirSync(join(src, 'service/resources'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

  it('use only the public parts of the kit', () => {
    const kitNames = new Set(listSharedNames(join(src, 'service/kit/index.ts')))
    const usedNames = new Set(sources.flatMap(listSharedNames))
    expect(kitNames.size).toBeGreaterThan(50)
    const missingNames = [...usedNames].filter((name) => !kitNames.has(name))
    expect(missingNames, 'src/service/kit/index.ts must export what families use').toEqual([])
  })
})
