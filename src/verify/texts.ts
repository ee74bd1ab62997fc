/** Returns a pattern's source that matches exactly this text. */
export function escapedForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The most characters of a value that a result shows. */
const LONGEST_SHOWN = 200

/** Returns a value as JSON, cut if it is long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const json = JSON.stringify(value)
  return json.length <= LONGEST_SHOWN ? json : `${json.slice(0, LONGEST_SHOWN)}… (${json.length} characters)`
}
