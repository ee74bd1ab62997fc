// Asks the TypeScript language service what an editor shows over every name of the package: the exports of its entries, the
// members of what they name, and the calls. Fails where there is no sentence, or where a type is printed as machinery.
// Needs a build: `node scripts/check-hover.mjs`.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = `${root}dist/`
const SAMPLE = `${root}hover-sample.ts`

/** What no reader should meet in a type. */
const MACHINERY = /Frozen<|Infer(In|Out)put<|DirectCall<|NoInfer|Together<|MembersOf<|\.\.\.args\b|\bany\b/
/** The same in the kit, which makes types of types: what it says of frozen values is its own, of inferred ones TypeScript's. */
const MACHINERY_OF_KIT = /Infer(In|Out)put<|Together<|MembersOf<|\.\.\.args\b|\bany\b/

/** The entries, with what no reader should meet there. */
const ENTRIES = [
  ...['index', 'node', 'clock', 'testing', 'vitest', 'jest', 'msw', 'openapi', 'sandbox'].map((name) => [
    name,
    MACHINERY,
  ]),
  ['kit', MACHINERY_OF_KIT],
]

const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
  types: [],
  skipLibCheck: true,
}

/** A language service over one sample program. */
function serviceOf(sample) {
  const text = (name) => (name === SAMPLE ? sample : ts.sys.readFile(name))
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [SAMPLE],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const found = text(name)
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === SAMPLE || ts.sys.fileExists(name),
    readFile: text,
    directoryExists: ts.sys.directoryExists,
  })
}

/** A program that names every export of an entry and every member of each. */
function sampleOf(entry) {
  const start = `import * as it from './dist/${entry}.js'\n`
  const program = serviceOf(start).getProgram()
  const checker = program.getTypeChecker()
  const [module] = program.getSourceFile(SAMPLE).statements
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(module.moduleSpecifier))
  const lines = [start]
  const names = new Set(exported.map(({ name }) => name))
  for (const symbol of exported) {
    const { name } = symbol
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const isType = (target.flags & ts.SymbolFlags.Type) !== 0
    const type = isType ? checker.getDeclaredTypeOfSymbol(target) : checker.getTypeOfSymbol(target)
    lines.push(isType ? `import type { ${name} as T_${name} } from './dist/${entry}.js'` : `it.${name}`)
    const object = isType ? `v_${name}` : `it.${name}`
    if (isType) lines.push(`declare const ${object}: it.${name}${typeArguments(target, names)}`)
    for (const member of membersOf(checker, type)) lines.push(`${object}!.${member}`)
  }
  return lines.join('\n')
}

/** Type parameters are given what any would be. */
function typeArguments(symbol, names) {
  const [declaration] = symbol.declarations
  const parameters = declaration.typeParameters ?? []
  const needed = parameters.filter((each) => !each.default).map((each) => each.constraint?.getText() ?? 'unknown')
  return needed.length === 0 ? '' : `<${needed.map((each) => (names.has(each) ? `it.${each}` : each)).join(', ')}>`
}

/** The members that stand in the package itself. */
function membersOf(checker, type) {
  const isOurs = (symbol) => symbol.declarations?.some((each) => each.getSourceFile().fileName.startsWith(dist))
  const names = checker.getPropertiesOfType(type).filter((each) => isOurs(each) && /^\w+$/.test(each.name))
  return [...new Set(names.map(({ name }) => name))]
}

/** What is wrong with the hover texts of an entry. */
function problemsOf(entry, machinery) {
  const sample = sampleOf(entry)
  const service = serviceOf(sample)
  let start = 0
  let asked = 0
  const problems = sample.split('\n').flatMap((line) => {
    const at = start + positionIn(line)
    start += line.length + 1
    if (!/^(import type|it\.|v_)/.test(line)) return []
    asked++
    return problemAt(service, at, line, machinery)
  })
  return { asked, problems }
}

/** Where the name stands that a line of the sample is about. */
function positionIn(line) {
  if (line.startsWith('import type')) return line.indexOf('{') + 2
  return line.lastIndexOf('.') + 1
}

function problemAt(service, at, line, machinery) {
  const info = service.getQuickInfoAtPosition(SAMPLE, at)
  const name = line
    .replace(/^import type \{ (\w+) .*/, '$1')
    .replace(/^(it\.|v_)/, '')
    .replace('!.', '.')
  if (!info) return [`${name}: nothing is shown`]
  // Neither the values of texts, nor the platform's own timers, nor what a runner hands to a test are ours.
  const shown = ts.displayPartsToString(info.displayParts).replace(/"[^"]*"|\.\.\.(arguments|context): any\[\]/g, '')
  const isDocumented = (info.documentation ?? []).length > 0
  return [
    ...(isDocumented ? [] : [`${name}: has no sentence`]),
    ...(machinery.test(shown) ? [`${name}: is shown as ${shown.slice(0, 200)}`] : []),
  ]
}

let failed = 0
for (const [entry, machinery] of ENTRIES) {
  const { asked, problems } = problemsOf(entry, machinery)
  failed += problems.length
  console.log(
    `${problems.length === 0 ? 'ok ' : 'NOT'} ${entry}: ${asked} names, ${problems.length} without a readable hover`,
  )
  for (const each of problems) console.log(`    ${each}`)
}
process.exitCode = failed === 0 ? 0 : 1
