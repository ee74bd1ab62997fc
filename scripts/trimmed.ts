// An esbuild plugin that leaves out the parts of libraries that nothing here runs. Minified: 65 KB of 358.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const CEL = dirname(createRequire(import.meta.url).resolve('@marcbachmann/cel-js'))

/** Of cel-js the parser and its macros, which refuse what is no CEL; not the types, functions and operators of its evaluator. */
const CEL_EVALUATOR = `
import { registerMacros } from './macros.js'
import { createOptions } from './options.js'
import { Parser } from './parser.js'

function makeParser() {
  const macros = new Map()
  const registerFunctionOverload = (signature, handler) => {
    const [, receiver, name, parameters] = /^(\\w+\\.)?(\\w+)\\((.*)\\)/.exec(signature)
    macros.set([name, receiver !== undefined, parameters.split(',').length].join(), { handler })
  }
  registerMacros({ registerFunctionOverload, registerType() {}, registerConstant() {} })
  const findMacro = (name, hasReceiver, count) => macros.get([name, hasReceiver, count].join())
  return new Parser(createOptions().limits, { enableOptionalTypes: false, findMacro })
}

let parser
export function parse(expression) {
  parser ??= makeParser()
  return { ast: parser.parse(expression) }
}
`

/** The operators' names alone: what a tree has of them. */
async function celOperators(): Promise<string> {
  const { OPERATORS }: { OPERATORS: Record<string, { name: string }> } = await import(
    pathToFileURL(join(CEL, 'operators.js')).href
  )
  const names = Object.entries(OPERATORS).map(([key, { name }]) => [key, { name }])
  return `export const OPERATORS = ${JSON.stringify(Object.fromEntries(names))}`
}

export const trimmed: Plugin = {
  name: 'trimmed',
  setup(build) {
    const replace = (filter: RegExp, contents: () => string | Promise<string>) =>
      build.onLoad({ filter }, async () => ({ contents: await contents(), loader: 'js' }))
    replace(/cel-js[\\/]lib[\\/]evaluator\.js$/, () => CEL_EVALUATOR)
    replace(/cel-js[\\/]lib[\\/]operators\.js$/, celOperators)
    replace(/cel-js[\\/]lib[\\/]index\.js$/, () => `export { parse } from './evaluator.js'`)
    // forge prints trees with the names of identifiers, and has base58.
    replace(/node-forge[\\/]lib[\\/](oids|baseN)\.js$/, () => '')
    build.onResolve({ filter: /^\.\// }, async ({ path, resolveDir, importer, kind, pluginData }) => {
      if (resolveDir !== CEL || pluginData === 'resolved') return undefined
      const resolved = await build.resolve(path, { resolveDir, importer, kind, pluginData: 'resolved' })
      return { path: resolved.path, sideEffects: false }
    })
  },
}
