import { isObject } from '../core/schema/values.ts'
import {
  type Action,
  type Assignment,
  type Config,
  type Field,
  type Fields,
  type Format,
  outcomesOf,
  type Variables,
} from '../service/policy/action.ts'
import { ACTIONS } from '../service/policy/actions/index.ts'
import { limitPattern } from '../service/policy/cel/charges.ts'
import type { Expression, Expressions } from '../service/policy/cel/expression.ts'
import { toText } from '../service/policy/cel/format.ts'
import { compileTemplate } from '../service/policy/cel/template.ts'
import { EvaluationProblem, readField, type Values } from '../service/policy/cel/values.ts'
import { type Scope, variablesOf } from '../service/policy/environment.ts'
import type { PolicyPlace, PolicyProtocol } from '../service/policy/options.ts'
import { type Phase, phasesOf } from '../service/policy/phases.ts'
import { readText } from '../service/policy/text.ts'
import { readDuration } from '../service/policy/time.ts'

/** A policy that is ready to run: its rules by phase. */
export interface CompiledPolicy {
  readonly phases: ReadonlyMap<Phase, CompiledPhase>
  /** True if an expression may use the length of a body, which is unknown for a stream. */
  readonly readsLength: boolean
}

export interface CompiledPhase {
  /** The phase's name in the policy. The older module uses other names. */
  readonly key: string
  readonly rules: readonly CompiledRule[]
  /** The variables of its expressions. */
  readonly variables: Variables
}

export interface CompiledRule {
  readonly name: string | undefined
  readonly index: number
  readonly conditions: readonly Expression[]
  readonly actions: readonly CompiledAction[]
}

export interface CompiledAction {
  readonly type: string
  /** The action's row, or undefined for an undocumented action. */
  readonly row: Action | undefined
  /** True if a request passes although the action rejects it. */
  readonly isLenient: boolean
  /** The outcomes of a check. */
  readonly outcomes: ReturnType<typeof outcomesOf>
  /** Returns the config with its defaults and its expressions' values. */
  readonly read: (values: Values) => Config
}

/** The place of a policy. */
export interface CompileOptions {
  readonly protocol: PolicyProtocol
  readonly place?: PolicyPlace
}

/** Returns the policy that a record contains as text or as a value, compiled once per record, or undefined if the record has none. */
export function compileOnce(
  owner: object,
  policy: unknown,
  options: CompileOptions,
  known: { readonly policies: WeakMap<object, CompiledPolicy>; readonly expressions: Expressions },
): CompiledPolicy | undefined {
  if (policy === null || policy === undefined || policy === '') return undefined
  const found = known.policies.get(owner)
  if (found) return found
  const value = typeof policy === 'string' ? readText(policy).value : policy
  const compiled = compilePolicy(value, options, known.expressions)
  known.policies.set(owner, compiled)
  return compiled
}

/** Compiles a policy that has already been checked. */
function compilePolicy(policy: unknown, options: CompileOptions, expressions: Expressions): CompiledPolicy {
  const { protocol, place } = options
  const phases = new Map<Phase, CompiledPhase>()
  for (const [key, phase] of Object.entries(phasesOf(protocol, place))) {
    const rules = isObject(policy) ? policy[key] : undefined
    if (!Array.isArray(rules) || rules.length === 0) continue
    const hasTls = protocol === 'https' || protocol === 'tls'
    const scope: Scope = { phase, hasTls, ...(place === 'module' && { isModule: true }) }
    phases.set(phase, {
      key,
      rules: rules.map((rule, index) =>
        new Compiler({ ...scope, rule: `${key}.${index}` }, expressions).compileRule(rule, index),
      ),
      variables: variablesOf({ ...scope, isRetry: false }),
    })
  }
  return { phases, readsLength: /content[-_]?length/i.test(JSON.stringify(policy)) }
}

/** A part of a config that depends on the request. Other parts are plain values. */
class Dynamic {
  constructor(readonly read: (values: Values) => unknown) {}
}

const readPart = (part: unknown, values: Values) => (part instanceof Dynamic ? part.read(values) : part)

class Compiler {
  constructor(
    readonly scope: Scope,
    readonly expressions: Expressions,
  ) {}

  compileRule(rule: unknown, index: number): CompiledRule {
    const { name, expressions, actions } = isObject(rule) ? rule : {}
    const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
    return {
      name: typeof name === 'string' ? name : undefined,
      index,
      // YAML reads `true` as a boolean.
      conditions: listOf(expressions).map((each) => this.expressions.compile(String(each), this.scope)),
      actions: listOf(actions).map((each) => this.#compileAction(isObject(each) ? each : {})),
    }
  }

  #compileAction({ type, config }: Config): CompiledAction {
    const row = ACTIONS.find((each) => each.type === type)
    const given = isObject(config) ? config : {}
    const part = this.#compileFields(row?.config ?? {}, given)
    const onError = given.on_error ?? row?.config.on_error?.default
    const read = (values: Values) => {
      const found = readPart(part, values)
      return isObject(found) ? found : {}
    }
    const isLenient = given.enforce === false || onError === 'continue'
    return { type: String(type), row, isLenient, outcomes: row && outcomesOf(row, given), read }
  }

