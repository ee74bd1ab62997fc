import { type Action, type Config, variableOf } from '../service/policy/action.ts'
import type { Expression } from '../service/policy/cel/expression.ts'
import {
  EvaluationProblem,
  MissingFact,
  PatternProblem,
  ReplacementProblem,
  readField,
  readPath,
  type Values,
} from '../service/policy/cel/values.ts'
import { DECISIONS, type Decision } from '../service/policy/decisions.ts'
import { TEXT } from '../service/policy/environment.ts'
import type { Phase } from '../service/policy/phases.ts'
import type { ActionOutcome, Ending, Visit } from '../service/policy/visit.ts'
import type { CompiledAction, CompiledPhase, CompiledPolicy, CompiledRule } from './compile.ts'
import { errorResponse, requireSendable, sentenceOf } from './errors.ts'
import { BodyProblem } from './read-body.ts'
import { RAN, type TracedAction, type TracedExpression, type TracedRule } from './trace.ts'
import type { VisitContext } from './visit-context.ts'

/** The context in which a policy runs. */
export interface PolicyRun {
  /** The owner of the policy, for the trace. */
  readonly policy: string
  readonly visit: Visit
  /** The position of the running action in its policy. */
  place: string
  /** Returns the current values of expressions. */
  values(phase: CompiledPhase): Values
  /** Stores the variables of an action that has run. */
  keep(action: string, sets: object, isStated: boolean): void
  /** Returns the error code of a number: `ERR_NGROK_3416` for 3416. */
  codeOf(number: number): string
  /** Starts a phase. Variables set by `set-vars` do not outlive their phase. */
  start(phase: Phase): void
  /** Returns the result that the caller supplies for an action, or undefined if there is none. */
  given(type: string): Config | undefined
  readonly trace: { push(rule: TracedRule): unknown }
}

/** Thrown for an action that the gateway doesn't execute, if the caller doesn't supply its result. */
export class NotSimulated extends Error {
  constructor(readonly action: string) {
    super(action)
  }
}

/** Runs the rules of a phase in order. If a rule ends the visit, returns its response, or `close`. */
export async function runPhase(policy: CompiledPolicy, phase: Phase, run: PolicyRun): Promise<Ending | undefined> {
  const compiled = policy.phases.get(phase)
  if (!compiled) return undefined
  run.start(phase)
  for (const rule of compiled.rules) {
    const actions = matchRule(rule, compiled, run)
    const end = actions && (await runActions(rule, actions, compiled, run))
    if (end) return end
  }
  return undefined
}

/** The action traces of rules that don't apply. All such rules share one list, because the journal keeps many rules. */
const NO_ACTIONS: readonly TracedAction[] = []

/** Evaluates a rule's conditions. Returns the list for its actions' traces, or undefined if the rule doesn't apply. */
function matchRule(rule: CompiledRule, phase: CompiledPhase, run: PolicyRun): TracedAction[] | undefined {
  const { name, index } = rule
  const expressions = evaluateConditions(rule, run.values(phase))
  const last = expressions.at(-1)
  const actions: TracedAction[] | undefined = !last || last.value === true ? [] : undefined
  run.trace.push({
    policy: run.policy,
    phase: phase.key,
    index,
    ...(name !== undefined && { name }),
    matched: actions !== undefined,
    expressions,
    actions: actions ?? NO_ACTIONS,
    ...(last?.error !== undefined && { decision: DECISIONS.failedCondition }),
  })
  return actions
}

async function runActions(
  rule: CompiledRule,
  traced: TracedAction[],
  phase: CompiledPhase,
  run: PolicyRun,
): Promise<Ending | undefined> {
  for (const [at, action] of rule.actions.entries()) {
    run.place = `${phase.key}.${rule.index}.actions.${at}`
    const { end, isPassedOn, ...deed } = await runAction(action, phase, run)
    traced.push({ type: action.type, ...deed, ...(end && !isPassedOn && { isEnd: true }) })
    if (end) return end
  }
  return undefined
}

/** The actions whose documentation states that response rules do not run after them. */
const DOCUMENTED_ENDS = ['deny', 'forward-internal']

/** If there are response rules, adds to the trace that they did not run after a request rule ended the visit. */
export function noteSkippedPhase(policy: CompiledPolicy | undefined, end: Ending, trace: VisitContext['trace']): void {
  const last = trace.at(-1)
  const type = last && 'actions' in last ? last.actions.at(-1)?.type : undefined
  if (end === 'close' || !policy?.phases.has('on_http_response') || DOCUMENTED_ENDS.includes(type ?? '')) return
  trace.push({ step: 'policy', did: 'skipped the response rules', decision: DECISIONS.responsePhase })
}

/** If there are response rules, adds to the trace that they run on an error instead of an upstream's response. */
export function noteErrorPhase(policy: CompiledPolicy, trace: VisitContext['trace']): void {
  if (!policy.phases.has('on_http_response')) return
  trace.push({ step: 'policy', did: 'runs the response rules on the error', decision: DECISIONS.errorPhase })
}

