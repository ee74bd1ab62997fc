const MAX_TEXTS = 256
const MAX_TEXT_LENGTH = 8192

/** A function that returns the JSON of a frozen response. */
export type ToJson = (value: object) => string

/** Creates a function that caches the JSON of recent responses. */
export function createJsonCache(): ToJson {
  const texts = new Map<object, string>()
  return (value) => {
    const known = texts.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value)
    if (text.length > MAX_TEXT_LENGTH) return text
    if (texts.size === MAX_TEXTS) texts.clear()
    texts.set(value, text)
    return text
  }
}
