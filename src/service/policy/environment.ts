import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import { parseWithinDepth } from '../../core/filter/cel-depth.ts'
import { extendLexer } from '../../core/filter/cel-lexer.ts'
import { type Variable, type Variables, variableOf } from './action.ts'
import { ACTIONS } from './actions/index.ts'
import { FUNCTIONS, NAMESPACES } from './functions.ts'
import type { Phase } from './phases.ts'
import * as tables from './variables.ts'

/** The location of an expression in a policy, which determines the names that it can use. */
export interface Scope {
  readonly phase: Phase
  readonly hasTls: boolean
  /** True in the `policy` module, which also accepts the older spelling. */
  readonly isModule?: boolean
  /** True in `retry_condition`. */
  readonly isRetry?: boolean
  /** The rule of the policy, such as `on_http_request.0`, for coverage. */
  readonly rule?: string
}

/** Parses and checks the expressions of one scope. */
export interface Language {
  readonly environment: Environment
  /** All variables in the scope, by root. */
  readonly variables: Variables
  /** The paths of text variables that have nested variables, such as `req.url`. */
  readonly texts: ReadonlySet<string>
}

/** The name of the nested variable that holds a variable's text. Policies do not use it. */
export const TEXT = '_text'

/** Returns the language of a scope, which is created on first use. */
export const languageOf = createLanguages()

/** Parses an expression in a language. @throws ParseError */
export function parseIn({ environment }: Language, source: string): ReturnType<Environment['parse']> {
  return parseWithinDepth(
    source,
    (text) => environment.parse(text),
    ({ ast }) => ast,
  )
}

/* @__NO_SIDE_EFFECTS__ */
function createLanguages(): (scope: Scope) => Language {
  const languages = new Map<string, Language>()
  let base: Environment | undefined
  return (scope) => {
    const key = [scope.phase, scope.hasTls, scope.isModule, scope.isRetry].join()
    const known = languages.get(key)
    if (known) return known
    base ??= createBase()
    const language = createLanguage(base, scope)
    languages.set(key, language)
    return language
  }
}

/** Creates what all scopes share: the types, and the functions that are not limited to phases. */
function createBase(): Environment {
  extendLexer()
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: { maxAstNodes: 10_000 } })
  for (const [name, fields] of Object.entries(tables.TYPES)) environment.registerType(name, { fields })
  for (const [name, type] of Object.entries(NAMESPACES)) {
    environment.registerType(type, { fields: {} })
    environment.registerVariable(name, type)
  }
  addFunctions(environment, (phases) => phases === undefined)
  for (const signature of MISSING_FUNCTIONS) environment.registerFunction(signature, notHere)
  for (const sign of ['<', '<=', '>', '>=']) environment.registerOperator(`bytes ${sign} bytes: bool`, notHere)
  // `has(a['b'])`, which CEL itself does not have. The library checks no path in its own `has`.
  environment.registerFunction('hasIndex(ast): bool', ({ args }: { args: ASTNode[] }) => ({
    typeCheck: (
      checker: { check(node: unknown, context: unknown): unknown; getType(name: string): unknown },
      _: unknown,
      context: unknown,
    ) => {
      checker.check(args[0], context)
      return checker.getType('bool')
    },
    evaluate: notHere,
  }))
  return environment
}

/** The CEL functions that the library lacks. */
const MISSING_FUNCTIONS = [
  'duration(google.protobuf.Duration): google.protobuf.Duration',
  'int(google.protobuf.Timestamp): int',
  'int(uint): int',
  'string(google.protobuf.Duration): string',
  'string(google.protobuf.Timestamp): string',
  'timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp',
]

function createLanguage(base: Environment, scope: Scope): Language {
  const environment = base.clone()
  const variables = variablesOf(scope)
  for (const [name, below] of Object.entries(variables)) {
    if (tables.isVariable(below)) environment.registerVariable(name, below.type)
    else environment.registerVariable(name, { schema: toSchema(below) })
  }
  addFunctions(environment, (phases) => phases?.includes(scope.phase) === true)
  return { environment, variables, texts: new Set(listTexts(variables)) }
}

function addFunctions(environment: Environment, isWanted: (phases: readonly Phase[] | undefined) => boolean): void {
  for (const { signatures, phases } of FUNCTIONS) {
    if (!isWanted(phases)) continue
    for (const signature of signatures) {
      environment.registerFunction(
        signature.replace(/^(\w+)\./, (all, name) => toReceiver(name) ?? all),
        notHere,
      )
    }
  }
}

function toReceiver(namespace: string): string | undefined {
  return Object.hasOwn(NAMESPACES, namespace) ? `${NAMESPACES[namespace]}.` : undefined
}

function notHere(): never {
  throw new Error('The check of a policy evaluates nothing.')
}

/** Returns the variables of a scope, by root. */
export function variablesOf({ phase, hasTls, isModule, isRetry }: Scope): Variables {
  const hasRequest = phase !== 'on_tcp_connect'
  const hasResponse = phase === 'on_http_response' || phase === 'on_event_stream_message'
  return {
    conn: {
      ...tables.CONNECTION,
      ...(hasTls && { tls: tables.tlsVariables() }),
      ...(isModule && tables.OLDER_CONNECTION),
    },
    endpoint: tables.ENDPOINT,
    time: tables.TIME,
    vars: { type: 'map<string, dyn>', about: 'The variables that `set-vars` set in the same phase.' },
    actions: { ngrok: actionVariables() },
    ...(hasRequest && { req: { ...tables.REQUEST, ...(isModule && tables.OLDER_REQUEST) } }),
    ...(hasResponse && { res: { ...tables.RESPONSE, ...(isModule && tables.OLDER_RESPONSE) } }),
    ...(isRetry && tables.RETRY),
  }
}

function actionVariables(): Variables {
  return Object.fromEntries(
    ACTIONS.map((action) => [variableOf(action), { ...action.sets, error: tables.ACTION_ERROR }]),
  )
}

type Schema = { [name: string]: string | Schema }

function toSchema(variables: Variables): Schema {
  return Object.fromEntries(
    Object.entries(variables).map(([name, below]) => [name, tables.isVariable(below) ? below.type : toSchema(below)]),
  )
}

function listTexts(variables: Variables, path = ''): readonly string[] {
  return Object.entries(variables).flatMap(([name, below]) => {
    if (name === TEXT) return [path]
    return tables.isVariable(below) ? [] : listTexts(below, path === '' ? name : `${path}.${name}`)
  })
}

/** Lists the paths of all variables, such as `req.url.path`, including text variables with nested variables. */
export function listPaths(variables: Variables, path = ''): readonly string[] {
  return Object.entries(variables).flatMap(([name, below]: [string, Variable | Variables]) => {
    if (name === TEXT) return [path]
    const own = path === '' ? name : `${path}.${name}`
    return tables.isVariable(below) ? [own] : listPaths(below, own)
  })
}

/** Returns the variable at a path, or its nested variables. Returns undefined if the path doesn't exist. */
export function findBelow(variables: Variables, names: readonly string[]): Variable | Variables | undefined {
  let found: Variable | Variables | undefined = variables
  for (const name of names)
    found = !found || tables.isVariable(found) || !Object.hasOwn(found, name) ? undefined : found[name]
  return found
}
