import type { ASTNode } from '@marcbachmann/cel-js'
// Imported by path, because the library's main file also loads its evaluator. The evaluator would take a third of this package's import
// time, and needs a TextEncoder, which Jest's jsdom hides.
import { registerMacros } from '../../../node_modules/@marcbachmann/cel-js/lib/macros.js'
import { createOptions } from '../../../node_modules/@marcbachmann/cel-js/lib/options.js'
import { Parser } from '../../../node_modules/@marcbachmann/cel-js/lib/parser.js'
import { parseWithinDepth } from './cel-depth.ts'
import { extendLexer } from './cel-lexer.ts'

/** Creates a parser. The parser adds CEL's macros at the first call expression. */
/* @__NO_SIDE_EFFECTS__ */
function createCelParser(): (source: string) => ASTNode {
  let macros: ReadonlyMap<string, object> | undefined
  const findMacro = (name: string, isMethod: boolean, argumentCount: number) => {
    macros ??= createMacros()
    return macros.get(macroKey(name, isMethod, argumentCount))
  }
  return (source) => {
    extendLexer()
    const parser = new Parser(createOptions().limits, { enableOptionalTypes: false, findMacro })
    return parseWithinDepth(
      source,
      (text) => parser.parse(text),
      (tree) => tree,
    )
  }
}

function createMacros(): ReadonlyMap<string, object> {
  const macros = new Map<string, object>()
  const registerFunctionOverload = (signature: string, handler: object) => {
    const [, receiver, name = '', parameters = ''] = /^(\w+\.)?(\w+)\((.*)\)/.exec(signature) ?? []
    macros.set(macroKey(name, receiver !== undefined, parameters.split(',').length), { handler })
  }
  registerMacros({ registerFunctionOverload, registerType() {}, registerConstant() {} })
  return macros
}

function macroKey(name: string, isMethod: boolean, argumentCount: number): string {
  return [name, isMethod, argumentCount].join()
}

/**
 * Returns the syntax tree of a CEL expression.
 * @throws ParseError if it is not valid CEL.
 */
export const parseCel = createCelParser()
