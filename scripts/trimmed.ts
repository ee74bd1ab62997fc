// An esbuild plugin that leaves out the parts of libraries that nothing here runs: minified, 88 KB of 362.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const CEL = dirname(createRequire(import.meta.url).resolve('@marcbachmann/cel-js'))

/** What a module of cel-js exports, loaded at build time. */
const ofCel = (file: string) => import(pathToFileURL(join(CEL, file)).href)

/** Of cel-js the parser alone, which refuses a macro whose variable is no name; what its library says of one stands here. */
async function celEvaluator(): Promise<string> {
  const { createOptions } = await ofCel('options.js')
  return `
import { parseError } from './errors.js'
import { Parser } from './parser.js'

const MACROS = ${JSON.stringify(await celMacros())}

function handlerOf(problem) {
  return ({ args: [variable] }) => {
    if (variable.op !== 'id') throw parseError('invalid_macro_argument', problem, variable)
    return {}
  }
}

function findMacro(...macro) {
  const problem = MACROS[macro.join()]
  return problem && { handler: handlerOf(problem) }
}

let parser
export function parse(expression) {
  parser ??= new Parser(${JSON.stringify(createOptions().limits)}, { enableOptionalTypes: false, findMacro })
  return { ast: parser.parse(expression) }
}
`
}

/** What each macro that binds a variable says of one that is no name, by its name, whether it is a method, and its arguments. */
async function celMacros(): Promise<Record<string, string>> {
  const { registerMacros } = await ofCel('macros.js')
  const problems: Record<string, string> = {}
  const noName = { op: 'value', clone: () => noName, setMeta: () => noName }
  const registerFunctionOverload = (signature: string, handler: (macro: object) => unknown) => {
    const [, receiver, name, parameters = ''] = /^(\w+\.)?(\w+)\((.*)\)/.exec(signature) ?? []
    const args = parameters.split(',').map(() => noName)
    try {
      handler({ args, ast: noName, receiver: noName })
    } catch (error) {
      problems[[name, receiver !== undefined, args.length].join()] = (error as { summary: string }).summary
    }
  }
  registerMacros({ registerFunctionOverload, registerType() {}, registerConstant() {} })
  return problems
}

/** The operators' names alone: what a tree has of them. */
async function celOperators(): Promise<string> {
  const { OPERATORS }: { OPERATORS: Record<string, { name: string }> } = await ofCel('operators.js')
  const names = Object.entries(OPERATORS).map(([key, { name }]) => [key, { name }])
  return `export const OPERATORS = ${JSON.stringify(Object.fromEntries(names))}`
}

/** Of the types that functions take, the one that a number such as `1u` is; its class for durations has side effects to a bundler. */
async function celFunctions(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^export class Duration \{[\s\S]*?^\}/m, '')
}

