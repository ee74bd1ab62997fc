// The pages of docs/api: the exports of each entry point, with a sentence each. Editors show the rest.
import { join } from 'node:path'
import ts from 'typescript'
import { entryPointsByImport } from '../entries.ts'

const OPTIONS = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  lib: ['lib.es2022.d.ts'],
  types: [],
}

const NOTE = '<!-- Written by `npm run generate` from the docstrings in src/. -->'

export default function api(root) {
  const entries = Object.entries(entryPointsByImport).sort(([a], [b]) => (a < b ? -1 : 1))
  const program = ts.createProgram(
    entries.map(([, path]) => join(root, path)),
    OPTIONS,
    ownSources(),
  )
  const checker = program.getTypeChecker()
  const pages = entries.map(([name, path]) => [
    `docs/api/${name.replace('/', '-')}.md`,
    pageOf(name, program.getSourceFile(join(root, path)), checker),
  ])
  const links = entries.map(([name]) => `- [\`${name}\`](${name.replace('/', '-')}.md)`)
  return new Map([['docs/api/README.md', `${NOTE}\n\n# Entry points\n\n${links.join('\n')}\n`], ...pages])
}

/** A host of the compiler that finds no packages: the pages name only what is declared in the sources. */
function ownSources() {
  const host = ts.createCompilerHost(OPTIONS)
  host.resolveModuleNameLiterals = (literals, file) =>
    literals.map(({ text }) => (text.startsWith('.') ? ts.resolveModuleName(text, file, OPTIONS, host) : {}))
  return host
}

function pageOf(name, source, checker) {
  const module = source.symbol ?? checker.getSymbolAtLocation(source)
  const exported = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return { name: symbol.name, target }
  })
  const sorted = exported.filter(({ target }) => isPublic(target)).sort((a, b) => (a.name < b.name ? -1 : 1))
  const [values, types] = [true, false].map((isValue) =>
    sorted.filter(({ target }) => ((target.flags & ts.SymbolFlags.Value) !== 0) === isValue),
  )
  const part = (title, list) =>
    list.length === 0 ? [] : [`## ${title}`, list.map((each) => entryOf(each, checker)).join('\n')]
  if (sorted.length === 0)
    return `${NOTE}\n\n# ${name}\n\nNothing but its effect: import it as ${'`'}import '${name}'${'`'}.\n`
  return `${[NOTE, `# ${name}`, ...part('Functions and values', values), ...part('Types', types)].join('\n\n')}\n`
}

const isPublic = (symbol) => !symbol.getJsDocTags().some((tag) => tag.name === 'internal')

/** One export: its signature or name with its sentence, its calls, and the names of its fields. */
function entryOf({ name, target }, checker) {
  const about = sentenceOf(target, checker)
  const functions = (target.declarations ?? [])
    .filter(ts.isFunctionDeclaration)
    .filter((each, _, all) => all.length === 1 || !each.body)
  if (functions.length > 0) return functions.map((each) => `- \`${signatureOf(each, name)}\`: ${about}`).join('\n')
  const isType = (target.flags & ts.SymbolFlags.Type) !== 0
  const type = isType ? checker.getDeclaredTypeOfSymbol(target) : checker.getTypeOfSymbol(target)
  const members = isType ? membersOf(type, checker) : []
  const calls = members.filter(isCall)
  const fields = members.filter((member) => !isCall(member))
  return [
    `- \`${name}\`: ${about}${fields.length > 0 ? ` Fields: ${fields.map((each) => `\`${each.name}\``).join(', ')}.` : ''}`,
    ...calls.map((each) => `  - \`${signatureOf(each.valueDeclaration, each.name)}\`: ${sentenceOf(each, checker)}`),
  ].join('\n')
}

/** The members that are declared in the sources. */
function membersOf(type, checker) {
  if (type.isUnion() || type.flags & ts.TypeFlags.StringLike) return []
  const isOurs = ({ declarations = [] }) =>
    declarations.some((each) => /[\\/]src[\\/]/.test(each.getSourceFile().fileName))
  return checker.getPropertiesOfType(type).filter((each) => isOurs(each) && /^\w+$/.test(each.name) && isPublic(each))
}

const isCall = ({ valueDeclaration }) =>
  valueDeclaration !== undefined && (ts.isMethodSignature(valueDeclaration) || ts.isMethodDeclaration(valueDeclaration))

/** The head of a function as it is in the sources, on one line. */
function signatureOf(node, name) {
  const parameters = node.parameters.map((each) => each.getText()).join(', ')
  const text = `${name}(${parameters})${node.type ? `: ${node.type.getText()}` : ''}`
  return text
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', "'")
}

function sentenceOf(symbol, checker) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ')
  const [first = ''] = text.split(/(?<=[.;]) (?=[A-Z`])/)
  return first.replaceAll(/\{@link (\w+) ?\}/g, '`$1`')
}
