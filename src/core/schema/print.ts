import { escapeUnprintable } from './text.ts'

/**
 * Prints an error. No text controls the terminal. If a test's set-up makes `console.error` throw, that exception does not reach
 * the caller.
 */
export function printError(...words: readonly unknown[]): void {
  try {
    console.error(...words.map(toPrintable))
  } catch {
    // The set-up has received the error.
  }
}

/** Prints a warning, of which no character controls the terminal. */
export function printWarning(text: string): void {
  console.warn(escapeUnprintable(text))
}

/** Returns a word as it was, or as an escaped text if it would control the terminal. */
function toPrintable(word: unknown): unknown {
  const text = word instanceof Error ? (word.stack ?? word.message) : word
  if (typeof text !== 'string') return word
  const escaped = escapeUnprintable(text)
  return escaped === text ? word : escaped
}
