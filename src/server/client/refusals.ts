import { listNames, MAX_LISTED } from '../../core/schema/nearest.ts'
import { THE_BODY } from '../../core/schema/text.ts'

/** The details that the server sends with an error message. */
export type RefusalDetails = Readonly<Record<string, string>>

/**
 * Formats the message of an error for the command line. `typedNames` contains the flag or argument of each field. Returns undefined if the
 * error is not about the value of a flag or an argument.
 */
export function rewriteRefusal(
  { field = '', received, allowed, choices, nearest, typed }: RefusalDetails,
  command: string,
  typedNames: ReadonlyMap<string, string>,
): string | undefined {
  const names = choices?.split(', ') ?? []
  if (field === THE_BODY) {
    const flags = names.flatMap((name) => typedNames.get(name) ?? [])
    return flags.length > 0 ? `${command} needs one of ${flags.join(', ')}.` : undefined
  }
  // A list item's position is part of the path, but not of the flag.
  const name = typedNames.get(field.replace(/(?:\.\d+)+$/, ''))
  if (name === undefined || received === undefined || allowed === undefined) return undefined
  const isUnitMissing = typed !== undefined && /^"\d+"$/.test(received)
  const unit = isUnitMissing ? ` The unit is missing, as in ${received.slice(1, -1)}s.` : ''
  // A long list would hide the intended name.
  if (nearest && names.length > MAX_LISTED) return `${name} is ${received}. Did you mean ${nearest}?`
  const listed = names.length > 0 ? listNames(received.replace(/^"|"$/g, ''), names) : (typed ?? allowed)
  return `${name} is ${received}. Allowed: ${listed}.${unit}${nearest ? ` Did you mean ${nearest}?` : ''}`
}
