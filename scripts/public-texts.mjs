// Every text of the project that people read: documents, docstrings, help, messages, schema sentences and the inspector.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Texts that are not ours, or that quote what others may write. */
const NOT_OURS = /^src\/(generated|inspector\/.*\.css)|^docs\/decisions\/|(^|\/)(node_modules|dist)\//

/**
 * Returns all public texts, each with its file and its line, code left out.
 * @returns {{ file: string, line: number, text: string }[]}
 */
export function publicTexts(root = ROOT) {
  const names = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md', 'llms.txt']
  const documents = [...names.filter((name) => existsSync(join(root, name))), ...filesIn(root, 'docs', /\.md$/)]
  const sources = filesIn(root, 'src', /(?<!\.d)\.tsx?$/)
  return [
    ...documents.filter(isOurs).flatMap((file) => textsOfDocument(file, readFileSync(join(root, file), 'utf8'))),
    ...sources.filter(isOurs).flatMap((file) => textsOfSource(file, readFileSync(join(root, file), 'utf8'))),
  ]
}

const isOurs = (file) => !NOT_OURS.test(file)

function filesIn(root, folder, pattern) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => pattern.test(name))
    .sort()
}

/** Returns the paragraphs, list items and table cells of a document. */
export function textsOfDocument(file, whole) {
  const blank = (text) => text.replace(/[^\n]/g, '')
  const prose = whole
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2 *$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^\[[^\]]+\]: \S+$/gm, '')
    .replace(/^#+ .*$/gm, (heading) => `${heading}.`)
  const texts = []
  let block = []
  let first = 1
  const end = () => {
    const text = plain(block.join(' '))
    if (text !== '') texts.push({ file, line: first, text })
    block = []
  }
  for (const [index, line] of prose.split('\n').entries()) {
    const isBegin = line.trim() === '' || /^\s*([-*]|\d+\.|#+|>) |^\s*\|/.test(line)
    if (isBegin) end()
    if (line.trim() === '') continue
    if (block.length === 0) first = index + 1
    if (line.trimStart().startsWith('|')) {
      for (const cell of line.split(/(?<!\\)\|/)) {
        block = [cell]
        end()
      }
    } else block.push(line.trim().replace(/^([-*]|\d+\.|#+|>) /, ''))
  }
  end()
  return texts
}

/** Returns the docstrings, string literals and JSX texts of a source file. Whatever is put into a text counts as a word. */
export function textsOfSource(file, whole) {
  const source = ts.createSourceFile(file, whole, ts.ScriptTarget.Latest, true, file.endsWith('x') ? 4 : 3)
  const texts = []
  const add = (position, text) => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1
    const found = plain(text)
    if (/[a-z] [a-z]/i.test(found)) texts.push({ file, line, text: found })
  }
  for (const comment of whole.matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
    const text = comment[1].replace(/^ *\* ?/gm, '').replace(/```[\s\S]*?```/g, '')
    for (const part of text.split(/\n\s*\n|^@\w+|^\s*- /m)) add(comment.index, part)
  }
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) {
      if (!isAdded(node)) add(node.getStart(), node.text)
    } else if (ts.isTemplateExpression(node) && !isAdded(node)) add(node.getStart(), textOf(node))
    else if (isSum(node) && !isSum(node.parent)) add(node.getStart(), textOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

const isSum = (node) => ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
const isAdded = (node) => isSum(node.parent)

function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('')
  return isSum(node) ? textOf(node.left) + textOf(node.right) : 'X'
}

function plain(text) {
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
export function sentencesIn(text) {
  return text.split(/(?<=[.!?]["')\]]*) +(?=["'([]*[A-Z0-9“])/)
}

/** Counts the words of a sentence. A list of single words, such as the keys of errors, counts as one. */
export function wordsIn(sentence) {
  const withoutLists = sentence
    .replace(/[^\s,]+(?:,? [^\s,]+(?=,)){3,}(?:, [^\s,]+)*/g, 'X')
    .replace(/^\w+(?: \w+){40,}$/, 'X')
  return withoutLists.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
