import type { Scope } from '../environment.ts'
import { findInterpolations } from '../template.ts'
import type { Expressions } from './expression.ts'
import { toText } from './format.ts'
import { requireCharacters } from './limits.ts'
import type { Values } from './values.ts'

/** A string with expressions in `${…}`. */
export interface Template {
  /** True if the text consists of a single `${…}`. */
  readonly isWhole: boolean
  /** Returns the text. `read` converts the values of expressions to strings. */
  evaluate(values: Values, read?: (value: unknown) => string): string
  /** Returns the typed value of the expression in a template that consists of a single expression. */
  evaluateValue(values: Values): unknown
}

/** Compiles a string with expressions. */
export function compileTemplate(text: string, scope: Scope, expressions: Expressions): Template {
  const { found } = findInterpolations(text)
  let end = 0
  const parts = found.map(({ source, offset }) => {
    const before = text.slice(end, offset - '${'.length)
    end = offset + source.length + '}'.length
    return { before, expression: expressions.compile(source, scope) }
  })
  const rest = text.slice(end)
  const [first] = parts
  return {
    isWhole: parts.length === 1 && first?.before === '' && rest === '',
    evaluate(values, read = toText) {
      let text = ''
      for (const { before, expression } of parts) {
        text += before + read(expression.evaluate(values))
        requireCharacters(text.length)
      }
      return text + rest
    },
    evaluateValue: (values) => first?.expression.evaluate(values),
  }
}
