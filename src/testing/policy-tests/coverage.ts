import { isObject } from '../../core/schema/values.ts'
import { PHASES } from '../../service/policy/phases.ts'
import type { ReadText } from '../../service/policy/text.ts'
import type { Trace } from '../../traffic/trace.ts'

/** A rule of a policy, and whether a test has reached it. */
export interface CoveredRule {
  readonly phase: string
  /** The place in the phase, from 0. */
  readonly index: number
  readonly name: string | undefined
  /** The line in the file of the policy, from 1. */
  readonly line: number
  /** True if the rule applied to a request of a test. */
  readonly wasReached: boolean
  readonly actions: readonly CoveredAction[]
}

/** An action of a rule, and whether it ran in a test. */
export interface CoveredAction {
  readonly type: string
  readonly line: number
  readonly wasReached: boolean
}

/** Notes which rules and actions of a policy tests reach. */
export class PolicyCoverage {
  /** The numbers of actions that ran, by the place of their rule. */
  readonly #ran = new Map<string, number>()
  readonly #read: ReadText
  readonly #text: string

  constructor(text: string, read: ReadText) {
    this.#text = text
    this.#read = read
  }

  add(trace: Trace): void {
    for (const each of trace) {
      if (!('actions' in each) || !each.matched) continue
      const key = `${each.phase}.${each.index}`
      this.#ran.set(key, Math.max(this.#ran.get(key) ?? 0, each.actions.length))
    }
  }

  list(): readonly CoveredRule[] {
    const { value } = this.#read
    const phases = PHASES.flatMap((phase) => {
      const rules: unknown = isObject(value) ? value[phase] : undefined
      return Array.isArray(rules) ? rules.map((rule: unknown, index) => ({ phase, rule, index })) : []
    })
    return phases.map(({ phase, rule, index }) => {
      const { name, actions } = isObject(rule) ? rule : {}
      const ran = this.#ran.get(`${phase}.${index}`)
      const path = [phase, index]
      return {
        phase,
        index,
        name: typeof name === 'string' ? name : undefined,
        line: this.#lineOf(path),
        wasReached: ran !== undefined,
        actions: (Array.isArray(actions) ? actions : []).map((action: unknown, at) => ({
          type: isObject(action) ? String(action.type) : '',
          line: this.#lineOf([...path, 'actions', at]),
          wasReached: at < (ran ?? 0),
        })),
      }
    })
  }

  #lineOf(path: readonly (string | number)[]): number {
    return this.#text.slice(0, this.#read.locate(path).start).split('\n').length
  }
}
