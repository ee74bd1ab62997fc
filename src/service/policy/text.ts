// The import is static, because the direct API reads policies in synchronous calls.
import { isCollection, isMap, isPair, isScalar, isSeq, Lexer, LineCounter, type Node, parseDocument } from 'yaml'
import { isDeepJson, locateInJson } from './json-places.ts'
import type { PolicyPath } from './problem.ts'

/** A place in a text: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A text that was read: its value, and the places of the values in it; or the problem. */
export interface ReadText {
  readonly value?: unknown
  readonly problem?: { readonly message: string; readonly offset: number }
  /** Returns the place of the value of a path. With `within`, returns the part of a text value. */
  readonly locate: (path: PolicyPath, within?: { readonly offset: number; readonly length: number }) => Span
}

/** The maximum number of characters and tokens of a YAML text: reading more would block all other requests for too long. */
const MAX_YAML_LENGTH = 64 * 1024
const MAX_YAML_TOKENS = 16 * 1024

/** Reads a text as JSON, else as YAML (rules: traffic-policy#texts). Never throws. */
export function readText(text: string): ReadText {
  const source = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
  // JSON.parse takes long to refuse what is nested too deeply.
  if (isDeepJson(source))
    return { problem: { message: 'it is nested too deeply', offset: 0 }, locate: () => ({ start: 0, end: 1 }) }
  try {
    const value: unknown = JSON.parse(source)
    return { value, locate: locateInJson(source) }
  } catch {
    const problem = yamlLimitProblem(source)
    return problem === undefined
      ? readYaml(source)
      : { problem: { message: problem, offset: 0 }, locate: () => ({ start: 0, end: 1 }) }
  }
}

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

function readYaml(text: string): ReadText {
  const lineCounter = new LineCounter()
  const uniqueKeys = text.length <= MAX_LENGTH_WITH_UNIQUE_KEYS
  // Each pretty error would copy its line.
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, lineCounter, uniqueKeys })
  const locate: ReadText['locate'] = (path, within) => locateInYaml(text, document.contents, path, within)
  const [error] = document.errors
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0])
    return { problem: { message: `${error.message} in line ${line}`, offset: error.pos[0] }, locate }
  }
  try {
    return { value: document.toJS(), locate }
  } catch (thrown) {
    // Aliases that expand to too much.
    return { problem: { message: thrown instanceof Error ? thrown.message : String(thrown), offset: 0 }, locate }
  }
}

/** Returns the place of a value. For a path that does not exist, returns the nearest owner's key. */
function locateInYaml(
  text: string,
  contents: Node | null,
  path: PolicyPath,
  within?: { offset: number; length: number },
): Span {
  let node: unknown = contents
  let key: unknown
  for (const step of path) {
    if (!isCollection(node)) break
    const pair: unknown = isMap(node)
      ? node.items.find((each) => isScalar(each.key) && String(each.key.value) === String(step))
      : undefined
    const below: unknown =
      isSeq(node) && typeof step === 'number' ? node.items[step] : isPair(pair) ? pair.value : undefined
    if (below === undefined) break
    key = isPair(pair) ? pair.key : undefined
    node = below
  }
  const isWhole = isCollection(node) && isScalar(key)
  const span = spanOf(text, isWhole ? key : node) ?? spanOf(text, key) ?? { start: 0, end: Math.min(1, text.length) }
  if (!within || !isScalar(node)) return span
  return narrow(text, span, within, String(node.value))
}

function spanOf(text: string, node: unknown): Span | undefined {
  if (!isScalar(node) && !isCollection(node)) return undefined
  const [start, end] = node.range ?? [0, 0]
  if (isScalar(node)) return { start, end: Math.max(end, start + 1) }
  const lineEnd = text.indexOf('\n', start)
  return { start, end: Math.max(start + 1, Math.min(end, lineEnd < 0 ? text.length : lineEnd)) }
}

/** Returns a part of a text value. Where the text is folded or escaped, the place of the part may be a few characters off. */
function narrow(text: string, span: Span, { offset, length }: { offset: number; length: number }, value: string): Span {
  const part = value.slice(offset, offset + length)
  const raw = text.slice(span.start, span.end)
  const before = value.slice(0, offset).split(part).length - 1
  let at = -1
  for (let count = 0; count <= before; count++) {
    const next = part === '' ? -1 : raw.indexOf(part, at + 1)
    if (next < 0) break
    at = next
  }
  if (at < 0) return span
  return { start: span.start + at, end: span.start + at + part.length }
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
