import type { PolicyOptions } from '../options.ts'
import type { PlacedPolicyProblem } from '../problem.ts'

/** A traffic policy in a file, with the facts that the file gives about its place. */
export interface FoundPolicy extends Pick<PolicyOptions, 'protocol' | 'place'> {
  /** The path in the file, such as `endpoints[0].traffic_policy`; empty for a file that is a policy. */
  readonly name: string
  /** The name of the endpoint or resource that has the policy; its URL if it has no name. */
  readonly owner?: string
  /** The policy, if the file was read to find it. A text is a policy in a text of the file. */
  readonly value?: unknown
  /** True if the policy has values that Terraform computes. The text has unknown ones in their places. */
  readonly isTemplate?: boolean
  /** The namespace and the name under which other manifests of the file refer to the policy. */
  readonly sharedAs?: string
  /** The options of further endpoints that use the policy. */
  readonly others?: readonly Pick<PolicyOptions, 'protocol' | 'place'>[]
  /** The message about a manifest that lacks the policy. */
  readonly missing?: string
  /** Returns the text of the policy. It takes long in comparison with the value, and only problems need it. */
  readonly slice: () => Slice
}

/** The text of a policy, and its place in the file. */
export interface Slice {
  /** The text. Blanks replace what precedes the text on its first line, so that columns are those of the file. */
  readonly text: string
  /** The number of lines of the file before the text. */
  readonly linesBefore: number
  /** The number of characters that the file has before each line of the text. */
  readonly indent: number
  /** True for a text that the file does not have in one piece: all its problems are at the start of the policy. */
  readonly isScattered?: boolean
}

/** The policies of a file, and the reasons why parts of the file cannot be read. */
export interface FoundPolicies {
  readonly policies: readonly FoundPolicy[]
  readonly problems: readonly PlacedPolicyProblem[]
  /** True if the file has templates instead of values, such as those of Helm, or policies that Terraform computes. */
  readonly isTemplate: boolean
}

/** Returns a problem of a file at the start of a line, or at a character of the line. */
export function problemAt(message: string, line: number, column: number): PlacedPolicyProblem {
  return {
    severity: 'error',
    path: [],
    message,
    line,
    column,
    endLine: line,
    endColumn: column + 1,
  }
}
