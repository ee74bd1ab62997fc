/** A problem in a traffic policy: the service rejects this part, or it probably does not do what was intended. */
export interface PolicyProblem {
  /**
   * `error` if the service rejects the policy, or accepts it although a part fails for every request. `warning` if the policy is valid but
   * probably a mistake.
   */
  readonly severity: 'error' | 'warning'
  /** The service's error number, such as 2203, or undefined for a warning that has none. */
  readonly number?: number
  /** The stable name of a warning, or of an error at run time, such as `range-compared-as-text`. */
  readonly rule?: string
  /** The keys and indexes that lead to the value, such as `['on_http_request', 0, 'actions', 1, 'config', 'headers']`. */
  readonly path: PolicyPath
  /** The part of a string value that contains the problem, such as a name in an expression. The offset and length are in characters. */
  readonly within?: { readonly offset: number; readonly length: number }
  /** The message, with the received value and the allowed values. */
  readonly message: string
  /** A suggested replacement, if any. */
  readonly hint?: string
  /** The URL of the service's page about the problem. */
  readonly docs?: string
}

/** A problem as a check reports it. */
export interface ReportedProblem extends PolicyProblem {
  /** True if the problem is the last key of the path, such as an unknown field, not its value. */
  readonly isOfKey?: true
}

/** The keys and indexes that lead from a policy to a value in it. */
export type PolicyPath = readonly (string | number)[]

/** A problem, and its position in the policy's text. Lines and columns start at 1. The end is exclusive. */
export interface PlacedPolicyProblem extends PolicyProblem {
  /** The line of the first character. */
  readonly line: number
  /** The column of the first character. */
  readonly column: number
  /** The line where the problem ends. */
  readonly endLine: number
  /** The column where the problem ends. */
  readonly endColumn: number
}

/** Returns the code of a problem: the service's error code, or the name of a warning. */
export function codeOfProblem({ number, rule = '' }: Pick<PolicyProblem, 'number' | 'rule'>): string {
  return number === undefined ? rule : `ERR_NGROK_${number}`
}
