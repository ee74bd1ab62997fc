import { escapeUnprintable } from './text.ts'

/**
 * Prints an error without terminal control characters. If a test's setup makes `console.error` throw, the exception does not reach the
 * caller.
 */
export function printError(...words: readonly unknown[]): void {
  try {
    console.error(...words.map(toPrintable))
  } catch {
    // The setup has received the error.
  }
}

/** Calls a subscriber. If it throws, the exception is printed and does not reach the caller. */
export function callSafely(subscribed: string, call: () => void): void {
  try {
    call()
  } catch (error) {
    printError(`A subscriber of the ${subscribed} threw:`, error)
  }
}

/** Prints a warning without terminal control characters. */
export function printWarning(text: string): void {
  console.warn(escapeUnprintable(text))
}

/** Returns a word unchanged, or as an escaped string if it contains terminal control characters. */
function toPrintable(word: unknown): unknown {
  const text = word instanceof Error ? (word.stack ?? word.message) : word
  if (typeof text !== 'string') return word
  const escaped = escapeUnprintable(text)
  return escaped === text ? word : escaped
}