  #compileFields(fields: Fields, values: Config): unknown {
    const parts = Object.entries(fields).map(([name, field]) => {
      const value = values[name] ?? field.default
      return [name, value === undefined ? undefined : this.#compile(field, value)] as const
    })
    return join(
      parts.map(([, part]) => part),
      (all) => Object.fromEntries(parts.map(([name], at) => [name, all[at]])),
    )
  }

  #compile(field: Field, value: unknown): unknown {
    switch (field.kind) {
      case 'duration':
        return typeof value === 'string' ? readDuration(value) : value
      case 'expression':
        return this.#compileExpression(field, String(value))
      case 'list': {
        const items: readonly unknown[] = Array.isArray(value) ? value : [value]
        return join(
          items.map((item) => this.#compile(field.item, item)),
          (all) => all,
        )
      }
      case 'map': {
        const entries = Object.entries(isObject(value) ? value : {})
        const parts = entries.map(([, each]) => this.#compile(field.value, each))
        return join(parts, (all) => Object.fromEntries(entries.map(([name], at) => [name, all[at]])))
      }
      case 'object':
        return this.#compileFields(field.fields, isObject(value) ? value : {})
      case 'variables':
        return this.#compileAssignments(Array.isArray(value) ? value : [])
      case 'text':
        return field.takesCel ? this.#compileText(String(value), field.format) : String(value)
      default:
        return field.takesCel ? this.#compileDeep(value) : value
    }
  }

  #compileExpression({ scope }: Extract<Field, { kind: 'expression' }>, source: string): unknown {
    const isRetry = scope === 'retry'
    const expression = this.expressions.compile(source, { ...this.scope, ...(isRetry && { isRetry }) })
    if (!isRetry) return new Dynamic((values) => expression.evaluate(values))
    const withRoots = (values: Values, extra: object) => ({
      ...values,
      roots: { get: (name: string) => readField(extra, name) ?? values.roots.get(name) },
    })
    return new Dynamic((values) => (extra: object) => evaluateIfPossible(expression, withRoots(values, extra)))
  }

  #compileText(text: string, format?: Format): unknown {
    if (format === 'pattern') return this.#compilePattern(text)
    if (!text.includes('${')) return text
    const template = compileTemplate(text, this.scope, this.expressions)
    const read = format === 'credentials' && !template.isWhole ? toPartOfCredentials : undefined
    return new Dynamic((values) => template.evaluate(values, read))
  }

  /** Compiles a pattern when an action first needs it. Steps are limited only for patterns that depend on the request. */
  #compilePattern(text: string): unknown {
    const { pattern } = this.expressions
    if (!text.includes('${')) return { replaceAll: (from: string, to: string) => pattern(text).replaceAll(from, to) }
    const template = compileTemplate(text, this.scope, this.expressions)
    return new Dynamic((values) => limitPattern(template.evaluate(values), pattern))
  }

  /** Compiles a string in `set-vars`. A string that is a single `${…}` keeps the value's type. */
  #compileWhole(text: string): unknown {
    if (!text.includes('${')) return text
    const template = compileTemplate(text, this.scope, this.expressions)
    return new Dynamic((values) => (template.isWhole ? template.evaluateValue(values) : template.evaluate(values)))
  }

  #compileDeep(value: unknown, compileText = (text: string) => this.#compileText(text)): unknown {
    if (typeof value === 'string') return compileText(value)
    if (Array.isArray(value))
      return join(
        value.map((each) => this.#compileDeep(each, compileText)),
        (all) => all,
      )
    if (!isObject(value)) return value
    const names = Object.keys(value)
    const parts = Object.values(value).map((each) => this.#compileDeep(each, compileText))
    return join(parts, (all) => Object.fromEntries(names.map((name, at) => [name, all[at]])))
  }

  #compileAssignments(list: readonly unknown[]): unknown {
    const compile = (value: unknown) => this.#compileDeep(value, (text) => this.#compileWhole(text))
    const parts = list.flatMap((each) =>
      Object.entries(isObject(each) ? each : {}).map(([name, value]) => [name, compile(value)] as const),
    )
    return new Dynamic((values) =>
      parts.map(([name, part]): Assignment => ({ name, read: () => readPart(part, values) })),
    )
  }
}

/**
 * Returns a part of credentials. An expression can't add a colon, because colons are replaced with a character that doesn't occur in
 * requests.
 */
const toPartOfCredentials = (value: unknown) => toText(value).replaceAll(':', '\ud800')

/** Evaluates an expression. Returns undefined if evaluation fails, for example because an attempt received no response. */
function evaluateIfPossible(expression: Expression, values: Values): unknown {
  try {
    return expression.evaluate(values)
  } catch (error) {
    if (error instanceof EvaluationProblem) return undefined
    throw error
  }
}

/** Joins parts into a value, in advance if no part depends on the request. */
function join(parts: readonly unknown[], make: (all: readonly unknown[]) => unknown): unknown {
  if (!parts.some((part) => part instanceof Dynamic)) return make(parts)
  return new Dynamic((values) => make(parts.map((part) => readPart(part, values))))
}
