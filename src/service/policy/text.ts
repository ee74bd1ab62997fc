// The import is static, because the direct API reads policies in synchronous calls.
import type { PolicyPath } from './problem.ts'
import { type Event, readEvents, readYaml } from './yaml.ts'
import { readNodes, type Span, type YamlNode } from './yaml-nodes.ts'

export type { Span } from './yaml-nodes.ts'

/** The result of reading a string: either its value and the positions of the values in it, or the problem. */
export interface ReadText {
  readonly value?: unknown
  readonly problem?: { readonly message: string; readonly offset: number }
  /**
   * Returns the position of the value at a path. With `within`, returns the position of part of a string value; with `isOfKey`, the
   * position of the last key.
   */
  readonly locate: (
    path: PolicyPath,
    within?: { readonly offset: number; readonly length: number },
    isOfKey?: boolean,
  ) => Span
}

/** The maximum number of characters in a YAML text that a gateway reads. A longer text would block all other requests for too long. */
const MAX_YAML_LENGTH = 256 * 1024

/** Reads a string as JSON or, if that fails, as YAML of at most `most` characters (rules: traffic-policy#text). Never throws. */
export function readText(text: string, most = MAX_YAML_LENGTH): ReadText {
  const source = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
  if (/^\s*[[{]/.test(source)) {
    // JSON.parse is slow to reject values that are nested too deeply.
    if (isDeepJson(source)) return refuse('it is nested too deeply')
    try {
      return { value: JSON.parse(source), locate: locateIn(source, () => readEvents(source, MAX_DEPTH)) }
    } catch {
      // It may be YAML.
    }
  }
  if (source.length > most) {
    return refuse(
      `it is not JSON, and a YAML policy can be at most ${most} characters long, not ${source.length}. Send a longer policy as JSON`,
    )
  }
  const { events, ...read } = readYaml(source)
  return { ...read, locate: locateIn(source, () => events) }
}

function refuse(message: string, offset = 0): ReadText {
  return { problem: { message, offset }, locate: () => ({ start: 0, end: 1 }) }
}

/**
 * Returns a function that finds the positions of values in JSON or YAML, which it parses as YAML. For a nonexistent path, it returns the
 * key of the nearest existing parent.
 */
function locateIn(text: string, listEvents: () => readonly Event[] | undefined): ReadText['locate'] {
  let root: YamlNode | undefined
  return (path, within, isOfKey = false) => {
    root ??= readNodes(text, listEvents() ?? [])
    let node = root
    for (const step of path) {
      const below = node?.below.get(step)
      if (!below) break
      node = below
    }
    if (!node) return { start: 0, end: Math.min(1, text.length) }
    if (within && node.text !== undefined) return narrow(text, node, within, node.text)
    const { key, start, end, kind } = node
    const isScalar = kind === 'scalar' || kind === 'literal'
    if (key && (isOfKey || !isScalar || start === end)) return key
    const lineEnd = isScalar ? -1 : text.indexOf('\n', start)
    return { start, end: Math.max(start + 1, lineEnd < 0 ? end : Math.min(end, lineEnd)) }
  }
}

/** Returns the position of a part of a string value. Where the text is folded or escaped, the position may be a few characters off. */
function narrow(text: string, span: Span, { offset, length }: { offset: number; length: number }, value: string): Span {
  const part = value.slice(offset, offset + length)
  const raw = text.slice(span.start, span.end)
  const before = value.slice(0, offset).split(part).length - 1
  // A comment may follow the sign of a block.
  let at = /^[|>]/.test(raw) ? raw.indexOf('\n') : -1
  for (let count = 0; count <= before; count++) {
    const next = part === '' ? -1 : raw.indexOf(part, at + 1)
    if (next < 0) break
    at = next
  }
  if (at < 0) return span
  return { start: span.start + at, end: span.start + at + part.length }
}

const MAX_DEPTH = 1_000

/** Returns whether a string would be nested more than 1,000 levels deep as JSON. */
function isDeepJson(text: string): boolean {
  let [depth, isQuoted] = [0, false]
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const letter = text.charCodeAt(at)
    if (letter === 0x22) isQuoted = !isQuoted
    else if (isQuoted) at += letter === 0x5c ? 1 : 0
    else if (letter === 0x5b || letter === 0x7b) depth++
    else if (letter === 0x5d || letter === 0x7d) depth--
  }
  return depth > MAX_DEPTH
}
