import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import { languageOf, type Scope, TEXT } from '../../service/policy/environment.ts'
import { applyEdits, type Edit, pathOfNode, walk } from '../../service/policy/expression.ts'
import { FUNCTIONS, NAMESPACES } from '../../service/policy/functions.ts'
import { IMPLEMENTATIONS, type Implementation, OF_VISIT, sortPairs } from './functions.ts'
import { type CompilePattern, createPatterns } from './pattern.ts'
import { EvaluationProblem, MissingFact, type Values } from './values.ts'

/** A compiled expression. */
export interface Expression {
  readonly source: string
  /** The variables that it names, such as `req.url.path`. */
  readonly paths: readonly string[]
  /** @throws MissingFact for a fact that the caller did not give; EvaluationProblem if it cannot be evaluated */
  evaluate(values: Values): unknown
}

/** Compiles expressions, each once per scope, and the patterns in them. */
export interface Expressions {
  compile(source: string, scope: Scope): Expression
  /** Compiles a pattern, each once. */
  readonly pattern: CompilePattern
}

/** The most expressions that are kept. */
const MAX_KEPT = 10_000

/** The variable that has the {@link Values}, for functions that read them. Policies cannot name it. */
const VISIT = 'visit_'
/** Names that expressions may use, whatever their scope. */
const ROOTS = ['req', 'res', 'conn', 'endpoint', 'time', 'vars', 'actions', 'attempts', 'last_attempt', VISIT]

export function createExpressions(): Expressions {
  let environment: Environment | undefined
  const known = new Map<string, Expression>()
  const pattern = createPatterns()
  return {
    pattern,
    compile(source, scope) {
      const key = [scope.phase, scope.hasTls, scope.isModule, scope.isRetry, source].join()
      const found = known.get(key)
      if (found) return found
      environment ??= createEnvironment(pattern)
      const expression = compile(source, scope, environment)
      if (known.size >= MAX_KEPT) known.clear()
      known.set(key, expression)
      return expression
    },
  }
}

/** Makes the environment in which expressions are evaluated. Their types were checked before, so all variables are `dyn`. */
function createEnvironment(pattern: CompilePattern): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: { maxAstNodes: 10_000 } })
  const matches = (text: string, source: string) => pattern(source).test(text)
  for (const name of ROOTS) environment.registerVariable(name, 'dyn')
  const implementations: Readonly<Record<string, Implementation>> = { ...IMPLEMENTATIONS, matches }
  for (const { name, signatures } of FUNCTIONS) {
    const implementation = implementations[name]
    if (!implementation) throw new Error(`The function ${name} has no implementation.`)
    for (const signature of signatures) environment.registerFunction(toRuntime(name, signature), implementation)
  }
  environment.registerFunction('string.re2Matches(string): bool', matches)
  environment.registerFunction('list.sortPairs(): list', sortPairs)
  environment.registerFunction('hasKey(dyn, dyn): bool', hasKey)
  return environment
}

/** Returns the signature of a function in the environment: namespaces are parts of names, and types of ours are `dyn`. */
function toRuntime(name: string, signature: string): string {
  const [namespace = ''] = name.split('.')
  const global = Object.hasOwn(NAMESPACES, namespace) ? signature.replace('.', '_') : signature
  const withVisit = OF_VISIT.includes(name) ? global.replace('(', '(dyn, ').replace(', )', ')') : global
  return withVisit.replace(/: Cookie$/, ': dyn')
}

function hasKey(map: unknown, key: unknown): boolean {
  if (Array.isArray(map)) return typeof key === 'bigint' && key >= 0n && key < map.length
  if (map instanceof Map) return map.has(key)
  return typeof map === 'object' && map !== null && Object.hasOwn(map, String(key))
}

function compile(source: string, scope: Scope, environment: Environment): Expression {
  try {
    return compileValid(source, scope, environment)
  } catch (error) {
    // A policy that was not checked, such as one of a snapshot.
    const problem = toProblem(error)
    const evaluate = () => {
      throw problem
    }
    return { source, paths: [], evaluate }
  }
}

function compileValid(source: string, scope: Scope, environment: Environment): Expression {
  const { texts } = languageOf(scope)
  const tree = environment.parse(source).ast
  const run = environment.parse(applyEdits(source, findEdits(tree, texts)))
  return {
    source,
    paths: listPaths(tree),
    evaluate(values) {
      try {
        const value: unknown = run(new Context(values))
        return value
      } catch (error) {
        const problem = toProblem(error)
        if (problem instanceof EvaluationProblem) problem.source = source
        throw problem
      }
    },
  }
}

/** The variables of an expression, and the one that has all of them. */
class Context extends Map<string, unknown> {
  readonly #values: Values

  constructor(values: Values) {
    super()
    this.#values = values
  }

  override get(name: string): unknown {
    return name === VISIT ? this.#values : this.#values.roots.get(name)
  }
}

function toProblem(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof MissingFact || cause instanceof EvaluationProblem) return cause
  if (!(error instanceof Error)) return error
  const summary: unknown = Reflect.get(error, 'summary')
  const message = typeof summary === 'string' ? summary : error.message
  // The CEL library has no size for an empty list.
  return new EvaluationProblem(message.replace(/>= size undefined$/, '>= size 0'), { cause: error })
}

/** Finds what the CEL library evaluates in another way than the language does. */
function findEdits(tree: ASTNode, texts: ReadonlySet<string>): readonly Edit[] {
  const edits: Edit[] = []
  const { input } = tree
  const replace = (at: number, removed: number, text: string) => edits.push({ at, removed, text })
  const addVisit = (from: number, hasArguments: boolean) =>
    replace(input.indexOf('(', from) + 1, 0, hasArguments ? `${VISIT}, ` : VISIT)
  walk(tree, (node, parent) => {
    if (node.op === '.') {
      const isOwner = (parent?.op === '.' || parent?.op === '[]') && parent.args[0] === node
      const path = isOwner ? undefined : pathOfNode(node)
      if (path !== undefined && texts.has(path)) replace(node.range.end, 0, `.${TEXT}`)
    } else if (node.op === 'call') {
      const [name, args] = node.args
      const [first] = args
      if (OF_VISIT.includes(name)) addVisit(node.range.start, args.length > 0)
      if (name === 'has' && first?.op === '[]') {
        const [owner, key] = first.args
        replace(node.range.start + 'has'.length, 0, 'Key')
        replace(input.indexOf('[', owner.range.end), 1, ', ')
        replace(input.indexOf(']', key.range.end), 1, '')
      }
    } else if (node.op === 'rcall') {
      const [name, receiver, args] = node.args
      const dot = input.indexOf('.', receiver.range.end)
      const isNamespace = receiver.op === 'id' && Object.hasOwn(NAMESPACES, receiver.args)
      if (isNamespace) {
        replace(dot, 1, '_')
        if (OF_VISIT.includes(`${receiver.args}.${name}`)) addVisit(dot, args.length > 0)
      } else if (name === 'matches') {
        replace(input.indexOf('matches', dot), 'matches'.length, 're2Matches')
      } else if (name === 'sortBy') {
        const [item, key] = args
        if (!item || !key) return
        replace(input.indexOf('sortBy', dot), 'sortBy'.length, 'map')
        replace(key.range.start, 0, '[')
        replace(key.range.end, 0, `, ${input.slice(item.range.start, item.range.end)}]`)
        replace(node.range.end, 0, '.sortPairs()')
      }
    }
  })
  return edits.sort((a, b) => a.at - b.at)
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
