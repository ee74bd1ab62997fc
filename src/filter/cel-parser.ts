import type { ASTNode } from '@marcbachmann/cel-js'
// By their paths, because the library's main file loads its evaluator too. To load that takes a third of the time of an import
// of this package, and needs a TextEncoder, which Jest's jsdom hides.
import { registerMacros } from '../../node_modules/@marcbachmann/cel-js/lib/macros.js'
import { createOptions } from '../../node_modules/@marcbachmann/cel-js/lib/options.js'
import { Parser } from '../../node_modules/@marcbachmann/cel-js/lib/parser.js'

/** Returns the macros. The key of each is its name, whether it is a method, and its number of arguments. */
function createMacros(): ReadonlyMap<string, object> {
  const macros = new Map<string, object>()
  const registerFunctionOverload = (signature: string, handler: object) => {
    const [, receiver, name, parameters = ''] = /^(\w+\.)?(\w+)\((.*)\)/.exec(signature) ?? []
    macros.set([name, receiver !== undefined, parameters.split(',').length].join(), { handler })
  }
  registerMacros({ registerFunctionOverload, registerType() {}, registerConstant() {} })
  return macros
}

/** Makes a parser. It makes its macros when an expression first has a call. */
/* @__NO_SIDE_EFFECTS__ */
function createCelParser(): (source: string) => ASTNode {
  let macros: ReadonlyMap<string, object> | undefined
  const findMacro = (...call: readonly unknown[]) => {
    macros ??= createMacros()
    return macros.get(call.join())
  }
  return (source) => new Parser(createOptions().limits, { enableOptionalTypes: false, findMacro }).parse(source)
}

/**
 * Returns the syntax tree of a CEL expression.
 * @throws ParseError if it is not valid CEL.
 */
export const parseCel = createCelParser()
