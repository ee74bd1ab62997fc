import type { ASTNode } from '@marcbachmann/cel-js'
import { languageOf, parseIn, type Scope } from '../environment.ts'
import { pathOfNode, walk } from '../expression.ts'
import { Compiler, type Evaluate, Frame } from './evaluate.ts'
import { measure } from './limits.ts'
import { createOverloads, type Overloads } from './overloads.ts'
import { keyOfPart } from './parts.ts'
import { type CompilePattern, createPatterns } from './pattern.ts'
import { EvaluationProblem, MissingFact, type OnDecided, type Values } from './values.ts'

/** A compiled expression. */
export interface Expression {
  readonly source: string
  /** The variables that it uses, such as `req.url.path`. */
  readonly paths: readonly string[]
  /** The calls that read a header, a cookie, or a parameter by name, such as `getReqHeader('x-a')`. */
  readonly calls: readonly { readonly source: string; evaluate(values: Values): unknown }[]
  /** @throws MissingFact for a fact that the caller did not provide; EvaluationProblem if it cannot be evaluated */
  evaluate(values: Values): unknown
}

/** Compiles expressions, once per scope, and the patterns in them. */
export interface Expressions {
  compile(source: string, scope: Scope): Expression
  /** Compiles a pattern once. */
  readonly pattern: CompilePattern
}

/** The maximum number of cached expressions. */
const MAX_KEPT = 10_000

/** The first names in variables' paths. */
const ROOTS = ['req', 'res', 'conn', 'endpoint', 'time', 'vars', 'actions', 'attempts', 'last_attempt']

/** If `onDecided` is given, evaluations call it with the key of each part that determines a value, for coverage. */
export function createExpressions(onDecided?: OnDecided): Expressions {
  const known = new Map<string, Expression>()
  const pattern = createPatterns()
  let overloads: Overloads | undefined
  return {
    pattern,
    compile(source, scope) {
      const key = [scope.phase, scope.hasTls, scope.isModule, scope.isRetry, onDecided && scope.rule, source].join()
      const found = known.get(key)
      if (found) return found
      overloads ??= createOverloads(pattern)
      const expression = compile(source, scope, overloads, onDecided)
      if (known.size >= MAX_KEPT) known.clear()
      known.set(key, expression)
      return expression
    },
  }
}

function compile(source: string, scope: Scope, overloads: Overloads, onDecided: OnDecided | undefined): Expression {
  try {
    const language = languageOf(scope)
    const tree = parseIn(language, source).ast
    const { texts } = language
    const evaluate = new Compiler(overloads, texts, onDecided !== undefined).compile(tree)
    const calls = listReads(tree).map((node) => {
      const read = new Compiler(overloads, texts).compile(node)
      const text = node.input.slice(node.range.start, node.range.end)
      return { source: text, evaluate: (values: Values) => run(read, new Frame(values), text) }
    })
    const evaluateCounted = (values: Values) => {
      const decided = new Set<ASTNode>()
      const value = run(evaluate, new Frame(values, decided), source)
      for (const part of decided) onDecided?.(keyOfPart(scope.rule, source, part))
      return value
    }
    return {
      source,
      paths: listPaths(tree),
      calls,
      evaluate: onDecided ? evaluateCounted : (values) => run(evaluate, new Frame(values), source),
    }
  } catch (error) {
    // A policy that was not checked, such as one from a snapshot.
    const problem = toProblem(error)
    const evaluate = () => {
      throw problem
    }
    return { source, paths: [], calls: [], evaluate }
  }
}

function run(evaluate: Evaluate, frame: Frame, source: string): unknown {
  try {
    const value = evaluate(frame)
    // Traces, strings and later expressions have all of the value.
    if (typeof value === 'object') measure(value)
    return value
  } catch (error) {
    const problem = toProblem(error)
    if (problem instanceof EvaluationProblem) problem.source = source
    throw problem
  }
}

function toProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MissingFact || error instanceof EvaluationProblem) return error
  const summary: unknown = Reflect.get(error, 'summary')
  return new EvaluationProblem(typeof summary === 'string' ? summary : error.message, { cause: error })
}

/** Lists the variables of an expression, each once. */
function listPaths(tree: ASTNode): readonly string[] {
  const paths = new Set<string>()
  walk(tree, (node, parent) => {
    const isOwner = parent?.op === '.' && parent.args[0] === node
    const path = isOwner ? undefined : pathOfNode(node)
    if (path !== undefined && ROOTS.includes(path.split('.', 1).join())) paths.add(path)
  })
  return [...paths]
}

/** Lists the calls that read a header, a cookie, or a parameter by a literal name. */
function listReads(tree: ASTNode): readonly ASTNode[] {
  const reads: ASTNode[] = []
  walk(tree, (node) => {
    if (node.op !== 'call' || !/^get(?:Re[qs])?(?:Header|Cookie|QueryParam)$/.test(node.args[0])) return
    if (node.args[1].every(({ op }) => op === 'value')) reads.push(node)
  })
  return reads
}
