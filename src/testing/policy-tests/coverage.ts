import { createRedactor, REDACTED, type Redactor, redactText } from '../../core/schema/secret-texts.ts'
import { isObject } from '../../core/schema/values.ts'
import { type Action, type Config, outcomesOf } from '../../service/policy/action.ts'
import { ACTIONS } from '../../service/policy/actions/index.ts'
import { keyOfPart, listParts } from '../../service/policy/cel/parts.ts'
import type { PartOf } from '../../service/policy/cel/values.ts'
import { listExpressions } from '../../service/policy/check.ts'
import { type PolicyExpression, sourceOf } from '../../service/policy/expression.ts'
import type { Slice } from '../../service/policy/files/found.ts'
import { placesOf } from '../../service/policy/lines.ts'
import type { PolicyOptions } from '../../service/policy/options.ts'
import { PHASES } from '../../service/policy/phases.ts'
import type { PolicyPath, PolicyProblem } from '../../service/policy/problem.ts'
import type { ReadText } from '../../service/policy/text.ts'
import { listStoredFailures } from '../../service/policy/warnings/index.ts'
import { missingValue } from '../../service/policy/warnings/missing-value.ts'
import { valueUnreadable } from '../../service/policy/warnings/value-unreadable.ts'
import { POLICY_SECRETS } from '../../service/resources/policy-secrets.ts'
import { RAN, type Trace } from '../../traffic/trace.ts'
import { listSecretLiterals } from './secret-literals.ts'

/** A rule of a policy, and whether a test has reached it. */
export interface CoveredRule {
  readonly phase: string
  /** The zero-based index in the phase. */
  readonly index: number
  readonly name: string | undefined
  /** The one-based line in the policy's file. */
  readonly line: number
  /** True if the rule applied to a request in a test. */
  readonly wasReached: boolean
  readonly conditions: readonly CoveredCondition[]
  readonly actions: readonly CoveredAction[]
}

/** An expression of a rule. Its outcome `did not apply` is reached if it was false for a request in a test. */
export interface CoveredCondition {
  readonly source: string
  readonly line: number
  readonly wasReached: boolean
  /** For an expression that can fail (for a missing value or for some values): true if it failed for a request in a test. */
  readonly failure?: { readonly wasReached: boolean }
  readonly parts: readonly CoveredPart[]
}

/** A part of an expression: an operand of `||` or `&&`, a branch of `?:`, or a list item after `in` or in `inCidrRanges`. */
export interface CoveredPart {
  readonly of: PartOf
  /** The text of the part, without secrets, or `…` in a secret field. */
  readonly source: string
  readonly line: number
  /** True if the part determined the value of its operator for a request in a test. */
  readonly wasReached: boolean
}

/** An action of a rule, and its possible outcomes. */
export interface CoveredAction {
  readonly type: string
  readonly line: number
  /** True if the action ran in a test. */
  readonly wasReached: boolean
  /**
   * The outcomes of a check, such as `allowed` and `limited`. If there are several replacements, each has its own outcomes. Other actions
   * have only `ran`.
   */
  readonly outcomes: readonly { readonly name: string; readonly wasReached: boolean }[]
  /** The parts of the expressions in its config. */
  readonly parts: readonly CoveredPart[]
}

/** The warnings about expressions that can fail. */
const FAILURES: readonly string[] = [missingValue.id, valueUnreadable.id]

/** Returns the names of an action's possible outcomes, one per part if the action has several parts. */
function namesOf(row: Action | undefined, config: Config): readonly string[] {
  const parts = row?.parts?.(config) ?? []
  const outcomes = row && outcomesOf(row, config)
  if (outcomes) return [...outcomes, ...parts]
  return parts.length > 1 ? parts : [RAN]
}

/** Records which rules of a policy the tests reach, and which outcomes of rules and actions the tests compare. */
export class PolicyCoverage {
  /** The positions of rules that applied and of actions that ran, their outcomes, and the expressions that were false. */
  readonly #reached = new Set<string>()
  /** The keys of the parts of expressions that determined a value. */
  readonly #decided = new Set<string>()
  readonly #read: ReadText
  readonly #slice: Slice
  readonly #placeOf: ReturnType<typeof placesOf>
  readonly #expressions: readonly PolicyExpression[]
  /** The strings that must not be in any output: secrets in requests, and the values that the policy compares them with. */
  readonly #secrets: Set<string>
  /** The positions of the expressions that can fail. */
  readonly #failing: ReadonlySet<string>
  /** Created on demand, for the secrets seen so far. */
  #redactor: Redactor | undefined

  constructor(slice: Slice, read: ReadText, options: PolicyOptions, warnings: readonly PolicyProblem[]) {
    this.#slice = slice
    const failing = warnings.filter(({ rule }) => FAILURES.includes(rule ?? '')).map(({ path }) => path)
    this.#failing = new Set([...failing, ...listStoredFailures(read.value, options)].map((path) => path.join('.')))
    this.#read = read
    this.#placeOf = placesOf(slice.text)
    this.#expressions = listExpressions(read.value, options)
    this.#secrets = new Set(this.#expressions.flatMap(({ tree }) => (tree ? listSecretLiterals(tree) : [])))
  }

