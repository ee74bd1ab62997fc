// Finds every text of the project that people read: documents, docstrings, help, messages, schema sentences and the
// inspector.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from '../../scripts/typescript.mjs'

/** Texts that are not ours, or that quote what others may write. */
const NOT_OURS = /^src\/(generated|inspector\/.*\.css)|^docs\/decisions\/|(^|\/)(node_modules|dist)\//

/** A paragraph, a list item, a table cell, a docstring or a message, without its code. */
export interface PublicText {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Returns all public texts of the project. */
export function publicTexts(root = '.'): PublicText[] {
  const names = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', '.github/SECURITY.md', 'llms.txt']
  const guides = ['docs', 'languages'].flatMap((folder) => listFiles(root, folder, /\.md$/))
  const documents = [...names.filter((name) => existsSync(join(root, name))), ...guides]
  const sources = listFiles(root, 'src', /(?<!\.d)\.tsx?$/)
  return [
    ...documents.filter(isOurs).flatMap((file) => textsOfDocument(file, readFileSync(join(root, file), 'utf8'))),
    ...sources.filter(isOurs).flatMap((file) => textsOfSource(file, readFileSync(join(root, file), 'utf8'))),
  ]
}

const isOurs = (file: string) => !NOT_OURS.test(file)

function listFiles(root: string, folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => pattern.test(name))
    .sort()
}

/** Returns the paragraphs, list items and table cells of a document. */
export function textsOfDocument(file: string, whole: string): PublicText[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '')
  const prose = whole
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2 *$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^\[[^\]]+\]: \S+$/gm, '')
    .replace(/^#+ .*$/gm, (heading) => `${heading}.`)
  const blocks: { line: number; text: string }[] = []
  let isNew = true
  for (const [index, line] of prose.split('\n').entries()) {
    const text = line.trim().replace(/^([-*]|\d+\.|#+|>) /, '')
    isNew ||= text !== line.trim() || text.startsWith('|')
    const cells = text.startsWith('|') ? text.split(/(?<!\\)\|/) : [text]
    const last = blocks.at(-1)
    if (isNew || !last) blocks.push(...cells.map((cell) => ({ line: index + 1, text: cell })))
    else last.text += ` ${text}`
    isNew = text === '' || text.startsWith('|')
  }
  return blocks.map(({ line, text }) => ({ file, line, text: removeMarkup(text) })).filter(({ text }) => text !== '')
}

/** Returns the docstrings, string literals and JSX texts of a source file. An inserted value counts as a word. */
export function textsOfSource(file: string, whole: string): PublicText[] {
  const source = ts.createSourceFile(file, whole, ts.ScriptTarget.Latest, true, file.endsWith('x') ? 4 : 3)
  const texts: PublicText[] = []
  const add = (position: number, text: string) => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1
    const found = removeMarkup(text)
    if (/[a-z] [a-z]/i.test(found)) texts.push({ file, line, text: found })
  }
  for (const comment of whole.matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
    const text = (comment[1] ?? '').replace(/^ *\* ?/gm, '').replace(/```[\s\S]*?```/g, '')
    for (const part of text.split(/\n\s*\n|^@\w+|^\s*- /m)) add(comment.index, part)
  }
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) {
      if (!isPartOfSum(node)) add(node.getStart(), node.text)
    } else if (ts.isTemplateExpression(node) && !isPartOfSum(node)) add(node.getStart(), textOf(node))
    else if (isSum(node) && !isSum(node.parent)) add(node.getStart(), textOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

const isSum = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
const isPartOfSum = (node: ts.Node) => isSum(node.parent)

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('')
  return isSum(node) ? textOf(node.left) + textOf(node.right) : 'X'
}

function removeMarkup(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'X')
    .replace(/\{@link (\w+)\}/g, '$1')
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Splits a text into its sentences. */
export function sentencesIn(text: string): string[] {
  return text.split(/(?<=[.!?]["')\]]*) +(?=["'([]*[A-Z0-9“])/)
}

/** Counts the words of a sentence. A list of single words, such as the keys of errors, counts as one. */
export function wordsIn(sentence: string): number {
  const withoutLists = sentence
    .replace(/[^\s,]+(?:,? [^\s,]+(?=,)){3,}(?:, [^\s,]+)*/g, 'X')
    .replace(/^\w+(?: \w+){40,}$/, 'X')
  return withoutLists.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
