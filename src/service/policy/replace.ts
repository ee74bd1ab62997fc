import type { ActionOutcome, Visit } from './visit.ts'

interface Replacement {
  readonly from: string
  readonly to: string | undefined
}

/** Replaces matches in a text, one replacement after the other. Returns the text, and what matched. */
export function replaceText(text: string, replacements: readonly Replacement[], pattern: Visit['pattern']) {
  let result = text
  const matched = replacements.flatMap(({ from, to = '' }, replacement_index) => {
    const found = pattern(from)
    const matches = found.matches(result)
    if (matches.length > 0) result = found.replaceAll(result, to)
    return matches.map((matched_content) => ({ replacement_index, matched_content }))
  })
  return { text: result, matched }
}

/** Replaces matches in the body of the message of the phase. */
export async function replaceBody(replacements: readonly Replacement[], visit: Visit): Promise<ActionOutcome> {
  const before = new TextDecoder().decode(await visit.message.bytes())
  const { text, matched } = replaceText(before, replacements, visit.pattern)
  if (matched.length > 0) visit.message.replaceBody(new TextEncoder().encode(text))
  return { did: `replaced ${matched.length} matches`, sets: { replacements: matched } }
}
