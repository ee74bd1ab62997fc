import type { ASTNode } from '@marcbachmann/cel-js'
import { isObject } from '../../../core/schema/values.ts'
import type { Action, Config, Field, Variables } from '../action.ts'
import { ACTIONS } from '../actions/index.ts'
import { MAX_RULES } from '../check.ts'
import { languageOf, type Scope } from '../environment.ts'
import type { PolicyExpression } from '../expression.ts'
import { pathOfNode, walk } from '../expression.ts'
import type { PolicyOptions } from '../options.ts'
import { type Phase, phasesOf } from '../phases.ts'
import type { PolicyPath, PolicyProblem } from '../problem.ts'
import type { Subject } from './symbolic.ts'

/** A warning about policies that the service accepts but that probably don't do what their authors meant. */
export interface Warning {
  /** The stable name. */
  readonly id: string
  /** A sentence that describes the policies that trigger the warning. */
  readonly about: string
  /** The documented reason that the policy doesn't do what it appears to do. */
  readonly reason: string
  /** The service's documentation page that states the reason. */
  readonly docs: string
  /** A policy with the mistake, and the same policy without it, in YAML. */
  readonly wrong: string
  readonly right: string
  readonly find: (policy: ReadPolicy) => readonly Finding[]
}

/** A location in a policy that triggers a warning. In the message, `what` follows the location. */
export interface Finding {
  readonly path: PolicyPath
  readonly within?: { readonly offset: number; readonly length: number }
  readonly what: string
  readonly hint: string
  /** The service's error number at run time, if the part fails for every request. The problem is then an error. */
  readonly number?: number
  /** The page about the value, if it is not the warning's page. */
  readonly docs?: string
}

/** A rule in the form that warnings use. */
export interface ReadRule {
  readonly phase: Phase
  readonly path: PolicyPath
  readonly conditions: readonly PolicyExpression[]
  readonly actions: readonly ReadAction[]
}

export interface ReadAction {
  readonly path: PolicyPath
  readonly row: Action
  readonly config: Config
}

/** A value that a rule's conditions depend on, and the results of the conditions for visitors with and without it. */
export interface Hole {
  readonly rule: ReadRule
  readonly subject: Subject
  /** True if the conditions fail without the value but are true with a wrong or empty value. */
  readonly fails: boolean
  /**
   * True if the conditions fail with some values, such as a value that is not a number, and are true with a wrong value or deny a high
   * value.
   */
  readonly isUnreadable: boolean
  /** True if the conditions are false without the value and true only with a wrong value. */
  readonly isAllowList: boolean
  /** True if the conditions are never true without the value. */
  readonly isNeeded: boolean
  /** True if the conditions could be true only without the value, but fail without it. */
  readonly isNever?: true
  /**
   * True if the value is an address that the client sends, and the rule denies or checks requests with a wrong address but not with the
   * right one.
   */
  readonly isClientAddress: boolean
  /** The values that the value is compared with. */
  readonly compared: ReadonlySet<string>
}

/** A policy in the form that warnings use. */
export interface ReadPolicy {
  readonly rules: readonly ReadRule[]
  /** The actions of all rules. */
  readonly actions: readonly ReadAction[]
  readonly expressions: readonly PolicyExpression[]
  /** The errors. */
  readonly problems: readonly PolicyProblem[]
  readonly options: PolicyOptions
  /** Returns the values that conditions depend on and that no other rule covers. */
  readonly holes: () => readonly Hole[]
}

