import { cut, escapeUnprintable, quote } from '../core/schema/text.ts'
import type { Decision } from '../service/policy/decisions.ts'
import { nameOf, type Trace, type TracedExpression, type TracedRule, type TracedStep } from './trace.ts'

/** Returns the trace of a visit as text: each step in a line, and below a rule its expressions and its actions. */
export function formatTrace(trace: Trace): string {
  return trace.map((each) => ('step' in each ? formatStep(each) : formatRule(each))).join('\n')
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

function formatStep({ step, did, isEnd, decision }: TracedStep): string {
  return [`${step}: ${did}${isEnd ? ', and ended the request' : ''}`, ...formatDecision(decision, '  ')].join('\n')
}

function formatDecision(decision: Decision | undefined, indent: string): readonly string[] {
  return decision ? [`${indent}fauxgate's decision: ${decision.says} See ${decision.docs}`] : []
}

function formatRule(rule: TracedRule): string {
  const { name, phase, index, matched, expressions, actions, decision } = rule
  const place = name === undefined ? '' : ` (${phase}.${index})`
  return [
    `rule ${nameOf(rule)}${place} ${matched ? 'applied' : 'did not apply'}`,
    ...expressions.map((each) => `  ${formatExpression(each)}`),
    ...formatDecision(decision, '  '),
    ...actions.flatMap(({ type, did, isEnd, decision }) => [
      `  ${type} ${did}${isEnd ? ', and ended the request' : ''}`,
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

/** Returns a value as text: lists and maps as JSON, such as the headers of a request. */
function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Map) return quote(value)
  const json = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each))
  return cut(escapeUnprintable(json))
}
