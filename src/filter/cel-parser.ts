import type { ASTNode } from '@marcbachmann/cel-js'
// By their paths, since the library's main file also loads its evaluator, which takes a third of the time that importing
// this package costs and needs a TextEncoder, which Jest's jsdom hides.
import { registerMacros } from '../../node_modules/@marcbachmann/cel-js/lib/macros.js'
import { createOptions } from '../../node_modules/@marcbachmann/cel-js/lib/options.js'
import { Parser } from '../../node_modules/@marcbachmann/cel-js/lib/parser.js'

/** Returns the macros by name, by whether they are methods, and by how many arguments they take. */
function macrosByCall(): ReadonlyMap<string, object> {
  const macros = new Map<string, object>()
  const registerFunctionOverload = (signature: string, handler: object) => {
    const [, receiver, name, parameters = ''] = /^(\w+\.)?(\w+)\((.*)\)/.exec(signature) ?? []
    macros.set([name, receiver !== undefined, parameters.split(',').length].join(), { handler })
  }
  registerMacros({ registerFunctionOverload, registerType() {}, registerConstant() {} })
  return macros
}

/** Makes a parser, whose macros are made for the first call that an expression has. */
/* @__NO_SIDE_EFFECTS__ */
function celParser(): (source: string) => ASTNode {
  let macros: ReadonlyMap<string, object> | undefined
  const findMacro = (...call: readonly unknown[]) => {
    macros ??= macrosByCall()
    return macros.get(call.join())
  }
  return (source) => new Parser(createOptions().limits, { enableOptionalTypes: false, findMacro }).parse(source)
}

/**
 * Returns the syntax tree of a CEL expression.
 * @throws ParseError if it is not valid CEL.
 */
export const parseCel = celParser()
