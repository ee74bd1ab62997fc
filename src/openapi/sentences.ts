/**
 * The sentences that schemas and operations have in the package by their number alone: what a gateway does not need, it
 * does not load. scripts/sentences-apart.ts fills it; the sources have all sentences where they are said.
 */
const sentences: readonly string[] = []

/** How a sentence leaves its number. */
const NUMBER = /\t(\d+)\t/g

/** A text with all its sentences. */
export function inFull(text: string): string {
  return text.replace(NUMBER, (_number, at) => sentences[at] ?? '')
}

/** A JSON value whose texts have all their sentences. */
export function allInFull<T>(value: T): T {
  return filled(value) as T // Texts stay texts, and all else is as before.
}

function filled(value: unknown): unknown {
  if (typeof value === 'string') return inFull(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(filled)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each)]))
}
