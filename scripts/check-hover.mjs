// Checks the text that editors show over the names of the built package: `node scripts/check-hover.mjs`. Fails if an export
// or a member has no sentence, a citation that leads nowhere, or a type that shows machinery.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** Internal types that hovers must not show. The kit is an exception, because it makes types from types. */
const MACHINERY = /Frozen<|Infer(In|Out)put<|DirectCall<|NoInfer|Together<|MembersOf<|\.\.\.args\b(?!: never)|\bany\b/
const MACHINERY_OF_KIT = /Together<|MembersOf<|\.\.\.args\b(?!: never)|\bany\b/

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const NAMES = [...JSON.stringify(exports).matchAll(/"\.\/dist\/(\w+)\.d\.ts"/g)].map(([, name]) => name)

const program = ts.createProgram(
  NAMES.map((name) => `${dist}${name}.d.ts`),
  {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    types: [],
    skipLibCheck: true,
  },
)
const checker = program.getTypeChecker()

/** The exports of an entry, with their members: [name, symbol, the type that is shown]. */
function namesOf(entry) {
  const source = program.getSourceFile(`${dist}${entry}.d.ts`)
  const module = checker.getSymbolAtLocation(source)
  const exported = module ? checker.getExportsOfModule(module) : []
  return exported.flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const isType = (target.flags & ts.SymbolFlags.Type) !== 0
    const type = isType ? checker.getDeclaredTypeOfSymbol(target) : checker.getTypeOfSymbol(target)
    const members = type.isUnion() ? [] : checker.getPropertiesOfType(type).filter(isOurs)
    return [
      [symbol.name, target, isType ? undefined : type],
      ...members.map((each) => [`${symbol.name}.${each.name}`, each, checker.getTypeOfSymbol(each)]),
    ]
  })
}

const isOurs = ({ name, declarations = [] }) =>
  /^\w+$/.test(name) && declarations.some((each) => each.getSourceFile().fileName.startsWith(dist))

const textOf = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker))

function problemsOf([name, symbol, type], machinery) {
  // Neither the values of texts nor what a runner passes to a test are ours.
  const shown = type ? checker.typeToString(type).replace(/"[^"]*"|\.\.\.(arguments|context): any\[\]/g, '') : ''
  return [
    ...(textOf(symbol) === '' ? [`${name} has no sentence`] : []),
    ...(/\(rules?:/.test(textOf(symbol)) ? [`${name} cites a rule, which leads nowhere in an editor`] : []),
    ...(machinery.test(shown) ? [`${name} is shown as ${shown.slice(0, 200)}`] : []),
  ]
}

for (const entry of NAMES) {
  const names = namesOf(entry)
  const problems = names.flatMap((each) => problemsOf(each, entry === 'kit' ? MACHINERY_OF_KIT : MACHINERY))
  console.log(`${problems.length === 0 ? 'ok ' : 'NOT'} ${entry}: ${names.length} names`)
  for (const each of problems) console.log(`    ${each}`)
  if (problems.length > 0) process.exitCode = 1
}
