import { cut } from '../../core/schema/text.ts'

/** A problem with an expression. The offset and length are in characters of its source. */
export interface ExpressionProblem {
  readonly message: string
  readonly hint?: string
  readonly offset: number
  readonly length: number
}

/** Returns whether an expression is the end of a longer expression, whose beginning YAML took for a tag. */
export const isRestOfTag = (source: string) => /^\s*(?:in\b|&&|[|]{2}|[=!]=|[<>])/.test(source)

/** Describes why the parser stops at a position, if the text there belongs to a language other than CEL. */
export function explainStop(summary: string, source: string, at: number): ExpressionProblem | undefined {
  if (summary.includes('DIVIDE')) return readPath(source, at)
  if (!summary.startsWith('Unexpected character')) return undefined
  return readWord(source, at) ?? (isRestOfTag(source) ? undefined : explainCharacter(source, at))
}

const OPERATORS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' }

/** Reads an operator from another language that ends or begins where the parser stops. */
function readWord(source: string, at: number): ExpressionProblem | undefined {
  for (const {
    0: { length },
    1: word = '',
    index,
  } of source.matchAll(/\b(and|or|not)\s+/g)) {
    if (index !== at && index + length !== at) continue
    const message = `there is no operator ${word}`
    return { message, hint: `Use ${OPERATORS[word]}.`, offset: index, length: word.length }
  }
  return undefined
}

/** Reads a path without quotes, whose slash the parser takes for a division. */
function readPath(source: string, offset: number): ExpressionProblem | undefined {
  const [path] = /^\/[^\s,'")\]]*/.exec(source.slice(offset)) ?? []
  if (path === undefined) return undefined
  const hint = `Write a string in quotes: '${cut(path, 60)}'.`
  return { message: 'a value cannot begin with "/"', hint, offset, length: path.length }
}

/** Operators from other languages, and their equivalents in CEL. */
const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  '=~': '.matches(…)',
  '=>': 'a comma, as in exists(v, …)',
  '=': '==',
  '&': '&&',
  '|': '||',
}

const NO_TEMPLATE = 'This is already an expression. Write it without ${ and }.'

/** Describes a character at which the parser stops. The library reports a later one. */
function explainCharacter(source: string, at: number): ExpressionProblem {
  const [method] = /^(?:matches|contains|startsWith|endsWith)\b/.exec(source.slice(at)) ?? []
  const operator = Object.keys(OTHER_OPERATORS).find((each) => source.startsWith(each, at))
  const meant = operator && `Did you mean ${OTHER_OPERATORS[operator]}?`
  const isTemplate = source.startsWith('${', at)
  const hint = isTemplate ? NO_TEMPLATE : method ? `Write .${method}(…).` : meant
  const character = String.fromCodePoint(source.codePointAt(at) ?? 32)
  return { message: `unexpected character: ${character}`, offset: at, length: character.length, ...(hint && { hint }) }
}
