// Generates the pages of docs/api: the exports of each entry point, with a sentence each. Editors show the rest. Beside them is
// the list of all public names.
import { join } from 'node:path'
import { entryPointsByImport } from '../entries.ts'
import { readExports, textOf } from '../exports.mjs'
import ts from '../typescript.mjs'
import { listNames } from './names.ts'

const NOTE = '<!-- Written by `npm run generate` from the docstrings in src/. -->'

export default function api(root) {
  const entries = Object.entries(entryPointsByImport).sort(([a], [b]) => (a < b ? -1 : 1))
  const paths = entries.map(([, path]) => join(root, path))
  const { checker, exportsOf } = readExports(paths, join(root, 'src'), {
    packages: false,
    lib: ['lib.es2022.d.ts'],
    types: [],
  })
  const fileOf = (name) => `${name.replace('/', '-')}.md`
  const exportsByEntry = entries.map(([name], place) => [name, exportsOf(paths[place])])
  const pages = exportsByEntry.map(([name, all]) => [`docs/api/${fileOf(name)}`, formatPage(name, all, checker)])
  const names = exportsByEntry.flatMap(([entry, all]) =>
    all
      .filter(({ symbol }) => isPublic(symbol))
      .map(({ name, isType, membersOf }) => [`${entry}:${name}`, isType ? listPublicNames(membersOf()) : []]),
  )
  const links = entries.map(([name]) => `- [\`${name}\`](${fileOf(name)})`)
  return new Map([
    ['docs/api/README.md', `${NOTE}\n\n# Entry points\n\n${links.join('\n')}\n`],
    ...pages,
    listNames(root, names),
  ])
}

function formatPage(name, all, checker) {
  const sorted = all.filter(({ symbol }) => isPublic(symbol)).sort((a, b) => (a.name < b.name ? -1 : 1))
  const formatPart = (title, isValue) => {
    const own = sorted.filter(({ symbol }) => ((symbol.flags & ts.SymbolFlags.Value) !== 0) === isValue)
    return own.length === 0 ? [] : [`## ${title}`, own.map((each) => describeExport(each, checker)).join('\n')]
  }
  const parts = [...formatPart('Functions and values', true), ...formatPart('Types', false)]
  if (parts.length === 0) parts.push(`Nothing but its effect: import it as \`import '${name}'\`.`)
  return `${[NOTE, `# ${name}`, ...parts].join('\n\n')}\n`
}

const listPublicNames = (symbols) => symbols.filter(isPublic).map(({ name }) => name)

const isPublic = (symbol) => !symbol.getJsDocTags().some((tag) => tag.name === 'internal')

/** Describes one export: its signature or name with its sentence, its calls, and the names of its fields. */
function describeExport({ name, symbol, isType, membersOf }, checker) {
  const about = sentenceOf(symbol, checker)
  const functions = (symbol.declarations ?? [])
    .filter(ts.isFunctionDeclaration)
    .filter((each, _, all) => all.length === 1 || !each.body)
  if (functions.length > 0) return functions.map((each) => `- \`${formatSignature(each, name)}\`: ${about}`).join('\n')
  const publicMembers = isType ? membersOf().filter(isPublic) : []
  const fields = publicMembers.filter((member) => !isCall(member)).map((each) => `\`${each.name}\``)
  return [
    `- \`${name}\`: ${about}${fields.length > 0 ? ` Fields: ${fields.join(', ')}.` : ''}`,
    ...publicMembers
      .filter(isCall)
      .map((each) => `  - \`${formatSignature(each.valueDeclaration, each.name)}\`: ${sentenceOf(each, checker)}`),
  ].join('\n')
}

const isCall = ({ valueDeclaration }) =>
  valueDeclaration !== undefined && (ts.isMethodSignature(valueDeclaration) || ts.isMethodDeclaration(valueDeclaration))

/** Returns the head of a function from the sources, on one line. */
function formatSignature(node, name) {
  const parameters = node.parameters.map((each) => each.getText()).join(', ')
  const text = `${name}(${parameters})${node.type ? `: ${node.type.getText()}` : ''}`
  return text
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', "'")
}

function sentenceOf(symbol, checker) {
  const [first = ''] = textOf(symbol, checker)
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.;]) (?=[A-Z`])/)
  return first.replaceAll(/\{@link (\w+) ?\}/g, '`$1`')
}
