const MOST_TEXTS = 256
const LONGEST_TEXT = 8192

/** Returns the JSON of a response that never changes. */
export type JsonOf = (value: object) => string

/** Remembers the JSON of responses that were sent lately. */
export function jsonTexts(): JsonOf {
  const texts = new Map<object, string>()
  return (value) => {
    const known = texts.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value)
    if (texts.size === MOST_TEXTS) texts.clear()
    if (text.length <= LONGEST_TEXT) texts.set(value, text)
    return text
  }
}