/** Reads a checked policy. Malformed parts are omitted. */
export function readPolicy(
  policy: unknown,
  { problems, expressions }: Pick<ReadPolicy, 'problems' | 'expressions'>,
  options: PolicyOptions,
): Omit<ReadPolicy, 'holes'> {
  const conditions = new Map<string, PolicyExpression[]>()
  for (const each of expressions) {
    if (each.kind !== 'condition') continue
    const key = each.path.slice(0, 2).join('.')
    conditions.set(key, [...(conditions.get(key) ?? []), each])
  }
  const rules: ReadRule[] = []
  for (const [key, phase] of Object.entries(phasesOf(options.protocol ?? 'https', options.place))) {
    for (const [index, rule] of entriesOf(isObject(policy) ? policy[key] : undefined).slice(0, MAX_RULES)) {
      if (!isObject(rule)) continue
      const path = [key, index]
      const actions = entriesOf(rule.actions).flatMap(([at, each]) => {
        const row = isObject(each) ? ACTIONS.find(({ type }) => type === each.type) : undefined
        if (!row || !isObject(each)) return []
        return [{ path: [...path, 'actions', at], row, config: isObject(each.config) ? each.config : {} }]
      })
      rules.push({ phase, path, conditions: conditions.get(path.join('.')) ?? [], actions })
    }
  }
  return { rules, actions: rules.flatMap(({ actions }) => actions), expressions, problems, options }
}

/** Returns whether a location is inside another location. */
export function isWithin(path: PolicyPath, outer: PolicyPath): boolean {
  return outer.every((key, index) => path[index] === key)
}

function entriesOf(list: unknown): readonly (readonly [number, unknown])[] {
  return Array.isArray(list) ? [...list.entries()] : []
}

/** In all expressions that contain a word, finds problems in the nodes. */
export function findInExpressions(
  { expressions }: ReadPolicy,
  word: string,
  find: (node: ASTNode) => Pick<Finding, 'what' | 'hint'> | undefined,
): readonly Finding[] {
  const found: Finding[] = []
  for (const { tree, source, path, offset } of expressions) {
    if (!tree || !source.includes(word)) continue
    walk(tree, (node) => {
      const finding = find(node)
      if (finding) found.push({ ...finding, ...placeOfNode({ path, offset }, node) })
    })
  }
  return found
}

/** A value in the config of an action, with its field and its location. */
export interface ReadValue {
  readonly field: Field
  readonly value: unknown
  readonly path: PolicyPath
}

/** Lists the values in the config of an action that are not lists, maps, or objects of other fields. */
export function listValues({ row, config, path }: ReadAction): readonly ReadValue[] {
  return Object.entries(row.config).flatMap(([name, field]) =>
    valuesOf({ field, value: config[name], path: [...path, 'config', name] }),
  )
}

function valuesOf({ field, value, path }: ReadValue): readonly ReadValue[] {
  if (field.kind === 'list' && Array.isArray(value))
    return value.flatMap((each, index) => valuesOf({ field: field.item, value: each, path: [...path, index] }))
  if ((field.kind !== 'map' && field.kind !== 'object') || !isObject(value)) return [{ field, value, path }]
  return Object.entries(value).flatMap(([name, each]) => {
    const below = field.kind === 'map' ? field.value : field.fields[name]
    return below ? valuesOf({ field: below, value: each, path: [...path, name] }) : []
  })
}

/** Returns the location in the policy of part of an expression. */
export function placeOfNode({ path, offset }: Pick<PolicyExpression, 'path' | 'offset'>, { range }: ASTNode) {
  return { path, within: { offset: offset + range.start, length: range.end - range.start } }
}

/** The scope that any expression can have. The response phase has the variables of all phases; reading a variable too early is an error. */
export const SCOPE: Scope = { phase: 'on_http_response', hasTls: true, isModule: true }

/** Returns the variables that expressions can read. */
export const listVariables = (): Variables => languageOf(SCOPE).variables

/** Returns the path of a variable that is an address, or undefined for all other nodes. */
export function addressOf(node: ASTNode | undefined): string | undefined {
  const path = node && pathOfNode(node)
  return path !== undefined && /^conn\.(?:client_ip|server_ip|ClientIP|ServerIP)$/.test(path) ? path : undefined
}

/** Returns the text of a string node, or undefined for all other nodes. */
export function literalOf(node: ASTNode | undefined): string | undefined {
  return node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined
}