  /** Adds strings that must not be in any output. */
  hide(secrets: Iterable<string>): void {
    const before = this.#secrets.size
    for (const secret of secrets) this.#secrets.add(secret)
    if (this.#secrets.size > before) this.#redactor = undefined
  }

  /** Returns the string without the secrets that have been seen so far. */
  redact(text: string): string {
    this.#redactor ??= createRedactor(this.#secrets)
    return redactText(text, this.#redactor)
  }

  /** Returns a line of the file in which asterisks replace the secrets seen so far, so that columns do not change. */
  mask(line: string): string {
    const secrets = [...this.#secrets].filter((secret) => this.redact(secret) === REDACTED)
    const longestFirst = secrets.sort((a, b) => b.length - a.length)
    return this.redact(longestFirst.reduce((text, secret) => text.replaceAll(secret, '*'.repeat(secret.length)), line))
  }

  /**
   * Records the trace of a request, including secrets, and the keys of the parts of expressions that determined a value. Outcomes and parts
   * count only if the test compares something in the response.
   */
  add(trace: Trace, decided: Iterable<string>, isCompared: boolean): void {
    if (isCompared) for (const part of decided) this.#decided.add(part)
    for (const each of trace) {
      if (!('actions' in each)) continue
      const rule = `${each.phase}.${each.index}`
      // If an expression failed, the rule may have been skipped unintentionally.
      const last = `${rule}.expressions.${each.expressions.length - 1}`
      const isFalse = isCompared && each.expressions.at(-1)?.value === false
      if (isFalse) this.#reached.add(last)
      if (isCompared && each.expressions.at(-1)?.error !== undefined) this.#reached.add(`${last}.failed`)
      if (!each.matched) continue
      this.#reached.add(rule)
      for (const [at, { outcome, parts = [] }] of each.actions.entries()) {
        this.#reached.add(`${rule}.${at}`)
        if (isCompared) for (const name of [outcome, ...parts]) this.#reached.add(`${rule}.${at}.${name}`)
      }
    }
  }

  list(): readonly CoveredRule[] {
    const { value } = this.#read
    const phases = PHASES.flatMap((phase) => {
      const rules: unknown = isObject(value) ? value[phase] : undefined
      return Array.isArray(rules) ? rules.map((rule: unknown, index) => ({ phase, rule, index })) : []
    })
    const partsBelow = this.#listParts()
    return phases.map(({ phase, rule, index }) => {
      const { name, actions, expressions } = isObject(rule) ? rule : {}
      const path = [phase, index]
      const wasReached = (...below: readonly (string | number)[]) => this.#reached.has([...path, ...below].join('.'))
      return {
        phase,
        index,
        name: typeof name === 'string' ? this.redact(name) : undefined,
        line: this.#lineOf(path),
        wasReached: wasReached(),
        conditions: (Array.isArray(expressions) ? expressions : []).flatMap((source: unknown, at) => {
          // The constant is true for each request.
          if (typeof source !== 'string' || source.trim() === 'true') return []
          const place = [...path, 'expressions', at]
          const reached = wasReached('expressions', at)
          return {
            source: this.redact(source),
            line: this.#lineOf(place),
            wasReached: reached,
            ...(this.#failing.has(place.join('.')) && {
              failure: { wasReached: wasReached('expressions', at, 'failed') },
            }),
            parts: partsBelow(place),
          }
        }),
        actions: (Array.isArray(actions) ? actions : []).map((action: unknown, at) => {
          const { type: given, config } = isObject(action) ? action : {}
          const type = String(given ?? '')
          const row = ACTIONS.find((each) => each.type === type)
          const names = namesOf(row, isObject(config) ? config : {})
          const place = [...path, 'actions', at]
          return {
            type,
            line: this.#lineOf(place),
            wasReached: wasReached(at),
            outcomes: names.map((outcome) => ({ name: this.redact(outcome), wasReached: wasReached(at, outcome) })),
            parts: partsBelow(place),
          }
        }),
      }
    })
  }

  /** Returns a function that lists the parts of the expressions in a condition or an action. */
  #listParts(): (path: PolicyPath) => readonly CoveredPart[] {
    const byPlace = new Map<string, CoveredPart[]>()
    for (const { source, tree, path, offset } of this.#expressions) {
      const isSecret = path.some((name) => POLICY_SECRETS.has(String(name)))
      const parts = (tree ? listParts(tree) : []).map(({ of, node }): CoveredPart => {
        // Later lines are indented in the file.
        const [line = ''] = node.input.slice(node.range.start, node.range.end).split('\n', 1)
        const within = { offset: offset + node.range.start, length: line.length }
        return {
          of,
          source: isSecret ? '…' : this.redact(sourceOf(node)),
          line: this.#lineOf(path, within),
          wasReached: this.#decided.has(keyOfPart(path.slice(0, 2).join('.'), source, node)),
        }
      })
      const place = path.slice(0, 4).join('.')
      byPlace.set(place, [...(byPlace.get(place) ?? []), ...parts])
    }
    return (place) => byPlace.get(place.join('.')) ?? []
  }

  #lineOf(path: PolicyPath, within?: Parameters<ReadText['locate']>[1]): number {
    const { linesBefore, isScattered } = this.#slice
    return linesBefore + (isScattered ? 1 : this.#placeOf(this.#read.locate(path, within).start).line)
  }
}
