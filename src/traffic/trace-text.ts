import { cut, escapeUnprintable, quote } from '../core/schema/text.ts'
import type { Decision } from '../service/policy/decisions.ts'
import { hasEnded, nameOf, type Trace, type TracedExpression, type TracedRule, type TracedStep } from './trace.ts'

interface Traced {
  readonly trace: Trace
  /** The status of the response, or null if there was none. */
  readonly status: number | null
}

/** Returns the trace of a visit as text, one step per line, with each rule's expressions and actions listed below it. */
export function formatTrace({ trace, status }: Traced): string {
  const last = trace.findLast(hasEnded)
  const result = status === null ? 'no response' : String(status)
  const format = (each: TracedRule | TracedStep) => {
    const sayEnd = (did: string) => (each === last && !saysEnd(did, result) ? `${did}; the visitor got ${result}` : did)
    return 'step' in each ? formatStep(each, sayEnd) : formatRule(each, sayEnd)
  }
  return trace.map(format).join('\n')
}

type SayEnd = (did: string) => string

/** Returns whether an effect already states what the visitor received, as "denied with 403" does. */
function saysEnd(did: string, result: string): boolean {
  return did.endsWith(` ${result}`) || did === 'closed the connection'
}

/** Returns the conditions that failed, each with the name of its rule and the reason. */
export function formatFailures(trace: Trace): readonly string[] {
  return trace.flatMap((rule) =>
    'step' in rule
      ? []
      : rule.expressions
          .filter(({ error }) => error !== undefined)
          .map((each) => `rule ${nameOf(rule)} did not apply: ${formatExpression(each)}`),
  )
}

function formatStep({ step, did, isEnd, decision }: TracedStep, sayEnd: SayEnd): string {
  return [`${step}: ${isEnd ? sayEnd(did) : did}`, ...formatDecision(decision, '  ')].join('\n')
}

function formatDecision(decision: Decision | undefined, indent: string): readonly string[] {
  return decision ? [`${indent}fauxgate's decision: ${decision.says} See ${decision.docs}`] : []
}

function formatRule(rule: TracedRule, sayEnd: SayEnd): string {
  const { name, phase, index, matched, expressions, actions, decision } = rule
  const place = name === undefined ? '' : ` (${phase}.${index})`
  return [
    `rule ${nameOf(rule)}${place} ${matched ? 'applied' : 'did not apply'}`,
    ...expressions.map((each) => `  ${formatExpression(each)}`),
    ...formatDecision(decision, '  '),
    ...actions.flatMap(({ type, did, isEnd, decision }) => [
      `  ${type} ${isEnd ? sayEnd(did) : did}`,
      ...formatDecision(decision, '    '),
    ]),
  ].join('\n')
}

function formatExpression({ source, value, values, error }: TracedExpression): string {
  const known = Object.entries(values).map(([path, each]) => `${path} = ${formatValue(each)}`)
  const from = known.length === 0 ? '' : ` (${known.join(', ')})`
  const line = source.trim().replace(/\s*\n\s*/g, ' ')
  return error === undefined ? `${line} is ${formatValue(value)}${from}` : `${line} failed: ${error}${from}`
}

/** Returns a value as text. Lists and maps, such as request headers, are formatted as JSON. */
function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Map) return quote(value)
  const json = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each))
  return cut(escapeUnprintable(json))
}
