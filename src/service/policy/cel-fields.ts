import type { ASTNode } from '@marcbachmann/cel-js'
import { nearest } from '../../core/schema/nearest.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject, lazy } from '../../core/schema/values.ts'
import type { Field } from './action.ts'
import { languageOf, listPaths, type Scope } from './environment.ts'
import type { PolicyExpression } from './expression.ts'
import { type CheckedExpression, checkExpression, type ExpressionProblem, walk } from './expression.ts'
import { CEL_FUNCTIONS, FUNCTIONS } from './functions.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'
import type { Reporter } from './reporter.ts'
import { findInterpolations, LITERAL } from './template.ts'

/** An entry in the declared names: a set-vars action with a mistake may declare any name. */
export const ANY_NAME = ''

/** The maximum depth at which strings are read. */
const MAX_DEPTH = 32

/** Checks the expressions `${…}` in a string, or in all strings in a list or map. */
export function checkCelText(value: unknown, path: PolicyPath, place: Place, isSecret = false): undefined {
  if (path.length > MAX_DEPTH) return
  if (Array.isArray(value)) for (const [index, each] of value.entries()) checkCelText(each, [...path, index], place)
  else if (isObject(value)) for (const [key, each] of Object.entries(value)) checkCelText(each, [...path, key], place)
  if (typeof value !== 'string' || !value.includes('${')) return
  const number = place.action.type === 'add-headers' && place.scope.phase === 'on_http_request' ? 2213 : 2224
  const { found, unclosed } = findInterpolations(value)
  for (const { source, offset } of found) {
    const { tree, problem } = check(source, place.scope, { path, offset, kind: 'interpolation' }, place.reporter)
    if (problem)
      reportExpression(number, path, isSecret ? source : hideTexts(source), problem, place.reporter, {
        shift: offset,
        isSecret,
      })
    if (tree && !problem) checkNames(tree, { ...place, number, path, offset })
  }
  if (unclosed !== undefined) {
    place.reporter.report(number, path, 'has "${" without its "}"', { within: { offset: unclosed, length: 2 } })
  }
}

/** Checks a field that contains an expression without `${`. */
export function checkFieldExpression(
  { result, scope }: Extract<Field, { kind: 'expression' }>,
  source: string,
  path: PolicyPath,
  place: Place,
): undefined {
  const number = 2224
  const own = { ...place.scope, ...(scope === 'retry' && { isRetry: true }) }
  const { tree, type, problem } = check(source, own, { path, offset: 0, kind: 'field' }, place.reporter)
  if (problem) return reportExpression(number, path, source, problem, place.reporter)
  if (result === 'bool' && !isBoolean(type)) reportType(number, path, source, type, place.reporter)
  else if (tree) checkNames(tree, { ...place, number, path, offset: 0 })
}

/** Checks an expression in a rule. It must return a bool. */
export function checkCondition(source: string, path: PolicyPath, place: Omit<Place, 'action'>): undefined {
  const { tree, type, problem } = check(source, place.scope, { path, offset: 0, kind: 'condition' }, place.reporter)
  if (problem) return reportExpression(2200, path, source, problem, place.reporter)
  if (!isBoolean(type)) reportType(2200, path, source, type, place.reporter)
  else if (tree) checkNames(tree, { ...place, number: 2200, path, offset: 0 })
}

/** Checks an expression, and keeps it for `listExpressions` and the warnings. */
function check(
  source: string,
  scope: Scope,
  place: Pick<PolicyExpression, 'path' | 'offset' | 'kind'>,
  { expressions }: Reporter,
): CheckedExpression {
  const checked = checkExpression(source, scope)
  expressions.push({ ...checked, ...place })
  return checked
}

function isBoolean(type: string | undefined): boolean {
  return type === 'bool' || type === 'dyn'
}

