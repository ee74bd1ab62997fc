import { suggestion } from '../../core/schema/nearest.ts'
import { cut, quote, quoteSecret } from '../../core/schema/text.ts'
import type { PolicyExpression } from './expression.ts'
import type { PolicyPath, ReportedProblem } from './problem.ts'

/** The facts about a problem, apart from its location and its sentence. */
type More = Pick<ReportedProblem, 'hint' | 'within' | 'isOfKey'>

/** Locates a problem at a key instead of its value. */
export const KEY = { isOfKey: true } as const

/** The maximum number of problems to list for one policy. */
export const MAX_PROBLEMS = 200

/** Collects a policy's problems and expressions. */
export class Reporter {
  readonly problems: ReportedProblem[] = []
  readonly expressions: PolicyExpression[] = []

  /** Reports a problem: `is "x", which …`. The location comes first in the message. */
  report(number: number, path: PolicyPath, what: string, more: More = {}): undefined {
    this.#add({ severity: 'error', number, path, message: toMessage(path, what), docs: docsOf(number), ...more })
  }

  /** Reports a value and the allowed values. */
  reportValue(
    number: number,
    path: PolicyPath,
    value: unknown,
    allowed: string,
    more: More & { isSecret?: boolean | undefined } = {},
  ): undefined {
    const { isSecret, ...rest } = more
    const received = value === undefined ? 'is missing' : `is ${isSecret ? quoteSecret(value) : quote(value)}`
    this.report(number, path, `${received}. Allowed: ${allowed}`, rest)
  }

  /** Reports and returns the keys of a value that are not among its fields. */
  reportUnknown(
    number: number,
    path: PolicyPath,
    value: object,
    fields: readonly string[],
    of: string,
  ): readonly string[] {
    const unknown = Object.keys(value).filter((key) => !fields.includes(key))
    const allowed = fields.length > 0 ? `Allowed: ${fields.join(', ')}` : 'It has no fields'
    for (const key of unknown)
      this.report(number, [...path, key], `is not a field of ${of}.${suggestion(key, fields)} ${allowed}`, KEY)
    return unknown
  }

  /** True if there are so many problems that no more are listed. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS
  }

  #add(problem: ReportedProblem): void {
    if (!this.isFull) this.problems.push(problem)
  }
}

/** Returns the sentence about a problem: the location and the problem itself. */
export function toMessage(path: PolicyPath, what: string): string {
  const place = path.length === 0 ? 'The policy' : `In the policy, ${describePlace(path)}`
  return `${place} ${what}${/[.?…]$/.test(what) ? '' : '.'}`
}

/** Returns a path in human-readable form: `on_http_request[0].actions[1].config.rate`. */
function describePlace(path: PolicyPath): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${cut(key, 60)}`))
    .join('')
}

function docsOf(number: number): string {
  return `https://ngrok.com/docs/errors/err_ngrok_${number}`
}
