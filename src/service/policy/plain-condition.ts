import { Environment } from '@marcbachmann/cel-js'
import { parseWithinDepth } from '../../core/filter/cel-depth.ts'
import { extendLexer } from '../../core/filter/cel-lexer.ts'
import { findProblem } from './expression.ts'

/** The CEL types of the fields, by name, at any depth. */
export type FieldTypes = { [name: string]: string | FieldTypes }

/**
 * Returns a sentence that says why a string is not a plain CEL condition on the fields of one variable, without policy functions. Returns
 * undefined if it is.
 */
export function conditionProblem(source: string, variable: string, schema: FieldTypes): string | undefined {
  extendLexer()
  const environment = new Environment().registerVariable(variable, { schema })
  try {
    const parsed = parseWithinDepth(
      source,
      (text) => environment.parse(text),
      ({ ast }) => ast,
    )
    const { valid, type, error } = parsed.check()
    if (!valid) throw error
    if (type !== 'bool' && type !== 'dyn') return `Its value has the type ${type}, but must be a bool`
    return describeFirstLine(findProblem(parsed.ast)?.message)
  } catch (error) {
    return describeFirstLine(error instanceof Error ? error.message : 'It is not valid CEL')
  }
}

/** Returns the first line of a message, which may begin in lowercase, as a sentence. */
function describeFirstLine(message: string | undefined): string | undefined {
  return message?.split('\n')[0]?.replace(/^./, (letter) => letter.toUpperCase())
}