function reportType(
  number: number,
  path: PolicyPath,
  source: string,
  type: string | undefined,
  reporter: Reporter,
): undefined {
  const hint = type === 'string' || type === 'int' ? { hint: 'Compare it with a value, such as with ==.' } : {}
  const what = `is ${quote(source)}, which has the type ${type?.replace(/\$[\w.]+/g, 'object')}. Allowed: an expression that evaluates to true or false`
  reporter.report(number, path, what, { within: { offset: 0, length: source.length }, ...hint })
}

function reportExpression(
  number: number,
  path: PolicyPath,
  source: string,
  { message, hint, offset, length }: ExpressionProblem,
  reporter: Reporter,
  { shift = 0, isSecret = false } = {},
): undefined {
  const hide = (text: string | undefined) => (isSecret ? hideWords(text, source) : text)
  const cause = hide(message)
  const why = cause === undefined ? '' : `: ${cause}${isSecret ? '' : `. Received: ${quote(source)}`}`
  // A corrected form repeats the expression, even if no word of it is a secret's.
  const isHidden = isSecret && (hide(hint) !== hint || hint?.startsWith('Write '))
  reporter.report(number, path, `is not valid at character ${offset + shift + 1}${why}`, {
    within: { offset: offset + shift, length },
    ...(hint !== undefined && !isHidden && { hint }),
  })
}

const WORD = /[\p{L}\p{N}_]{2,}/gu
const CUT_WORD = /[\p{L}\p{N}_]+…/gu
const ofOwnNames = lazy(() => {
  const { variables } = languageOf({ phase: 'on_http_response', hasTls: true, isModule: true })
  const names = [...listPaths(variables), ...FUNCTIONS.map(({ name }) => name), ...CEL_FUNCTIONS]
  return new Set(names.flatMap((each) => each.split('.')))
})

/**
 * Returns a text about an expression without the words that may be parts of a secret, which are all words of the expression but the names of
 * variables and functions. An escape may stand for any word, so the text of an expression that has one is undefined.
 */
function hideWords(text: string | undefined, source: string): string | undefined {
  if (source.includes('\\')) return undefined
  const words = new Set(source.match(WORD))
  return text
    ?.replace(/^(there is no (?:variable|function)) .*/s, '$1 of that name')
    .replace(/^(unexpected character|no such key|the pattern is not valid in RE2): .*/s, '$1')
    .replace(CUT_WORD, '…')
    .replace(WORD, (word) => (words.has(word) && !ofOwnNames().has(word) ? '…' : word))
}

/** Returns an expression with its strings replaced with `…`, because they may be secrets. */
function hideTexts(source: string): string {
  return source.replace(LITERAL, (_, raw, quote) => `${raw ?? quote}…${raw ?? quote}`)
}

type Names = Omit<Place, 'action'> & { readonly number: number; readonly path: PolicyPath; readonly offset: number }

/** Checks the names of `set-vars` variables, which are not part of the types. */
function checkNames(tree: ASTNode, { declared, reporter, number, path, offset }: Names): undefined {
  if (!tree.input.includes('vars')) return
  walk(tree, (node, parent) => {
    // The operand of `has` may be missing.
    if (parent?.op === 'call' && parent.args[0] === 'has') return
    const { start, end } = node.range
    const within = { offset: offset + start, length: end - start }
    const variable = readVariable(node)
    if (variable !== undefined && !declared.has(variable) && !declared.has(ANY_NAME)) {
      const near = nearest(variable, declared)
      const hint =
        near === undefined ? 'Set it with set-vars, earlier in the same phase.' : `Did you mean vars.${near}?`
      reporter.report(
        number,
        path,
        `uses ${quote(`vars.${variable}`)}, but no earlier set-vars action in this phase sets it`,
        {
          within,
          hint,
        },
      )
    }
  })
}

function readVariable(node: ASTNode): string | undefined {
  if ((node.op !== '.' && node.op !== '[]') || node.args[0].op !== 'id' || node.args[0].args !== 'vars')
    return undefined
  const [, key] = node.args
  if (typeof key === 'string') return key
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined
}
