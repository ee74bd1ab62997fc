// An esbuild plugin that takes what is said for documents alone out of what a gateway needs: minified, 11 KB. Each
// sentence leaves its number there, and stands in src/openapi/sentences.ts, which puts it back into documents.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import ts from 'typescript'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))
const TABLE = join(SOURCES, 'openapi', 'sentences.ts')

/** The schemas that every gateway has, but those that users make families of their own of. */
const TAKEN_FROM = /[\\/]src[\\/](provisioning|resources|control|contract[\\/](list-query|resource)\.ts)/

const ROOMS = ['contract', 'provisioning', 'resources', 'control']

/** A part of a file, and what is to stand there: the number of a sentence, or nothing. */
interface Part {
  readonly start: number
  readonly end: number
  readonly sentence?: string
}

/** What is known by name in a file: which parameter of its functions is a sentence, and its constants. */
interface Names {
  readonly sentenceAt: ReadonlyMap<string, number>
  readonly constants: ReadonlyMap<string, ts.StringLiteralLike>
}

/** The files of the rooms, always in the same order. */
function parsedFiles(): ts.SourceFile[] {
  const within = (room: string) =>
    readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(SOURCES, room, name))
  const parsed = (path: string) =>
    ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, /* setParentNodes */ true)
  return ROOMS.flatMap(within).sort().map(parsed)
}

/** The names of a file, of all that it has or of what others can import. */
function namesOf(file: ts.SourceFile, which: 'all' | 'exported'): Names {
  const sentenceAt = new Map<string, number>()
  const constants = new Map<string, ts.StringLiteralLike>()
  const add = (name: string, value: ts.Node | undefined) => {
    if (value && ts.isStringLiteralLike(value)) constants.set(name, value)
    if (!value || !(ts.isFunctionDeclaration(value) || ts.isArrowFunction(value))) return
    const at = value.parameters.findIndex((parameter) => parameter.name.getText() === 'sentence')
    if (at >= 0) sentenceAt.set(name, at)
  }
  for (const statement of file.statements) {
    const isExported = /^export /.test(statement.getText())
    if (which === 'exported' && !isExported) continue
    if (ts.isFunctionDeclaration(statement)) add(statement.name?.text ?? '', statement)
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) add(name.getText(), initializer)
  }
  return { sentenceAt, constants }
}

/** What an expression says of a schema or an operation, if it is one that does. */
function saidIn(node: ts.Node, names: readonly Names[]): ts.StringLiteralLike | undefined {
  const value = valueSaidIn(node, names)
  if (!value || ts.isStringLiteralLike(value)) return value
  if (!ts.isIdentifier(value)) return undefined
  return names.map(({ constants }) => constants.get(value.text)).find((each) => each !== undefined)
}

function valueSaidIn(node: ts.Node, names: readonly Names[]): ts.Expression | undefined {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'summary') return node.initializer
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined
  const { text } = node.expression
  const at = names.map(({ sentenceAt }) => sentenceAt.get(text)).find((each) => each !== undefined)
  return at === undefined ? undefined : node.arguments[at]
}

/** Whether it is the page of a rule, which only the declarations show, or people who read the sources. */
function isCitation(node: ts.Node): node is ts.PropertyAssignment {
  if (!ts.isPropertyAssignment(node) || !ts.isStringLiteral(node.initializer)) return false
  return /^rules?$/.test(node.name.getText()) && /^[a-z-]+#/.test(node.initializer.text)
}

/** What is taken out of each file, by its path. */
function partsOf(files: readonly ts.SourceFile[]): Map<string, Map<number, Part>> {
  const taken = files.filter(({ fileName }) => TAKEN_FROM.test(fileName))
  const parts = new Map(taken.map(({ fileName }) => [fileName, new Map<number, Part>()]))
  // What stands elsewhere stays there.
  const take = (node: ts.Node, part: Part) => parts.get(node.getSourceFile().fileName)?.set(part.start, part)
  const imported = files.map((file) => namesOf(file, 'exported'))
  for (const file of files) {
    const names = [namesOf(file, 'all'), ...imported]
    const visit = (node: ts.Node): void => {
      const said = saidIn(node, names)
      if (said) take(said, { start: said.getStart(), end: said.end, sentence: said.text })
      if (isCitation(node)) take(node, { start: node.pos, end: endWithComma(node) })
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return parts
}

function endWithComma(property: ts.PropertyAssignment): number {
  const [comma = ''] = /^\s*,/.exec(property.getSourceFile().text.slice(property.end)) ?? []
  return property.end + comma.length
}

export const sentencesApart: Plugin = {
  name: 'sentences apart',
  setup(build) {
    const files = parsedFiles()
    const parts = partsOf(files)
    const numbers = new Map<string, number>()
    const numberOf = (sentence: string) => numbers.get(sentence) ?? numbers.set(sentence, numbers.size).size - 1
    const without = ({ fileName, text }: ts.SourceFile) => {
      const ofFile = [...(parts.get(fileName)?.values() ?? [])].sort((a, b) => b.start - a.start)
      return ofFile.reduce((left, { start, end, sentence }) => {
        const number = sentence === undefined ? '' : `'\\t${numberOf(sentence)}\\t'`
        return left.slice(0, start) + number + left.slice(end)
      }, text)
    }
    const contents = new Map(files.map((file) => [file.fileName, without(file)]))
    contents.set(TABLE, tableOf(readFileSync(TABLE, 'utf8'), [...numbers.keys()]))
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const left = contents.get(path)
      return left === undefined ? undefined : { contents: left, loader: 'ts' }
    })
  },
}

/** The file of the table, with the table in it. */
function tableOf(source: string, sentences: readonly string[]): string {
  return source.replace(/(?<=const sentences: readonly string\[\] = )\[\]/, () => JSON.stringify(sentences))
}
