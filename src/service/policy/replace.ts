import { utf8Bytes, utf8Text } from '../../core/schema/platform.ts'
import type { Config } from './action.ts'
import type { ActionOutcome, Replacer, Visit } from './visit.ts'

interface Replacement {
  readonly from: Replacer
  readonly to: string | undefined
}

/**
 * Replaces matches in a string by applying one replacement after another. Returns the text, the number of matches, and the first match of
 * each pattern.
 */
export function replaceText(text: string, replacements: readonly Replacement[]) {
  let result = text
  let count = 0
  const matched = replacements.flatMap(({ from, to = '' }, replacement_index) => {
    const replaced = from.replaceAll(result, to)
    result = replaced.text
    count += replaced.count
    return replaced.matches.slice(0, 1).map((matched_content) => ({ replacement_index, matched_content }))
  })
  return { text: result, matched, count }
}

/** Returns the names of the replacements that matched, in the form used in paths. */
export function nameMatched(matched: readonly { readonly replacement_index: number }[]): readonly string[] {
  return matched.map(({ replacement_index }) => `replacements[${replacement_index}]`)
}

/** Returns the names of all replacements in a config. */
export function nameReplacements({ replacements }: Config): readonly string[] {
  const list: readonly unknown[] = Array.isArray(replacements) ? replacements : []
  return nameMatched(list.map((_, replacement_index) => ({ replacement_index })))
}

/** Replaces matches in the body of the phase's message. */
export async function replaceBody(
  replacements: readonly Replacement[],
  { message, response }: Visit,
): Promise<ActionOutcome> {
  if (!message.hasBody) return { did: 'found no body', sets: { replacements: [] }, isIdle: true }
  const { text: before, toBytes } = readText(await message.content())
  const { text, matched, count } = replaceText(before, replacements)
  // The headers of a part say which bytes it has.
  if (count > 0 && response?.status === 206)
    return { did: 'found matches in part of a response', ends: { status: 502, error: 3904 } }
  if (count > 0) message.changeBody(toBytes(text))
  return {
    did: `replaced ${count} matches`,
    sets: { replacements: matched },
    isIdle: count === 0,
    parts: nameMatched(matched),
  }
}

/** Reads bytes as UTF-8. Each invalid byte is read as one character, so that it stays unchanged unless it is part of a match. */
function readText(bytes: Uint8Array): { readonly text: string; readonly toBytes: (text: string) => Uint8Array } {
  try {
    return { text: utf8Text(bytes), toBytes: utf8Bytes }
  } catch {
    const toBytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    return { text: Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''), toBytes }
  }
}
