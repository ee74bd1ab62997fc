import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import type { Form, Variable, Variables } from '../action.ts'
import { findBelow, TEXT } from '../environment.ts'
import { pathOfNode } from '../expression.ts'
import { HEX, LOWER, UPPER } from '../value-forms.ts'
import { isVariable } from '../variables.ts'
import { findInExpressions, listVariables, literalOf, type Warning } from './warning.ts'

export const neverEqual: Warning = {
  id: 'never-equal',
  about: 'A variable is compared with a string that it can never equal, such as a lowercase method.',
  reason:
    "Strings are equal only if every character matches. The variable's documentation page describes the format of its values.",
  docs: 'https://ngrok.com/docs/traffic-policy/variables/',
  wrong: `on_http_request:
  - expressions: ["req.method == 'delete'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.method == 'DELETE'"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, '', (node) => {
      const { subject, texts = [], test = 'is', pattern, isAnyCase } = readTextTest(node) ?? {}
      const form = subject && formOf(subject)
      const formsOf = (text: string) => (isAnyCase ? [text, text.toLowerCase(), text.toUpperCase()] : [text])
      const all = form ? texts.filter((text) => !formsOf(text).some((each) => fits(each, test, form))) : []
      // Alternatives of a pattern may list what is only sometimes right.
      const wrong = pattern !== undefined && all.length < texts.length ? undefined : all[0]
      if (!form || wrong === undefined) return undefined
      const source = subject.input.slice(subject.range.start, subject.range.end)
      const fixed = form.fix?.(wrong) ?? wrong
      // Suggest the part of a string only if its letters change.
      const isPart = !['ends with', 'has'].includes(test) || fixed.length === wrong.length
      const isBetter =
        isPart && pattern?.includes(wrong) !== false && fixed !== '' && fixed !== wrong && fits(fixed, test, form)
      return {
        what: `tests whether ${source} ${test} ${quote(wrong)}, which ${form.isOpen && !form.never?.test(wrong) ? 'the service does not document' : 'is never true'}`,
        hint: `${form.about}${isBetter ? ` Use '${pattern?.replace(wrong, fixed) ?? fixed}'.` : ''}`,
      }
    }),
}

const HASH = /^(?:crc32|crc64|md5|sha1|sha256|sha512|xxhash64)$/

const TESTS = { startsWith: 'begins with', endsWith: 'ends with', contains: 'has' } as const

/** A test of a whole value or part of it. */
type Test = 'is' | 'has the item' | (typeof TESTS)[keyof typeof TESTS]

interface TextTest {
  readonly subject: ASTNode
  readonly texts: readonly string[]
  readonly test?: Test
  /** The pattern that contains the string. */
  readonly pattern?: string
  /** True if uppercase and lowercase letters are equal. */
  readonly isAnyCase?: boolean
}

/** Returns the tested string and the strings that a node compares it with, or undefined for other nodes. */
export function readTextTest(node: ASTNode): TextTest | undefined {
  if (node.op === '==' || node.op === '!=') {
    const [left, right] = node.args
    const text = literalOf(right) ?? literalOf(left)
    return text === undefined ? undefined : { subject: literalOf(right) === undefined ? right : left, texts: [text] }
  }
  const item = node.op === 'in' ? literalOf(node.args[0]) : undefined
  if (node.op === 'in' && item !== undefined) return { subject: node.args[1], texts: [item], test: 'has the item' }
  if (node.op === 'in' && node.args[1].op === 'list')
    return { subject: node.args[0], texts: node.args[1].args.flatMap((each) => literalOf(each) ?? []) }
  if (node.op !== 'rcall') return undefined
  const [name, subject, args] = node.args
  const test = Object.entries(TESTS).find(([each]) => each === name)?.[1]
  const text = literalOf(args[0])
  if (name === 'matches' && text !== undefined) return { subject, ...readPattern(text) }
  return test && text !== undefined ? { subject, texts: [text], test } : undefined
}

/**
 * Returns the literal text at the beginning of a pattern, or of each alternative of its first group. Returns no text for a pattern with
 * other alternatives.
 */
function readPattern(pattern: string): Pick<TextTest, 'texts' | 'test' | 'pattern' | 'isAnyCase'> {
  const [, flags = '', start, body = ''] = /^(?:\(\?([a-z]+)\))?(\^?)(.*)$/s.exec(pattern) ?? []
  const [, group] = (start && /^\((?:\?:)?([^()]*)\)(?![*?{])/.exec(body)) || []
  const isOpen = body
    .replace(/\\.|\[[^\]]*\]/g, '')
    .replace(/\([^()]*\)/g, '')
    .includes('|')
  const texts = isOpen ? [] : (group?.split('|') ?? [body]).map(readLiteral)
  const isWhole = body === `${texts[0]}$`
  const test = start ? (isWhole ? 'is' : 'begins with') : isWhole ? 'ends with' : 'has'
  // Escapes and groups cannot be replaced as text.
  return { texts, test, pattern: body.startsWith(texts[0] ?? '') ? pattern : '', isAnyCase: flags.includes('i') }
}

/** Returns the literal text at the beginning of a pattern. */
function readLiteral(pattern: string): string {
  const [literal] = /^(?:(?:[\w/:= -]|\\[./-]|\[\.\])(?![*+?{]))*/.exec(pattern) ?? ['']
  return literal.replace(/\\(.)|\[(\.)\]/g, '$1$2')
}

/** Returns the form of a node's values, for a variable or for a lowercased or uppercased string. */
function formOf(node: ASTNode): Form | undefined {
  if (node.op === 'rcall' && /^(?:lower|upper)(?:Ascii)?$/.test(node.args[0]))
    return node.args[0].startsWith('lower') ? LOWER : UPPER
  if (node.op === 'rcall' && HASH.test(node.args[0])) {
    const [, owner, args] = node.args
    const [format] = owner.op === 'id' && owner.args === 'hash' ? args.slice(1) : args
    return !format || literalOf(format) === 'hex' ? HEX : undefined
  }
  const found = findBelow(listVariables(), pathOfNode(node)?.split('.') ?? [''])
  const variable: Variable | Variables | undefined = found && (isVariable(found) ? found : found[TEXT])
  if (!variable || !isVariable(variable)) return undefined
  const { form, choices } = variable
  if (!choices) return form
  const about = `It is ${choices.join(' or ')}.`
  const fix = (text: string) => choices.find((each) => each === text.toLowerCase().replace(/:\/\/$/, '')) ?? ''
  return { about, whole: new RegExp(`^(?:${choices.join('|')})$`), never: /[^a-z]/, fix }
}

/** Returns whether a string can be a value or part of a value. An empty string means that there is no value. */
function fits(text: string, test: Test, { start, whole, never }: Form): boolean {
  if (text === '') return true
  if (never?.test(text)) return false
  if ((test === 'is' || test === 'has the item') && whole?.test(text) === false) return false
  return (test !== 'is' && test !== 'begins with') || start?.test(text) !== false
}
