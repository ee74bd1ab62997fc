const MOST_TEXTS = 256
const LONGEST_TEXT = 8192

/** Returns the JSON of a response that never changes. */
export type JsonOf = (shown: object) => string

/** Remembers the JSON of responses that were sent lately. */
export function jsonTexts(): JsonOf {
  const texts = new Map<object, string>()
  return (shown) => {
    const known = texts.get(shown)
    if (known !== undefined) return known
    const text = JSON.stringify(shown)
    if (texts.size === MOST_TEXTS) texts.clear()
    if (text.length <= LONGEST_TEXT) texts.set(shown, text)
    return text
  }
}
