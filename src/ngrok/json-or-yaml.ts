// Loaded with the families: the direct API reads policies in synchronous calls, which can import nothing.
import { Lexer, LineCounter, parse, YAMLParseError } from 'yaml'

/** Reads a text in JSON, else in YAML. Returns its value, or why it cannot be read (rules: traffic-policy#texts). */
export function readText(text: string): { readonly value?: unknown; readonly why?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const why = unreadableYaml(text)
    return why === undefined ? parsedYaml(text) : { why }
  }
}

/** The most characters, and the most tokens, of a YAML text: a reader of more would keep every other request waiting. */
const LONGEST_YAML = 64 * 1024
const MOST_TOKENS = 16 * 1024

/** Says why a text is not read as YAML; undefined if it is. */
function unreadableYaml(text: string): string | undefined {
  const insteadSend = 'Send a longer policy as JSON'
  if (text.length > LONGEST_YAML) {
    return `it is not JSON, and YAML has at most ${LONGEST_YAML} characters; these are ${text.length}. ${insteadSend}`
  }
  if (isTooDeep(text)) return 'it is nested too deeply'
  let tokens = 0
  for (const _ of new Lexer().lex(text)) {
    if (++tokens > MOST_TOKENS) return `it is not JSON, and YAML has at most ${MOST_TOKENS} tokens. ${insteadSend}`
  }
  return undefined
}

/** Keys are compared pairwise, which takes too long in longer texts. */
const LONGEST_WITH_UNIQUE_KEYS = 10_000

function parsedYaml(text: string): ReturnType<typeof readText> {
  const lines = new LineCounter()
  const uniqueKeys = text.length <= LONGEST_WITH_UNIQUE_KEYS
  try {
    // Pretty errors copy the line for each error.
    return { value: parse(text, { logLevel: 'error', prettyErrors: false, lineCounter: lines, uniqueKeys }) }
  } catch (error) {
    const where = error instanceof YAMLParseError ? ` in line ${lines.linePos(error.pos[0]).line}` : ''
    return { why: `${String(error instanceof Error ? error.message : error)}${where}` }
  }
}

const DEEPEST_FLOW = 64

/**
 * Tells whether a YAML text has so many levels that reading it could use up the stack: by its brackets, and by the
 * beginnings of its lines. A stack that overflows in a regular expression ends the process.
 */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1))
    if (depth > DEEPEST_FLOW) return true
  }
  return /^[ \t?:-]{256}/m.test(text)
}
