/** The character that replaces a Terraform value. Policies do not contain it. */
export const UNKNOWN = '\ue000'

/** Matches a Terraform `${…}`, including any strings and maps in it. */
const INTERPOLATION = /(?<!\$)\$\{(?:[^{}"]|"(?:\\.|[^"\\])*"|\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\})*\}/g

/** Matches an interpolation that was meant for CEL. Terraform has no such variables. */
const OF_CEL = /^\$\{\s*(?:req|res|conn|actions|endpoint)\./

/** Matches a Terraform directive, such as `%{ if … }`. */
const DIRECTIVE = /(?<!%)%\{[^}\r\n]*\}?/g
const isUnknown = (source: string) => source.startsWith('%') && !/^%\{~?\s*(?:if|else|endif|for|endfor)\b/.test(source)

/**
 * Reads the lines of a Terraform heredoc, which uses `$${` for CEL's `${`. Replaces Terraform values with unknown values of the same
 * length. `structureAt` is the position of the first Terraform value that produces more than a value. The policy is then unknown. `ofCel`
 * contains the positions of interpolations and directives that Terraform rejects.
 */
export function readInterpolations(lines: string) {
  const hide = (each: string) => each.replace(/[^\r\n]/g, UNKNOWN)
  const known = lines.replace(INTERPOLATION, hide).replace(DIRECTIVE, (each) => (isUnknown(each) ? hide(each) : each))
  return {
    text: known.replaceAll('$${', '${'),
    structureAt: /(?<!\$)\$\{|(?<!%)%\{/.exec(known)?.index,
    ofCel: [...lines.matchAll(INTERPOLATION), ...lines.matchAll(DIRECTIVE)]
      .filter(([each]) => OF_CEL.test(each) || isUnknown(each))
      .map(({ 0: source, index }) => ({ source, index })),
  }
}