/** Evaluates expressions until one of them is not true. */
function evaluateConditions({ conditions }: CompiledRule, values: Values): readonly TracedExpression[] {
  let traced: readonly TracedExpression[] = []
  for (const condition of conditions) {
    const result = evaluateCondition(condition, values)
    // `push` would allocate room for 16 more, and the journal would keep that memory.
    traced = traced.concat(result)
    if (result.value !== true) break
  }
  return traced
}

function evaluateCondition(condition: Expression, values: Values): TracedExpression {
  const { source } = condition
  try {
    return { source, value: condition.evaluate(values), values: readValues(condition, values) }
  } catch (error) {
    if (!(error instanceof EvaluationProblem)) throw error
    return { source, value: undefined, values: readValues(condition, values), error: error.message }
  }
}

function readValues({ paths, calls }: Expression, values: Values): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const { source, evaluate } of calls) {
    try {
      found[source] = evaluate(values)
    } catch (error) {
      // An absent cookie doesn't have a value.
      if (!(error instanceof EvaluationProblem)) throw error
    }
  }
  for (const path of paths) {
    try {
      const value = readPath(values.roots, path)
      found[path] = readField(value, TEXT) ?? value
    } catch (error) {
      // The expression didn't need the value.
      if (!(error instanceof MissingFact)) throw error
    }
  }
  return found
}

/** Runs an action. `end` is how the traffic ends. */
async function runAction(
  action: CompiledAction,
  phase: CompiledPhase,
  run: PolicyRun,
): Promise<
  Pick<TracedAction, 'did' | 'outcome' | 'parts' | 'facts' | 'decision'> & { end?: Ending; isPassedOn?: boolean }
> {
  const { row, type, isLenient, outcomes } = action
  const stated = run.given(type)
  const variable = variableOf(row ?? action)
  let outcome: ActionOutcome
  try {
    // Actions evaluate some expressions themselves, such as those of `set-vars`.
    const running = stated ? toOutcome(stated, row, run.visit.phase) : runRow(action, phase, run)
    outcome = running instanceof Promise ? await running : running
    requireSendable(outcome.ends)
  } catch (error) {
    if (!(error instanceof EvaluationProblem)) throw error
    const { ends: end, ...deed } = describeProblem(error)
    return { ...deed, end }
  }
  const { sets, ends, isRefusal, isStated = false, isPassedOn = false, parts, facts, decision } = outcome
  run.keep(variable, { ...(isRefusal && errorOf(ends, run)), ...sets }, isStated)
  const deed = {
    did: outcome.did,
    ...nameOutcome(outcome, outcomes, row?.outcomes !== undefined),
    ...(parts && parts.length > 0 && { parts }),
    ...(facts && { facts }),
    ...(decision && { decision }),
  }
  if (!ends) return deed
  return isRefusal && isLenient
    ? { ...deed, did: `${deed.did}, and let the request pass` }
    : { ...deed, end: ends, isPassedOn }
}

/**
 * Returns the outcome of an action, unless the action had nothing to do or ended with a harmless error. A check that ends the request
 * counts as a rejection.
 */
function nameOutcome(
  { ends, isRefusal, isIdle }: ActionOutcome,
  [passed, refused]: readonly string[] = [RAN],
  isCheck: boolean,
): { outcome?: string } {
  const hasFailed = typeof ends === 'object' && 'error' in ends && ends.error !== undefined
  if (isIdle || (hasFailed && !isRefusal)) return {}
  const outcome = isRefusal || (ends && isCheck && refused) ? refused : passed
  return outcome === undefined ? {} : { outcome }
}

function runRow({ row, type, read }: CompiledAction, phase: CompiledPhase, run: PolicyRun) {
  if (!row?.run) throw new NotSimulated(type)
  return row.run(read(run.values(phase)), run.visit)
}

/** Returns the outcome of an action whose result the caller supplies. */
function toOutcome(stated: Config, row: Action | undefined, phase: Phase): ActionOutcome {
  const ends = row?.refusal?.(stated, phase)
  const outcome = { did: 'returned the result that the caller supplied', sets: stated, isStated: true } as const
  return ends ? { ...outcome, ends, isRefusal: true, decision: DECISIONS.statedRefusal } : outcome
}

/** Returns the description of an action that can't be executed, and how the visit ends. */
export function describeProblem(error: EvaluationProblem): { did: string; ends: Ending; decision: Decision } {
  const { source, message } = error
  const did = source === undefined ? `failed: ${message}` : `failed: ${source}: ${message}`
  if (error instanceof BodyProblem)
    return { did, ends: { status: error.status, error: error.number }, decision: DECISIONS.bodyError }
  if (error instanceof ReplacementProblem) return { did, ends: errorResponse(3904), decision: DECISIONS.bodyError }
  const number = source === undefined && error instanceof PatternProblem ? 3901 : 3900
  return { did, ends: errorResponse(number), decision: DECISIONS.expressionError }
}

/** Returns the error of an action that rejected the request, as its variables show it. */
function errorOf(ends: ActionOutcome['ends'], run: PolicyRun): object {
  if (typeof ends !== 'object' || !('error' in ends) || ends.error === undefined) return {}
  return { error: { code: run.codeOf(ends.error), message: ends.body ?? sentenceOf(ends.error) } }
}
