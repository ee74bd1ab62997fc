import { suggestion } from '../../core/schema/nearest.ts'
import { describeInTexts } from '../../core/schema/time.ts'

const INVALID = /^(?<field>the body|\w+)(?:[.\d[\]]*) is (?<received>.+?)\. Allowed: (?<allowed>.+)\.$/s

/** The maximum number of names that a message lists. */
const MAX_LISTED = 12

/**
 * Rewrites a refusal of the server for the command line. `typedNames` has the flag or the word of each field. Returns
 * undefined if the refusal is not about a flag or a word.
 */
export function rewriteRefusal(
  message: string,
  command: string,
  typedNames: ReadonlyMap<string, string>,
): string | undefined {
  const { field = '', received = '', allowed = '' } = INVALID.exec(message)?.groups ?? {}
  if (field === 'the body') {
    const names = allowed.replace(/^one of /, '').split(', ')
    const flags = names.flatMap((name) => typedNames.get(name) ?? [])
    return flags.length > 0 ? `${command} needs one of ${flags.join(', ')}.` : undefined
  }
  const name = typedNames.get(field)
  if (name === undefined) return undefined
  // On the command line a number is a text, and an outcome is never an object.
  const texts = describeInTexts(allowed).replace(/, or an object with .*$/s, '')
  const isUnitMissing = texts !== allowed && /^"\d+"$/.test(received)
  const hint = isUnitMissing ? ` The unit is missing, as in ${received.slice(1, -1)}s.` : suggestName(received, texts)
  return `${name} is ${received}. Allowed: ${shortenList(texts)}.${hint}`
}

function suggestName(received: string, allowed: string): string {
  const typed = /^"([^"]+)"$/.exec(received)?.[1]
  return typed === undefined ? '' : suggestion(typed, namesIn(allowed))
}

function shortenList(allowed: string): string {
  const names = namesIn(allowed)
  if (names.length <= MAX_LISTED) return allowed
  return `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`
}

/** Returns the names in a text that is a list of names; none for any other text. */
function namesIn(allowed: string): readonly string[] {
  return /^[\w.]+(?:, [\w.]+)+$/.test(allowed) ? allowed.split(', ') : []
}
