/** A place in a traffic policy that the service rejects, or that probably does not do what was meant. */
export interface PolicyProblem {
  /** `error` if the service rejects the policy, and `warning` if the policy is right but surely not meant. */
  readonly severity: 'error' | 'warning'
  /** The number of the service's error, such as 2203; undefined for a warning without a number. */
  readonly number?: number
  /** The stable name of a warning, such as `range-compared-as-text`. */
  readonly rule?: string
  /** The keys and indexes that lead to the value, such as `['on_http_request', 0, 'actions', 1, 'config', 'headers']`. */
  readonly path: PolicyPath
  /** The part of a text value that the problem is in, such as a name in an expression. Offset and length are in characters. */
  readonly within?: { readonly offset: number; readonly length: number }
  /** The message: the value received, and the values allowed. */
  readonly message: string
  /** A better form, if there is one. */
  readonly hint?: string
  /** The address of the service's own page about the problem. */
  readonly docs?: string
}

/** A problem as the check reports it. */
export interface ReportedProblem extends PolicyProblem {
  /** True for a problem of the last key of the path, such as an unknown field, and not of its value. */
  readonly isOfKey?: true
}

/** The keys and indexes that lead from a policy to a value in it. */
export type PolicyPath = readonly (string | number)[]

/** A problem, and its place in the text of the policy. Lines and columns begin with 1; the end is after the last character. */
export interface PlacedPolicyProblem extends PolicyProblem {
  /** The line of its first character. */
  readonly line: number
  /** The column of its first character. */
  readonly column: number
  /** The line of its end. */
  readonly endLine: number
  /** The column of its end. */
  readonly endColumn: number
}

/** Returns the code of a problem: the service's error code, or the name of a warning. */
export function codeOfProblem({ number, rule = '' }: Pick<PolicyProblem, 'number' | 'rule'>): string {
  return number === undefined ? rule : `ERR_NGROK_${number}`
}
