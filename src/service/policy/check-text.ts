import { requireObject, requireText } from '../../core/schema/arguments.ts'
import { quote } from '../../core/schema/text.ts'
import { TAG_HINT } from './explain.ts'
import { placesOf, type ReadPlace } from './lines.ts'
import type { PolicyOptions } from './options.ts'
import type { PlacedPolicyProblem, ReportedProblem } from './problem.ts'
import { type ReadText, readText, type Span } from './text.ts'
import { checkWithWarnings } from './warnings/index.ts'
import { noComments, readYaml } from './yaml.ts'

/**
 * Checks a traffic policy in JSON or YAML, as the service does. Also warns about parts that are valid but probably mistakes.
 *
 * @returns all errors and warnings, in text order
 * @throws TypeError if `text` is not a string, or `options` is not an object
 *
 * @example
 * ```ts
 * const [problem] = checkPolicy('on_http_request: [{ actions: [{ type: denied }] }]')
 * problem?.number // 2201
 * problem?.line // 1
 * ```
 */
export function checkPolicy(text: string, options: PolicyOptions = {}): readonly PlacedPolicyProblem[] {
  requireText('text', text)
  requireObject('options', options)
  const read = readText(text, Number.POSITIVE_INFINITY)
  if (!read.problem) {
    const problems = placeProblems(text, read, checkWithWarnings(read.value, options))
    return [...listDuplicates(text), ...problems].sort((a, b) => a.line - b.line || a.column - b.column)
  }
  const { message, offset } = read.problem
  const what = `The policy cannot be read: ${message}. Allowed: JSON or YAML with one object, whose keys are phases.`
  const docs = 'https://ngrok.com/docs/errors/err_ngrok_2236'
  return [
    {
      severity: 'error',
      number: 2236,
      path: [],
      message: what,
      docs,
      ...(isTag(text, offset) && { hint: TAG_HINT }),
      ...toPlace({ start: offset, end: offset + 1 }, placesOf(text)),
    },
  ]
}

/** Lists the first key that an object in JSON has twice. In YAML, such an object cannot be read. */
function listDuplicates(text: string): readonly PlacedPolicyProblem[] {
  const { message = '', offset = 0 } = /^\s*[[{]/.test(text) ? (readYaml(text).problem ?? {}) : {}
  if (!message.startsWith('duplicated mapping key')) return []
  const [, key = ''] = /^"?((?:[^"\\]|\\.)*)"/.exec(text.slice(offset)) ?? []
  const what = `The policy has the key ${quote(key)} twice in an object, and only one of the two values counts.`
  const place = toPlace({ start: offset, end: offset + key.length }, placesOf(text))
  return [
    { severity: 'warning', rule: 'duplicate-key', path: [], message: what, hint: 'Remove one of the two.', ...place },
  ]
}

/** Returns whether the value on the unreadable line begins with the "!" of a tag. */
function isTag(text: string, offset: number): boolean {
  return /^(?:\s|-\s|\w[\w-]*:\s)*!/.test(text.slice(text.lastIndexOf('\n', offset - 1) + 1))
}

/** Adds positions in the text to problems. `above` is the path of the policy in the text. */
function placeProblems(
  text: string,
  read: ReadText,
  problems: readonly ReportedProblem[],
  above: readonly (string | number)[] = [],
): readonly PlacedPolicyProblem[] {
  const readPlace = placesOf(text)
  const placed = problems.map(({ isOfKey, ...problem }) => {
    const span = read.locate([...above, ...problem.path], problem.within, isOfKey)
    return { span, problem: { ...explainComment(text, span), ...problem, ...toPlace(span, readPlace) } }
  })
  return placed.sort((a, b) => a.span.start - b.span.start).map(({ problem }) => problem)
}

/** Returns a hint for a value or a key without quotes that contains a comment of JavaScript. */
function explainComment(text: string, { start, end }: Span): { readonly hint?: string } {
  const [, sign] = /^(?:[^"'|>].*?\s)?(\/[/*])/s.exec(text.slice(start, end)) ?? []
  return sign === undefined ? {} : { hint: `${noComments(sign)}.` }
}

function toPlace({ start, end }: Span, readPlace: ReadPlace) {
  const [first, last] = [readPlace(start), readPlace(end)]
  return { line: first.line, column: first.column, endLine: last.line, endColumn: last.column }
}
