// The import is static, because the direct API reads policies in synchronous calls.
import { Lexer, LineCounter, parse, YAMLParseError } from 'yaml'

/** Reads a text as JSON, else as YAML. Returns its value, or the problem (rules: traffic-policy#texts). */
export function readJsonOrYaml(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const problem = yamlLimitProblem(text)
    return problem === undefined ? parseYaml(text) : { problem }
  }
}

/** The maximum number of characters and tokens of a YAML text: reading more would block all other requests for too long. */
const MAX_YAML_LENGTH = 64 * 1024
const MAX_YAML_TOKENS = 16 * 1024

/** Returns the limit that a YAML text exceeds, as a problem; undefined if there is none. */
function yamlLimitProblem(text: string): string | undefined {
  const advice = 'Send a longer policy as JSON'
  if (text.length > MAX_YAML_LENGTH) {
    return `it is not JSON, and YAML has at most ${MAX_YAML_LENGTH} characters; these are ${text.length}. ${advice}`
  }
  if (isTooDeep(text)) return 'it is nested too deeply'
  let tokens = 0
  for (const _ of new Lexer().lex(text)) {
    if (++tokens > MAX_YAML_TOKENS) return `it is not JSON, and YAML has at most ${MAX_YAML_TOKENS} tokens. ${advice}`
  }
  return undefined
}

/** The longest text whose keys are compared. All pairs of keys are compared, which takes too long in longer texts. */
const MAX_LENGTH_WITH_UNIQUE_KEYS = 10_000

function parseYaml(text: string): ReturnType<typeof readJsonOrYaml> {
  const lines = new LineCounter()
  const uniqueKeys = text.length <= MAX_LENGTH_WITH_UNIQUE_KEYS
  try {
    // Each pretty error would copy its line.
    return { value: parse(text, { logLevel: 'error', prettyErrors: false, lineCounter: lines, uniqueKeys }) }
  } catch (error) {
    const where = error instanceof YAMLParseError ? ` in line ${lines.linePos(error.pos[0]).line}` : ''
    return { problem: `${String(error instanceof Error ? error.message : error)}${where}` }
  }
}

const MAX_BRACKET_DEPTH = 64

/**
 * Tells whether a YAML text has so many levels that reading it could overflow the stack. Counts its brackets, and the
 * characters for nesting at the start of a line. A stack overflow in a regular expression ends the process.
 */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1))
    if (depth > MAX_BRACKET_DEPTH) return true
  }
  return /^[ \t?:-]{256}/m.test(text)
}
