// The declarations of the package, as small as they can be without a word less where somebody looks.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'

const sourceOf = (text) => ts.createSourceFile('it.d.ts', text, ts.ScriptTarget.Latest, true)

/**
 * Rewrites what tsup left in dist, and lets ESM take its types from the files of CommonJS; not the other way round. Types
 * of what can only be imported stay as they are. `ways` are the ways in by the package's own words, `required` the names
 * of those that can be required.
 */
export function writeDeclarations(dist, { ways, required }) {
  const files = readdirSync(dist).filter((file) => file.endsWith('.d.ts'))
  const texts = new Map(files.map((file) => [basename(file, '.d.ts'), readFileSync(join(dist, file), 'utf8')]))
  const isWay = (name) => `./${name}` in ways || name === 'index'
  const shared = new Map([...texts].filter(([name]) => !isWay(name)).map(([name, text]) => [name, sharedNamesIn(text)]))
  const named = new Map([...texts].map(([name, text]) => [name, withOwnNames(text, shared, shared.has(name))]))
  const shown = shownNamesIn([...named].filter(([name]) => isWay(name)).map(([, text]) => text))
  for (const [name, given] of named) {
    const text = rewritten(given, shown, shared.has(name))
    const file = join(dist, `${name}.d.ts`)
    writeFileSync(file, text)
    if (isWay(name) && !required.includes(name)) continue
    renameSync(file, join(dist, `${name}.d.cts`))
    // Classes of another package are not the same where it is imported and where it is required; valibot's types have none.
    const namesOthers = /^(?:import|export) .* from '(?!valibot')[^.]/m.test(text)
    if (isWay(name)) writeFileSync(file, namesOthers ? text : `export * from './${name}.cjs'\n`)
  }
}

/** The names that a file shares with others, by the short ones that the bundler gave them. */
function sharedNamesIn(text) {
  const [, exported = ''] = /^export (?:type )?\{ (.*) \};?$/m.exec(text) ?? []
  return new Map([...exported.matchAll(/(\w+) as ([\w$]+)/g)].map(([, name, as]) => [as, name]))
}

/** Declarations that call what they share by its own name: the bundler's short names take more room. */
function withOwnNames(text, shared, isShared) {
  const ended = isShared
    ? text.replace(/^export (?:type )?\{ (.*) \};?$/m, (line) => line.replace(/ as [\w$]+/g, ''))
    : text
  return ended.replace(/^(import|export) \{ (.*) \} from '\.\/([\w-]+)\.js'/gm, (_line, kind, names, from) => {
    const own = names.split(', ').map((each) => {
      const [short, as = short] = each.split(' as ')
      const name = shared.get(from)?.get(short) ?? short
      return name === as ? name : `${name} as ${as}`
    })
    return `${kind} { ${own.join(', ')} } from './${from}.js'`
  })
}

/** The names that somebody can import. */
function shownNamesIn(ways) {
  const lists = ways.flatMap((text) => [...text.matchAll(/^export (?:type )?\{ (.*?) \}/gm)])
  return new Set(lists.flatMap(([, names]) => names.split(', ').map((each) => each.replace(/^type | as \w+$/g, ''))))
}

function rewritten(text, shown, isShared) {
  const plain = withLiterals(withoutUnshown(unwrapped(text), shown), shown)
  const small = (isShared ? exportingAll(plain) : plain)
    // Without indentation, which editors make for whoever reads, and without semicolons, like the sources.
    .replace(/^ +(?!\*)/gm, '')
    .replace(/^(?! *(?:\*|\/\*\*)).*$/gm, (line) => line.replace(/;$/, '').replaceAll("' | '", "'|'"))
    .replace(/^\n/gm, '')
    // All here is declared; and a tag begins a paragraph without an empty line before it.
    .replace(/^export declare /gm, 'export ')
    .replace(/^ \*\n(?= \* @)/gm, '')
    // An import for nothing asks for a package that whoever reads the types may not have.
    .replace(/^import '[^']+'\n/gm, '')
    .replace(/(['"]\.\/[\w.-]+)\.js(['"])/g, '$1.cjs$2')
  const [problem] = sourceOf(small).parseDiagnostics
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
  return small
}

/** A file that others share, without its list of exports: where there is none, all that it declares is exported. */
function exportingAll(text) {
  const without = text.replace(/^export (?:type )?\{ .* \};?\n?$/gm, (line) => (line.includes(' from ') ? line : ''))
  return without.replace(/^(?=(?:declare|interface|type) )/m, 'export ')
}

/** Declarations with each paragraph of a comment on one line: editors break lines where a reader's window ends. */
function unwrapped(text) {
  return text.replace(/^ *\/\*\*\n[\s\S]*?\*\//gm, (comment) => {
    if (comment.includes('```')) return comment
    return comment
      .replace(/\n *\* (?=[^@\s])/g, ' ')
      .replace(/\/\*\* +/, '/** ')
      .replace(/\n *\*\/$/, ' */')
  })
}

/** With the values themselves in the place of constants that nobody can import. */
function withLiterals(text, shown) {
  const constants = [...text.matchAll(/^declare const (\w+)(?: = (.*)|: readonly \[(.*)\]);\n/gm)]
  return constants.reduce((rest, [line, name, value, items]) => {
    const literals = items?.replaceAll(', ', ' | ')
    const without = rest
      .replace(line, '')
      .replaceAll(`(typeof ${name})[number][]`, `(${literals})[]`)
      .replaceAll(`(typeof ${name})[number]`, `${literals}`)
      .replaceAll(`typeof ${name};`, `${value};`)
    return shown.has(name) || new RegExp(`\\b${name}\\b`).test(without) ? rest : without
  }, text)
}

/** Without the sentences over what nobody can import, so that no editor shows them; those of its members are shown. */
function withoutUnshown(text, shown) {
  const source = sourceOf(text)
  const cuts = source.statements.flatMap((statement) => {
    const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []
    return isShown(statement, shown) ? [] : comments.map(({ pos }) => [pos, statement.getStart()])
  })
  return cuts.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text)
}

function isShown(statement, shown) {
  const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
  return declared.some(({ name }) => name === undefined || shown.has(name.text))
}