/** Of valibot all but what each schema has for other libraries, to which none is given: a tenth of what runs at import. */
async function valibot(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(
    /(?<=^function _standardSchema\(schema\) \{)[\s\S]*?(?=\treturn schema)/m,
    '\n',
  )
}

/** What remains of forge: reading and writing DER, and the buffer that this takes. */
const FORGE = {
  'asn1.js': ['Class', 'Type', 'maxDepth', 'create', 'copy', 'fromDer', 'toDer', 'oidToDer'],
  'util.js': [
    'isArray',
    'isArrayBuffer',
    'isArrayBufferView',
    'ByteBuffer',
    'ByteStringBuffer',
    'createBuffer',
    ...['_optimizeConstructedString', 'length', 'putByte', 'putBytes', 'putInt16', 'putBuffer'],
    ...['getByte', 'getInt16', 'getInt', 'getBytes', 'bytes', 'clear'],
  ],
}

/** A file of forge without the top-level statements that make other parts of it, or begin with a bracket. */
async function forgeFile(path: string): Promise<string> {
  const kept: readonly string[] = FORGE[basename(path) as keyof typeof FORGE]
  const statements = (await readFile(path, 'utf8')).split(/\n(?=\/\*\*|[a-zA-Z(])/)
  return statements.filter((statement) => isKept(statement.replace(/^\/\*[\s\S]*?\*\/\s*/, ''), kept)).join('\n')
}

function isKept(statement: string, kept: readonly string[]): boolean {
  if (statement.startsWith('(')) return false
  const [, property] = /^(?:asn1|util)\.(?:ByteStringBuffer\.prototype\.)?(\w+)/.exec(statement) ?? []
  return property === undefined || kept.includes(property)
}

/** Of punycode.js the two functions that an object of all of them would keep. */
async function punycode(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(
    /^const punycode = \{[\s\S]*?^\};$/m,
    'const punycode = { decode, encode }',
  )
}

/** The constants of curves and hash functions are worked out at their first use, not at import: 6 ms. */
const LAZY_OBJECTS = { '@noble/curves/nist.js': ['p256', 'p384', 'p521'], '@noble/curves/ed25519.js': ['ed25519'] }
const LAZY_FUNCTIONS = {
  '@noble/hashes/sha2.js': ['sha224', 'sha256', 'sha384', 'sha512'],
  '@noble/hashes/legacy.js': ['sha1'],
}
const LAZY: Readonly<Record<string, readonly string[]>> = { ...LAZY_OBJECTS, ...LAZY_FUNCTIONS }

/** What stands for the objects or functions of a module, and loads it when one is asked for a property, or called. */
function lazily(path: string): string {
  const standIn = (name: string) =>
    path in LAZY_OBJECTS ? `new Proxy({}, { get: (_, key) => load().${name}[key] })` : `(data) => load().${name}(data)`
  const standIns = (LAZY[path] ?? []).map((name) => `export const ${name} = /* @__PURE__ */ ${standIn(name)}`)
  return [`let loaded`, `const load = () => (loaded ??= require('${path}'))`, ...standIns].join('\n')
}

export const trimmed: Plugin = {
  name: 'trimmed',
  setup(build) {
    const replace = (filter: RegExp, contents: (path: string) => string | Promise<string>) =>
      build.onLoad({ filter }, async ({ path }) => ({ contents: await contents(path), loader: 'js' }))
    replace(/cel-js[\\/]lib[\\/]evaluator\.js$/, celEvaluator)
    replace(/cel-js[\\/]lib[\\/]functions\.js$/, celFunctions)
    replace(/cel-js[\\/]lib[\\/]operators\.js$/, celOperators)
    replace(/cel-js[\\/]lib[\\/]index\.js$/, () => `export { parse } from './evaluator.js'`)
    replace(/valibot[\\/]dist[\\/]index\.mjs$/, valibot)
    replace(/node-forge[\\/]lib[\\/](oids|baseN)\.js$/, () => '')
    replace(/node-forge[\\/]lib[\\/](asn1|util)\.js$/, forgeFile)
    replace(/punycode\.js[\\/]punycode\.es6\.js$/, punycode)
    build.onResolve({ filter: /^@noble\// }, ({ path, namespace, importer, resolveDir }) => {
      if (!(path in LAZY) || namespace === 'picked' || /[\\/]@noble[\\/]/.test(importer)) return undefined
      return { path, namespace: namespace === 'lazy' ? 'picked' : 'lazy', pluginData: resolveDir, sideEffects: false }
    })
    build.onLoad({ filter: /./, namespace: 'lazy' }, ({ path, pluginData: resolveDir }) => ({
      contents: lazily(path),
      resolveDir,
    }))
    // Between the two, so that what is required lazily is no more than these names.
    build.onLoad({ filter: /./, namespace: 'picked' }, ({ path, pluginData: resolveDir }) => ({
      contents: `export { ${LAZY[path]?.join(', ')} } from '${path}'`,
      resolveDir,
    }))
    build.onResolve({ filter: /^\.\// }, async ({ path, resolveDir, importer, kind, pluginData }) => {
      if (resolveDir !== CEL || pluginData === 'resolved') return undefined
      const resolved = await build.resolve(path, { resolveDir, importer, kind, pluginData: 'resolved' })
      return { path: resolved.path, sideEffects: false }
    })
  },
}
