/** The character that replaces a Terraform value. Policies do not contain it. */
export const UNKNOWN = '\ue000'

/** Matches a Terraform `${…}`, including any strings and maps in it. */
const INTERPOLATION = /(?<!\$)\$\{(?:[^{}"]|"(?:\\.|[^"\\])*"|\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\})*\}/g

/** Matches an interpolation that was meant for CEL. Terraform has no such variables. */
const OF_CEL = /^\$\{\s*(?:req|res|conn|actions|endpoint)\./

/**
 * Reads the lines of a Terraform heredoc, which uses `$${` for CEL's `${`. Replaces Terraform values with unknown values of the same
 * length. `isStructure` is true if they produce more than values, so that the policy is unknown. `ofCel` contains the positions of
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
