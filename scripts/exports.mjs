// Reads the exports of entry points with the compiler: for docs/api/names.txt, and for the check of hover texts.
import ts from './typescript.mjs'

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/**
 * Reads files. Returns the checker, and a function that returns the exports of a file. Each export has a name, a symbol,
 * and functions that return its type and its own members.
 * Without packages, reading takes half the time. That is enough for pages that name only declarations of the sources.
 */
export function readExports(paths, folder, { packages = true, ...more }) {
  const options = { ...OPTIONS, ...more }
  const host = ts.createCompilerHost(options)
  if (!packages)
    host.resolveModuleNameLiterals = (literals, file) =>
      literals.map(({ text }) => (text.startsWith('.') ? ts.resolveModuleName(text, file, options, host) : {}))
  const program = ts.createProgram(paths, options, host)
  const checker = program.getTypeChecker()
  // The compiler writes paths with slashes on every system.
  const own = folder.replaceAll('\\', '/')
  const isOurs = ({ name, declarations = [] }) =>
    /^\w+$/.test(name) && declarations.some((each) => each.getSourceFile().fileName.startsWith(own))
  const membersOf = (type) =>
    type.isUnion() || type.flags & ts.TypeFlags.StringLike ? [] : checker.getPropertiesOfType(type).filter(isOurs)
  const exportsOf = (path) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path))
    const exported = module ? checker.getExportsOfModule(module) : []
    return exported.map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const isType = (target.flags & ts.SymbolFlags.Type) !== 0
      // The compiler takes long to infer the type of a value.
      const typeOf = () => (isType ? checker.getDeclaredTypeOfSymbol(target) : checker.getTypeOfSymbol(target))
      return { name: symbol.name, symbol: target, isType, typeOf, membersOf: () => membersOf(typeOf()) }
    })
  }
  return { checker, exportsOf }
}

/** Returns the text of a symbol's documentation. */
export const textOf = (symbol, checker) => ts.displayPartsToString(symbol.getDocumentationComment(checker))
