import { maySayPrivateKey, REDACTED, readings, withoutPrivateKeys } from './private-key-text.ts'

/** Shorter values are hidden in their own place only: they would be found in too many words. */
const SHORTEST = 8

/** How much of a value is compared where a text was cut inside it. */
const COMPARED = 128

/** The most values that are looked for on behalf of one request. */
const MOST_VALUES = 200

/**
 * A text without private keys and without any of these values, also where it has percent or backslash escapes, and
 * also where a value was cut off ("…").
 */
export function withoutSecrets(text: string, values: readonly string[]): string {
  if (!maySayPrivateKey(text) && !values.some((value) => text.includes(value.slice(0, SHORTEST)))) return text
  const shown = withoutValues(withoutPrivateKeys(text), values)
  for (const reading of readings(shown)) {
    const plain = withoutValues(withoutPrivateKeys(reading), values)
    if (plain !== reading) return withoutSecrets(plain, values)
  }
  return shown
}

function withoutValues(text: string, values: readonly string[]): string {
  let shown = text
  for (const value of values) {
    shown = withoutCutValue(shown.replaceAll(value, REDACTED), value)
  }
  return shown
}

/** Hides the beginning of a value that is followed by the sign for "cut off here". */
function withoutCutValue(text: string, value: string): string {
  const start = value.slice(0, SHORTEST)
  let shown = text
  for (let at = shown.indexOf(start); at !== -1; at = shown.indexOf(start, at + 1)) {
    let end = at + SHORTEST
    while (end < at + COMPARED && shown[end] === value[end - at] && end < shown.length) end++
    if (end === at + COMPARED) return shown.slice(0, at) + REDACTED
    if (shown[end] === '…') shown = shown.slice(0, at) + REDACTED + shown.slice(end)
  }
  return shown
}

/** The texts that are looked for to hide a secret: the whole of it, and each line of it. */
export function valuesOf(secrets: Iterable<string>): string[] {
  const values = new Set<string>()
  for (const secret of secrets) {
    for (const value of secret.includes('\n') ? [secret, ...secret.split(/[\r\n]+/)] : [secret]) {
      if (value.length >= SHORTEST && values.size < MOST_VALUES) values.add(value)
    }
  }
  // The longest first, so that none is left in pieces.
  return [...values].sort((one, other) => other.length - one.length)
}
