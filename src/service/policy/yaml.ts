import {
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  EVENT_ID,
  type Event,
  mapTag,
  mergeTag,
  parseEvents,
  seqTag,
  YAMLException,
} from 'js-yaml'
import { cut } from '../../core/schema/text.ts'

export type { Event } from 'js-yaml'

/** The result of reading a YAML document: either its value and the parser's events, or the problem. */
export interface ReadYaml {
  readonly value?: unknown
  readonly events?: readonly Event[]
  readonly problem?: { readonly message: string; readonly offset: number }
}

/** The maximum nesting. The parser recurses once per level. */
const MAX_DEPTH = 100
/** The maximum number of aliases, and of the values that they stand for. */
const MAX_ALIASES = 1_000
const MAX_VALUES = 100_000

/** Merge keys, and tags for other programs, such as `!include`, which are not part of policies. */
const schema = CORE_SCHEMA.withTags(
  mergeTag,
  ['!', 'tag:'].flatMap((name) => [
    defineScalarTag(name, { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
    defineSequenceTag(name, { ...seqTag, matchByTagPrefix: true, identify: () => false }),
    defineMappingTag(name, { ...mapTag, matchByTagPrefix: true, identify: () => false }),
  ]),
)

/** Returns the parser's events for a string, or undefined if it is not valid YAML. */
export function readEvents(text: string, maxDepth: number): readonly Event[] | undefined {
  try {
    return parseEvents(text, { maxDepth })
  } catch {
    return undefined
  }
}

/** Reads a string that contains one YAML document. If the string has no document, the value is null. Never throws. */
export function readYaml(text: string): ReadYaml {
  // The parser would take it as a part of the first key.
  const [, before = '', sign] = /^(\s*(?:\{\s*)?)(\/[/*])/.exec(text) ?? []
  if (sign !== undefined) return refuse(noComments(sign), before.length)
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH })
    const documents = constructFromEvents(events, { source: text, schema, maxAliases: MAX_ALIASES })
    if (documents.length > 1) return refuse('it contains more than one document', 0)
    // The parser takes `&&` as an anchor: of an expression with a tag, only what follows would be left.
    const anchor = events.map((each) => ('anchorStart' in each ? each.anchorStart : -1)).find((at) => text[at] === '&')
    if (anchor !== undefined) return refuse(`"&&" begins a value ${inLine(text, anchor)}`, anchor)
    const [value = null] = documents
    const hasAliases = events.some(({ type }) => type === EVENT_ID.ALIAS)
    return hasAliases && isLarge(value) ? refuse('its aliases expand to too many values', 0) : { value, events }
  } catch (error) {
    if (!(error instanceof YAMLException)) return refuse(error instanceof Error ? error.message : String(error), 0)
    // The end of a string is a place that no editor shows.
    const offset = Math.max(0, Math.min(error.mark?.position ?? 0, text.trimEnd().length - 1))
    const end = text.indexOf('\n', offset)
    const comment = explainComment(text.slice(0, end < 0 ? text.length : end))
    const braces = /complex keys/.test(error.reason) ? text.search(/(?<=[:,[-][ \t]*)\{\{/) : -1
    if (braces >= 0)
      return refuse(
        `"{{" begins a map whose key is a map ${inLine(text, braces)}; write "\${…}" for an expression`,
        braces,
      )
    return (
      explainStart(text, offset, error.reason) ??
      explainList(text, offset) ??
      explainQuotes(text, offset) ??
      comment ??
      explainBrackets(text, offset, error.reason) ??
      explainLayout(text, offset, error.reason) ??
      refuse(`${cut(error.reason)} ${inLine(text, offset)}`, offset)
    )
  }
}

/** The pattern of the characters that can precede a quoted string in its line. */
const BEFORE = '^\\s*(?:-\\s+)*(?:\\w[\\w-]*:\\s+)?(?:\\[\\s*)?'
const CONTAINS_QUOTE = new RegExp(`${BEFORE}(["'])(?:\\\\.|(?!\\1)[^\\\\])*\\1(?=[^\\s,#\\]}:"'])`)
const ENDS_EARLY = new RegExp(`${BEFORE}(?:"(?:\\\\.|[^"\\\\])*"|'(?:[^']|'')*')\\s+(?=[^\\s#,\\]}:])`)
const CONTAINS_COLON = /^\s*(?:-\s+)*\w[\w-]*:\s+(?=[^\s"'|>{[&*!#])(?:[^\s#]|\s(?!#))*?:(?=\s)/
const OPENS = new RegExp(`${BEFORE}"(?:\\\\.|[^"\\\\])*$`)

/** Matches a line up to a JavaScript comment that is neither in quotes nor part of a word. */
const COMMENT = /^(?:(?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'])*?[\s,\]}])?(?=(\/[/*]))/

/** The sentence about a JavaScript comment, given its first two characters. */
export const noComments = (sign: string) => `JSON and YAML have no comments that start with ${sign}`

/** Returns the problem of a comment in the last line of a text or directly before it; undefined if there is none. */
function explainComment(text: string): ReadYaml | undefined {
  const lines = text.split('\n')
  for (const [at, line] of [...lines.entries()].reverse()) {
    const [before = '', sign] = COMMENT.exec(line) ?? []
    if (sign !== undefined) return refuse(noComments(sign), [...lines.slice(0, at), before].join('\n').length)
    // The lines of a long comment begin with an asterisk.
    if (at < lines.length - 1 && !/^\s*\*/.test(line)) break
  }
  return undefined
}

/** Returns the problem of the quotes that a parser's error is about; undefined for other errors. */
function explainQuotes(text: string, offset: number): ReadYaml | undefined {
  const lines = text.slice(0, offset).split('\n')
  const end = text.indexOf('\n', offset)
  const line = `${lines.pop()}${text.slice(offset, end < 0 ? text.length : end)}`
  const [, sign] = CONTAINS_QUOTE.exec(line) ?? []
  const at = lines.findLastIndex((line) => line.includes('"'))
  if (OPENS.test(lines[at] ?? '')) {
    const start = [...lines.slice(0, at), ''].join('\n').length + (lines[at] ?? '').indexOf('"')
    return refuse(`the string that begins ${inLine(text, start)} has no closing quote`, start)
  }
  if (ENDS_EARLY.test(line))
    return refuse(`the quotes do not enclose the whole value ${inLine(text, offset)}; put all of it in quotes`, offset)
  if (CONTAINS_COLON.test(line))
    return refuse(`a value without quotes contains ": " ${inLine(text, offset)}; put the value in quotes`, offset)
  if (sign === undefined) return undefined
  const [own, other] = sign === '"' ? ['double', 'single'] : ['single', 'double']
  const what = `a string in ${own} quotes contains a ${own} quote ${inLine(text, offset)}; use ${other} quotes for one of the two`
  return refuse(what, offset)
}

/** Returns the problem of a value without quotes that begins with a character that YAML reserves; undefined for other errors. */
function explainStart(text: string, offset: number, reason: string): ReadYaml | undefined {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  if (!/(?:[:,-]\s+|[[{]\s*)$/.test(before)) return undefined
  const signs = reason.startsWith('bad indentation') ? /^(?:[@`%,\]}]|-(?=\s))/ : /^[@`%]/
  const [sign] = signs.exec(text.slice(offset, offset + 2)) ?? []
  if (sign === undefined) return undefined
  const more = sign === '-' ? ', or a list in the next line' : ''
  return refuse(
    `"${sign}" begins a value without quotes ${inLine(text, offset)}; put the value in quotes${more}`,
    offset,
  )
}

const LIST_IN_EXPRESSION = /^\s*(?:-\s+)+([[{]).*[\]}]\s*(?:[.[?+]|[=!]=|[<>]|&&|[|]{2}|in\b)/

/** Returns the problem of an expression without quotes that begins with a list or a map; undefined for other errors. */
function explainList(text: string, offset: number): ReadYaml | undefined {
  const end = text.indexOf('\n', offset)
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, end < 0 ? text.length : end)
  const [, sign] = LIST_IN_EXPRESSION.exec(line) ?? []
  if (sign === undefined) return undefined
  return refuse(`an expression without quotes begins with "${sign}" ${inLine(text, offset)}; put it in quotes`, offset)
}

/** Matches the first brackets of a value in a YAML block, or of a whole document. */
const OPENS_FLOW = /(?:^|\n)[ \t]*(?:-[ \t]+)*(?:[\w"'-]+:[ \t]+)?(?=[[{])/g
const FLOW_PART = /"(?:\\.|[^"\\])*"|(?<=[\s,:[{(])'(?:[^']|'')*'|(?<=\s)#.*|[[\]{}]/g
const CLOSES: Readonly<Record<string, string>> = { '[': ']', '{': '}' }

/** Returns the problem of brackets that are not closed, or closed by another bracket; undefined for other errors. */
function explainBrackets(text: string, offset: number, reason: string): ReadYaml | undefined {
  if (!/^(?:missed comma|deficient|unexpected end)/.test(reason)) return undefined
  const start = [...text.slice(0, offset + 1).matchAll(OPENS_FLOW)].map(({ 0: { length }, index }) => index + length)
  const isWhole = /^\s*[[{]/.test(text)
  const from = (isWhole ? start[0] : start.at(-1)) ?? text.length
  const open: { readonly sign: string; readonly at: number }[] = []
  for (const { 0: sign, index } of text.slice(from).matchAll(FLOW_PART)) {
    const at = from + index
    const last = open.at(-1)
    if (sign in CLOSES) open.push({ sign, at })
    else if (sign !== ']' && sign !== '}') continue
    else if (last && CLOSES[last.sign] !== sign)
      return refuse(`"${sign}" ${inLine(text, at)} closes the "${last.sign}" ${inLine(text, last.at)}`, at)
    else if (open.pop() && open.length === 0) return undefined
  }
  const first = open.at(-1)
  const place = offset >= text.trimEnd().length - 1 ? offset : first?.at
  return (
    first && refuse(`the "${first.sign}" ${inLine(text, first.at)} has no "${CLOSES[first.sign]}"`, place ?? offset)
  )
}

/** The first keys of rules, actions, and other items of lists. */
const STARTS_ITEM = /^\s*(?:name|expressions|actions|type):/

/** Matches a line that has only the name of a key. */
const LONE_KEY = /^\s*(?:-\s+)*\w[\w-]*\s*$/

/** Returns the problem of a missing comma or colon, or of a key that is not below the key above it; undefined for other errors. */
function explainLayout(text: string, offset: number, reason: string): ReadYaml | undefined {
  const lines = text.slice(0, offset).split('\n')
  const own = lines.pop() ?? ''
  const end = lines.join('\n').trimEnd().length - 1
  if (reason.startsWith('missed comma') && text[offset] === '=')
    return refuse(`"=" follows a key ${inLine(text, offset)}; write ":"`, offset)
  if (reason.startsWith('missed comma') && !/[,:{[]/.test(text[end] ?? ','))
    return refuse(`a comma is missing after the value ${inLine(text, end)}`, end)
  const indentOf = (line: string, sign: RegExp) => sign.exec(line)?.[0].length ?? 0
  const more = indentOf(own, /^[ -]*/)
  const key = /multiline key/.test(reason)
    ? lines.findLastIndex((line) => LONE_KEY.test(line) && indentOf(line, /^[ -]*/) === more)
    : -1
  const lone = lines[key]
  if (lone !== undefined) {
    const start = [...lines.slice(0, key), ''].join('\n').length + lone.search(/\w/)
    const name = lone.replace(/^[\s-]+/, '').trimEnd()
    return refuse(`a colon is missing after "${name}" ${inLine(text, start)}`, start)
  }
  const at = lines.findLastIndex((line) => line.trim() !== '' && indentOf(line, /^ */) <= more)
  const before = lines[at] ?? ''
  const less = indentOf(before, /^[ -]*/)
  if (!reason.startsWith('bad indentation') || more === less || !before.includes(':')) return undefined
  const start = [...lines.slice(0, at), ''].join('\n').length + less
  if (more - less === 2 && STARTS_ITEM.test(before))
    return refuse(`"- " is missing before the first key of a list item ${inLine(text, start)}`, start)
  const what = `a key is indented differently (${more} spaces) from the one above it (${less} spaces)`
  return refuse(`${what} ${inLine(text, offset)}`, offset)
}

function inLine(text: string, offset: number): string {
  return `in line ${text.slice(0, offset).split('\n').length}`
}

function refuse(message: string, offset: number): ReadYaml {
  return { problem: { message, offset } }
}

/** Returns whether a value contains more values than a policy can have. A value that contains itself through an alias always does. */
function isLarge(value: unknown): boolean {
  const left = [value]
  let count = 0
  while (left.length > 0 && count <= MAX_VALUES) {
    const values = Object.values(Object(left.pop()))
    count += values.length
    for (const each of values) if (typeof each === 'object') left.push(each)
  }
  return count > MAX_VALUES
}
