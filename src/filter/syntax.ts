import type { ASTNode, ParseError } from '@marcbachmann/cel-js'
import { parseCel } from './cel-parser.ts'

/** Thrown inside the compiler, in words: what stands at which character of a filter, and what is allowed there. */
export class Misplaced extends Error {}

/** Refuses a part of a filter: `what` it is (or nothing, where that is plain to see), and what is allowed in its place. */
export function misplaced(node: ASTNode, what: string | undefined, allowed: string): never {
  const { start, end } = node.range
  const stands = what ? `${excerpt(node.input, start, end)}, ${what}` : excerpt(node.input, start, end)
  throw new Misplaced(`${at(node.input, start)} stands ${stands}; allowed there is ${allowed}`)
}

/** How messages call what can stand where a value is expected. */
export const VALUES =
  'a value: a field such as obj.id, a text in quotes, a number, true, false, null, a list or a supported call'

const OPERATORS = 'an operator: && || < <= == != >= > in'

/** The tree of a filter. Throws a {@link Misplaced} where it is no CEL. */
export function parsed(source: string): ASTNode {
  try {
    return parseCel(source)
  } catch (error) {
    throw new Misplaced(syntaxProblem(source, error as ParseError)) // The parser throws nothing else.
  }
}

function syntaxProblem(source: string, { code, summary, range = { start: 0, end: 0 } }: ParseError): string {
  if (code === 'limit_exceeded') return `${at(source, range.start)} stands more than the parser reads: ${summary}`
  const stands = `${at(source, range.start)} stands ${excerpt(source, range.start, range.end)}`
  const closing = CLOSING[/^Expected (\w+)/.exec(summary)?.[1] ?? '']
  if (closing) return `${stands}; allowed there is ${closing}`
  if (code === 'unexpected_token') return `${stands}; allowed there is ${VALUES}`
  if (code !== 'unexpected_character') return `${stands}: ${summary}`
  const expectsValue = /(^|[!&|<=>(,[])\s*$/.test(source.slice(0, range.start))
  return `${stands}; allowed there is ${expectsValue ? VALUES : `${OPERATORS}, or the end`}`
}

/** What the parser can expect besides a value, by its name for it. */
const CLOSING: Readonly<Record<string, string>> = {
  RPAREN: `")", or ${OPERATORS}`,
  RBRACKET: `"]", or ${OPERATORS}`,
  RBRACE: `"}", or ${OPERATORS}`,
  COLON: `":", or ${OPERATORS}`,
  IDENTIFIER: 'the name of a field or of a call',
}

function at(source: string, start: number): string {
  return `at character ${[...source.slice(0, start)].length + 1}`
}

const LONGEST_EXCERPT = 40

function excerpt(source: string, start: number, end: number): string {
  const characters = [...source.slice(start, end).replace(/\s+/g, ' ')]
  if (characters.length === 0) return 'the end'
  return characters.length > LONGEST_EXCERPT ? `${characters.slice(0, LONGEST_EXCERPT).join('')}…` : characters.join('')
}
