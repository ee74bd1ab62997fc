import type { PolicyOptions } from '../options.ts'
import type { PlacedPolicyProblem } from '../problem.ts'

/** A traffic policy in a file, with the facts that the file states about its place. */
export interface FoundPolicy extends Pick<PolicyOptions, 'protocol' | 'place'> {
  /** The path in the file, such as `endpoints[0].traffic_policy`; empty if the file itself is a policy. */
  readonly name: string
  /** The name of the endpoint or resource that has the policy; its URL if it has no name. */
  readonly owner?: string
  /** The policy, if the file was parsed to find it. A string is a policy inside a string in the file. */
  readonly value?: unknown
  /** True if the policy contains values computed by Terraform. Unknown values replace them in the text. */
  readonly isTemplate?: boolean
  /** The namespace and name by which other manifests in the file refer to the policy. */
  readonly sharedAs?: string
  /** The options of the other endpoints that use the policy. */
  readonly others?: readonly Pick<PolicyOptions, 'protocol' | 'place'>[]
  /** The message for a manifest without its policy. */
  readonly missing?: string
  /** Returns the text of the policy. Computing the text takes much longer than computing the value, and only problems need the text. */
  readonly slice: () => Slice
}

/** The text of a policy and its position in the file. */
export interface Slice {
  /** The text. Spaces replace anything before the text on its first line, so that its columns match the file's. */
  readonly text: string
  /** The number of lines before the text in the file. */
  readonly linesBefore: number
  /** The number of characters before each line of the text in the file. */
  readonly indent: number
  /** True for text that is not contiguous in the file. All its problems are reported at the start of the policy. */
  readonly isScattered?: boolean
  /** True if the file has another dollar sign before each `${`. */
  readonly isEscaped?: boolean
}

/** The policies in a file, and the problems with parts of the file that cannot be read. */
export interface FoundPolicies {
  readonly policies: readonly FoundPolicy[]
  readonly problems: readonly PlacedPolicyProblem[]
  /** The first line of each policy or document that is not fully checked, because a template or Terraform computes a part of it. */
  readonly computedLines: readonly number[]
}

/** Returns the message about part of a file that cannot be read, with its lines in the file. */
export function moveLines(message: string, linesBefore: number): string {
  if (!/^The (?:policy|file) cannot be read\b/.test(message)) return message
  return message.replaceAll(/(?<= in line )\d+/g, (line) => `${Number(line) + linesBefore}`)
}

/** Returns a problem with a file, at the start of a line or at a character in the line. */
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
