/** The character that replaces a value of Terraform. No policy has it. */
export const UNKNOWN = '\ue000'

/** Matches a `${…}` of Terraform, with strings and with maps in it. */
const INTERPOLATION = /(?<!\$)\$\{(?:[^{}"]|"(?:\\.|[^"\\])*"|\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\})*\}/g

/** Matches an interpolation that was meant for CEL. Terraform has no such variables. */
const OF_CEL = /^\$\{\s*(?:req|res|conn|actions|endpoint)\./

/**
 * Reads the lines of a heredoc of Terraform, which writes `$${` for the `${` of CEL. Values of Terraform become unknown ones of the
 * same length. `isStructure` is true if they make more than values, so that nobody knows the policy. `ofCel` has the places of
 * interpolations that Terraform rejects.
 */
export function readInterpolations(lines: string) {
  const known = lines.replace(INTERPOLATION, (each) => each.replace(/[^\r\n]/g, UNKNOWN))
  return {
    text: known.replaceAll('$${', '${'),
    isStructure: /(?<!\$)\$\{|(?<!%)%\{/.test(known),
    ofCel: [...lines.matchAll(INTERPOLATION)]
      .filter(([each]) => OF_CEL.test(each))
      .map(({ 0: source, index }) => ({ source, index })),
  }
}
