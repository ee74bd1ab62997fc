import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'

/** A range in a string: the offset of its first character, and the offset after its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value in a YAML text: its range, its key, and the values in it. */
export interface YamlNode extends Span {
  readonly kind: 'scalar' | 'literal' | 'list' | 'map'
  /** The value of a scalar, as text. */
  readonly text?: string
  readonly key?: YamlNode
  readonly below: ReadonlyMap<string | number, YamlNode>
  /** True if this is an alias of a value that is defined elsewhere. */
  readonly isAlias?: boolean
  /** True if a nested value is an alias. */
  readonly hasAlias: boolean
}

/** Returns the node of a document, from the parser's events, or undefined for an empty document. */
export function readNodes(text: string, events: readonly Event[]): YamlNode | undefined {
  // The first event is that of the document.
  let [at, reached] = [1, 0]

  const anchors = new Map<string, YamlNode>()

  const read = (key?: YamlNode): YamlNode | undefined => {
    const event = events[at++]
    if (!event || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return undefined
    const { anchorStart, anchorEnd } = event
    const anchor = text.slice(anchorStart, anchorEnd)
    if (event.type === EVENT_ID.ALIAS) {
      reached = anchorEnd
      const target = anchors.get(anchor)
      return target && { ...target, ...(key && { key }), isAlias: true }
    }
    const node = {
      ...(event.type === EVENT_ID.SCALAR ? readScalar(event) : readCollection(event)),
      ...(key && { key }),
    }
    if (anchorStart >= 0) anchors.set(anchor, node)
    return node
  }

  const readScalar = (event: EventOf<'SCALAR'>): YamlNode => {
    // An empty value may have a tag.
    const [start, end] = event.tagStart < 0 ? [reached, reached] : [event.tagStart, event.tagEnd]
    const span = spanOfScalar(text, event) ?? { start, end }
    reached = Math.max(reached, span.end)
    const kind = event.style === SCALAR_STYLE.LITERAL_BLOCK ? 'literal' : 'scalar'
    return { kind, ...span, text: getScalarValue(text, event), below: NONE, hasAlias: false }
  }

  const readCollection = ({ type, start, style }: EventOf<'MAPPING' | 'SEQUENCE'>): YamlNode => {
    const isFlow = style === COLLECTION_STYLE.FLOW
    reached = Math.max(reached, isFlow ? start + 1 : start)
    const isMap = type === EVENT_ID.MAPPING
    const below = isMap ? readPairs() : readItems()
    at++
    const end = isFlow ? findBracket(text, reached) : endOfLine(text, reached)
    if (isFlow) reached = end
    const hasAlias = [...below.values()].some((each) => each.isAlias || each.hasAlias)
    return { kind: isMap ? 'map' : 'list', start, end, below, hasAlias }
  }

  const isEnd = () => at >= events.length || events[at]?.type === EVENT_ID.POP

  const readItems = () => {
    const items = new Map<number, YamlNode>()
    while (!isEnd()) {
      const item = read()
      if (item) items.set(items.size, item)
    }
    return items
  }

  const readPairs = () => {
    const pairs = new Map<string, YamlNode>()
    while (!isEnd()) {
      const key = read()
      const value = read(key)
      if (key?.text !== undefined && value) pairs.set(key.text, value)
    }
    return pairs
  }

  return read()
}

type EventOf<Name extends keyof typeof EVENT_ID> = Extract<Event, { type: (typeof EVENT_ID)[Name] }>

const NONE: ReadonlyMap<string | number, YamlNode> = new Map()

/** Returns the range of a scalar, including its quotes or block indicator. */
function spanOfScalar(text: string, event: EventOf<'SCALAR'>): Span | undefined {
  const { style, valueStart: start, valueEnd: end } = event
  if (start < 0) return undefined
  if (style === SCALAR_STYLE.PLAIN) return { start, end }
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return { start: start - 1, end: end + 1 }
  const line = text.lastIndexOf('\n', start - 2) + 1
  return { start: line + Math.max(0, text.slice(line, start).search(/[|>][-+\d]*(?:[ \t]+#.*)?[ \t]*\r?\n?$/)), end }
}

/** Returns the end of a bracketed collection whose values all end before a position. */
function findBracket(text: string, from: number): number {
  const rest = /(?:[\s,:]|#.*)*/y
  rest.lastIndex = from
  rest.exec(text)
  return Math.min(rest.lastIndex + 1, text.length)
}

/** Returns the start of the next line after a position, or the position itself if it is the start of a line. */
function endOfLine(text: string, place: number): number {
  if (text.charAt(place - 1) === '\n') return place
  return text.indexOf('\n', place) + 1 || text.length
}
